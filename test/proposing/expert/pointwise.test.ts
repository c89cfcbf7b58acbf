import { expect, test } from "vitest";
import { formRegions } from "../../../src/planning/regions.ts";
import type { Graph, Literal } from "../../../src/problem/graph.ts";
import type { Dtype } from "../../../src/problem/tensor.ts";
import { GraphBuilder } from "./graph-builder.ts";
import { type Case, python, runCases } from "./harness.ts";

const shape = [7, 33];
const randn = "torch.randn(7,33)*2";
const special =
  "torch.tensor([math.nan,math.inf,-math.inf,0.0,-0.0,1.0,-1.0,3e38,-3e38,1e-40,50.0])[torch.arange(231)%11].reshape(7,33)";

const one = (
  name: string,
  op: string,
  args: Record<string, Literal>,
  expected: string,
  { x = randn, from = "float32", to = from }: { x?: string; from?: Dtype; to?: Dtype } = {},
): Case => {
  const g = new GraphBuilder();
  const self = g.input("x", shape, from);
  return { name, graph: g.returns(g.node(op, { self, ...args }, { shape, dtype: to })), inputs: { x }, expect: [expected] };
};

const two = (
  name: string,
  op: string,
  args: Record<string, Literal>,
  expected: string,
  x: string,
  y: string,
  [a, b, to]: [Dtype, Dtype, Dtype],
): Case => {
  const g = new GraphBuilder();
  const self = g.input("x", shape, a);
  const other = g.input("y", shape, b);
  return {
    name,
    graph: g.returns(g.node(op, { self, other, ...args }, { shape, dtype: to })),
    inputs: { x, y },
    expect: [expected],
  };
};

const ints = "torch.randint(-50,50,(7,33))";
const nonzero = "torch.randint(1,9,(7,33))*(torch.randint(0,2,(7,33))*2-1)";
const f32: [Dtype, Dtype, Dtype] = ["float32", "float32", "float32"];
const i64: [Dtype, Dtype, Dtype] = ["int64", "int64", "int64"];

const positive = new Set("sqrt rsqrt log log2 log10".split(" "));
const unaryNames =
  "abs neg exp expm1 exp2 sqrt rsqrt reciprocal tanh sigmoid erf erfc sin cos tan floor ceil round trunc sign log log2 log10 square";

const cases: Case[] = [
  ...unaryNames
    .split(" ")
    .map((op) => one(op, op, {}, `torch.${op}(x)`, positive.has(op) ? { x: "torch.rand(7,33)*5+0.01" } : {})),
  one("exp of ends", "exp", {}, "torch.exp(x)", { x: special }),
  one("tanh of ends", "tanh", {}, "torch.tanh(x)", { x: special }),
  one("log of ends", "log", {}, "torch.log(x)", { x: special }),
  one("log1p of ends", "log1p", {}, "torch.log1p(x)", { x: special }),
  one("erf of ends", "erf", {}, "torch.erf(x)", { x: special }),
  one("sigmoid of ends", "sigmoid", {}, "torch.sigmoid(x)", { x: special }),
  one("relu of ends", "relu", {}, "torch.relu(x)", { x: special }),
  one("clamp of ends", "clamp", { min: -1, max: 2 }, "torch.clamp(x,-1,2)", { x: special }),
  one("hardtanh of ends", "hardtanh", { min_val: -1, max_val: 1 }, "F.hardtanh(x)", { x: special }),
  one("isnan", "isnan", {}, "torch.isnan(x)", { x: special, to: "bool" }),
  one("isinf", "isinf", {}, "torch.isinf(x)", { x: special, to: "bool" }),
  one("gelu", "gelu", { approximate: "none" }, "F.gelu(x)"),
  one("gelu tanh", "gelu", { approximate: "tanh" }, "F.gelu(x,approximate='tanh')"),
  one("silu", "silu", {}, "F.silu(x)"),
  one("mish", "mish", {}, "F.mish(x)"),
  one("softplus", "softplus", { beta: 2, threshold: 3 }, "F.softplus(x,2,3)"),
  one("elu", "elu", { alpha: 1.5, scale: 1, input_scale: 1 }, "F.elu(x,1.5)"),
  one("selu", "selu", {}, "F.selu(x)"),
  one("celu", "celu", { alpha: 2 }, "F.celu(x,2)"),
  one("hardswish", "hardswish", {}, "F.hardswish(x)"),
  one("hardsigmoid", "hardsigmoid", {}, "F.hardsigmoid(x)"),
  one("hardshrink", "hardshrink", { lambd: 0.5 }, "F.hardshrink(x)"),
  one("softshrink", "softshrink", { lambd: 0.5 }, "F.softshrink(x)"),
  one("log_sigmoid", "log_sigmoid", {}, "F.logsigmoid(x)"),
  one("leaky_relu", "leaky_relu", { negative_slope: 0.1 }, "F.leaky_relu(x,0.1)"),
  one("threshold", "threshold", { threshold: 0.3, value: -7 }, "F.threshold(x,0.3,-7)"),
  one("pow 3", "pow", { exponent: 3 }, "x**3"),
  one("pow 1.7", "pow", { exponent: 1.7 }, "x**1.7", { x: "torch.rand(7,33)+0.5" }),
  one("pow -0.5", "pow", { exponent: -0.5 }, "x**-0.5", { x: "torch.rand(7,33)+0.5" }),
  one("tanh in float64", "tanh", {}, "torch.tanh(x)", { x: "torch.randn(7,33,dtype=torch.float64)", from: "float64" }),
  one("bfloat16", "mul", { other: 3.3 }, "x*3.3", { x: "torch.randn(7,33).bfloat16()", from: "bfloat16" }),
  one("float16", "add", { other: 3.3, alpha: 1 }, "x+3.3", { x: "torch.randn(7,33).half()", from: "float16" }),
  one("int times float", "mul", { other: 2.5 }, "x*2.5", { x: ints, from: "int64", to: "float32" }),
  one("uint8 wraps", "add", { other: 200, alpha: 1 }, "x+200", {
    x: "torch.arange(231,dtype=torch.uint8).reshape(7,33)",
    from: "uint8",
  }),
  one("int32 wraps", "mul", { other: 65537 }, "x*65537", {
    x: "torch.arange(231,dtype=torch.int32).reshape(7,33)*1009",
    from: "int32",
  }),
  one("to int32", "to", {}, "x.int()", { x: "torch.randn(7,33)*100", to: "int32" }),
  one("to bool", "to", {}, "x.bool()", { x: "torch.randint(-1,2,(7,33)).float()", to: "bool" }),
  one("compare int with float", "gt", { other: 2.5 }, "x>2.5", { x: ints, from: "int64", to: "bool" }),
  one("bitwise_not", "bitwise_not", {}, "~x", { x: ints, from: "int64" }),
  one("masked_fill by a constant", "clamp_min", { min: 0.25 }, "torch.clamp_min(x,0.25)"),
  two("maximum", "maximum", {}, "torch.maximum(x,y)", special, "torch.randn(7,33)", f32),
  two("minimum", "minimum", {}, "torch.minimum(x,y)", "torch.randn(7,33)", special, f32),
  two("div", "div", { rounding_mode: null }, "x/y", ints, nonzero, ["int64", "int64", "float32"]),
  two("div floor", "div", { rounding_mode: "floor" }, "torch.div(x,y,rounding_mode='floor')", ints, nonzero, i64),
  two("div trunc", "div", { rounding_mode: "trunc" }, "torch.div(x,y,rounding_mode='trunc')", ints, nonzero, i64),
  two("remainder", "remainder", {}, "torch.remainder(x,y)", ints, nonzero, i64),
  two("fmod", "fmod", {}, "torch.fmod(x,y)", randn, "torch.rand(7,33)+0.5", f32),
  two("float remainder", "remainder", {}, "torch.remainder(x,y)", randn, "torch.rand(7,33)+0.5", f32),
  two("sub with alpha", "sub", { alpha: 0.5 }, "torch.sub(x,y,alpha=0.5)", randn, randn, f32),
  two("atan2", "atan2", {}, "torch.atan2(x,y)", randn, randn, f32),
  two("mixed floats", "add", { alpha: 1 }, "x+y", "torch.randn(7,33)", "torch.randn(7,33,dtype=torch.float64)", [
    "float32",
    "float64",
    "float64",
  ]),
  two("le of mixed", "le", {}, "x<=y", ints, "torch.randn(7,33)*50", ["int64", "float32", "bool"]),
  two("bitwise_and", "bitwise_and", {}, "x&y", ints, ints, i64),
];

const built: [string, (g: GraphBuilder) => [Graph, Record<string, string>, string[]]][] = [
  [
    "bias by channel, scale, activation",
    (g) => {
      const [x, b, s] = [g.input("x", [3, 5, 6, 7]), g.input("b", [5, 1, 1]), g.input("s", [])];
      const sum = g.node("add", { self: x, other: b, alpha: 1 }, { shape: [3, 5, 6, 7] });
      const act = g.node("silu", { self: sum }, { shape: [3, 5, 6, 7] });
      return [
        g.returns(g.node("mul", { self: act, other: s }, { shape: [3, 5, 6, 7] })),
        { x: "torch.randn(3,5,6,7)", b: "torch.randn(5,1,1)", s: "torch.tensor(1.5)" },
        ["F.silu(x+b)*s"],
      ];
    },
  ],
  [
    "channels last",
    (g) => {
      const strides = [210, 1, 35, 5];
      const x = g.input("x", [3, 5, 6, 7], "float32", strides);
      const b = g.input("b", [5, 1, 1]);
      const sum = g.node("mul", { self: x, other: b }, { shape: [3, 5, 6, 7], strides });
      return [
        g.returns(g.node("tanh", { self: sum }, { shape: [3, 5, 6, 7], strides })),
        { x: "torch.randn(3,6,7,5).permute(0,3,1,2)", b: "torch.randn(5,1,1)" },
        ["torch.tanh(x*b)"],
      ];
    },
  ],
  [
    "transposed operand, two outputs of several types",
    (g) => {
      const [x, y] = [g.input("x", [40, 50]), g.input("y", [50, 40])];
      const t = g.view("t", y, [40, 50], [1, 40]);
      const sum = g.node("add", { self: x, other: t, alpha: 1 }, { shape: [40, 50] });
      const hit = g.node("gt", { self: sum, other: 0 }, { shape: [40, 50], dtype: "bool" });
      return [g.returns(sum, hit), { x: "torch.randn(40,50)", y: "torch.randn(50,40)" }, ["x+y.t()", "(x+y.t())>0"]];
    },
  ],
  [
    "reshaped between operators, fill and where",
    (g) => {
      const x = g.input("x", [6, 20]);
      const a = g.node("exp", { self: x }, { shape: [6, 20] });
      const r = g.view("view", a, [6, 4, 5], [20, 5, 1]);
      const zero = g.node("zeros_like", { self: r }, { shape: [6, 4, 5] });
      const one = g.node("full", { size: [], fill_value: 1 }, { shape: [] });
      const c = g.node("gt", { self: r, other: one }, { shape: [6, 4, 5], dtype: "bool" });
      return [
        g.returns(g.node("where", { condition: c, self: r, other: zero }, { shape: [6, 4, 5] })),
        { x: "torch.randn(6,20)" },
        ["torch.where(x.exp().view(6,4,5)>1,x.exp().view(6,4,5),torch.zeros(6,4,5,dtype=x.dtype))"],
      ];
    },
  ],
  [
    "heat stencil by slices",
    (g) => {
      const u = g.input("u", [30, 40]);
      const at = (i: number, j: number) => g.view("slice", u, [28, 38], [40, 1], i * 40 + j);
      const s = { shape: [28, 38] };
      const sum = g.node(
        "add",
        {
          self: g.node("add", { self: at(0, 1), other: at(2, 1), alpha: 1 }, s),
          other: g.node("add", { self: at(1, 0), other: at(1, 2), alpha: 1 }, s),
          alpha: 1,
        },
        s,
      );
      const lap = g.node("sub", { self: sum, other: g.node("mul", { self: at(1, 1), other: 4 }, s), alpha: 1 }, s);
      return [
        g.returns(g.node("add", { self: at(1, 1), other: lap, alpha: 0.1 }, s)),
        { u: "torch.randn(30,40)" },
        ["u[1:-1,1:-1]+0.1*(u[:-2,1:-1]+u[2:,1:-1]+u[1:-1,:-2]+u[1:-1,2:]-4*u[1:-1,1:-1])"],
      ];
    },
  ],
  [
    "a view that is returned",
    (g) => {
      const x = g.input("x", [6, 20]);
      return [
        g.returns(g.view("slice", g.node("relu", { self: x }, { shape: [6, 20] }), [6, 9], [20, 2], 1)),
        { x: "torch.randn(6,20)" },
        ["torch.relu(x)[:,1:19:2]"],
      ];
    },
  ],
  [
    "padded, then added",
    (g) => {
      const [u, v] = [g.input("u", [3, 20, 30]), g.input("v", [3, 22, 33])];
      const p = g.node("pad", { self: u, pad: [1, 2, 1, 1], value: 0.5 }, { shape: [3, 22, 33] });
      return [
        g.returns(g.node("add", { self: v, other: p, alpha: 1 }, { shape: [3, 22, 33] })),
        { u: "torch.randn(3,20,30)", v: "torch.randn(3,22,33)" },
        ["v+F.pad(u,(1,2,1,1),value=0.5)"],
      ];
    },
  ],
  [
    "one element",
    (g) => {
      const x = g.input("x", []);
      return [g.returns(g.node("exp", { self: x }, { shape: [] })), { x: "torch.tensor(0.5)" }, ["torch.exp(x)"]];
    },
  ],
  [
    "batch norm in eval, then activation",
    (g) => {
      const [x, w, m, v] = [g.input("x", [3, 5, 8, 8]), g.input("w", [5]), g.input("m", [5]), g.input("v", [5])];
      const y = g.node(
        "batch_norm",
        { input: x, weight: w, bias: null, running_mean: m, running_var: v, training: false, momentum: 0.1, eps: 1e-5 },
        { shape: [3, 5, 8, 8] },
      );
      return [
        g.returns(g.node("relu", { self: y }, { shape: [3, 5, 8, 8] })),
        { x: "torch.randn(3,5,8,8)", w: "torch.randn(5)", m: "torch.randn(5)", v: "torch.rand(5)+0.1" },
        ["torch.relu(F.batch_norm(x,m,v,w))"],
      ];
    },
  ],
];

for (const [name, build] of built) {
  const [graph, inputs, expected] = build(new GraphBuilder());
  cases.push({ name, graph, inputs, expect: expected });
}

test.skipIf(!python)("pointwise regions agree with torch in float64 within the budget", { timeout: 120_000 }, () => {
  const bad = [...runCases(cases), ...runCases(cases.slice(-8).map((c) => ({ ...c, variant: "streaming" })))].filter(
    (r) => !(r.share <= 1),
  );
  expect(bad).toEqual([]);
});

test("a chain is one region, whatever views lie between", () => {
  const counts = cases.map((c) => [c.name, formRegions(c.graph).length]);
  expect(counts.filter(([name, n]) => n !== (name === "a view that is returned" ? 2 : 1))).toEqual([]);
});
