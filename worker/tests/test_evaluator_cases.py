"""Every candidate file with a known verdict: the project's shared ones and those in cases/."""
import os
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import torch

from hiera_worker import evaluator

HERE = os.path.dirname(os.path.abspath(__file__))
OWN = os.path.join(HERE, "cases")
SHARED = os.environ.get("HIERA_CASES") or os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(HERE))), "shared", "cases")
OPTIONS = {"mode": "as-is", "precision": "strict", "fixedRng": False, "tolerance": "budget", "threads": min(2, os.cpu_count() or 1)}


def header(text, name):
    found = re.search(rf"^# {name}: *(.*)$", text, re.M)
    return found.group(1).strip() if found else None


def missing(need):
    """Why a case cannot run here, or None."""
    if need == "cuda":
        return None if torch.cuda.is_available() else "no CUDA device"
    if need == "compile":
        return None if hasattr(torch, "compile") and shutil.which("g++") else f"torch {torch.__version__} has no torch.compile here"
    return None if need is None or shutil.which(need) else f"no {need}"


def evaluate(folder, text, effort="full"):
    with open(os.path.join(folder, "tasks", header(text, "task") + ".py")) as task:
        problem = {"source": task.read(), "options": OPTIONS}
    candidate = {"source": text, "builds": [], "space": header(text, "space")}
    return evaluator.evaluate({"problem": problem, "candidate": candidate, "effort": effort})


class Cases(unittest.TestCase):
    def run_all(self, folder):
        if not os.path.isdir(folder):
            self.skipTest(f"{folder} is absent: set HIERA_CASES")
        skipped = []
        # by task, so that each problem is prepared once
        files = []
        for name in sorted(os.listdir(folder)):
            if name.endswith(".py"):
                with open(os.path.join(folder, name)) as case:
                    files.append((name, case.read()))
        for name, text in sorted(files, key=lambda file: (header(file[1], "task"), file[0])):
            why = missing(header(text, "needs"))
            if why:
                skipped.append(f"{name} ({why})")
                continue
            with self.subTest(name, torch=torch.__version__):
                result = evaluate(folder, text)
                wanted = [verdict.strip() for verdict in header(text, "expect").split("|")]
                self.assertIn(result["verdict"], wanted, f"{result['reason']}\n" + "\n".join(result["log"][-10:]))
                self.assertNotIn("\n", result["reason"])
                self.assertEqual(result["timing"] is not None, result["verdict"] == "valid")
        if skipped:
            print(f"\ntorch {torch.__version__}: {len(skipped)} of {len(files)} skipped: {', '.join(skipped)}")

    def test_shared(self):
        self.run_all(SHARED)

    def test_own(self):
        self.run_all(OWN)

    def tearDown(self):
        evaluator.close()


if __name__ == "__main__":
    unittest.main()
