import type { Recipe } from "../recipe.ts";
import { convolution } from "./convolution.ts";
import { gemm } from "./gemm.ts";
import { pointwise } from "./pointwise.ts";
import { rows } from "./rows.ts";

/** Tried in this order. A new recipe is one file and one line here. */
export const recipes: readonly Recipe[] = [pointwise, rows, convolution, gemm];
