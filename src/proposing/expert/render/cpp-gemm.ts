import { type Dialect, hostFunction } from "../dialect.ts";
import type { GemmShape, Matrix } from "../recipes/gemm-shape.ts";
import { address } from "./names.ts";

/** C interface of BLAS as OpenBLAS has it, declared here so that no header is needed; int is 32 bits wide. */
const prototypes = `#ifndef HIERA_BLAS
#define HIERA_BLAS
extern "C" void cblas_sgemm(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
extern "C" void cblas_dgemm(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*, int);
extern "C" void openblas_set_num_threads(int);
/* 101 row-major, 102 column-major; 111 as it is, 112 transposed */
static inline void hiera_gemm(int order, int ta, int tb, int m, int n, int k, float alpha, const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc) {
  cblas_sgemm(order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
static inline void hiera_gemm(int order, int ta, int tb, int m, int n, int k, double alpha, const double* a, int lda, const double* b, int ldb, double beta, double* c, int ldc) {
  cblas_dgemm(order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
#endif`;

/** @param panels expression: in how many parts each product's rows are cut, each part on one thread; undefined: BLAS's own threads */
export function cppGemm(g: GemmShape, dialect: Dialect, symbol: string, panels: string | undefined): string {
  const type = dialect.storage(g.dtype);
  const turned = (m: Matrix): number => (m.columns === g.out.columns ? 111 : 112);
  const at = (name: string, m: Matrix): string =>
    `${name} + ${address(0, [m.batchStep, m.rowStep], (k) => ["batch", "first"][k] as string)}`;
  const rowless = (name: string, m: Matrix): string => `${name} + batch * ${m.batchStep}`;
  const pointers = [`const ${type}* left`, `const ${type}* right`, ...(g.added ? [`const ${type}* added`] : []), `${type}* out`];
  const outStride = g.out.columns ? g.out.lead : 1;
  const start = g.added
    ? `    for (int64_t row = first; row < first + rows; ++row)
      for (int64_t column = 0; column < ${g.n}; ++column)
        out[batch * ${g.out.batchStep} + row * ${g.out.rowStep} + column * ${outStride}] = added[${address(0, g.added.strides, (k) => ["batch", "row", "column"][k] as string)}];
`
    : "";
  const product = `    hiera_gemm(${g.out.columns ? 102 : 101}, ${turned(g.left)}, ${turned(g.right)}, static_cast<int>(rows), ${g.n}, ${g.k}, ${dialect.literal(g.alpha, g.dtype)}, ${at("left", g.left)}, ${g.left.lead},
               ${rowless("right", g.right)}, ${g.right.lead}, ${dialect.literal(g.beta, g.dtype)}, ${at("out", g.out)}, ${g.out.lead});
`;
  const body = panels
    ? `  openblas_set_num_threads(1);
#pragma omp parallel for schedule(dynamic)
  for (int64_t task = 0; task < ${g.batch} * int64_t{${panels}}; ++task) {
    const int64_t batch = task / ${panels}, part = task % ${panels};
    const int64_t first = ${g.m} * part / ${panels}, rows = ${g.m} * (part + 1) / ${panels} - first;
    if (rows == 0) continue;
${start}${product}  }
  openblas_set_num_threads(omp_get_max_threads());
`
    : `  openblas_set_num_threads(omp_get_max_threads());
  for (int64_t batch = 0; batch < ${g.batch}; ++batch) {
    constexpr int64_t first = 0, rows = ${g.m};
${start.replace("    for", "#pragma omp parallel for schedule(static)\n    for")}${product}  }
`;
  return `${prototypes}
${hostFunction(symbol, pointers)} {
  (void)scratch, (void)stream;
${body}  return 0;
}`;
}
