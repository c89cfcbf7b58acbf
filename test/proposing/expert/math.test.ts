import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cpp } from "../../../src/proposing/expert/dialects/cpp.ts";
import { flags, found } from "./harness.ts";

/** Function, its double reference, range walked by bit patterns, units in the last place allowed. */
const functions: [string, string, number, number, number][] = [
  ["exp", "std::exp(x)", -104, 89, 1.1],
  ["expm1", "std::expm1(x)", -20, 89, 2],
  ["exp2", "std::exp2(x)", -150, 128, 2],
  ["log", "std::log(x)", 1e-44, 3e38, 1.5],
  ["log2", "std::log2(x)", 1e-44, 3e38, 3],
  ["log10", "std::log10(x)", 1e-44, 3e38, 3],
  ["log1p", "std::log1p(x)", -0.9999, 3e38, 2],
  ["tanh", "std::tanh(x)", -30, 30, 3],
  ["sigmoid", "1 / (1 + std::exp(-x))", -80, 80, 3],
  ["erf", "std::erf(x)", -6, 6, 1.5],
];

const program = `${cpp.prelude}
#include <cstdio>
#include <initializer_list>
static double ulp(float got, double want) {
  const float w = (float)want;
  if (std::isinf(w) || std::isnan(w)) return (std::isnan(w) ? std::isnan(got) : got == w) ? 0 : 1e9;
  int e; std::frexp(std::fabs(want) > 1.2e-38 ? want : 1.2e-38, &e);
  return std::fabs((double)got - want) / std::ldexp(1.0, e - 24);
}
template <class F, class G> static double worst(F f, G g, float low, float high) {
  double top = 0;
  for (uint32_t bits = 0; bits < 0x7f800000u; bits += 4099)
    for (float x : {hiera_as_float(bits), -hiera_as_float(bits)})
      if (x >= low && x <= high) { const double u = ulp(f(x), g((double)x)); if (!(u <= top)) top = u; }
  return top;
}
int main() {
${functions.map(([name, reference, low, high]) => `  std::printf("${name} %g\\n", worst([](float x) { return hiera_${name}(x); }, [](double x) { return ${reference}; }, (float)${low}, (float)${high}));`).join("\n")}
  const float ends[] = {NAN, INFINITY, -INFINITY, 0.0f, 200.0f, -200.0f};
${functions.map(([name, reference]) => `  for (float e : ends) { const double x = e; if (ulp(hiera_${name}(e), ${reference}) > 4) std::printf("end ${name} %g\\n", x); }`).join("\n")}
}`;

test.skipIf(!found("g++"))(
  "vector functions are within a few units in the last place, ends included",
  { timeout: 60_000 },
  () => {
    const folder = mkdtempSync(join(tmpdir(), "hiera-math-"));
    writeFileSync(join(folder, "math.cpp"), program);
    execFileSync("g++", [...flags.filter((f) => f !== "-shared"), join(folder, "math.cpp"), "-o", join(folder, "math")]);
    const lines = execFileSync(join(folder, "math"), { encoding: "utf8" }).trim().split("\n");
    const errors = Object.fromEntries(
      lines.filter((l) => !l.startsWith("end")).map((l) => [l.split(" ")[0], Number(l.split(" ")[1])]),
    );
    expect(
      functions
        .filter(([name, , , , allowed]) => !((errors[name] as number) <= allowed))
        .map(([name]) => `${name}: ${errors[name]}`),
    ).toEqual([]);
    expect(lines.filter((l) => l.startsWith("end"))).toEqual([]);
  },
);
