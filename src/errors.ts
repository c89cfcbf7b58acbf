/** A user's mistake or a broken environment: printed as one line, never with a stack trace. */
export class HieraError extends Error {
  override readonly name = "HieraError";
  readonly code: ErrorCode;
  readonly where: string | undefined;
  readonly todo: string | undefined;

  /** @param what what happened, in one clause. `where`: file, line or option. `todo`: the next thing to try. */
  constructor(code: ErrorCode, what: string, { where, todo }: { where?: string; todo?: string } = {}) {
    super([what, where && `(${where})`, todo && `— ${todo}`].filter(Boolean).join(" "));
    this.code = code;
    this.where = where;
    this.todo = todo;
  }
}

/** Each kind of failure has its own exit status, so that a script can tell them apart. */
export const exitStatus = {
  usage: 2,
  "problem-invalid": 3,
  "no-candidate": 4,
  infrastructure: 5,
  disagreement: 1,
  interrupted: 130,
} as const;

export type ErrorCode = keyof typeof exitStatus;
