"""The clock against itself: a candidate that is the reference reads about 1, one that does the work twice about a half."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import torch

from hiera_worker import evaluator

OPTIONS = {"mode": "as-is", "precision": "strict", "fixedRng": False, "tolerance": "budget", "threads": 1}
CLASS = "import torch\n\n\nclass {name}(torch.nn.Module):\n    def forward(self, A, B):\n        {line}\n"
INPUTS = "\n\ndef get_inputs():\n    return [torch.rand(384, 384), torch.rand(384, 384)]\n"


class Timing(unittest.TestCase):
    def ratio(self, line):
        problem = {"source": CLASS.format(name="Model", line="return A @ B") + INPUTS, "options": OPTIONS}
        candidate = {"source": CLASS.format(name="ModelNew", line=line), "builds": [], "space": None}
        result = evaluator.evaluate({"problem": problem, "candidate": candidate, "effort": "full"})
        self.assertEqual(result["verdict"], "valid", result["reason"])
        timing = result["timing"]
        print(f"\ntorch {torch.__version__}, {line}: {timing['speedup']}, {timing['candidateMs']:.4f} ms, {timing['cache']}, {result['checks'][-1]}")
        return timing["speedup"]["median"]

    def test_equal_and_twice(self):
        equal, twice = self.ratio("return A @ B"), self.ratio("A @ B; return A @ B")
        # loose, for a machine with other work on it
        self.assertTrue(0.6 < equal < 1.6, equal)
        self.assertTrue(0.3 < twice < 0.8, twice)
        evaluator.close()


if __name__ == "__main__":
    unittest.main()
