"""Builds a drop-in's native code once, into a content-addressed cache. Standard library only.

This text is copied into every exported file, and the worker builds with the same functions, so a library made by
either is found by the other.
"""
import ctypes
import hashlib
import os
import platform
import shutil
import signal
import subprocess
import tempfile
import threading


def _hiera_compiler(language):
    """The compiler's command; raises RuntimeError saying what to install where there is none."""
    names = {"c++": [os.environ.get("CXX"), "g++", "c++", "clang++"], "cuda": [os.environ.get("NVCC"), "nvcc", "/usr/local/cuda/bin/nvcc"]}[language]
    for name in names:
        path = name and shutil.which(name)
        if path:
            return path
    install = {"c++": "install g++ or set CXX", "cuda": "install the CUDA toolkit or set NVCC"}[language]
    raise RuntimeError("no %s compiler found: %s" % ({"c++": "C++", "cuda": "CUDA"}[language], install))


def _hiera_processor():
    """What `-march=native` depends on: a library built for one processor must not be loaded on another."""
    try:
        with open("/proc/cpuinfo") as info:
            return next((line for line in info if line.startswith(("flags", "Features"))), platform.machine())
    except OSError:
        return platform.machine() + platform.processor()


#: seconds that a build may take
_hiera_patience = 600

_hiera_versions = {}


def _hiera_version(compiler):
    if compiler not in _hiera_versions:
        _hiera_versions[compiler] = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout
    return _hiera_versions[compiler]


def library_path(source, language, flags):
    """Where the library of this source lives: named by all that its machine code depends on."""
    compiler = _hiera_compiler(language)
    parts = [source, language, "\0".join(flags), compiler, _hiera_version(compiler), _hiera_processor()]
    key = hashlib.sha256("\1".join(parts).encode()).hexdigest()[:32]
    root = os.environ.get("HIERA_CACHE") or os.path.join(os.path.expanduser(os.environ.get("XDG_CACHE_HOME") or "~/.cache"), "hiera")
    return os.path.join(root, key + ".so")


def build_library(source, language, flags):
    """Path of the shared library of `source`, compiled if it is not there yet.

    Raises RuntimeError with the compiler's own message; a failed or killed build leaves nothing behind in the cache.
    """
    path = library_path(source, language, flags)
    if os.path.exists(path):
        return path
    os.makedirs(os.path.dirname(path), exist_ok=True)
    compiler = _hiera_compiler(language)
    with tempfile.TemporaryDirectory(prefix="hiera-build-") as folder:
        text = os.path.join(folder, {"c++": "kernel.cpp", "cuda": "kernel.cu"}[language])
        built = os.path.join(folder, "kernel.so")
        with open(text, "w") as out:
            out.write(source)
        run = subprocess.Popen([compiler, text, "-o", built] + list(flags), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder, start_new_session=True)
        try:
            said = run.communicate(timeout=_hiera_patience)[0]
        except BaseException as end:
            os.killpg(run.pid, signal.SIGKILL)  # the compiler's own children too
            run.communicate()
            if isinstance(end, subprocess.TimeoutExpired):
                raise RuntimeError("%s did not end within %d s" % (os.path.basename(compiler), _hiera_patience)) from None
            raise
        if run.returncode != 0:
            raise RuntimeError("%s failed:\n%s" % (os.path.basename(compiler), said.replace(folder + "/", "")))
        # copied beside its final name first: a rename within one folder is atomic, a move across file systems is not
        fresh = "%s.%d.%d" % (path, os.getpid(), threading.get_ident())
        shutil.copyfile(built, fresh)
        os.chmod(fresh, 0o755)
        os.replace(fresh, path)
    return path
