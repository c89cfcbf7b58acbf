"""Memory shared between processes: one anonymous file per set of tensors, a layout that says where each lies."""
from __future__ import annotations

import fcntl
import mmap
import os
from dataclasses import dataclass

import torch

ALIGNMENT = 64
#: fcntl(2)
F_ADD_SEALS, F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW = 1033, 1, 2, 4


@dataclass(frozen=True)
class Place:
    """Where one tensor lies. `span`: elements from its first to its last in memory."""

    offset: int
    shape: tuple
    strides: tuple
    dtype: torch.dtype
    span: int

    @property
    def bytes(self) -> int:
        return self.span * item_size(self.dtype)


_sizes: dict = {}


def item_size(dtype: torch.dtype) -> int:
    if dtype not in _sizes:
        _sizes[dtype] = torch.empty((), dtype=dtype, device="meta").element_size()
    return _sizes[dtype]


def lay_out(tensors, start: int = 0, keep_strides: bool = True) -> tuple[list[Place], int]:
    """Places for `tensors` from byte `start` on, and the first free byte after them."""
    places = []
    for tensor in tensors:
        shape, strides = tuple(tensor.shape), tuple(tensor.stride())
        dense = torch.empty(shape, device="meta").stride() if 0 not in shape else strides
        # overlapping elements (an expanded tensor) cannot be written one by one: those become dense
        if not keep_strides or any(s == 0 and n > 1 for s, n in zip(strides, shape)):
            strides = tuple(dense)
        span = 0 if 0 in shape else 1 + sum((n - 1) * s for n, s in zip(shape, strides))
        places.append(Place(start, shape, strides, tensor.dtype, span))
        start += -(-max(places[-1].bytes, 1) // ALIGNMENT) * ALIGNMENT
    return places, start


class Mapping:
    """A shared mapping; tensors over it are made on demand and never kept, so that nobody finds one lying about."""

    def __init__(self, size: int, descriptor: int | None = None, name: str = "hiera"):
        self.size = max(int(size), mmap.PAGESIZE)
        self.descriptor = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING) if descriptor is None else descriptor
        if descriptor is None:
            os.ftruncate(self.descriptor, self.size)
            # whoever gets it cannot cut it short, which would end every process that looks at it
            fcntl.fcntl(self.descriptor, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW)
        self.map = mmap.mmap(self.descriptor, self.size)

    def tensor(self, place: Place) -> torch.Tensor:
        if place.span == 0:
            return torch.empty(place.shape, dtype=place.dtype)
        flat = torch.frombuffer(self.map, dtype=place.dtype, count=place.span, offset=place.offset)
        return flat.as_strided(place.shape, place.strides)

    def words(self, place: Place) -> torch.Tensor:
        """The same memory as bytes."""
        if place.bytes == 0:
            return torch.empty(0, dtype=torch.uint8)
        return torch.frombuffer(self.map, dtype=torch.uint8, count=place.bytes, offset=place.offset)

    def close(self) -> None:
        try:
            self.map.close()
        except BufferError:
            pass  # a tensor still looks at it; it goes with the last one
        os.close(self.descriptor)
