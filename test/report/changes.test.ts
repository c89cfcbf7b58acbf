import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changes, patch } from "../../src/report/changes.ts";
import { lines } from "../../src/report/code.ts";

const file = fc.array(fc.constantFrom("a", "b", "c", "", "\\ x"), { maxLength: 12 }).map((l) => l.join("\n"));

describe("patch", () => {
  it("turns one file into the other", () => {
    fc.assert(
      fc.property(file, file, (before, after) => {
        const [old, now] = [lines(before), lines(after)];
        const shown = patch(before, after);
        const gone = new Set(shown.filter((l) => l.kind === "gone").map((l) => l.at));
        const fresh = shown.filter((l) => l.kind === "new").map((l) => l.at);
        const kept = old.filter((_, i) => !gone.has(i));
        expect(now.filter((_, i) => !fresh.includes(i))).toEqual(kept);
        for (const l of shown.filter((s) => s.kind === "same")) expect(now).toHaveProperty(String(l.at));
      }),
    );
  });

  it("is empty for equal files", () => expect(patch("x\ny\n", "x\ny\n")).toEqual([]));
});

describe("changes", () => {
  it("names files added, removed and altered", () => {
    expect(changes({ same: "1", altered: "1", removed: "1" }, { same: "1", altered: "2", added: "1" })).toEqual([
      { name: "added", before: null, after: "1" },
      { name: "altered", before: "1", after: "2" },
      { name: "removed", before: "1", after: null },
    ]);
  });
});
