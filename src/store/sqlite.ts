import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { HieraError } from "../errors.ts";
import { makeFolder } from "./folder.ts";
import { addressOf, factExists, noSuchRun, noSuchText, runExists, runHeld } from "./memory.ts";
import type { Fact, FactKind, Store } from "./store.ts";

export const storeVersion = 1;

const schema = `
create table if not exists run(id text primary key, at text not null, body text not null) strict;
create table if not exists fact(run text not null references run(id), seq integer not null, key text not null, kind text not null,
  body text not null, at text not null, spent integer not null, primary key(run, seq), unique(run, key)) strict;
create table if not exists text(address text primary key, content text not null) strict;
create table if not exists lock(run text primary key, pid integer not null, started text not null) strict;
pragma user_version = ${storeVersion};
`;

interface FactRow {
  seq: number;
  key: string;
  kind: FactKind;
  body: string;
  at: string;
  spent: number;
}

const storePath = (workspace: string): string => join(workspace, ".hiera", "hiera.db");

/** Opens `<workspace>/.hiera/hiera.db`, making it where it is missing. Throws HieraError("infrastructure"): unreadable, full, damaged, newer. */
export function openStore(workspace: string): Store {
  const path = storePath(workspace);
  const say = <T>(fn: () => T): T => {
    try {
      return fn();
    } catch (error) {
      throw explained(error, path);
    }
  };
  const db = say(() => connect(workspace, path));
  const rows = <T>(sql: string, ...args: unknown[]) => say(() => db.prepare(sql).all(...args) as T[]);
  const write = (sql: string, ...args: unknown[]) => say(() => db.prepare(sql).run(...args).changes);
  const now = () => new Date().toISOString();

  const store: Store = {
    create(id, body) {
      if (store.run(id) !== undefined) throw runExists(id);
      write("insert into run values (?, ?, ?)", id, now(), JSON.stringify(body));
    },
    runs: () =>
      rows<{ id: string; at: string; body: string }>("select id, at, body from run order by rowid desc").map((row) => ({
        id: row.id,
        at: row.at,
        body: parsed(row.body, path),
      })),
    run: (id) => store.runs().find((row) => row.id === id),
    facts: (run) =>
      rows<FactRow>("select seq, key, kind, body, at, spent from fact where run = ? order by seq", run).map(
        ({ seq, key, kind, body, at, spent }): Fact => ({ seq, key, kind, body: parsed(body, path), at, spentMs: spent }),
      ),
    append(run, { key, kind, body, spentMs }) {
      const changes = write(
        `insert or ignore into fact select id, (select coalesce(max(seq), 0) + 1 from fact where run = ?), ?, ?, ?, ?, ?
         from run where id = ?`,
        ...[run, key, kind, JSON.stringify(body), now(), spentMs, run],
      );
      if (changes === 0) throw store.run(run) === undefined ? noSuchRun(run) : factExists(run, key);
    },
    put(text) {
      const address = addressOf(text);
      write("insert or ignore into text values (?, ?)", address, text);
      return address;
    },
    text(address) {
      const row = rows<{ content: string }>("select content from text where address = ?", address)[0];
      if (row === undefined) throw noSuchText(address);
      return row.content;
    },
    lock(run) {
      const take = () => write("insert or ignore into lock values (?, ?, ?)", run, process.pid, startedAt(process.pid));
      if (take() === 0) {
        const holder = rows<{ pid: number; started: string }>("select pid, started from lock where run = ?", run)[0];
        if (holder !== undefined && startedAt(holder.pid) === holder.started) throw runHeld(run, holder.pid);
        write("delete from lock where run = ? and pid = ? and started = ?", run, holder?.pid ?? 0, holder?.started ?? "");
        if (take() === 0) throw runHeld(run, holder?.pid ?? 0);
      }
      return () => void write("delete from lock where run = ? and pid = ?", run, process.pid);
    },
    close: () => void db.close(),
  };
  return store;
}

/** Whether a workspace has a store; reading commands make none. */
export const hasStore = (workspace: string): boolean => existsSync(storePath(workspace));

function connect(workspace: string, path: string): InstanceType<typeof Database> {
  makeFolder(join(workspace, ".hiera"));
  const db = new Database(path);
  db.exec("pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = full;");
  const version = (db.prepare("pragma user_version").get() as { user_version: number }).user_version;
  if (version > storeVersion) {
    throw new HieraError(
      "infrastructure",
      `the store was written by a newer hiera (format ${version}, this one reads ${storeVersion})`,
      {
        where: path,
        todo: "update hiera or use another --workspace",
      },
    );
  }
  if (version === 0) db.exec(`begin immediate; ${schema} commit;`);
  return db;
}

/** A process id may be used again; with its start time it is unique. "" for a process that has ended. */
function startedAt(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")")).split(" ");
    return fields[1] === "Z" ? "" : (fields[20] ?? "");
  } catch {
    return alive(pid) ? "running" : "";
  }
}

/** Where there is no /proc (macOS), a live id is all that can be known. */
function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function parsed(body: string, path: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new HieraError("infrastructure", "the store holds a damaged record", { where: path, todo: damaged });
  }
}

const damaged = "move .hiera/ away and start again, or restore it from a copy";

const explanations: readonly { readonly match: RegExp; readonly what: string; readonly todo: string }[] = [
  { match: /SQLITE_FULL|ENOSPC/, what: "the disk is full", todo: "free some space, then: hiera resume RUN" },
  {
    match: /READONLY|EACCES|EROFS|EPERM|PERM|ENOENT|: 14"/,
    what: "the store cannot be written",
    todo: "allow writing there or use another --workspace",
  },
  { match: /NOTADB|CORRUPT|malformed|no such (table|column)/, what: "the store is damaged", todo: damaged },
  { match: /ENOTDIR|EEXIST|EISDIR/, what: "the workspace is not a folder", todo: "name a folder with --workspace" },
  { match: /BUSY|LOCKED/, what: "the store is in use by another process", todo: "try again when it has finished" },
  { match: /IOERR/, what: "the store cannot be read or written", todo: "check the disk and free some space" },
];

function explained(error: unknown, path: string): HieraError {
  if (error instanceof HieraError) return error;
  const { code = "", message = "" } = error as { code?: string; message?: string };
  const known = explanations.find(({ match }) => match.test(`${code} ${message}`));
  return new HieraError("infrastructure", known?.what ?? `the store failed: ${message.split("\n")[0]}`, {
    where: path,
    ...(known && { todo: known.todo }),
  });
}
