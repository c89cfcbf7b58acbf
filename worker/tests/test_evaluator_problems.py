"""Problems that cannot be judged, options, and results of each request as src/evaluation/calls.ts has them."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from hiera_worker import evaluator
from hiera_worker.build import build
from hiera_worker.errors import ProblemInvalid

OPTIONS = {"mode": "as-is", "precision": "strict", "fixedRng": False, "tolerance": "budget", "threads": 2}


def problem(body, inputs="[torch.randn(64, 48)]", init="[]", **options):
    source = f"import torch\n\n\nclass Model(torch.nn.Module):\n{body}\n\n\ndef get_inputs():\n    return {inputs}\n\n\ndef get_init_inputs():\n    return {init}\n"
    return {"source": source, "options": {**OPTIONS, **options}}


def forward(expression, arguments="x"):
    return f"    def forward(self, {arguments}):\n        return {expression}"


def evaluate(reference, candidate, effort="quick", builds=(), space=None):
    source = "import torch\n\n\n" + candidate if "import torch" not in candidate else candidate
    return evaluator.evaluate({"problem": reference, "candidate": {"source": source, "builds": list(builds), "space": space}, "effort": effort})


def model_new(expression, arguments="x"):
    return f"class ModelNew(torch.nn.Module):\n    def forward(self, {arguments}):\n        return {expression}\n"


class Problems(unittest.TestCase):
    def tearDown(self):
        evaluator.close()

    def test_invalid_ones_say_why(self):
        for name, reference, told in [
            ("constant", problem(forward("x * 0 + 1")), "constant output"),
            ("random", problem(forward("x + torch.rand_like(x)")), "random"),
            ("NaN", problem(forward("torch.sqrt(x - 100)")), "NaN"),
            ("raises", problem(forward("x @ x")), "forward raised"),
            ("no tensor", problem(forward("3")), "no tensor"),
            ("syntax", {"source": "class Model(:", "options": OPTIONS}, "syntax"),
            ("too large", problem(forward("torch.empty(1 << 44) + x.sum()")), "memory"),
            ("crash", problem(forward("__import__('os').kill(__import__('os').getpid(), 11)")), "signal 11"),
        ]:
            with self.subTest(name):
                with self.assertRaises(ProblemInvalid) as caught:
                    evaluator.validate({"problem": reference})
                self.assertIn(told, str(caught.exception))
                result = evaluate(reference, model_new("x"))
                self.assertEqual(result["verdict"], "problem-invalid")
                self.assertIn(told, result["reason"])

    def test_validation_names_variants_and_guards(self):
        result = evaluator.validate({"problem": problem(forward("torch.relu(x)"), "[torch.rand(100, 100)]")})
        self.assertGreater(result["baselineMs"], 0)
        self.assertEqual(set(result["variants"]), {"own", "zero-mean", "scaled", "shifted", "heavy-tailed"})
        self.assertIn("oracle: float64", result["checks"])

    def test_a_variant_on_which_the_reference_fails_is_left_out(self):
        result = evaluator.validate({"problem": problem(forward("torch.log(x)"), "[torch.rand(100, 100) + 0.1]")})
        self.assertIn("own", result["variants"])
        self.assertNotIn("zero-mean", result["variants"])

    def test_fixed_random_numbers(self):
        reference = problem(forward("torch.nn.functional.dropout(x, 0.5, True)"), fixedRng=True)
        self.assertEqual(evaluate(reference, model_new("torch.nn.functional.dropout(x, 0.5, True)"))["verdict"], "valid")
        self.assertIn(evaluate(reference, model_new("x"))["verdict"], ("incorrect", "stale"))

    def test_no_inputs_at_all(self):
        reference = problem("    def __init__(self):\n        super().__init__()\n        self.w = torch.nn.Parameter(torch.randn(64, 64))\n\n" + forward("self.w * 2", "").replace("self, )", "self)"), "[]")
        candidate = "class ModelNew(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.w = torch.nn.Parameter(torch.randn(64, 64))\n\n    def forward(self):\n        return self.w + self.w\n"
        result = evaluate(reference, candidate, "full")
        self.assertEqual(result["verdict"], "valid", result["reason"])

    def test_an_input_that_the_reference_changes_may_be_changed(self):
        reference = problem(forward("x.add_(1).sum(1)"))
        self.assertEqual(evaluate(reference, model_new("x.add_(1).sum(1)"), "full")["verdict"], "valid")
        self.assertEqual(evaluate(reference, model_new("(x + 1).sum(1)"), "full")["verdict"], "incorrect")

    def test_kernelbench_tolerance(self):
        reference = problem(forward("torch.tanh(x)"), tolerance="kernelbench")
        self.assertEqual(evaluate(reference, model_new("torch.tanh(x) + 1e-5"), "full")["verdict"], "valid")
        self.assertEqual(evaluate(problem(forward("torch.tanh(x)")), model_new("torch.tanh(x) + 1e-5"), "full")["verdict"], "imprecise")

    def test_new_seeds_for_finalists(self):
        result = evaluate(problem(forward("torch.tanh(x)")), model_new("torch.tanh(x)"), "final")
        self.assertEqual(result["verdict"], "valid", result["reason"])
        self.assertGreaterEqual(result["timing"]["pairs"], 5)

    def test_profile(self):
        result = evaluator.profile({"problem": problem(forward("torch.tanh(x) @ x.t()")), "candidate": None})
        self.assertTrue(result["available"], result["why"])
        self.assertIn("aten::mm", [row["name"] for row in result["operators"]])
        failing = evaluator.profile({"problem": problem(forward("torch.tanh(x)")), "candidate": {"source": "raise ValueError(1)", "builds": [], "space": None}})
        self.assertFalse(failing["available"])
        self.assertIn("ValueError", failing["why"])


NATIVE = {"language": "c++", "flags": ["-O2", "-shared", "-fPIC"]}
GOOD = 'extern "C" void go(const float* x, float* y, long n) { for (long i = 0; i < n; i++) y[i] = x[i] * 2; }'
LOADER = '''import ctypes
import os

import torch

folder = os.environ["HIERA_CACHE"]
library = ctypes.CDLL(os.path.join(folder, os.listdir(folder)[0]))


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        library.go(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), ctypes.c_long(x.numel()))
        return y
'''


class Builds(unittest.TestCase):
    def tearDown(self):
        evaluator.close()

    def test_a_build_is_made_once(self):
        spec = {**NATIVE, "source": GOOD + f"// {os.getpid()}"}
        first, second = build({"build": spec}), build({"build": spec})
        self.assertEqual([first["ok"], first["cached"], second["ok"], second["cached"]], [True, False, True, True])
        self.assertNotIn("path", first)

    def test_a_failed_build_is_a_compile_error(self):
        spec = {**NATIVE, "source": "int f() { return nothing; }"}
        self.assertFalse(build({"build": spec})["ok"])
        result = evaluate(problem(forward("x * 2")), LOADER, builds=[spec], space="kernel")
        self.assertEqual(result["verdict"], "compile-error")
        self.assertIn("nothing", result["reason"])

    def test_a_library_keeps_to_its_space(self):
        calls_blas = 'extern "C" float cblas_sdot(int, const float*, int, const float*, int); ' + GOOD.replace("x[i] * 2", "x[i] * 2 + 0 * cblas_sdot(0, x, 1, x, 1)")
        loads = '#include <dlfcn.h>\n' + GOOD.replace("for", 'if (n < 0) dlopen("libopenblas.so", 1); for', 1)
        for name, source, flags, space, verdict in [
            ("own code", GOOD, [], "kernel", "valid"),
            ("BLAS in kernel", calls_blas, ["-lopenblas"], "kernel", "outside-space"),
            ("BLAS in libraries", calls_blas, ["-lopenblas"], "libraries", "valid"),
            ("loads by itself", loads, [], "libraries", "outside-space"),
        ]:
            with self.subTest(name):
                spec = {**NATIVE, "source": source, "flags": NATIVE["flags"] + flags}
                made = build({"build": spec})
                if not made["ok"] and "openblas" in " ".join(made["log"]):
                    self.skipTest("OpenBLAS is not installed")
                result = evaluate(problem(forward("x * 2")), LOADER, "full", [spec], space)
                self.assertEqual(result["verdict"], verdict, result["reason"])


if __name__ == "__main__":
    unittest.main()
