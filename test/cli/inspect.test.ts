import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { Contract } from "../../src/problem/contract.ts";
import { hiera, repository } from "../fixtures/cli.ts";

const folder = mkdtempSync(join(tmpdir(), "inspect-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Several kinds of input, a buffer that changes, a tuple in a dict, an integer output. */
const mixed = `
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, features, scale):
        super().__init__()
        self.fc = nn.Linear(features, 8)
        self.scale = scale
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x, index, power):
        self.calls += 1
        y = torch.relu(self.fc(x[index]) * self.scale) ** power
        return {"pair": (y, y.sum(-1)), "best": y.argmax(-1)}

def get_inputs():
    return [torch.randn(32, 16), torch.arange(8), 2]

def get_init_inputs():
    return [16, 0.5]
`;

async function inspect(...args: string[]) {
  writeFileSync(join(folder, "mixed.py"), mixed);
  const { exitCode, stdout, stderr } = await hiera(["inspect", ...args], { cwd: folder });
  expect(exitCode, stderr).toBe(0);
  expect(stderr).toBe("");
  return stdout;
}

test("shows interface, state, floor, operators and regions as text", async () => {
  const text = await inspect("mixed.py");
  expect(text.match(/^\w[\w ]*$/gm)).toEqual(["Interface", "State", "Behaviour", "Device", "Floor", "Operators", "Regions"]);
  expect(text).toMatch(/input +x +float32 \[32, 16\]/);
  expect(text).toMatch(/input +index +int64 \[8\]/);
  expect(text).toMatch(/input +power +2, passed unchanged/);
  expect(text).toMatch(/returns +\{pair: \(tensor, tensor\), best: tensor\}/);
  expect(text).toMatch(/buffer +calls .*counts as an output/);
  expect(text).toMatch(/r\d +row +.*argmax +reads \w.*; writes \w/);
});

test("--json prints the whole contract, and the shipped JSON Schema accepts it", async () => {
  const document = JSON.parse(await inspect("mixed.py", "--json"));
  const contract = Contract.parse(document);
  expect(contract.interface.inputs.map((i) => i.name)).toEqual(["x", "index", "power"]);
  expect(contract.behaviour.changesBuffers).toEqual(["calls"]);
  expect(contract.performance.floor.ms).toBeGreaterThan(0);
  const shipped = z.fromJSONSchema(JSON.parse(readFileSync(join(repository, "schemas/contract.schema.json"), "utf8")));
  expect(shipped.safeParse(document).error?.issues).toBeUndefined();
  expect(shipped.safeParse({ ...document, graph: { ...document.graph, nodes: "none" } }).success).toBe(false);
});

test("the options chosen are part of the contract", async () => {
  const options = ["--precision", "bf16", "--mode", "eval", "--tolerance", "kernelbench", "--threads", "1"];
  const contract = Contract.parse(JSON.parse(await inspect("mixed.py", "--json", ...options)));
  expect(contract.numerics).toMatchObject({ precision: "bf16", tolerance: "kernelbench" });
  expect(contract.behaviour.mode).toBe("eval");
  expect(contract.environment.threads).toBe(1);
});
