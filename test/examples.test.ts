import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { python, runPython } from "./fixtures/python.ts";

const folder = resolve(import.meta.dirname, "../examples");
const names = readdirSync(folder).filter((name) => name.endsWith(".py"));

/** Loads one example as KernelBench's format has it, runs it twice, and prints what can be seen from outside. */
const look = `
import importlib.util, json, resource, sys
import torch
spec = importlib.util.spec_from_file_location("example", sys.argv[1])
example = importlib.util.module_from_spec(spec)
spec.loader.exec_module(example)
torch.set_num_threads(2)
torch.manual_seed(0)
model = example.Model(*example.get_init_inputs())
inputs = example.get_inputs()
before = [x.clone() for x in inputs]

def tensors(y):
    if isinstance(y, torch.Tensor):
        return [y]
    return [t for part in (y.values() if isinstance(y, dict) else y) for t in tensors(part)]

with torch.no_grad():
    torch.manual_seed(1)
    first = tensors(model(*inputs))
    torch.manual_seed(2)
    second = tensors(model(*inputs))
print(json.dumps(dict(
    says=example.__doc__,
    module=isinstance(model, torch.nn.Module),
    shapes=[list(x.shape) for x in inputs],
    finite=all(bool(torch.isfinite(y).all()) for y in first),
    constant=any(y.numel() > 1 and bool((y == y.flatten()[0]).all()) for y in first),
    repeats=len(first) > 0 and all(torch.equal(a, b) for a, b in zip(first, second)),
    inputs_kept=all(torch.equal(a, b) for a, b in zip(before, inputs)),
    megabytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
)))
`;

test("there are at least ten, gelu_chain.py among them", () => {
  expect(names.length).toBeGreaterThanOrEqual(10);
  expect(names).toContain("gelu_chain.py");
});

describe.skipIf(python === null)("an example explains itself, repeats itself and stays small", () => {
  test.each(names)("%s", (name) => {
    const seen = JSON.parse(runPython(look, [join(folder, name)]));
    expect(seen).toMatchObject({ module: true, finite: true, constant: false, repeats: true, inputs_kept: true });
    expect(seen.says).toMatch(/^\S.{20,160}\.$/s);
    expect(seen.megabytes).toBeLessThan(1000);
    if (name === "gelu_chain.py") expect(seen.shapes).toEqual([[4096, 4096]]);
  });
});
