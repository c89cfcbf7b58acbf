/** The language that a recipe is rendered in. C++ with OpenMP for a CPU, CUDA C++ for an NVIDIA GPU. */
export interface Dialect {
  readonly name: "c++" | "cuda";
}
