"""Loads a problem file and says in one line what is wrong with one that cannot be loaded."""
import inspect
import linecache
import re
import traceback
import types

import torch

from .errors import ProblemInvalid

PLAIN = (int, float, bool, type(None))


class Problem:
    """A loaded problem: `Model`, `get_inputs`, `get_init_inputs` and the file's name."""

    def __init__(self, module, filename):
        self.filename, self.source = filename, "".join(linecache.getlines(filename))
        self.Model = module.Model
        self.get_inputs = module.get_inputs
        self.get_init_inputs = getattr(module, "get_init_inputs", list)


def load_problem(source, filename="problem.py"):
    """Runs the file in a fresh module. Raises ProblemInvalid naming the line where one is at fault."""
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    module = types.ModuleType("hiera_problem")
    module.__file__ = filename
    try:
        exec(compile(source, filename, "exec"), module.__dict__)
    except SyntaxError as error:
        raise ProblemInvalid("syntax error: %s" % error.msg, "%s:%s" % (filename, error.lineno), "mend the line") from None
    except BaseException as error:
        raise ProblemInvalid("importing the problem raised %s" % short(error), at(error, filename), "run it in Python first") from None
    for name, what in (("Model", "class Model(torch.nn.Module)"), ("get_inputs", "def get_inputs() that returns forward's arguments")):
        if not hasattr(module, name):
            raise ProblemInvalid("the problem defines no %s" % name, filename, "add %s" % what)
    if not (isinstance(module.Model, type) and issubclass(module.Model, torch.nn.Module)):
        raise ProblemInvalid("Model is no torch.nn.Module", filename, "write class Model(torch.nn.Module)")
    for name in ("get_inputs", "get_init_inputs"):
        if hasattr(module, name) and not callable(getattr(module, name)):
            raise ProblemInvalid("%s is no function" % name, filename, "define it with def")
    return Problem(module, filename)


def short(error):
    """`Type: first line` of an exception."""
    lines = str(error).strip().splitlines()
    return ("%s: %s" % (type(error).__name__, lines[0]) if lines else type(error).__name__)[:300]


def at(error, filename):
    """`file:line` of the innermost frame in the user's own file."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == filename]
    return "%s:%d" % (filename, lines[-1]) if lines else filename


def out_of_memory(error):
    return isinstance(error, MemoryError) or "can't allocate memory" in str(error) or "out of memory" in str(error)


def attempt(what, call, problem, todo):
    """`call()`; an exception becomes ProblemInvalid that says which step failed, where, and how."""
    try:
        return call()
    except ProblemInvalid:
        raise
    except Exception as error:
        if out_of_memory(error):
            asked = re.search(r"allocate (\d+) bytes", str(error))
            size = " (%.1f GB at once)" % (int(asked.group(1)) / 1e9) if asked else ""
            raise ProblemInvalid(
                "%s needs more memory than there is%s; %.1f GB are available" % (what, size, available_memory() / 1e9), at(error, problem.filename), "make the inputs smaller"
            ) from None
        raise ProblemInvalid("%s raised %s" % (what, short(error)), at(error, problem.filename), todo) from None


def arity(function, count, what, filename):
    """Raises ProblemInvalid where `function` does not take `count` positional arguments after self."""
    try:
        parameters = list(inspect.signature(function).parameters.values())[1:]
    except (TypeError, ValueError):
        return
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    least = sum(p.default is p.empty for p in positional)
    if not least <= count <= len(positional):
        takes = str(least) if least == len(positional) else "%d to %d" % (least, len(positional))
        raise ProblemInvalid("%s takes %s arguments, but %s" % (what[0], takes, what[1] % count), filename, what[2])


def construct(problem, seed, mode):
    """The reference's module under a seed, in the chosen mode, and its constructor's arguments."""
    torch.manual_seed(seed)
    init = attempt("get_init_inputs()", problem.get_init_inputs, problem, "run it in Python first")
    if not isinstance(init, (list, tuple)):
        raise ProblemInvalid("get_init_inputs() returned %s" % type(init).__name__, problem.filename, "return a list of the constructor's arguments")
    arity(problem.Model.__init__, len(init), ("Model.__init__", "get_init_inputs() gives %d", "make the two agree"), problem.filename)
    torch.manual_seed(seed)
    module = attempt("Model(...)", lambda: problem.Model(*init), problem, "run it in Python first")
    if mode != "as-is":
        module.train(mode == "train")
    return module, list(init)


def draw_inputs(problem, seed):
    """forward's arguments under a seed: tensors, plain numbers, or nested lists of them."""
    torch.manual_seed(seed)
    inputs = attempt("get_inputs()", problem.get_inputs, problem, "run it in Python first")
    if not isinstance(inputs, (list, tuple)):
        raise ProblemInvalid("get_inputs() returned %s" % type(inputs).__name__, problem.filename, "return a list of forward's arguments")
    for index, value in enumerate(inputs):
        if not isinstance(value, (torch.Tensor,) + PLAIN):
            raise ProblemInvalid(
                "input %d is %s, not a tensor or a number" % (index, type(value).__name__), problem.filename, "get_inputs() must return tensors, ints, floats, bools or None"
            )
        if isinstance(value, torch.Tensor) and (value.layout is not torch.strided or value.is_quantized):
            raise ProblemInvalid("input %d is no dense tensor" % index, problem.filename, "pass strided tensors")
    arity(problem.Model.forward, len(inputs), ("Model.forward", "get_inputs() gives %d", "make the two agree"), problem.filename)
    return [value.detach() if isinstance(value, torch.Tensor) else value for value in inputs]


def tensors_of(value):
    """Tensors of a nested tuple, list or dict, with their paths."""
    if isinstance(value, torch.Tensor):
        return [("", value)]
    if isinstance(value, dict):
        return [("[%r]%s" % (key, path), t) for key, part in value.items() for path, t in tensors_of(part)]
    if isinstance(value, (tuple, list)):
        return [("[%d]%s" % (index, path), t) for index, part in enumerate(value) for path, t in tensors_of(part)]
    return []


def check_outputs(outputs, problem):
    """Raises ProblemInvalid where there is no tensor among the outputs, or one holds NaN or infinities."""
    found = tensors_of(outputs)
    if not found:
        raise ProblemInvalid("forward returned no tensor but %s" % type(outputs).__name__, problem.filename, "return at least one tensor")
    for path, tensor in found:
        if tensor.layout is not torch.strided:
            raise ProblemInvalid("output%s is no dense tensor" % path, problem.filename, "return strided tensors")
        if tensor.is_floating_point():
            share = 1 - int(torch.isfinite(tensor).sum()) / max(1, tensor.numel())
            if tensor.numel() and share > 0:
                raise ProblemInvalid("output%s is NaN or infinite in %.2g %% of its elements" % (path, 100 * share), problem.filename, "choose inputs for which the reference is finite")
    return found


def available_memory():
    """Bytes that can be had without swapping; as good as endless where the system does not say."""
    return _meminfo("MemAvailable") or 1 << 62


def total_memory():
    """Bytes that the machine has; 0 where the system does not say."""
    return _meminfo("MemTotal")


def _meminfo(field):
    try:
        with open("/proc/meminfo") as info:
            return next(int(line.split()[1]) * 1024 for line in info if line.startswith(field + ":"))
    except (OSError, StopIteration):
        return 0
