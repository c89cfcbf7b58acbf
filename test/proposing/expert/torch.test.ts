import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rewrites } from "../../../src/proposing/expert/torch/index.ts";
import { spaces } from "../../../src/spaces/index.ts";
import { python } from "../../fixtures/python.ts";
import { differences, problem, traced } from "../../fixtures/traced.ts";

const folder = mkdtempSync(join(tmpdir(), "hiera-torch-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Case {
  readonly rewrite: "operators" | "better-operators";
  readonly source: string;
  /** what the text calls; null: the rewrite refuses */
  readonly calls: string | null;
}

const operators = (source: string): Case => ({ rewrite: "operators", source, calls: "aten." });
const better = (calls: string | null, forward: string): Case => ({
  rewrite: "better-operators",
  source: problem(forward),
  calls,
});

const cases: Record<string, Case> = {
  "slices to the end": operators(problem("return x[1:, ::2] + 1")),
  "several outputs of one operator": operators(
    problem("a, b = x.split(3, 1)\nv, i = x.max(1)\nreturn {'sum': (a + b, v), 'at': [i]}"),
  ),
  "numbers among the inputs": operators(problem("return x * k + b", { inputs: "torch.randn(3), 2, 0.5", args: "x, k, b" })),
  "constants made in forward": operators(problem("return x * torch.tensor([2.0, float('inf')])[0] + torch.arange(6)")),
  "tensors kept as plain attributes": operators(problem("return x * self.table", { init: "self.table = torch.rand(6)" })),
  "statistics that move": operators(problem("return self.bn(x)", { init: "self.bn = nn.BatchNorm1d(6)" })),
  "a recurrent layer": {
    rewrite: "operators",
    source: problem("y, (h, c) = self.net(x)\nreturn y + 1, h, c", {
      init: "self.net = nn.LSTM(6, 5)",
      inputs: "torch.randn(3, 4, 6)",
    }),
    calls: "_flat(self.net(x))",
  },
  "modules in a list": operators(
    problem("for f in self.fs: x = f(x).relu_()\nreturn x", { init: "self.fs = nn.ModuleList([nn.Linear(6, 6)])" }),
  ),
  "no inputs": operators(
    problem("return torch.ones(3) * self.w", { inputs: "", init: "self.w = nn.Parameter(torch.rand(3))", args: "*none" }),
  ),
  "floats that look whole": operators(
    problem("return torch.arange(3) * 2.0 + torch.full((3,), 1.0)", { inputs: "", args: "*none" }),
  ),
  "a buffer read, then changed": operators(
    problem("y = x - self.seen\nself.seen.add_(1)\nreturn y + self.seen", {
      init: "self.register_buffer('seen', torch.zeros(6))",
    }),
  ),
  "what depends on contents": { rewrite: "operators", source: problem("return x * x.sum().item()"), calls: null },
  "gelu, tanh form": better(
    "functional.gelu",
    "return 0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * torch.pow(x, 3))))",
  ),
  "gelu, erf form": better("functional.gelu", "return x * 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0)))"),
  silu: better("functional.silu", "return x * torch.sigmoid(x)"),
  softmax: better("torch.softmax", "e = torch.exp(x - x.max(1, keepdim=True)[0])\nreturn e / e.sum(1, keepdim=True)"),
  "gelu with another constant": better(null, "return 0.5 * x * (1 + torch.tanh(0.9 * (x + 0.044715 * torch.pow(x, 3))))"),
  "silu of another tensor": better(null, "return x * torch.sigmoid(x + 1)"),
  "gelu with a scaled sum": better(
    null,
    "return 0.5 * x * (1 + torch.tanh(0.79788456 * torch.add(x, 0.044715 * torch.pow(x, 3), alpha=2)))",
  ),
  "sums over another dimension": better(null, "e = torch.exp(x - x.max(1, keepdim=True)[0])\nreturn e / e.sum(0, keepdim=True)"),
};

const attention: Case = {
  rewrite: "better-operators",
  source: problem("w = (q @ k.transpose(-2, -1) / 2.0).masked_fill(self.m, float('-inf'))\nreturn torch.softmax(w, -1) @ v", {
    inputs: "torch.randn(2, 3, 5, 4), torch.randn(2, 3, 5, 4), torch.randn(2, 3, 5, 4)",
    init: "self.register_buffer('m', torch.ones(5, 5).tril() == 0)",
    args: "q, k, v",
  }),
  calls: "scaled_dot_product_attention",
};

interface Written {
  readonly text: string | null;
  worst: number;
}

const written: Record<string, Written> = {};
let torch = "";

/** One Python traces all problems, and one runs all drop-ins. */
beforeAll(() => {
  if (python === null) return;
  const all = Object.entries({ ...cases, attention });
  const contracts = traced(all.map(([, { source }]) => source));
  torch = contracts[0]?.environment.torch ?? "";
  const files: [string, string][] = [];
  all.forEach(([name, { rewrite }], index) => {
    const contract = contracts[index];
    const found = rewrites.find((candidate) => candidate.name === rewrite);
    if (!contract || !found) throw new Error(`no rewrite ${rewrite}`);
    const text = found.refuses(contract) === null ? found.emit(contract) : null;
    written[name] = { text, worst: Number.NaN };
    if (text === null) return;
    const file = join(folder, `${index}.py`);
    writeFileSync(file, spaces.torch.wrap(contract, { "model_new.py": text }, {}).source);
    files.push([name, file]);
  });
  differences(files.map(([, file]) => file)).forEach((worst, index) => {
    (written[files[index]?.[0] ?? ""] as Written).worst = worst;
  });
});

describe.skipIf(python === null)("rewrites agree with the reference", () => {
  test.each(Object.entries(cases))("%s", (name, { calls }) => {
    if (calls === null) return expect(written[name]?.text).toBeNull();
    expect(written[name]?.text).toContain(calls);
    expect(written[name]?.worst).toBeLessThan(2e-6);
  });

  test("what a better operator replaces is gone", () => {
    expect(written["gelu, tanh form"]?.text).not.toContain("tanh(x");
    expect(written.softmax?.text).not.toContain("aten.exp");
  });

  test("attention, from PyTorch 2.1 on", () => {
    const [major = 0, minor = 0] = torch.split(".").map(Number);
    if (major < 2 || (major === 2 && minor < 1)) return expect(written.attention?.text).toBeNull();
    expect(written.attention?.text).toContain("scaled_dot_product_attention");
    expect(written.attention?.worst).toBeLessThan(2e-6);
  });
});
