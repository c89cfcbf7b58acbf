"""The judge's process: reference, oracle, inputs, answers and clock of one problem. It never runs a candidate."""
from __future__ import annotations

import os
import resource
import select
import signal
import socket
import sys
import threading
import time
import traceback

from .. import build as builds
from .. import load, precision
from ..errors import Infrastructure, ProblemInvalid, WorkerError
from . import sandbox, space_rules, state, timing, verify
from .channel import Channel, Closed
from .deck import Deck
from .process import Ended, Process, Zygote, close_all, sweep
from .reference import Reference
from .verdicts import Found
from .verify import Subject, Verifier

class Judge:
    """Made for one problem. Raises ProblemInvalid, Infrastructure."""

    def __init__(self, problem: dict, progress):
        options = problem["options"]
        self.source, self.options, self.progress = problem["source"], options, progress
        progress("start", "reference")
        self.zygote = Zygote(options["threads"])  # imports torch while the reference runs here
        precision.apply(options["precision"], options["threads"])
        self.memory = min(load.available_memory(), 1 << 46)
        resource.setrlimit(resource.RLIMIT_DATA, (int(0.8 * self.memory), resource.getrlimit(resource.RLIMIT_DATA)[1]))
        self.reference = Reference(self.source, "problem.py", options)
        progress("verify", "oracle and budgets")
        self.deck = self.new_deck()
        self.seed_deck: Deck | None = None
        self.sets = timing.Sets(self.deck, min(256 << 20, self.memory // 16))
        self.baseline: timing.Side | None = None

    def new_deck(self, by_seed: bool = False) -> Deck:
        made = self.reference.as_made
        has_state = any(True for _ in made.parameters()) or any(name.endswith(state.RUNNING) for name, _ in made.named_buffers())
        weights = [made] if by_seed or not has_state else [self.reference.perturbed(), self.reference.perturbed()]
        return Deck(self.reference, weights, self.memory // 4)

    def start_baseline(self) -> timing.Side:
        """The reference in a process of its own, kept for all candidates and stopped while idle."""
        if self.baseline is None:
            process = Process(self.zygote, int(0.8 * self.memory), {})
            subject = Subject(process, self.deck, "Model")
            try:
                subject.load(self.source, "problem.py")
                subject.set_weights(0)
                subject.call(self.deck.cases[0])
            except Found as failure:
                process.close()
                raise Infrastructure(f"the reference fails in its own process: {failure.verdict}: {failure.reason}") from None
            self.libraries = process.libraries()
            self.baseline = timing.Side(subject, self.sets, self.sets.copy())
            process.stop()
        return self.baseline

    def validate(self) -> dict:
        self.progress("measure", "baseline")
        side = self.start_baseline()
        side.calibrate(0.5)
        times = sorted(side.turn().seconds for _ in range(5))
        side.subject.process.stop()
        return {"baselineMs": 1e3 * times[2], "variants": self.deck.variants, "checks": list(self.deck.checks)}

    def evaluate(self, candidate: dict, effort: str) -> dict:
        return Attempt(self, candidate, effort).run()

    def profile(self, candidate: dict | None) -> dict:
        if candidate is None:
            side, attempt = self.start_baseline(), None
        else:
            attempt = Attempt(self, candidate, "quick")
        try:
            if attempt is not None:
                attempt.build()
                attempt.start()
                side = timing.Side(attempt.subject, self.sets, attempt.track(self.sets.copy()))
            calls = max(1, min(20, int(0.3 / max(self.deck.seconds, 1e-4))))
            order = [i % self.sets.count for i in range(calls)]
            reply = side.subject.process.request({"do": "profile", "order": order}, 120)
            if "error" in reply:
                return _unprofiled(reply["error"]["message"])
            rows = [{"name": str(n), "ms": float(ms), "calls": float(c)} for n, ms, c in reply["operators"]]
            return {"available": True, "why": "", "operators": rows, "totalMs": float(reply["total"])}
        except Found as failure:
            return _unprofiled(f"{failure.verdict}: {failure.reason}")
        except (Ended, TimeoutError) as failure:
            return _unprofiled(f"the process ended: {failure}")
        finally:
            if attempt is not None:
                attempt.close()
            elif self.baseline is not None:
                self.baseline.subject.process.stop()

    def close(self) -> None:
        if self.baseline is not None:
            self.baseline.subject.process.close()
        self.zygote.close()


def _unprofiled(why: str) -> dict:
    return {"available": False, "why": why, "operators": [], "totalMs": 0.0}


class Attempt:
    """One evaluation of one candidate, start to end; whatever happens, nothing of it is left."""

    def __init__(self, judge: Judge, candidate: dict, effort: str):
        self.judge, self.candidate, self.effort = judge, candidate, effort
        self.seconds: dict[str, float] = {}
        self.checks: list[str] = []
        self.process: Process | None = None
        self.subject: Subject | None = None
        self.verifier: Verifier | None = None
        self.timing: dict | None = None
        self.owned: list = []
        self.built: dict[str, str] = {}
        self.replaced: list[str] = []
        self.space: str | None = candidate.get("space")
        self.outside: str | None = None

    def track(self, mapping):
        self.owned.append(mapping)
        return mapping

    def run(self) -> dict:
        try:
            for stage in ("build", "start", "verify", "measure"):
                self.judge.progress(stage)
                begun = time.monotonic()
                try:
                    getattr(self, stage)()
                finally:
                    self.seconds[stage] = round(time.monotonic() - begun, 4)
            self._look_for_replacements()
            if self.outside:
                raise Found("outside-space", self.outside)
            result = self.result(Found("valid", self._valid_reason()))
        except Found as found:
            result = self.result(self._first(found))
        finally:
            self.close()
        return result

    def build(self) -> None:
        for spec in self.candidate.get("builds", []):
            made = builds.build_one(spec)
            if not made["ok"]:
                telling = next((line for line in made["log"] if "error" in line.lower()), made["log"][0] if made["log"] else "no message")
                raise Found("compile-error", telling, made["log"][-40:])
            self.built[os.path.basename(made["path"])] = made["path"]
            if self.space and self.outside is None:
                try:
                    self.outside = space_rules.object_violation(made["path"], self.space)
                except ValueError as odd:
                    self.outside = str(odd)

    def start(self) -> None:
        judge = self.judge
        self.deck = judge.deck if self.effort != "final" else judge.new_deck()
        judge.start_baseline().subject.process.stop()
        self.process = Process(judge.zygote, int(0.8 * judge.memory), self.built)
        self.checks.append(f"isolation: {', '.join(self.process.isolation) or 'none'}")
        self.subject = Subject(self.process, self.deck, "ModelNew")
        reply = self.subject.load(self.candidate["source"], "candidate.py")
        self.replaced = [str(name) for name in reply.get("replaced", [])]
        if self.replaced:
            raise verify.tampering(self.replaced)
        if self.subject.fits(reply):
            self.subject.set_weights(0)
            return
        self.checks.append("parameters: by seed")
        if judge.seed_deck is None or self.effort == "final":
            judge.seed_deck = judge.new_deck(by_seed=True)
        self.deck = judge.seed_deck
        self.subject.deck = self.deck
        if self.deck.outputs.changed_buffers:
            raise Found("wrong-interface", "the module lacks buffers that the reference changes: keep the names of the reference's state_dict")

    def verify(self) -> None:
        self.verifier = Verifier(self.subject)
        own = [case for case in self.deck.cases if case.variant == "own" and not case.weights]
        cases = own[:2] if self.effort == "quick" else sorted(self.deck.cases, key=lambda case: case.weights)
        cases = cases or self.deck.cases[:2]
        weights = 0
        for case in cases:
            if case.weights != weights:
                weights = case.weights
                self.subject.set_weights(weights)
            self.verifier.check(case)
        if weights:
            self.subject.set_weights(0)
        self.verifier.repeat(cases[0])
        self.verifier.finish()
        if self.effort == "quick":
            return
        if self.space in space_rules.ALLOWED and self.outside is None:
            reply = self.verifier.check(cases[0], watch=True)
            self.outside = space_rules.operator_violation([str(n) for n in reply.get("operators", [])], self.space)
            mapped = self.process.libraries()
            self.outside = self.outside or space_rules.mapped_violation(mapped, self.judge.libraries, set(self.built), self.space)

    def measure(self) -> None:
        baseline = self.judge.start_baseline()
        baseline.subject.process.stop()
        sets = self.judge.sets
        side = timing.Side(self.subject, sets, self.track(sets.copy()), baseline)
        timing.check_bursts(side, 1)
        result = timing.measure(baseline, side, self.effort)
        timing.check_bursts(side, 1 if self.effort == "quick" else 3)
        if self.effort != "quick":  # a tuned setting is measured in full before it counts
            timing.check_scaling(side, result)
            timing.check_every(side, result)
            timing.check_fresh(side, result)
        if not result.quiet:
            self.checks.append("timing: other work on this machine disturbed every measurement")
        median, low, high = result.interval()
        self.timing = {
            "candidateMs": 1e3 * result.candidate,
            "baselineMs": 1e3 * result.baseline,
            "speedup": {"median": median, "low": low, "high": high},
            "pairs": len(result.ratios),
            "spread": result.spread(),
            "cache": sets.cache,
            "callsPerBurst": side.calls,
        }

    def _look_for_replacements(self) -> None:
        names = verify.replaced_or_none(self.subject)
        if names:
            raise verify.tampering(names)

    def _first(self, found: Found) -> Found:
        """Tampering decides before all else, wherever it can still be seen."""
        if found.verdict == "tampering" or self.process is None or self.subject is None:
            return found
        alive = found.verdict not in ("no-evidence", "timeout", "memory-error", "compile-error")
        names = verify.replaced_or_none(self.subject) if alive else []
        return verify.tampering(names) if names else found

    def _valid_reason(self) -> str:
        share = f"error at {100 * self.verifier.worst[0]:.0f} % of the budget" if self.verifier.worst[0] else "exact"
        speed = self.timing["speedup"]
        return f"right on {len(self.verifier.past)} input sets, {share}; {speed['median']:.2f}x ({speed['low']:.2f} to {speed['high']:.2f})"

    def result(self, found: Found) -> dict:
        log = list(found.log)
        if not log and self.process is not None and found.verdict != "valid":
            log = self.process.log(20)
        share = found.share or (self.verifier.worst if self.verifier else None)
        deck = getattr(self, "deck", self.judge.deck)
        return {
            "verdict": found.verdict,
            "reason": found.reason,
            "log": log,
            "checks": [*deck.checks, f"variants: {', '.join(deck.variants)}", *self.checks],
            "error": None if share is None or not share[1] else {"share": verify.finite(share[0]), "where": share[1]},
            "timing": self.timing if found.verdict == "valid" else None,
            "seconds": self.seconds,
        }

    def close(self) -> None:
        if self.process is not None:
            self.process.close()
        if self.subject is not None:
            self.subject.close()
        for mapping in self.owned:
            mapping.close()
        deck = getattr(self, "deck", None)
        if deck is not None and deck is not self.judge.deck:
            self.judge.sets.forget(deck)


def _exit_when_closed(sock: socket.socket) -> None:
    """The worker is gone: so is this process, and with it all that it started."""
    poll = select.poll()
    poll.register(sock, select.POLLRDHUP | select.POLLHUP | select.POLLERR)
    poll.poll()
    _leave()


_leaving = threading.Lock()


def _leave(*_) -> None:
    """Once, from whichever thread sees the end first."""
    if _leaving.acquire(blocking=False):
        try:
            close_all()
        finally:
            os._exit(0)
    time.sleep(30)
    os._exit(0)


def main() -> None:
    sandbox.set_dumpable(False)
    sock = socket.socket(fileno=int(sys.argv[1]))
    threading.Thread(target=_exit_when_closed, args=(sock,), daemon=True).start()
    signal.signal(signal.SIGTERM, _leave)
    sweep()
    channel = Channel(sock)
    judge: Judge | None = None

    def progress(stage: str, detail: str | None = None) -> None:
        channel.send_pickle({"progress": (stage, detail)})

    while True:
        try:
            message = channel.receive_pickle()
        except Closed:
            _leave()
        try:
            if judge is None:
                judge = Judge(message["problem"], progress)
            answer = getattr(judge, message["do"])(*message["arguments"])
            channel.send_pickle({"result": answer})
        except WorkerError as failure:
            channel.send_pickle({"failure": failure})
        except Exception as error:
            if load.out_of_memory(error):
                channel.send_pickle({"failure": ProblemInvalid("the problem needs more memory than there is here", todo="make it smaller")})
            else:
                text = traceback.format_exc()
                channel.send_pickle({"failure": Infrastructure(f"the judge failed: {type(error).__name__}: {error}", where=text.strip().splitlines()[-3].strip())})
                sys.stderr.write(text)


if __name__ == "__main__":
    main()
