"""A problem that cannot be used is refused in one line that names the place."""
import unittest

from support import problem, trace

from hiera_worker.errors import ProblemInvalid

#: what is wrong → (file, message, line or None)
BROKEN = {
    "syntax": ("import torch\nclass Model(:\n", "syntax error", 2),
    "import": ("import torch\n\nimport no_such_module_anywhere\n", "ModuleNotFoundError: No module named 'no_such_module_anywhere'", 3),
    "no Model": ("import torch\ndef get_inputs(): return []\n", "defines no Model", None),
    "no get_inputs": ("import torch\nclass Model(torch.nn.Module): pass\n", "defines no get_inputs", None),
    "no module": ("class Model: pass\ndef get_inputs(): return []\n", "Model is no torch.nn.Module", None),
    "constructor's arguments": (problem("return x", parameters=", n, m", given="[1]"), "Model.__init__ takes 2 arguments, but get_init_inputs() gives 1", None),
    "forward's arguments": (problem("return x", arguments=", x, y"), "Model.forward takes 2 arguments, but get_inputs() gives 1", None),
    "constructor raises": (problem("return x", init="raise ValueError('no luck')"), "Model(...) raised ValueError: no luck", 7),
    "forward raises": (problem("return x @ x"), "forward raised RuntimeError: ", 9),
    "get_inputs raises": (problem("return x", inputs="[1 / 0]"), "get_inputs() raised ZeroDivisionError", 12),
    "an input that is text": (problem("return x", inputs="['a']"), "input 0 is str, not a tensor or a number", None),
    "inputs that are no list": (problem("return x", inputs="torch.rand(2)"), "get_inputs() returned Tensor", None),
    "no tensor comes out": (problem("return 3.0"), "forward returned no tensor but float", None),
    "NaN": (problem("return x.sub(2).log()"), "output is NaN or infinite in 1e+02 % of its elements", None),
    "one infinity in the second output": (
        problem("return x, x / torch.arange(6)", inputs="[torch.ones(6)]"), "output[1] is NaN or infinite in 17 % of its elements", None
    ),
    "more memory than there is": (problem("return x", inputs="[torch.rand(1 << 45)]"), "get_inputs() needs more memory than there is (140737.5 GB at once)", 12),
}


class Broken(unittest.TestCase):
    def test_each_is_refused_with_its_line(self):
        for name, (source, message, line) in BROKEN.items():
            with self.subTest(name):
                with self.assertRaises(ProblemInvalid) as caught:
                    trace(source)
                self.assertIn(message, caught.exception.message)
                self.assertNotIn("\n", caught.exception.message)
                self.assertEqual(caught.exception.where, "problem.py" if line is None else "problem.py:%d" % line)
                self.assertTrue(caught.exception.todo)

    def test_get_init_inputs_may_be_missing(self):
        source = problem("return x + 1").partition("def get_init_inputs")[0]
        self.assertEqual(trace(source)["initArguments"], [])

    def test_the_mode_is_chosen(self):
        source = problem("return x + 1")
        self.assertEqual([trace(source, mode=mode)["training"] for mode in ("as-is", "train", "eval")], [True, True, False])
