import { beforeAll, expect, test } from "vitest";
import { builtPackage } from "../built.ts";
import { drive, factsIn, workspace } from "./drive.ts";

const kills = 30;

let folder = "";
beforeAll(() => {
  folder = builtPackage();
});

/** Everything that a run recorded, but for times. */
const timeless = (space: string): string =>
  JSON.stringify(factsIn(space).map(({ seq, key, kind, body }) => ({ seq, key, kind, body })));

test(`${kills} kills at random moments change no fact`, async () => {
  const whole = workspace();
  const { code, ms } = await drive(folder, whole, "null", null);
  expect(code).toBe(0);
  const expected = timeless(whole);
  expect(JSON.parse(expected).length).toBeGreaterThan(30);

  let killed = 0;
  while (killed < kills) {
    const space = workspace();
    // Several kills a run, each in the middle of what is left; a run that came to its end is followed by a fresh one.
    for (let alive = true; alive && killed < kills; ) {
      const before = timeless(space).length;
      const end = await drive(folder, space, "null", Math.random() * ms * 0.6);
      const now = timeless(space);
      alive = now !== expected;
      if (end.killed && alive) {
        killed++;
        expect(expected.startsWith(now.slice(0, -1)), `a prefix after kill ${killed}`).toBe(true);
        expect(now.length).toBeGreaterThanOrEqual(before);
      }
      if (!end.killed) expect(end.code).toBe(0);
    }
    if ((await drive(folder, space, "null", null)).code !== 0) throw new Error("the resumed run failed");
    expect(timeless(space)).toBe(expected);
  }
  expect(killed).toBe(kills);
});
