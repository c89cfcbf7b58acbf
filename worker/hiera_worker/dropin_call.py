"""How a drop-in calls its native code: arguments checked, memory handed over, no gradient dropped in silence.

This text is copied into every exported file, after dropin.py.
"""
import ctypes
import inspect
import threading

import torch as _torch

_hiera_local = threading.local()


def _hiera_check(name, tensor, dtype, shape, strides, device):
    """Raises TypeError or ValueError, naming found and expected, where an argument is not what the code was made for."""
    if not isinstance(tensor, _torch.Tensor):
        raise TypeError("%s: expected a Tensor, found %s" % (name, type(tensor).__name__))
    if tensor.dtype is not dtype:
        raise TypeError("%s: expected dtype %s, found %s" % (name, dtype, tensor.dtype))
    if tensor.shape != shape:
        raise ValueError("%s: expected shape %s, found %s" % (name, tuple(shape), tuple(tensor.shape)))
    if strides is not None and tensor.stride() != strides and tensor.numel() > 1:
        found = [s for s, n in zip(tensor.stride(), shape) if n > 1]
        if found != [s for s, n in zip(strides, shape) if n > 1]:
            raise ValueError("%s: expected strides %s, found %s; call .contiguous() or pass the layout this file was made for" % (name, strides, tensor.stride()))
    if tensor.device.type != device:
        raise ValueError("%s: expected device %s, found %s" % (name, device, tensor.device))


def _hiera_same(name, value, expected):
    """A plain argument is part of the contract: the code was made for this value alone."""
    if value != expected:
        raise ValueError("%s: expected %r, found %r; this file was made for that value alone" % (name, expected, value))


def _hiera_workspace(size):
    """Scratch memory of this thread, kept between calls; concurrent callers each have their own."""
    held = getattr(_hiera_local, "workspace", None)
    if held is None or held.numel() < size:
        held = _hiera_local.workspace = _torch.empty(size, dtype=_torch.uint8)
    return held.data_ptr()


def _hiera_mode(training, expected):
    """Modules that act differently while training: the code was made for one of the two."""
    if training is not expected:
        raise ValueError("this file was made for %s; call .%s() first" % (("training mode", "train") if expected else ("evaluation mode", "eval")))


def _hiera_constructed(constructor, args, kwargs, expected):
    """Plain constructor arguments are part of the contract: their values are in the code. Tensors and objects are not compared."""
    bound = inspect.signature(constructor).bind(None, *args, **kwargs)
    bound.apply_defaults()
    for name, value in expected.items():
        if bound.arguments.get(name) != value:
            raise ValueError("%s: expected %r, found %r; this file was made for that value alone" % (name, value, bound.arguments.get(name)))


class _HieraNoBackward(_torch.autograd.Function):
    """Runs a call that records no gradient; asking for one later raises instead of finding nothing."""

    @staticmethod
    def forward(ctx, call, *state):
        return call()

    @staticmethod
    def backward(ctx, *grads):
        raise RuntimeError("ModelNew computes no gradients: use the reference Model for training, or call this under torch.no_grad()")


def _hiera_take_apart(result, leaves):
    """A nested tuple, list or dict as a function that rebuilds it from its tensors, which are appended to `leaves`."""
    if isinstance(result, _torch.Tensor):
        leaves.append(result)
        at = len(leaves) - 1
        return lambda tensors: tensors[at]
    if isinstance(result, dict):
        parts = {key: _hiera_take_apart(value, leaves) for key, value in result.items()}
        return lambda tensors: {key: part(tensors) for key, part in parts.items()}
    if isinstance(result, (tuple, list)):
        items, kind = [_hiera_take_apart(value, leaves) for value in result], type(result)
        return lambda tensors: kind(item(tensors) for item in items)
    return lambda tensors: result


def _hiera_forward_only(call, inputs, state):
    """`call()`, keeping PyTorch's promise about gradients: raise rather than return detached results."""
    if not _torch.is_grad_enabled():
        return call()
    for tensor in inputs:
        if tensor.requires_grad:
            raise RuntimeError("ModelNew computes no gradients, but an input requires one: call it under torch.no_grad(), or use the reference Model")
    if not any(tensor.requires_grad for tensor in state):
        return call()
    rebuild = []

    def recorded():
        leaves = []
        rebuild.append(_hiera_take_apart(call(), leaves))
        return tuple(leaves)

    tensors = _HieraNoBackward.apply(recorded, *state)
    return rebuild[0](tensors)
