"""Runs compiled cases beside torch and prints one JSON object a case: the worst error as a share of the error budget."""

import ctypes
import json
import math
import sys

import torch

DTYPES = {name: getattr(torch, name) for name in ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool")}
ROUND_OFF = {torch.float32: 2**-24, torch.float64: 2**-53, torch.float16: 2**-11, torch.bfloat16: 2**-8}


def blank(value, strides):
    extent = 1 + sum((size - 1) * stride for size, stride in zip(value["shape"], strides)) if all(value["shape"]) else 1
    memory = torch.full((extent,), 77, dtype=DTYPES[value["dtype"]]) if value["dtype"] != "bool" else torch.ones(extent, dtype=torch.bool)
    return torch.as_strided(memory, value["shape"], strides)


def contiguous(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= max(size, 1)
    return strides


def evaluate(expression, names, promote):
    wide = {k: (v.double() if promote and v.is_floating_point() else v) for k, v in names.items()}
    scope = {"torch": torch, "F": torch.nn.functional, "math": math, **wide}
    return eval(expression, scope)


def share(got, want, eager, dtype, longest):
    """Error over budget, by rms and by the largest element; `longest`: elements of the longest sum."""
    if got.shape != want.shape:
        return math.inf, f"shape {tuple(got.shape)} for {tuple(want.shape)}"
    if not dtype.is_floating_point:
        wrong = int((got != eager.to(dtype)).sum())
        return (math.inf if wrong else 0.0), f"{wrong} of {got.numel()} differ"
    want = want.double()
    rounded = want.to(dtype).double()
    finite = torch.isfinite(rounded)
    same = (got.double() == rounded) | (torch.isnan(got) & torch.isnan(rounded))
    if not bool(same[~finite].all()):
        return math.inf, "non-finite elements differ"
    error, own = (got.double() - want)[finite], (eager.double() - want)[finite]
    if not bool(torch.isfinite(error).all()):
        return math.inf, "not finite"
    rms = lambda t: float(t.pow(2).mean().sqrt()) if t.numel() else 0.0
    round_off = ROUND_OFF[dtype] * max(1, math.sqrt(longest) / 3)
    budget = 4 * max(rms(own[torch.isfinite(own)]), round_off * rms(want[finite]), 1e-300)
    top = 4 * max(float(own.abs().max()) if own.numel() else 0.0, round_off * float(want[finite].abs().max()) if own.numel() else 0.0, 1e-300)
    worst = max(rms(error) / budget, float(error.abs().max()) / top if error.numel() else 0.0)
    return worst, f"rms {rms(error):.3e} of {budget:.3e}"


def main(folder):
    with open(f"{folder}/spec.json") as file:
        spec = json.load(file)
    library = ctypes.CDLL(f"{folder}/kernel.so")
    torch.set_num_threads(spec["threads"])
    library.set_threads(spec["threads"])
    for case in spec["cases"]:
        torch.manual_seed(3)
        names, memory = {}, {}
        for given in case["graphInputs"]:
            value = case["values"][given["id"]]
            tensor = eval(case["inputs"][given["name"]], {"torch": torch, "math": math, **names})
            assert list(tensor.shape) == value["shape"], (case["name"], given["name"], tensor.shape)
            assert all(n == 1 or a == b for n, a, b in zip(tensor.shape, tensor.stride(), value["strides"])), (case["name"], tensor.stride())
            names[given["name"]] = memory[given["id"]] = tensor
        outputs = {o["id"]: o for o in case["outputs"]}
        for call in case["calls"]:
            for parameter in call["parameters"]:
                value = case["values"][parameter["value"]]
                if parameter["value"] not in memory:
                    strides = outputs.get(parameter["value"], {}).get("strides") or value["strides"]
                    memory[parameter["value"]] = blank(value, strides)
        scratch = torch.empty(max([c["scratch"] for c in case["calls"]] + [8]), dtype=torch.uint8)
        prepared = [
            (getattr(library, c["symbol"]), (ctypes.c_void_p * len(c["parameters"]))(*[memory[p["value"]].data_ptr() for p in c["parameters"]]))
            for c in case["calls"]
        ]

        def run():
            for function, pointers in prepared:
                assert function(pointers, ctypes.c_void_p(scratch.data_ptr())) == 0

        run()
        worst, why = 0.0, ""
        for output, expression in zip(case["outputs"], case["expect"]):
            value = case["values"][output["id"]]
            base = memory[output["base"]]
            offset = value["view"]["offset"] if value.get("view") and output["base"] != output["id"] else 0
            got = torch.as_strided(base, value["shape"], output["strides"], base.storage_offset() + offset)
            want, eager = evaluate(expression, names, True), evaluate(expression, names, False)
            if eager.dtype != DTYPES[value["dtype"]]:
                worst, why = math.inf, f"test says {value['dtype']}, torch {eager.dtype}"
                continue
            result, text = share(got, want, eager, DTYPES[value["dtype"]], case.get("longest", 1))
            if result > worst or math.isnan(result):
                worst, why = result, text
        answer = {"name": case["name"], "share": worst if math.isfinite(worst) else 1e9, "why": why}
        print(json.dumps(answer), flush=True)


main(sys.argv[1])
