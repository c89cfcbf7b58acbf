// Drives one run on the null device in a process of its own, to be killed at any moment. Arguments: built package, workspace.
const [folder, workspace] = process.argv.slice(2);
const { createRun, defaults, drive, nullDevice, openStore, scriptedProposer } = await import(`${folder}/dist/index.js`);

const tunables = [{ name: "TILE", values: [1, 2, 4], initial: 2, meaning: "rows at once" }];
const round = (plan) => [
  { title: `first of ${plan.round}`, tunables, verdict: "valid", speedup: 1 + plan.round },
  { title: `second of ${plan.round}`, verdict: "incorrect" },
  { title: `third of ${plan.round}`, verdict: "valid", speedup: 0.8 },
];
const store = openStore(workspace);
if (store.run("run") === undefined) {
  createRun(store, {
    file: "problem.py",
    source: "class Model:\n    pass\n",
    options: { ...defaults, device: "null", rounds: 2, minutes: 10 },
    output: "out",
    id: "run",
  });
}
process.stdout.write("started\n");
await drive("run", { store, device: nullDevice({ delayMs: 5 }), proposer: scriptedProposer(({ plan }) => round(plan)) });
store.close();
