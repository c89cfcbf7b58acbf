// Drives one run in a process of its own, to be killed at any moment. Arguments: built package, workspace, device (null or cpu).
import { readFileSync } from "node:fs";

const [folder, workspace, device] = process.argv.slice(2);
const from = (file) => import(`${folder}/dist/${file}`);
const { createRun, defaults, drive } = await from("search/run.js");
const { nullDevice } = await from("devices/null.js");
const { deviceNamed } = await from("devices/registry.js");
const { openStore } = await from("store/sqlite.js");
const { proposerNamed } = await from("proposing/index.js");
const { scriptedProposer } = await from("proposing/scripted.js");

const tunables = [{ name: "TILE", values: [1, 2, 4], initial: 2, meaning: "rows at once" }];
const round = (plan) => [
  { title: `first of ${plan.round}`, tunables, verdict: "valid", speedup: 1 + plan.round },
  { title: `second of ${plan.round}`, verdict: "incorrect" },
  { title: `third of ${plan.round}`, verdict: "valid", speedup: 0.8 },
];

/** What each device is driven with: a real problem and recipes on a CPU, a script of verdicts on none. */
const scenes = {
  null: () => ({
    source: "class Model:\n    pass\n",
    options: { rounds: 2, minutes: 10 },
    device: nullDevice({ delayMs: 5 }),
    proposer: scriptedProposer(({ plan }) => round(plan)),
  }),
  cpu: () => ({
    source: readFileSync(new URL("../fixtures/small.py", import.meta.url), "utf8"),
    options: { rounds: 1, candidates: 2 },
    device: deviceNamed("cpu"),
    proposer: proposerNamed("expert"),
  }),
};

const scene = scenes[device]();
const store = openStore(workspace);
if (store.run("run") === undefined) {
  createRun(store, {
    file: "problem.py",
    source: scene.source,
    options: { ...defaults, device, ...scene.options },
    output: "out",
    id: "run",
  });
}
process.stdout.write("started\n");
await drive("run", { store, device: scene.device, proposer: scene.proposer });
store.close();
