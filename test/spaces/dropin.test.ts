import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { withHeader, withoutHeader } from "../../src/spaces/header.ts";
import { spaces } from "../../src/spaces/index.ts";
import { embeddedReference } from "../../src/spaces/python.ts";
import { scaledRelu } from "../fixtures/contract.ts";
import { python, runPython } from "../fixtures/python.ts";

const folder = mkdtempSync(join(tmpdir(), "hiera-dropin-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const contract = scaledRelu();
const kernel = `#include <algorithm>
extern "C" int64_t hiera_workspace_bytes() { return FACTOR * 16; }
extern "C" int hiera_forward(const HieraArgs* a, void*, void*) {
  for (int64_t i = 0; i < contract::x_numel; i++) a->out[i] = std::max(a->x[i], 0.f) * a->scale_weight[i % contract::scale_weight_numel];
  return 0;
}`;
const torchText = `class ModelNew(Model):
    def forward(self, x):
        return x.clamp(min=0).mul_(self.scale.weight)`;

/** Imports the file, then runs the lines; the last expression is printed. */
function run(space: "kernel" | "torch", lines: string): string {
  const files = space === "kernel" ? { "kernel.cpp": kernel } : { "model_new.py": torchText };
  const file = join(folder, `${space}.py`);
  writeFileSync(file, spaces[space].wrap(contract, files, space === "kernel" ? { FACTOR: 2 } : {}).source);
  const program = `import sys, runpy, torch
m = runpy.run_path(sys.argv[1])
torch.manual_seed(0); ref = m["Model"](8)
torch.manual_seed(0); new = m["ModelNew"](8)
x = torch.randn(4, 8)
def attempt(call):
    try: return call()
    except Exception as error: return type(error).__name__ + ": " + str(error)
${lines}`;
  return runPython(program, [file], { HIERA_CACHE: folder }).trim();
}

describe.skipIf(python === null)("a drop-in", () => {
  for (const space of ["kernel", "torch"] as const) {
    test(`${space}: same state_dict, same draws, same result`, () => {
      const lines = `print(all(torch.equal(a, b) for a, b in zip(ref.state_dict().values(), new.state_dict().values())),
        list(ref.state_dict()) == list(new.state_dict()), torch.allclose(ref(x), new(x)))`;
      expect(run(space, lines)).toBe("True True True");
    });

    test.each([
      ["torch.zeros(4, 9)", "ValueError: x: expected shape (4, 8), found (4, 9)"],
      ["torch.zeros(4, 8, dtype=torch.float64)", "TypeError: x: expected dtype torch.float32, found torch.float64"],
      ["torch.zeros(8, 4).t()", "ValueError: x: expected strides (8, 1), found (1, 4)"],
      ["3.0", "TypeError: x: expected a Tensor, found float"],
    ])(`${space}: refuses %s`, (argument, message) => {
      expect(run(space, `print(attempt(lambda: new(${argument})))`)).toContain(message);
    });
  }

  test("kernel: a gradient is refused, never dropped in silence", () => {
    expect(run("kernel", "print(attempt(lambda: new(x.requires_grad_())))")).toContain("computes no gradients");
    expect(run("kernel", "print(new(x).requires_grad, attempt(lambda: new(x).sum().backward()))")).toMatch(
      /^True RuntimeError: .*computes no gradients/,
    );
    expect(run("kernel", "with torch.no_grad(): print(new(x).requires_grad)")).toBe("False");
  });

  test("torch: gradients flow as in the reference", () => {
    expect(run("torch", "new(x).sum().backward(); print(new.scale.weight.grad is not None)")).toBe("True");
  });

  test("kernel: parameters are read at each call", () => {
    const lines = "with torch.no_grad(): new.scale.weight.mul_(2); print(torch.allclose(new(x), 2 * ref(x)))";
    expect(run("kernel", lines)).toBe("True");
  });

  test("a file that cannot be built says so", () => {
    const broken = spaces.kernel.wrap(contract, { "kernel.cpp": "nonsense" }, {});
    const file = join(folder, "broken.py");
    writeFileSync(file, broken.source);
    expect(() => runPython("import sys, runpy; runpy.run_path(sys.argv[1])", [file], { HIERA_CACHE: folder })).toThrow(
      /failed:[\s\S]*kernel\.cpp/,
    );
  });
});

test("the reference can be read back from a drop-in, with and without its header", () => {
  const { source } = spaces.torch.wrap(contract, { "model_new.py": torchText }, {});
  expect(embeddedReference(source)).toBe(contract.problem.source);
  const provenance = {
    hiera: "0.1.0",
    run: "r",
    problem: "p.py",
    contract: "c",
    verdict: "valid",
    speedup: null,
    baselineMs: null,
    bestMs: null,
    floorMs: 1,
    space: "torch",
    direction: "reuse",
    recipes: [],
    settings: {},
    device: "cpu",
    torch: "2",
    compiler: "g++",
    options: { mode: "as-is", precision: "strict", fixedRng: false, tolerance: "budget", threads: 2 },
  } as const;
  expect(withoutHeader(withHeader(source, { ...provenance, recipes: [] }))).toBe(source);
});

test.each([
  ["kernel", {}, "candidate lacks kernel.cpp"],
  ["kernel", { "kernel.cpp": "", "extra.py": "" }, "candidate has unexpected extra.py"],
  ["torch", { "kernels.cpp": "" }, "candidate lacks model_new.py"],
] as const)("%s refuses the files %o", (space, files, message) => {
  expect(() => spaces[space].wrap(contract, files, {})).toThrow(message);
});

describe.skipIf(python === null)("what the code was made for", () => {
  test("another constructor argument is refused", () => {
    expect(run("kernel", 'print(attempt(lambda: m["ModelNew"](9)))')).toContain("ValueError: n: expected 8, found 9");
  });

  test("the other mode is refused where it computes something else", () => {
    const source = { ...contract, behaviour: { ...contract.behaviour, modeMatters: true } };
    const file = join(folder, "mode.py");
    writeFileSync(file, spaces.torch.wrap(source, { "model_new.py": torchText }, {}).source);
    const program = `import sys, runpy, torch
new = runpy.run_path(sys.argv[1])["ModelNew"](8)
new(torch.zeros(4, 8))
new.eval()(torch.zeros(4, 8))`;
    expect(() => runPython(program, [file])).toThrow(/made for training mode; call \.train\(\) first/);
  });
});
