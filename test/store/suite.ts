import { describe, expect, test } from "vitest";
import type { HieraError } from "../../src/errors.ts";
import { Journal } from "../../src/store/journal.ts";
import type { Store } from "../../src/store/store.ts";

/** What every store promises. */
export function storeSuite(name: string, open: () => Store): void {
  const fact = (key: string, body: unknown = { n: 1 }) => ({ key, kind: "plan" as const, body, spentMs: 3 });
  const refusal = (fn: () => unknown): HieraError => {
    try {
      fn();
    } catch (error) {
      return error as HieraError;
    }
    throw new Error("nothing was refused");
  };

  describe(`store: ${name}`, () => {
    test("facts come back in order, whole, with consecutive numbers", () => {
      const store = open();
      store.create("a", { question: 1 });
      store.create("b", null);
      store.append("a", fact("x", { deep: [1, "zwei", null] }));
      store.append("b", fact("x"));
      store.append("a", fact("y"));
      expect(store.facts("a")).toMatchObject([
        { seq: 1, key: "x", kind: "plan", body: { deep: [1, "zwei", null] }, spentMs: 3 },
        { seq: 2, key: "y" },
      ]);
      expect(store.facts("b")).toHaveLength(1);
      expect(store.run("a")?.body).toEqual({ question: 1 });
      expect(store.runs().map((row) => row.id)).toEqual(["b", "a"]);
      expect(store.run("none")).toBeUndefined();
    });

    test("a key is recorded once, and the first body stays", () => {
      const store = open();
      store.create("a", null);
      store.append("a", fact("x", 1));
      expect(refusal(() => store.append("a", fact("x", 2)))).toMatchObject({ code: "infrastructure" });
      expect(store.facts("a").map((known) => known.body)).toEqual([1]);
    });

    test("a run is created once, and facts need a run", () => {
      const store = open();
      store.create("a", null);
      expect(refusal(() => store.create("a", null)).message).toContain("a run named a exists");
      expect(refusal(() => store.append("none", fact("x"))).message).toContain("no run named none");
    });

    test("texts are addressed by content", () => {
      const store = open();
      const address = store.put("int main() {}\n");
      expect(store.put("int main() {}\n")).toBe(address);
      expect(store.put("other")).not.toBe(address);
      expect(store.text(address)).toBe("int main() {}\n");
      expect(refusal(() => store.text("feed")).message).toContain("lacks the text feed");
    });

    test("one driver at a time", () => {
      const store = open();
      store.create("a", null);
      const release = store.lock("a");
      expect(refusal(() => store.lock("a")).message).toContain(`driven by process ${process.pid}`);
      release();
      store.lock("a")();
    });

    test("the journal runs a step once and returns what was recorded", async () => {
      const store = open();
      store.create("a", null);
      let runs = 0;
      const step = (journal: Journal) => journal.step("x", "plan", () => ({ count: ++runs, gone: undefined }));
      const first = new Journal(store, "a");
      expect(await step(first)).toStrictEqual({ count: 1 });
      expect(await step(first)).toStrictEqual({ count: 1 });
      expect(await step(new Journal(store, "a"))).toStrictEqual({ count: 1 });
      expect(runs).toBe(1);
    });

    test("a step that fails leaves no fact and can be taken again", async () => {
      const store = open();
      store.create("a", null);
      const journal = new Journal(store, "a");
      await expect(journal.step("x", "plan", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
      expect(store.facts("a")).toEqual([]);
      expect(await journal.step("x", "plan", () => null)).toBeNull();
      expect(await new Journal(store, "a").step("x", "plan", () => "again")).toBeNull();
    });
  });
}
