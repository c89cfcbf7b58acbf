# task: relu_of_positive
# expect: compile-error
# needs: g++
# why: the compiler refuses it.
import ctypes
import os
import subprocess
import tempfile

import torch

CODE = r"""
extern "C" void go(const float* x, float* y, long n) { undeclared(x); }
"""


def build(code):
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "kernel.cpp")
    with open(path, "w") as out:
        out.write(code)
    subprocess.run(["g++", "-O3", "-march=native", "-fopenmp", "-shared", "-fPIC", path, "-o", path + ".so"], check=True, capture_output=True)
    return ctypes.CDLL(path + ".so")


library = build(CODE)


def pointer(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        library.go(pointer(x), pointer(y), ctypes.c_long(x.numel()))
        return y
