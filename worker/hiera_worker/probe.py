"""What this machine is and how fast: found and measured here, never looked up by name."""
import os
import platform
import shutil
import subprocess
import sysconfig
import tempfile

import torch

from . import precision
from .load import total_memory
from .rates import rates


def probe(params, progress):
    """`DeviceFacts` of src/problem/contract.ts for the CPU."""
    threads = int(params.get("threads") or physical_cores())
    precision.apply("strict", threads)
    progress("probe", "measuring bandwidth and arithmetic rate")
    compiler = find_compiler()
    available, why = profiler()
    return {
        "kind": "cpu",
        "name": cpu_name(),
        "architecture": platform.machine(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "threads": threads,
        "memoryBytes": total_memory(),
        "cacheBytes": last_level_cache(),
        "os": "%s %s" % (platform.system(), platform.release()),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "compile": can_compile(compiler),
        "compiler": compiler,
        "libraries": find_libraries(compiler),
        "rates": rates(threads, last_level_cache()),
        "isolation": isolation(),
        "profiler": {"available": available, "why": why},
    }


def physical_cores():
    """Cores that this process may use, hyper-threads of one core counted once."""
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    cores = set()
    for cpu in allowed:
        folder = "/sys/devices/system/cpu/cpu%d/topology/" % cpu
        try:
            with open(folder + "physical_package_id") as package, open(folder + "core_id") as core:
                cores.add((package.read(), core.read()))
        except OSError:
            cores.add(cpu)
    return max(1, len(cores))


def cpu_name():
    try:
        with open("/proc/cpuinfo") as info:
            return next(line.split(":", 1)[1].strip() for line in info if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def last_level_cache():
    """Bytes; 32 MiB where the system does not say."""
    best = 0
    for index in range(8):
        try:
            with open("/sys/devices/system/cpu/cpu0/cache/index%d/size" % index) as size:
                text = size.read().strip()
                best = max(best, int(text.rstrip("KMG")) << {"K": 10, "M": 20, "G": 30}.get(text[-1], 0))
        except (OSError, ValueError):
            continue
    return best or 32 << 20


def find_compiler():
    for name in (os.environ.get("CXX"), "g++", "c++", "clang++"):
        path = name and shutil.which(name)
        if path:
            out = subprocess.run([path, "-dumpfullversion", "-dumpversion"], capture_output=True, text=True).stdout.strip()
            return {"command": name, "version": out.splitlines()[0] if out else "unknown"}
    return None


#: name → (program that prints the version, flags to try in turn: distributions keep the headers in different places)
LIBRARIES = {
    "openblas": (
        '#include <cstdio>\n#include <cblas.h>\nint main(){ std::puts(openblas_get_config()); }',
        [["-lopenblas"], ["-I/usr/include/openblas", "-lopenblas"], ["-I/usr/include/%s-linux-gnu/openblas-pthread" % platform.machine(), "-lopenblas"]],
    ),
    "onednn": (
        '#include <cstdio>\nstruct V { int major, minor, patch; }; extern "C" const V* dnnl_version();\n'
        'int main(){ const V* v = dnnl_version(); std::printf("%d.%d.%d\\n", v->major, v->minor, v->patch); }',
        [["-ldnnl"]],
    ),
}


def find_libraries(compiler):
    """Libraries that a program can be linked with and run here: seen by doing so."""
    found = {}
    if compiler is None:
        return found
    with tempfile.TemporaryDirectory(prefix="hiera-probe-") as folder:
        for name, (program, choices) in LIBRARIES.items():
            source, built = os.path.join(folder, name + ".cpp"), os.path.join(folder, name)
            with open(source, "w") as out:
                out.write(program)
            links = (flags for flags in choices if subprocess.run([compiler["command"], source, "-o", built] + flags, capture_output=True).returncode == 0)
            flags = next(links, None)
            if flags is None:
                continue
            run = subprocess.run([built], capture_output=True, text=True)
            if run.returncode == 0:
                found[name] = {"version": run.stdout.strip(), "flags": flags}
    return found


def can_compile(compiler):
    """torch.compile needs its Python front, a C++ compiler and Python's headers."""
    headers = os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h"))
    return hasattr(torch, "compile") and compiler is not None and headers


def isolation():
    """What keeps a candidate apart on this machine."""
    means = ["process", "limits"]
    if os.geteuid() == 0:
        means.append("uid")
    run = shutil.which("unshare") and subprocess.run(["unshare", "--net", "true"], capture_output=True).returncode
    if run == 0:
        means.append("no-network")
    return means


def profiler():
    try:
        import torch.profiler  # noqa: F401

        return True, "torch.profiler"
    except ImportError as error:
        return False, str(error)
