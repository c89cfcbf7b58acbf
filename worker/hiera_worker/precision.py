"""The one place that sets precision flags and thread counts, by the API of the torch version that is there."""
import torch

from .errors import Usage

#: dtype whose unit round-off the level's error budget uses; None: the tensor's own
LEVELS = {"strict": None, "tf32": None, "bf16": torch.bfloat16, "fp16": torch.float16}


def apply(level, threads):
    """Pins the thread count and makes products and convolutions run at `level`. Raises Usage for an unknown level."""
    if level not in LEVELS:
        raise Usage("unknown precision %r" % level, todo="use one of: " + ", ".join(LEVELS))
    torch.set_num_threads(max(1, int(threads)))
    if not torch.cuda.is_available():
        return  # a CPU has no TF32; the lower levels are a matter of dtypes, not of flags
    # The newer API is used alone where it exists: reading the older one after setting it raises.
    matmul = getattr(torch.backends.cuda, "matmul")
    if hasattr(matmul, "fp32_precision"):
        wanted = "tf32" if level == "tf32" else "ieee"
        matmul.fp32_precision = wanted
        torch.backends.cudnn.conv.fp32_precision = wanted
        torch.backends.cudnn.rnn.fp32_precision = wanted
    else:
        matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = level == "tf32"
