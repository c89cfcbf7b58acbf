"""Names of ATen operators, version by version, as ours: the one place that knows what each torch calls them."""

#: what the general rule below would name otherwise
NAMES = {
    "_softmax": "softmax",
    "_log_softmax": "log_softmax",
    "_safe_softmax": "softmax",
    "native_layer_norm": "layer_norm",
    "native_group_norm": "group_norm",
    "native_batch_norm": "batch_norm",
    "_native_batch_norm_legit": "batch_norm",
    "_native_batch_norm_legit_no_training": "batch_norm",
    "_batch_norm_with_update": "batch_norm",
    "_batch_norm_no_update": "batch_norm",
    "cudnn_batch_norm": "batch_norm",
    "miopen_batch_norm": "batch_norm",
    "_fused_rms_norm": "rms_norm",
    "native_dropout": "dropout",
    "_to_copy": "to",
    "_unsafe_view": "view",
    "reshape": "view",
    "_reshape_alias": "view",
    "constant_pad_nd": "pad",
    "mkldnn_convolution": "convolution",
    "_convolution": "convolution",
    "convolution_overrideable": "convolution",
    "_scaled_dot_product_attention": "attention",
    "_scaled_dot_product_attention_math": "attention",
    "_scaled_dot_product_flash_attention": "attention",
    "_scaled_dot_product_flash_attention_for_cpu": "attention",
    "_scaled_dot_product_efficient_attention": "attention",
    "_scaled_dot_product_cudnn_attention": "attention",
    "_scaled_dot_product_fused_attention_overrideable": "attention",
    "max_pool2d_with_indices": "max_pool2d",
    "max_pool3d_with_indices": "max_pool3d",
    "special_erf": "erf",
    "true_divide": "div",
    "divide": "div",
    "multiply": "mul",
    "subtract": "sub",
    "absolute": "abs",
    "negative": "neg",
    "greater": "gt",
    "less": "lt",
    "unsafe_split": "split",
}

#: same memory, same type, same shape: no operator of ours
ALIASES = {"detach", "alias", "lift_fresh", "lift"}

#: hand a tensor's contents to Python: what is computed next may depend on them
READ_BACK = {"local_scalar_dense", "item", "is_nonzero", "equal"}

#: how large the result is depends on the contents
SIZED_BY_DATA = {"nonzero", "masked_select", "unique", "unique2", "unique_dim", "unique_consecutive", "bincount"}


def split_name(func):
    """`aten.add_.Tensor` → ("aten", "add_", "Tensor")."""
    namespace, _, rest = func._schema.name.partition("::")
    return namespace, rest, func._schema.overload_name or "default"


def our_name(func):
    """The operator's name among ours; in-place and functional forms share it."""
    _, name, _ = split_name(func)
    plain = name.rstrip("_") if name.endswith("_") and not name.endswith("__") else name
    return NAMES.get(plain, plain.lstrip("_"))


def target_name(func):
    namespace, name, overload = split_name(func)
    return "%s.%s.%s" % (namespace, name, overload)


def functional(func):
    """The out-of-place form of an in-place operator, or None where there is none with the same arguments."""
    import torch

    namespace, name, overload = split_name(func)
    packet = getattr(getattr(torch.ops, namespace), name.rstrip("_"), None)
    return None if packet is None else getattr(packet, overload, None)
