"""Bytes and operations of the traced algorithm: what the floor is made of."""

#: vector operations an element, where it is not one; normalisations: statistics, centring, scaling
PER_ELEMENT = {"softmax": 4, "log_softmax": 4, "layer_norm": 6, "group_norm": 6, "batch_norm": 4, "rms_norm": 4, "gelu": 4, "silu": 3, "var": 3, "std": 3}
REDUCTIONS = {"sum", "mean", "amax", "amin", "max", "min", "argmax", "argmin", "prod", "any", "all", "var", "std", "var_mean", "norm", "linalg_vector_norm", "std_mean", "logsumexp", "cumsum", "cumprod", "nll_loss_forward", "mse_loss"}
#: choose an element and add nothing up
SELECTIONS = {"amax", "amin", "max", "min", "argmax", "argmin", "any", "all"}
SCANS = {"cumsum", "cumprod"}
#: read no more elements of their table than they return
LOOKUPS = {"embedding", "index", "index_select", "gather", "take"}
NORMS = {"softmax", "log_softmax", "layer_norm", "group_norm", "batch_norm", "rms_norm"}
FREE = {"empty", "empty_like", "empty_strided", "zeros", "ones", "full", "zeros_like", "ones_like", "arange"}


def along(shape, literals):
    """Elements along the dimension that the argument `dim` names; all of a scalar's one."""
    dim = literals.get("dim")
    return shape[dim] if shape and isinstance(dim, int) else 1


def product(shape):
    total = 1
    for size in shape:
        total *= size
    return total


def matrix_work(op, shapes, outputs, literals):
    """(operations, accumulation length) of a product, two operations a multiply-add; None for another operator.

    shapes: of the tensor arguments by schema name; outputs: of the results; literals: the other arguments.
    """
    out = product(outputs[0]) if outputs else 0
    if op in ("mm", "bmm", "matmul"):
        length = shapes["self"][-1]
    elif op in ("addmm", "baddbmm", "addbmm"):
        length = shapes.get("mat1", shapes.get("batch1"))[-1]
    elif op in ("mv", "dot", "vdot", "addmv"):
        length = shapes.get("mat", shapes["self"])[-1]
    elif op == "convolution":
        weight = shapes["weight"]
        length = product(weight[1:])
        if literals.get("transposed"):  # each input element meets every weight of its channel
            return 2 * product(shapes["input"]) * length, weight[0] // (literals.get("groups") or 1) * product(weight[2:])
    elif op == "attention":
        query, key, value = shapes["query"], shapes["key"], shapes["value"]
        pairs = product(query[:-1]) * key[-2]
        return 2 * pairs * (query[-1] + value[-1]), max(query[-1], key[-2])
    else:
        return None
    return 2 * out * length, length


def vector_work(op, inputs, outputs, literals):
    """(operations, accumulation length) of every other operator; inputs, outputs: shapes; literals: the other arguments."""
    if op in FREE:
        return 0, 1
    out = max([product(shape) for shape in outputs] or [0])
    read = max([product(shape) for shape in inputs] or [0])
    if op in REDUCTIONS:
        length = 1 if op in SELECTIONS else along(inputs[0], literals) if op in SCANS else read // max(1, out)
        return PER_ELEMENT.get(op, 1) * read, max(1, length)
    if op in NORMS:
        statistics = min([product(shape) for shape in outputs if product(shape)] or [1])
        length = along(inputs[0], literals) if op in ("softmax", "log_softmax") else read // statistics
        return PER_ELEMENT[op] * read, max(1, length)
    if "pool" in op:
        window = product(literals["kernel_size"]) if literals.get("kernel_size") else max(1, read // max(1, out))
        return out * window, 1 if op.startswith(("max", "adaptive_max")) else window
    return PER_ELEMENT.get(op, 1) * out, 1
