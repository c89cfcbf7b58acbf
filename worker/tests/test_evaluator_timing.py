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


#: sleeps where the harness is asked for an empty burst, so that more than its overhead would be subtracted
SLOW_WHEN_EMPTY = """import sys, time, torch
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        harness = sys._getframe(1).f_locals["self"]
        real = type(harness).burst
        def burst(message):
            if message["empty"]:
                time.sleep(0.001 * len(message["order"]))
            return real(harness, message)
        harness.burst = burst
    def forward(self, A, B):
        return A @ B
"""
#: reads the burst's plan and computes one call in eight, and the last
SKIPS_CALLS = """import sys, torch
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.plan, self.at, self.kept = None, 0, None
    def forward(self, A, B):
        frame = sys._getframe(1)
        while frame is not None and "order" not in frame.f_locals and "message" not in frame.f_locals:
            frame = frame.f_back
        here = frame.f_locals if frame is not None else {}
        plan = here.get("order") or here.get("message", {}).get("order")
        if plan is None or len(plan) < 16:
            return A @ B
        self.at = self.at + 1 if plan is self.plan else 0
        self.plan = plan
        if self.kept is None or self.at % 8 == 0 or self.at == len(plan) - 1:
            self.kept = A @ B
        return self.kept
"""


class Timing(unittest.TestCase):
    @classmethod
    def tearDownClass(cls):
        evaluator.close()

    def test_a_forged_clock_gains_nothing(self):
        problem = {"source": CLASS.format(name="Model", line="return A @ B") + INPUTS, "options": OPTIONS}
        for name, source in (("slow when empty", SLOW_WHEN_EMPTY), ("skips calls", SKIPS_CALLS)):
            result = evaluator.evaluate({"problem": problem, "candidate": {"source": source, "builds": [], "space": None}, "effort": "full"})
            print(f"\ntorch {torch.__version__}, {name}: {result['verdict']}, {result['reason']}")
            with self.subTest(name):
                honest = result["verdict"] == "valid" and result["timing"]["speedup"]["median"] < 1.6
                self.assertTrue(honest or result["verdict"] in ("tampering", "incorrect", "stale"), result["reason"])

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

if __name__ == "__main__":
    unittest.main()
