"""`Trace` of src/problem/contract.ts: what one run of the reference shows."""
import ast
import inspect

import torch

from . import counts, load, precision
from .record import Recorder, literal, type_of

#: modules whose meaning is known: one node each, however many operators this torch version makes of them
LEAVES = ("LSTM", "GRU", "RNN", "LSTMCell", "GRUCell", "RNNCell", "MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer")

ROLES = {"running_mean": "running-mean", "running_var": "running-var", "num_batches_tracked": "counter"}
CONSTRAINTS = {"running-var": "not negative", "counter": "not negative"}


def trace(params, progress):
    """params: {source, name, options}. Raises ProblemInvalid in one line for every problem that cannot be used."""
    options = params["options"]
    precision.apply(options["precision"], options["threads"])
    problem = load.load_problem(params["source"], params.get("name") or "problem.py")
    progress("trace", "building the module")
    module, init = load.construct(problem, 0, options["mode"])
    inputs = load.draw_inputs(problem, 1)
    progress("trace", "running the reference")
    recorder, outputs = run(problem, module, inputs)
    found = load.check_outputs(outputs, problem)
    structure = tree(outputs, recorder)
    described = describe(module, init, inputs, argument_names(problem.Model, inputs), recorder, found, structure)
    described["fixedArguments"] = plain_arguments(problem.Model, init)
    described["modeMatters"] = mode_matters(problem, options, inputs, recorder)
    return described


def plain_arguments(model, init):
    """Constructor arguments that are plain values, by name, as Python source."""
    try:
        bound = inspect.signature(model.__init__).bind(None, *init)
    except (TypeError, ValueError):
        return {}
    bound.apply_defaults()
    plain = {}
    for name, value in list(bound.arguments.items())[1:]:
        try:
            if ast.literal_eval(repr(value)) == value:
                plain[name] = repr(value)
        except (ValueError, SyntaxError, TypeError, MemoryError, RuntimeError):
            continue
    return plain


def mode_matters(problem, options, inputs, recorder):
    """True where training and evaluation run different operators, or the same with other plain arguments."""
    module, _ = load.construct(problem, 0, options["mode"])
    if not any(True for _ in module.children()) and "training" not in problem.source:
        return False
    module.train(not module.training)
    try:
        other, _ = run(problem, module, inputs)
    except load.ProblemInvalid:
        return True
    return calls_of(other) != calls_of(recorder)


def calls_of(recorder):
    return [(node["target"], [arg.get("literal") for arg in node["args"].values()]) for node in recorder.nodes]


def run(problem, module, inputs):
    names = argument_names(problem.Model, inputs)
    given = [(t, "x%d" % i, "input", names[i]) for i, t in enumerate(inputs) if isinstance(t, torch.Tensor)]
    given += [(t, "p%d" % i, kind, name) for i, (name, t, kind) in enumerate(state_of(module))]
    recorder = Recorder(given, attributes_of(module))
    restore = instrument(module, recorder)
    torch.manual_seed(2)
    try:
        with torch.no_grad(), recorder:
            outputs = load.attempt("forward", lambda: module(*inputs), problem, "run it in Python first")
    finally:
        restore()
    return recorder, outputs


def state_of(module):
    """(name, tensor, kind) of every parameter and buffer; a shared one once."""
    seen, found = set(), []
    for kind, pairs in (("parameter", module.named_parameters()), ("buffer", module.named_buffers())):
        for name, tensor in pairs:
            if id(tensor) not in seen:
                seen.add(id(tensor))
                found.append((name, tensor, kind))
    return found


def attributes_of(module):
    """id(tensor) → path of plain tensor attributes, which no state_dict lists."""
    found = {}
    for path, part in module.named_modules():
        for name, value in vars(part).items():
            if isinstance(value, torch.Tensor):
                found[id(value)] = "%s.%s" % (path, name) if path else name
    return found


def argument_names(model, inputs):
    try:
        parameters = list(inspect.signature(model.forward).parameters.values())[1:]
    except (TypeError, ValueError):
        parameters = []
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [names[i] if i < len(names) else "inputs[%d]" % i for i in range(len(inputs))]


def instrument(module, recorder):
    """Makes each call's module known, and known modules leaves. Returns what undoes it."""
    handles, patched = [], []
    for path, part in module.named_modules():
        if type(part).__name__ in LEAVES and type(part).__module__.startswith("torch.nn") and path:
            call = part.forward
            part.forward = lambda *a, _p=path, _k=type(part).__name__, _c=call, **k: recorder.leaf(_p, _k, _c, a, k)
            patched.append(part)
        handles.append(part.register_forward_pre_hook(lambda m, i, _p=path: recorder.modules.append(_p)))
        handles.append(part.register_forward_hook(lambda m, i, o: leave(recorder)))

    def restore():
        for handle in handles:
            handle.remove()
        for part in patched:
            del part.forward

    return restore


def leave(recorder):
    recorder.modules.pop()  # a hook's result would replace the module's: return none


def tree(value, recorder):
    if isinstance(value, torch.Tensor):
        return {"tensor": recorder.name_of(value)}
    if isinstance(value, dict):
        return {"dict": {str(key): tree(part, recorder) for key, part in value.items()}}
    if isinstance(value, tuple):
        return {"tuple": [tree(part, recorder) for part in value]}
    if isinstance(value, list):
        return {"list": [tree(part, recorder) for part in value]}
    return {"literal": literal(value)}


def describe(module, init, inputs, names, recorder, found, structure):
    graph = {"values": recorder.values, "inputs": recorder.inputs, "nodes": recorder.nodes, "output": structure}
    if recorder.opaque:
        graph["opaque"] = recorder.opaque
    used = users(recorder)
    state = []
    for index, (name, tensor, kind) in enumerate(state_of(module)):
        role = role_of(module, name)
        entry = {**type_of(tensor), "id": "p%d" % index, "name": name, "kind": kind, "role": role, "usedBy": used.get("p%d" % index, leaf_users(recorder, name)), "mutated": "p%d" % index in recorder.mutated}
        if role in CONSTRAINTS:
            entry["constraint"] = CONSTRAINTS[role]
        state.append(entry)
    arguments = []
    for index, (name, value) in enumerate(zip(names, inputs)):
        tensor = isinstance(value, torch.Tensor)
        arguments.append({"name": name, **({"tensor": {**type_of(value), "id": "x%d" % index, "device": value.device.type}} if tensor else {"literal": literal(value)})})
    return {
        "graph": graph,
        "inputs": arguments,
        "outputs": [{**type_of(t), "id": recorder.name_of(t), "device": t.device.type, "path": path} for path, t in found],
        "structure": structure,
        "initArguments": [repr(value)[:200] for value in init],
        "state": state,
        "mutatedInputs": [entry["name"] for entry in recorder.inputs if entry["role"] == "input" and entry["id"] in recorder.mutated],
        "training": module.training,
        "work": work(module, recorder, found),
    }


def role_of(module, name):
    path, _, leaf = name.rpartition(".")
    owner = module.get_submodule(path) if path else module
    if leaf == "weight" and isinstance(owner, (torch.nn.Embedding, torch.nn.EmbeddingBag)):
        return "table"
    return ROLES.get(leaf, leaf.split("_")[0] if leaf.startswith(("weight", "bias")) else leaf.replace("_", "-"))


def users(recorder):
    """Value → operators that read it, views looked through."""
    found = {}
    for node in recorder.nodes:
        for name in reads(node):
            root = recorder.values[name].get("view", {"base": name})["base"]
            if node["op"] not in found.setdefault(root, []):
                found[root].append(node["op"])
    return found


def leaf_users(recorder, name):
    """Parameters inside a known module are used by that module."""
    return [node["op"] for node in recorder.nodes if node["op"].startswith("module:") and name.startswith(node["target"] + ".")]


def reads(node):
    for arg in node["args"].values():
        yield from [arg["value"]] if "value" in arg else [name for name in arg.get("values", []) if name]


def elements_read(recorder):
    """Root value → elements of it that any operator reads, each once as far as the views show."""
    values, parts = recorder.values, {}
    for node in recorder.nodes:
        if is_view(node, values):
            continue
        for name in reads(node):
            value = values[name]
            view = value.get("view", {"base": name, "offset": 0})
            count = distinct(value)
            if node["op"] in counts.LOOKUPS and name == node["args"].get("weight", node["args"].get("self", {})).get("value"):
                count = min(count, counts.product(values[node["outputs"][0]]["shape"]))
            part = (view["offset"], tuple(value["shape"]), tuple(value["strides"]))
            found = parts.setdefault(view["base"], {})
            found[part] = max(count, found.get(part, 0))
    covered = {root: min(sum(found.values()), distinct(values[root])) for root, found in parts.items()}
    covered.update((entry["id"], distinct(values[entry["id"]])) for entry in recorder.inputs if leaf_users(recorder, entry["name"]))
    return covered


def work(module, recorder, found):
    """Bytes that have to move once, and operations of the algorithm as traced."""
    values, covered = recorder.values, elements_read(recorder)
    sources = {entry["id"] for entry in recorder.inputs}
    moved = sum(count * itemsize(values[name]["dtype"]) for name, count in covered.items() if name in sources)
    made = {recorder.name_of(t): t for _, t in found}
    moved += sum(t.numel() * t.element_size() for name, t in made.items() if values[name].get("view", {"base": name})["base"] not in sources)
    matrix, vector, longest = 0, 0, 1
    for node in recorder.nodes:
        if is_view(node, values):
            continue
        shapes = {name: values[arg["value"]]["shape"] for name, arg in node["args"].items() if "value" in arg}
        outputs = [values[name]["shape"] for name in node["outputs"] if name]
        if node["op"].startswith("module:"):
            own = module.get_submodule(node["target"])
            weights = sum(p.numel() for p in own.parameters())
            rows = counts.product(outputs[0][:-1]) if outputs else 1
            matrix += 2 * weights * rows
            longest = max([longest] + [p.shape[-1] for p in own.parameters() if p.dim()])
            continue
        literals = {name: arg["literal"] for name, arg in node["args"].items() if "literal" in arg}
        product = counts.matrix_work(node["op"], shapes, outputs, literals)
        operations, length = product or counts.vector_work(node["op"], list(shapes.values()), outputs, literals)
        longest = max(longest, length)
        if product:
            matrix += operations
        else:
            vector += operations
    dtypes = [str(t.dtype)[6:] for _, t in found if t.is_floating_point()] + [value["dtype"] for value in values.values() if "float" in value["dtype"]]
    return {"bytes": moved, "operations": {"matrix": matrix, "vector": vector}, "dtype": dtypes[0] if dtypes else "float32", "longestSum": longest}


def is_view(node, values):
    """Every result shares memory with an argument: no work."""
    made = [name for name in node["outputs"] if name]
    return bool(made) and all("view" in values[name] for name in made) and not node["mutates"]


def distinct(value):
    """Elements that a value really has: a broadcast dimension repeats the same ones."""
    return counts.product([size for size, stride in zip(value["shape"], value["strides"]) if stride != 0])


def itemsize(dtype):
    return torch.empty((), dtype=getattr(torch, dtype)).element_size()
