"""Records the ATen calls of one forward, with the memory relations between their tensors."""
import math
import weakref

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from . import aten


#: dtypes whose constants the generated code can write down
PLAIN = (torch.float32, torch.float64, torch.int64, torch.int32, torch.bool)


def storage_of(tensor):
    """Address of a tensor's storage; 0 for an empty one."""
    storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()
    return storage.data_ptr()


def type_of(tensor):
    return {"dtype": str(tensor.dtype)[6:], "shape": list(tensor.shape), "strides": list(tensor.stride())}


def literal(value):
    """A plain value as JSON: what JSON lacks travels as its name."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, int) and abs(value) >= 1 << 53:
        return str(value)  # JSON readers keep 53 bits; `slice` ends at 2⁶³ - 1
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [literal(part) for part in value]
    return str(value)


def is_tensor_list(value):
    return isinstance(value, (list, tuple)) and any(isinstance(part, torch.Tensor) for part in value)


class Recorder(TorchDispatchMode):
    """While it is active, every ATen call outside a leaf module becomes a node. Values are single assignment."""

    def __init__(self, given, attributes):
        """given: [(tensor, id, role, name)], known before the call; attributes: id(tensor) → path of plain tensor attributes."""
        super().__init__()
        self.values, self.inputs, self.nodes = {}, [], []
        self.mutated, self.opaque = [], None
        self.modules, self.suspended = [""], 0
        self._ids = {}
        self._sharing, self._spoiled = {}, {}
        self._held = []
        self._attributes = attributes
        for tensor, name, role, label in given:
            self._held.append(tensor)
            self.inputs.append({"id": name, "role": role, "name": label})
            self._define(tensor, name, ())

    # ---- values

    def _bind(self, tensor, name):
        key = id(tensor)
        self._ids[key] = (weakref.ref(tensor), name)
        if tensor.numel():
            self._sharing.setdefault(storage_of(tensor), []).append(weakref.ref(tensor))

    def _define(self, tensor, name, sources):
        """A new value; a view where its memory is that of a source."""
        kind = type_of(tensor)
        place = storage_of(tensor)
        for source in sources:
            if tensor.numel() and source.numel() and storage_of(source) == place:
                known = self.values[self.name_of(source)]
                base = known.get("view", {"base": self.name_of(source)})["base"]
                offset = known.get("view", {"offset": 0})["offset"]
                if tensor.dtype != source.dtype:
                    self.opaque = self.opaque or "%s reinterprets memory as another dtype" % (self.modules[-1] or "forward")
                kind["view"] = {"base": base, "offset": offset + tensor.storage_offset() - source.storage_offset()}
                break
        self.values[name] = kind
        self._bind(tensor, name)
        return name

    def name_of(self, tensor):
        """The value of a tensor; one that nobody made is an attribute of a module, or a constant."""
        known = self._ids.get(id(tensor))
        if known is not None and known[0]() is tensor:
            spoiled = self._spoiled.get(id(tensor))
            if spoiled is not None and spoiled[0]() is tensor:
                self.opaque = self.opaque or "a tensor is used whose memory %s changed through another" % spoiled[1]
            return known[1]
        self._held.append(tensor)
        name = "c%d" % len(self.inputs)
        path = self._attributes.get(id(tensor))
        entry = {"id": name, "role": "constant" if path is None else "attribute", "name": path or name}
        if path is None and tensor.numel() <= 64 and tensor.is_contiguous() and tensor.dtype in PLAIN:
            entry["data"] = [literal(item) for item in tensor.reshape(-1).tolist()]
        self.inputs.append(entry)
        return self._define(tensor, name, ())

    def arg(self, value):
        if isinstance(value, torch.Tensor):
            return {"value": self.name_of(value)}
        if is_tensor_list(value):
            return {"values": [None if part is None else self.name_of(part) for part in value]}
        if isinstance(value, float) and value.is_integer():
            return {"literal": literal(value), "float": True}  # JSON's 2.0 is 2 to most readers
        return {"literal": literal(value)}

    # ---- calls

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if self.suspended:
            return func(*args, **kwargs)
        schema = func._schema.arguments
        positional = [a for a in schema if not a.kwarg_only]
        given = {a.name: args[i] if i < len(args) else kwargs.get(a.name, a.default_value if a.has_default_value() else None) for i, a in enumerate(positional)}
        given.update({a.name: kwargs.get(a.name, a.default_value if a.has_default_value() else None) for a in schema if a.kwarg_only})
        self.suspended += 1
        try:
            recorded = {name: self.arg(value) for name, value in given.items()}
            result = func(*args, **kwargs)
            self._note(func, given, recorded, [a.name for a in positional], result)
        finally:
            self.suspended -= 1
        return result

    def _note(self, func, given, recorded, positional, result):
        _, name, _ = aten.split_name(func)
        written = [a.name for a in func._schema.arguments if a.alias_info is not None and a.alias_info.is_write]
        tensors = [t for value in given.values() for t in (value if isinstance(value, (list, tuple)) else [value]) if isinstance(t, torch.Tensor)]
        if name in aten.ALIASES:
            self._bind(result, self.name_of(tensors[0]))
            return
        if name == "native_batch_norm" and given.get("training") and given.get("running_mean") is not None:
            written = written + ["running_mean", "running_var"]  # its schema does not say so
        mutates, renamed, target = [], [], aten.target_name(func)
        for field in written:
            tensor = given[field]
            if not isinstance(tensor, torch.Tensor):
                if tensor is not None:
                    self.opaque = self.opaque or "%s writes a list of tensors in place" % name
                continue
            role = next((entry["role"] for entry in self.inputs if entry["id"] == self._root(tensor)), None)
            if role is not None:
                mutates.append(self._root(tensor))
                if role not in ("buffer", "parameter") or "view" in self.values[self.name_of(tensor)]:
                    self.opaque = self.opaque or "%s writes %s in place" % (name, "an input" if role == "input" else "part of a module's tensor")
            else:
                renamed.append(tensor)
        if renamed:
            form = aten.functional(func)
            if len(renamed) > 1 or form is None or len(written) != 1:
                self.opaque = self.opaque or "%s writes its arguments in place and has no functional form here" % name
            else:
                target = aten.target_name(form)
                self._spoil(renamed[0], name)
        self.mutated += mutates
        outputs = []
        self._note_dependence(aten.our_name(func), given, tensors)
        index = len(self.nodes)
        for position, out in enumerate(result if isinstance(result, (list, tuple)) else [result]):
            if not isinstance(out, torch.Tensor):
                outputs.append(None)
            elif any(out is tensor for tensor in renamed):
                outputs.append(self._rename(out, "v%d_%d" % (index, position)))
            elif self._is_known(out):
                outputs.append(self.name_of(out))  # an argument handed through
            else:
                outputs.append(self._define(out, "v%d_%d" % (index, position), tensors))
        self.nodes.append(
            {"id": "n%d" % index, "op": aten.our_name(func), "target": target, "args": recorded, "positional": positional, "outputs": outputs, "mutates": mutates, "module": self.modules[-1]}
        )

    def _note_dependence(self, name, given, tensors):
        """A graph recorded once says nothing of other inputs where their contents decide what is computed."""
        masks = [t for t in given.get("indices") or [] if isinstance(t, torch.Tensor) and t.dtype in (torch.bool, torch.uint8)] if name == "index" else []
        roots = {self._root(tensor) for tensor in tensors}
        fixed = all(entry["role"] == "constant" for entry in self.inputs if entry["id"] in roots) and roots <= {entry["id"] for entry in self.inputs}
        if not fixed and (name in aten.READ_BACK or name in aten.SIZED_BY_DATA or masks):
            self.opaque = self.opaque or "what is computed depends on the contents of a tensor (%s)" % name

    def leaf(self, path, kind, call, args, kwargs):
        """A module with a known meaning: one node, whatever it calls."""
        if self.suspended:
            return call(*args, **kwargs)
        positional = ["input%d" % i for i in range(len(args))]
        recorded = {name: self.arg(value) for name, value in list(zip(positional, args)) + list(kwargs.items())}
        self.suspended += 1
        try:
            result = call(*args, **kwargs)
        finally:
            self.suspended -= 1
        index = len(self.nodes)
        outputs = [self._define(t, "v%d_%d" % (index, i), ()) for i, t in enumerate(flat(result))]
        self.nodes.append({"id": "n%d" % index, "op": "module:" + kind, "target": path, "args": recorded, "positional": positional, "outputs": outputs, "mutates": [], "module": path})
        return result

    def _is_known(self, tensor):
        known = self._ids.get(id(tensor))
        return known is not None and known[0]() is tensor

    def _root(self, tensor):
        name = self.name_of(tensor)
        return self.values[name].get("view", {"base": name})["base"]

    def _rename(self, tensor, name):
        self.values[name] = type_of(tensor)
        self._bind(tensor, name)
        return name

    def _spoil(self, tensor, name):
        """Other tensors over the memory that `name` wrote no longer hold what their values say. Many of them nobody reads again."""
        for ref in self._sharing.get(storage_of(tensor), []):
            other = ref()
            if other is not None and other is not tensor:
                self._spoiled[id(other)] = (ref, name)


def flat(value):
    """Tensors of a nested tuple, list or dict, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [t for part in value for t in flat(part)] if isinstance(value, (list, tuple)) else []
