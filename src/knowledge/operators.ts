/** What kind of work an operator does; decides what it may be fused with. */
export type OperatorClass =
  | "pointwise"
  | "reduction"
  | "normalisation"
  | "contraction"
  | "convolution"
  | "view"
  | "creation"
  | "random"
  | "other";

/** Our operator names by class; a name that is not here is `other`. */
const table: Partial<Record<OperatorClass, string>> = {
  pointwise: `abs add addcdiv addcmul acos acosh alpha_dropout_eval asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_not
    bitwise_or bitwise_right_shift bitwise_xor ceil celu clamp clamp_max clamp_min clone copy cos cosh div elu eq erf erfc exp exp2 expm1 fill
    floor floor_divide fmod frac ge gelu glu_eval gt hardshrink hardsigmoid hardswish hardtanh hypot isfinite isinf isnan le leaky_relu lerp log
    log10 log1p log2 log_sigmoid logical_and logical_not logical_or logical_xor lt masked_fill maximum minimum mish mul ne neg pad pow prelu
    reciprocal relu relu6 remainder round rsqrt rsub selu sgn sigmoid sign silu sin sinh softplus softshrink sqrt square sub tan tanh
    threshold to trunc where xlogy`,
  reduction: `all amax amin any argmax argmin count_nonzero gather linalg_vector_norm logsumexp max mean min norm prod std std_mean sum var var_mean mse_loss l1_loss
    smooth_l1_loss huber_loss binary_cross_entropy`,
  normalisation: "batch_norm group_norm instance_norm layer_norm log_softmax rms_norm softmax softmin",
  contraction: "addbmm addmm addmv addr baddbmm bmm dot einsum linear matmul mm mv outer tensordot",
  convolution: "conv_transpose1d conv_transpose2d conv_transpose3d conv1d conv2d conv3d convolution",
  view: `alias as_strided chunk detach diagonal expand expand_as flatten movedim narrow permute real reshape select slice split
    split_with_sizes squeeze swapaxes t transpose unbind unflatten unfold unsafe_chunk unsafe_split unsqueeze view view_as`,
  creation:
    "arange empty empty_like eye full full_like linspace ones ones_like scalar_tensor zeros zeros_like new_zeros new_ones new_full",
  random: "bernoulli dropout multinomial normal rand rand_like randint randint_like randn randn_like randperm rrelu uniform",
};

const classes = new Map<string, OperatorClass>(
  Object.entries(table).flatMap(([cls, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, cls as OperatorClass] as const),
  ),
);

/** The class of an operator under our name for it (`Node.op`). */
export const operatorClass = (op: string): OperatorClass => classes.get(op) ?? "other";

/** Operators whose result is one number everywhere, by that number; `null` where an argument says it. */
export const fills: Readonly<Record<string, number | null>> = {
  full: null,
  full_like: null,
  new_full: null,
  new_ones: 1,
  new_zeros: 0,
  ones: 1,
  ones_like: 1,
  scalar_tensor: null,
  zeros: 0,
  zeros_like: 0,
};
