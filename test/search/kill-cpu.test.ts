import { beforeAll, expect, test } from "vitest";
import { builtPackage } from "../built.ts";
import { python } from "../fixtures/python.ts";
import { drive, factsIn, workspace } from "./drive.ts";

let folder = "";
beforeAll(() => {
  folder = builtPackage();
});

test.skipIf(python === null)(
  "3 kills on the CPU: what was built or measured stays, and nothing is done twice",
  async () => {
    const whole = workspace();
    const { code, ms } = await drive(folder, whole, "cpu", null);
    expect(code).toBe(0);
    const expected = factsIn(whole).map(({ key, kind }) => ({ key, kind }));

    const space = workspace();
    let kills = 0;
    for (const share of [0.3, 0.5, 0.5]) {
      const before = factsIn(space);
      const end = await drive(folder, space, "cpu", ms * share);
      if (!end.killed) break; // a resumed run has less to do and may end first
      kills++;
      // the same facts with the same times: none was made again
      expect(factsIn(space).slice(0, before.length)).toEqual(before);
    }
    expect(kills).toBeGreaterThanOrEqual(2);
    const before = factsIn(space);
    expect((await drive(folder, space, "cpu", null)).code).toBe(0);
    const after = factsIn(space);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(new Set(after.map(({ key }) => key)).size).toBe(after.length);
    expect(after.some(({ kind }) => kind === "build")).toBe(true);
    expect(after.map(({ kind }) => kind)).toEqual(expect.arrayContaining([...new Set(expected.map(({ kind }) => kind))]));
  },
  300_000,
);
