"""One worker over its pipes, as the other side sees it."""
import json
import os
import signal
import subprocess
import sys
import time
import unittest

from support import OPTIONS, PACKAGE, problem


class Worker:
    def __init__(self):
        environment = dict(os.environ, PYTHONPATH=PACKAGE)
        self.process = subprocess.Popen([sys.executable, "-m", "hiera_worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        self.hello = self.receive()

    def send(self, id, method, params):
        self.process.stdin.write(json.dumps({"id": id, "method": method, "params": params}).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self):
        return json.loads(self.process.stdout.readline())

    def answer(self):
        while True:
            message = self.receive()
            if "progress" not in message:
                return message

    def children(self):
        with open("/proc/%d/task/%d/children" % (self.process.pid, self.process.pid)) as main:
            direct = main.read().split()
        for task in os.listdir("/proc/%d/task" % self.process.pid):
            with open("/proc/%d/task/%s/children" % (self.process.pid, task)) as others:
                direct += others.read().split()
        return {int(pid) for pid in direct}


def alive(pid):
    try:
        with open("/proc/%d/stat" % pid) as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Protocol(unittest.TestCase):
    def setUp(self):
        self.worker = Worker()
        self.addCleanup(self.end)

    def end(self):
        self.worker.process.kill()
        self.worker.process.wait()
        for stream in (self.worker.process.stdin, self.worker.process.stdout, self.worker.process.stderr):
            stream.close()

    def trace(self, id, source):
        self.worker.send(id, "trace", {"source": source, "options": OPTIONS})

    def test_hello_comes_first(self):
        self.assertEqual({"hiera": 1, "worker": "0.1.0"}, {k: self.worker.hello[k] for k in ("hiera", "worker")})

    def test_prints_do_not_reach_the_protocol(self):
        self.trace(1, "import os\nprint('{\"id\": 1, \"result\": 0}', flush=True)\nos.write(1, b'noise')\n" + problem("print('x')\n        return x + 1"))
        self.assertEqual(len(self.worker.answer()["result"]["outputs"]), 1)

    def test_an_unknown_method_is_a_usage_error(self):
        self.worker.send(1, "no-such-method", {})
        reply = self.worker.answer()
        self.assertEqual((reply["id"], reply["error"]["kind"]), (1, "usage"))
        self.assertIn("no-such-method", reply["error"]["message"])

    def test_a_reference_that_kills_its_process_is_the_problem_s_fault_and_the_next_request_runs(self):
        self.trace(1, problem("import os, signal\n        os.kill(os.getpid(), signal.SIGSEGV)"))
        error = self.worker.answer()["error"]
        self.assertEqual(error["kind"], "problem-invalid")
        self.assertIn("SIGSEGV", error["message"])
        self.trace(2, problem("return x + 1"))
        self.assertIn("result", self.worker.answer())

    def test_cancel_ends_the_running_request_and_a_waiting_one_never_starts(self):
        self.trace(1, problem("import time\n        time.sleep(600)"))
        self.trace(2, problem("import time\n        time.sleep(600)"))
        while "running the reference" not in str(self.worker.receive()):
            pass
        self.worker.send(3, "cancel", {"id": 2})
        self.worker.send(4, "cancel", {"id": 1})
        self.assertEqual([(reply["id"], reply["error"]["message"]) for reply in (self.worker.answer(), self.worker.answer())], [(1, "cancelled"), (2, "cancelled")])
        self.trace(5, problem("return x + 1"))
        self.assertIn("result", self.worker.answer())

    def test_nothing_outlives_the_worker(self):
        for stop in (lambda: self.worker.process.stdin.close(), lambda: self.worker.process.send_signal(signal.SIGKILL)):
            self.end()
            self.worker = Worker()
            self.trace(1, problem("import time\n        time.sleep(600)"))
            while "running the reference" not in str(self.worker.receive()):
                pass
            children = self.worker.children()
            self.assertTrue(children)
            stop()
            self.worker.process.wait(10)
            deadline = time.monotonic() + 5
            while any(map(alive, children)) and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertFalse([pid for pid in children if alive(pid)])
