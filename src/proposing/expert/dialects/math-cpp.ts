/**
 * Scalar functions that g++ turns into vector code without -ffast-math: no branches, no calls, about one unit in the last place.
 * Sources: exp's and log's reductions and polynomials after SLEEF 3 and FreeBSD msun, erf's two polynomials after N. Juffa.
 * NaN passes through because every comparison with it is false.
 */
export const mathCpp = `
static inline float hiera_as_float(uint32_t bits) { float f; std::memcpy(&f, &bits, 4); return f; }
static inline uint32_t hiera_as_bits(float f) { uint32_t b; std::memcpy(&b, &f, 4); return b; }

/* x = k ln 2 + r with |r| <= ln 2 / 2 */
static inline float hiera_reduce(float x, float k) { return std::fma(k, -1.42860677e-6f, std::fma(k, -0.693145752f, x)); }
/* 2^k in two factors, so that results down to the smallest subnormal are right */
static inline float hiera_scale(float p, float k) {
  const int32_t n = (int32_t)k, h = n >> 1;
  return p * hiera_as_float((uint32_t)(h + 127) << 23) * hiera_as_float((uint32_t)(n - h + 127) << 23);
}
static inline float hiera_exp(float x) {
  x = x < -104.0f ? -104.0f : x;
  x = x > 89.0f ? 89.0f : x;
  const float k = std::rint(x * 1.44269504f), r = hiera_reduce(x, k);
  float p = 0.000198527617612853646f;
  p = std::fma(p, r, 0.00139304355252534151f);
  p = std::fma(p, r, 0.00833336077630519867f);
  p = std::fma(p, r, 0.0416664853692054749f);
  p = std::fma(p, r, 0.166666671633720398f);
  p = std::fma(p, r, 0.5f);
  return hiera_scale(std::fma(r * r, p, r) + 1.0f, k);
}
static inline float hiera_expm1(float x) {
  const float tiny = x;
  x = x < -18.0f ? -18.0f : x;
  x = x > 89.0f ? 89.0f : x;
  const float k = std::rint(x * 1.44269504f), r = hiera_reduce(x, k);
  float p = 0.000198527617612853646f;
  p = std::fma(p, r, 0.00139304355252534151f);
  p = std::fma(p, r, 0.00833336077630519867f);
  p = std::fma(p, r, 0.0416664853692054749f);
  p = std::fma(p, r, 0.166666671633720398f);
  p = std::fma(p, r, 0.5f);
  p = std::fma(r * r, p, r);
  const float h = hiera_as_float((uint32_t)((int32_t)k + 126) << 23);
  const float y = 2.0f * std::fma(h, p, h - 0.5f);
  return tiny * tiny < 1e-30f ? tiny : y;
}
static inline float hiera_log_parts(float u, float c) {
  const bool small = u < 1.17549435e-38f;
  const uint32_t bits = hiera_as_bits(small ? u * 8388608.0f : u) + 0x004afb0du;
  const float k = (float)((int32_t)(bits >> 23) - 127 - (small ? 23 : 0));
  const float f = hiera_as_float((bits & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
  const float s = f / (2.0f + f), z = s * s, w = z * z, q = 0.5f * f * f;
  const float r = z * std::fma(w, 0.28498786688f, 0.66666662693f) + w * std::fma(w, 0.24279078841f, 0.40000972152f);
  return std::fma(k, 0.69313812256f, s * (q + r) + std::fma(k, 9.0580006145e-6f, c) - q + f);
}
static inline float hiera_log_ends(float x, float y) {
  y = x == 0.0f ? -INFINITY : y;
  y = x < 0.0f ? NAN : y;
  return x < INFINITY ? y : x;
}
static inline float hiera_log(float x) { return hiera_log_ends(x, hiera_log_parts(x, 0.0f)); }
static inline float hiera_log1p(float x) {
  const float u = 1.0f + x, c = (u >= 2.0f ? 1.0f - (u - x) : x - (u - 1.0f)) / u;
  const float y = hiera_log_ends(u, hiera_log_parts(u, u < 1e30f ? c : 0.0f));
  return x * x < 1e-30f ? x : y;
}
static inline float hiera_log2(float x) { return hiera_log(x) * 1.44269504f; }
static inline float hiera_log10(float x) { return hiera_log(x) * 0.434294482f; }
static inline float hiera_exp2(float x) {
  x = x < -152.0f ? -152.0f : x;
  x = x > 129.0f ? 129.0f : x;
  const float k = std::rint(x), r = x - k;
  float p = 1.535920892e-4f;
  p = std::fma(p, r, 1.339262701e-3f);
  p = std::fma(p, r, 9.618384764e-3f);
  p = std::fma(p, r, 5.550347269e-2f);
  p = std::fma(p, r, 2.402264476e-1f);
  p = std::fma(p, r, 6.931471825e-1f);
  return hiera_scale(std::fma(p, r, 1.0f), k);
}
static inline float hiera_tanh(float x) {
  const float a = std::fabs(x), b = a > 10.0f ? 10.0f : a, t = hiera_expm1(2.0f * b);
  return std::copysign(t / (t + 2.0f), x);
}
static inline float hiera_sigmoid(float x) { return 1.0f / (1.0f + hiera_exp(-x)); }
static inline float hiera_erf(float x) {
  const float t = std::fabs(x), s = x * x;
  float r = std::fma(-1.72853470e-5f, t, 3.83197126e-4f);
  r = std::fma(r, s, std::fma(-3.88396438e-3f, t, 2.42546219e-2f));
  r = std::fma(r, t, -1.06777877e-1f);
  r = std::fma(r, t, -6.34846687e-1f);
  r = std::fma(r, t, -1.28717512e-1f);
  const float far = std::copysign(1.0f - hiera_exp(std::fma(r, t > 4.0f ? 4.0f : t, t > 4.0f ? -20.0f : -t)), x);
  float p = -5.96761703e-4f;
  p = std::fma(p, s, 4.99119423e-3f);
  p = std::fma(p, s, -2.67681349e-2f);
  p = std::fma(p, s, 1.12819925e-1f);
  p = std::fma(p, s, -3.76125336e-1f);
  p = std::fma(p, s, 1.28379166e-1f);
  const float y = t > 0.927734375f ? far : std::fma(p, x, x);
  return x == x ? y : x;
}
`;

/** Functions that call the C library: exact enough, not vectorised. `float` ones only where no vector form is above. */
const library = {
  exp: "D",
  expm1: "D",
  log: "D",
  log1p: "D",
  log2: "D",
  log10: "D",
  exp2: "D",
  tanh: "D",
  erf: "D",
  erfc: "FD",
  sin: "FD",
  cos: "FD",
  tan: "FD",
  asin: "FD",
  acos: "FD",
  atan: "FD",
  sinh: "FD",
  cosh: "FD",
  asinh: "FD",
  acosh: "FD",
  atanh: "FD",
  sqrt: "FD",
  floor: "FD",
  ceil: "FD",
  trunc: "FD",
  rint: "FD",
  fabs: "FD",
} as const;

export const libraryFunctions = (prefix: string, call: (name: string, type: string) => string, all: boolean): string =>
  Object.entries(library)
    .flatMap(([name, kinds]) =>
      ["float", "double"]
        .filter((type) => all || type === "double" || kinds === "FD")
        .map((type) => `${prefix} ${type} hiera_${name}(${type} x) { return ${call(name, type)}(x); }`),
    )
    .join("\n");

/** Two-argument and integer helpers that are the same text in both dialects. */
export const shared = (prefix: string): string => `
${["float", "double"]
  .map(
    (t) => `${prefix} ${t} hiera_max(${t} a, ${t} b) { return a > b || a != a ? a : b; }
${prefix} ${t} hiera_min(${t} a, ${t} b) { return a < b || a != a ? a : b; }
${prefix} ${t} hiera_fmod(${t} a, ${t} b) { return fmod(a, b); }
${prefix} ${t} hiera_pow(${t} a, ${t} b) { return pow(a, b); }
${prefix} ${t} hiera_atan2(${t} a, ${t} b) { return atan2(a, b); }
${prefix} ${t} hiera_hypot(${t} a, ${t} b) { return hypot(a, b); }
${prefix} ${t} hiera_remainder(${t} a, ${t} b) { const ${t} m = fmod(a, b); return m != 0 && (m < 0) != (b < 0) ? m + b : m; }
${prefix} ${t} hiera_floordiv(${t} a, ${t} b) {
  if (b == 0) return a / b;
  const ${t} m = fmod(a, b), q = (a - m) / b - (m != 0 && (b < 0) != (m < 0) ? 1 : 0), f = floor(q);
  return q != 0 ? (q - f > (${t})0.5 ? f + 1 : f) : (${t})(a / b < 0 ? -0.0 : 0.0);
}`,
  )
  .join("\n")}
${["int32_t", "int64_t"]
  .map(
    (t) => `${prefix} ${t} hiera_max(${t} a, ${t} b) { return a > b ? a : b; }
${prefix} ${t} hiera_min(${t} a, ${t} b) { return a < b ? a : b; }
${prefix} ${t} hiera_fmod(${t} a, ${t} b) { return b == 0 ? 0 : b == -1 ? 0 : a % b; }
${prefix} ${t} hiera_remainder(${t} a, ${t} b) { const ${t} m = hiera_fmod(a, b); return m != 0 && (m < 0) != (b < 0) ? m + b : m; }
${prefix} ${t} hiera_truncdiv(${t} a, ${t} b) { return b == 0 ? 0 : b == -1 ? (${t})(0 - (u${t})a) : a / b; }
${prefix} ${t} hiera_floordiv(${t} a, ${t} b) { const ${t} q = hiera_truncdiv(a, b); return hiera_fmod(a, b) != 0 && (a < 0) != (b < 0) ? q - 1 : q; }
${prefix} ${t} hiera_pow(${t} a, ${t} b) { ${t} r = b < 0 ? (a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0) : 1; for (; b > 0; b >>= 1, a = (${t})((u${t})a * (u${t})a)) if (b & 1) r = (${t})((u${t})r * (u${t})a); return r; }`,
  )
  .join("\n")}
`;
