import { test } from "vitest";
import { convolution } from "../../../src/proposing/expert/recipes/convolution.ts";
import { GraphBuilder } from "./graph-builder.ts";
import { contractFor, runWhole } from "./whole.ts";

const conv = (x: number[], w: number[], padding: number, groups: number, bias: boolean, stride = 1) => {
  const g = new GraphBuilder();
  const n = x.length - 2;
  const [input, weight] = [g.input("x", x), g.input("w", w)];
  const b = bias ? g.input("b", [w[0] as number]) : null;
  const rep = (v: number) => new Array<number>(n).fill(v);
  const out = x.slice(2).map((s, d) => Math.floor((s + 2 * padding - (w[d + 2] as number)) / stride) + 1);
  const y = g.node(
    "convolution",
    {
      input,
      weight,
      bias: b,
      stride: rep(stride),
      padding: rep(padding),
      dilation: rep(1),
      transposed: false,
      output_padding: rep(0),
      groups,
    },
    { shape: [x[0] as number, w[0] as number, ...out] },
  );
  const r = (s: number[]) => `torch.randn(${s.join(",")})`;
  return {
    contract: contractFor(g.returns(y)),
    inputs: { x: r(x), w: r(w), b: r([w[0] as number]) },
    expect: [`F.conv${n}d(x,w,${bias ? "b" : "None"},${stride},${padding},1,${groups})`],
  };
};
const cases: Record<string, ReturnType<typeof conv>> = {
  heat2d: conv([1, 1, 4096, 4096], [1, 1, 3, 3], 1, 1, false),
  heat3d: conv([1, 1, 192, 192, 192], [1, 1, 3, 3, 3], 1, 1, false),
  dw112: conv([16, 64, 112, 112], [64, 1, 3, 3], 1, 64, true),
  dw128: conv([8, 64, 128, 128], [64, 1, 3, 3], 1, 64, true),
  dws2: conv([16, 64, 112, 112], [64, 1, 3, 3], 1, 64, true, 2),
  first: conv([8, 3, 128, 128], [32, 3, 3, 3], 1, 1, true),
};
const only = process.env["ONLY"]?.split(",") ?? Object.keys(cases);
const variants = (process.env["VARIANTS"] ?? "rows,padded,interior").split(",");
const settings = JSON.parse(process.env["SETTINGS"] ?? "{}");
for (const name of only)
  for (const variant of variants)
    test(`${name} ${variant}`, { timeout: 300000 }, () => {
      const out = runWhole(
        { ...(cases[name] as never as ReturnType<typeof conv>), recipe: convolution, variant, settings },
        { bench: true, ...(process.env["PY"] ? { python: process.env["PY"] } : {}) },
      );
      console.log(`RESULT ${name} ${variant} ${JSON.stringify(out)}`);
    });
