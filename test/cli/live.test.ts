import { expect, test } from "vitest";
import { type LiveState, start, update } from "../../src/cli/live-state.ts";
import { block, plainLine } from "../../src/cli/live-text.ts";
import { plain } from "../../src/report/terminal.ts";
import { search } from "../search/scenario.ts";

test("the live block shows rounds, candidates, the best so far and the time left", async () => {
  const { events } = await search({
    answers: [
      [
        { title: "quick one", verdict: "valid", speedup: 2 },
        { title: "wrong one", verdict: "incorrect" },
      ],
    ],
    options: { rounds: 1 },
  });
  const states: LiveState[] = [];
  for (const event of events) states.push(update(states.at(-1) ?? start(0), event));
  const texts = states.map((state) => block(state, plain, 10_000));
  expect(texts[0]).toMatch(/^problem {2}run\n/);
  expect(texts.some((text) => /r1c1 +quick one +(build|evaluate)/.test(text))).toBe(true);
  expect(texts.some((text) => /r1c2 +wrong one +waiting/.test(text))).toBe(true);
  expect(texts.some((text) => /about \S+ s left/.test(text))).toBe(true);
  const end = texts.at(-1) ?? "";
  expect(end).toContain("round 1 of 1: kernel");
  expect(end).toMatch(/r1c2 +wrong one +incorrect/);
  expect(end).toMatch(/best so far: 2\.\d+× \(r1c1, /);
});

test("plain lines keep what a log needs, each on one line", async () => {
  const { events } = await search({ answers: [[{ title: "quick one", verdict: "valid", speedup: 2 }]], options: { rounds: 1 } });
  const lines = events.map(plainLine).filter((line) => line !== null);
  expect(lines[0]).toBe("problem on null: run run");
  expect(lines.filter((line) => line.includes("\n"))).toEqual([]);
  expect(lines.filter((line) => /^ {2}r1c1 {2}valid {2}2/.test(line))).toHaveLength(2);
  expect(lines.at(-1)).toMatch(/r1c1 .*\(final, new seeds\)$/);
});
