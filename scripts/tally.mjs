// Adds up the tests of one check: prints `N passed, N failed, N skipped` from the results folder given.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Counts of a vitest JSON report; a file that failed to load has no tests, and counts as one failure. */
function vitest(text) {
  const report = JSON.parse(text);
  const unloaded = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0).length;
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** Counts of a unittest log: `Ran 12 tests in 3.4s`, then `OK (skipped=1)` or `FAILED (failures=1, errors=2)`. */
function unittest(text) {
  const ran = text.match(/^Ran (\d+) tests? in /m);
  if (!ran) return { passed: 0, failed: 1, skipped: 0 };
  const details = text.match(/^(?:OK|FAILED) \((.*)\)$/m)?.[1] ?? "";
  const count = Object.fromEntries(details.split(", ").map((pair) => pair.split("=")));
  const of = (name) => Number(count[name] ?? 0);
  const failed = of("failures") + of("errors") + of("unexpected successes");
  return { passed: Number(ran[1]) - failed - of("skipped"), failed, skipped: of("skipped") };
}

const folder = process.argv[2];
const counts = readdirSync(folder).map((name) => {
  const text = readFileSync(join(folder, name), "utf8");
  return name.endsWith(".json") ? vitest(text) : unittest(text);
});
const sum = (key) => counts.reduce((total, c) => total + c[key], 0);
console.log(`${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`);
