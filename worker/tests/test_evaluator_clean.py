"""After an evaluation, however it ended, nothing of it is left on the machine."""
import glob
import os
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from hiera_worker import evaluator
from hiera_worker.evaluator import processes
from hiera_worker.evaluator.process import PREFIX, scratch_root

OPTIONS = {"mode": "as-is", "precision": "strict", "fixedRng": False, "tolerance": "budget", "threads": 2}
PROBLEM = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.tanh(x)


def get_inputs():
    return [torch.randn(300, 100)]
"""
ENDINGS = {
    "exit": "os._exit(0)",
    "crash": "ctypes.string_at(0)",
    "raise": "raise ValueError(1)",
    "stop": "os.kill(os.getpid(), signal.SIGSTOP) if False else (_ for _ in ()).throw(KeyError(2))",
    "orphans": "[subprocess.Popen(['sleep', '1000'], start_new_session=True) for _ in range(3)] and os._exit(0)",
    "files": "open('/tmp/hiera-left-behind', 'w').write('x') and open('/dev/shm/hiera-left-behind', 'w').write('x') and os._exit(1)",
}
CANDIDATE = "import ctypes\nimport os\nimport signal\nimport subprocess\n\nimport torch\n\n\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        {}\n        return torch.tanh(x)\n"


def evaluate(line):
    return evaluator.evaluate(
        {"problem": {"source": PROBLEM, "options": OPTIONS}, "candidate": {"source": CANDIDATE.format(line), "builds": [], "space": None}, "effort": "quick"}
    )


def state(judge):
    """Processes below the judge, its descriptors, its private folders, common files."""
    # those that were killed are waited for by the kernel, not by the judge
    return (
        len(processes.descendants(judge)),
        len(os.listdir(f"/proc/{judge}/fd")),
        len(glob.glob(os.path.join(scratch_root(), f"{PREFIX}{judge}-*"))),
        sorted(glob.glob("/tmp/hiera-left-behind") + glob.glob("/dev/shm/hiera-left-behind")),
    )


class Clean(unittest.TestCase):
    def test_thirty_evaluations_leave_nothing(self):
        evaluate("pass")
        judge = next(iter(evaluator._judges.values())).process.pid
        before, verdicts = state(judge), []
        for round_number in range(5):
            for line in ENDINGS.values():
                verdicts.append(evaluate(line)["verdict"])
        deadline = time.monotonic() + 5
        while state(judge) != before and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(state(judge), before)
        self.assertEqual(len(verdicts), 30)
        self.assertEqual(set(verdicts), {"no-evidence", "memory-error", "runtime-error"})
        self.assertEqual(evaluate("pass")["verdict"], "valid")
        evaluator.close()
        self.assertFalse(os.path.exists(f"/proc/{judge}"))
        self.assertEqual(glob.glob(os.path.join(scratch_root(), f"{PREFIX}{judge}-*")), [])

    def test_a_killed_judge_takes_everything_with_it(self):
        evaluate("pass")
        judge = next(iter(evaluator._judges.values())).process
        below = processes.descendants(judge.pid)
        self.assertTrue(below)
        judge.kill()
        judge.wait()
        deadline = time.monotonic() + 5
        while any(os.path.exists(f"/proc/{pid}") for pid in below) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual([pid for pid in below if os.path.exists(f"/proc/{pid}")], [])
        self.assertEqual(evaluate("pass")["verdict"], "valid")  # a new judge, which also sweeps
        self.assertEqual(glob.glob(os.path.join(scratch_root(), f"{PREFIX}{judge.pid}-*")), [])
        evaluator.close()

    def test_stop_all_cancels(self):
        import threading

        evaluate("pass")
        threading.Timer(1.0, evaluator.stop_all).start()
        result = evaluate("__import__('time').sleep(60)")
        self.assertEqual((result["verdict"], result["reason"]), ("infrastructure", "cancelled"))
        evaluator.close()


if __name__ == "__main__":
    unittest.main()
