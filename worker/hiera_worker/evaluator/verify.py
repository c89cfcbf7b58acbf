"""Is the candidate right? Calls on fresh inputs, every output compared with the float64 answer by the judge."""
from __future__ import annotations

import math

import torch

from . import numerics, shared, tree, verdicts
from .deck import Case, Deck
from .numerics import Excess
from .process import Ended, Process, TooLong
from .reference import same
from .verdicts import Found

#: seconds allowed
LOAD, FIRST, FIRST_COMPILING, CALL = 300.0, 20.0, 240.0, 10.0


class Subject:
    """A running module and the memory that the judge shares with it."""

    def __init__(self, process: Process, deck: Deck, class_name: str):
        self.process, self.deck, self.class_name = process, deck, class_name
        self.called = self.compiles = False
        outputs = deck.outputs
        with torch.no_grad():
            models = [torch.empty(shape, dtype=dtype, device="meta") for shape, dtype in zip(outputs.shapes, outputs.dtypes)]
        results = outputs.results
        buffers = models[results + len(outputs.changed_inputs) :]
        self.output_places, end = shared.lay_out(models[:results])
        self.buffer_places, end = shared.lay_out(buffers, end)
        self.input_places, self.stride = shared.lay_out(deck.cases[0].inputs)
        self.outputs = shared.Mapping(end)
        self.inputs = shared.Mapping(self.stride)
        self.weights = shared.Mapping(self._lay_out_state())
        self.mappings = {"outputs": self.outputs, "inputs": self.inputs, "state": self.weights}
        self.reset: list[str] = []

    def _lay_out_state(self) -> int:
        from . import state

        self.names = state.tensors(self.deck.weights[0])
        places, end = shared.lay_out(self.names.values(), keep_strides=False)
        self.state_places = dict(zip(self.names, places))
        return end

    def close(self) -> None:
        for mapping in self.mappings.values():
            mapping.close()

    def ask(self, message: dict, limit: float, stage: str, descriptors=()) -> dict:
        """Raises Found with the verdict that the failure deserves."""
        try:
            reply = self.process.request(message, limit, descriptors)
        except Ended as ended:
            raise verdicts.from_end(ended, stage, self.process.log()) from None
        except TooLong as late:
            raise verdicts.from_timeout(late, stage, self.process.log()) from None
        if "error" in reply:
            raise verdicts.from_error(reply["error"], stage, self.process.log())
        return reply

    def attach(self, mappings: dict) -> None:
        sizes = {name: mapping.size for name, mapping in mappings.items()}
        self.ask({"do": "attach", "sizes": sizes}, 30, "the start", [m.descriptor for m in mappings.values()])

    def load(self, source: str, filename: str) -> dict:
        reference = self.deck.reference
        options = reference.options
        self.attach(self.mappings)
        reply = self.ask(
            {
                "do": "load", "source": source, "filename": filename, "class": self.class_name, "init": tree.flatten(reference.init),
                "seed": reference.constructor_seed, "mode": options["mode"], "precision": options["precision"], "threads": options["threads"],
            },
            LOAD,
            "the import",
        )  # fmt: skip
        self.compiles = bool(reply.get("compiles"))
        self.ask({"do": "signature", "structure": reference.structure, "places": self.input_places, "stride": self.stride}, 30, "the start")
        return reply

    def fits(self, reply: dict) -> bool:
        """The candidate has every parameter and buffer of the reference, by name and shape."""
        found = {key: tuple(shape) for key, shape, _ in reply.get("state", [])}
        return all(found.get(name) == tuple(value.shape) for name, value in self.names.items())

    def set_weights(self, index: int) -> None:
        from . import state

        for name, value in state.tensors(self.deck.weights[index]).items():
            self.weights.tensor(self.state_places[name]).copy_(value)
        self.ask({"do": "state", "places": self.state_places}, 60, "copying the parameters")
        self.reset = list(self.deck.outputs.changed_buffers)

    def write_inputs(self, case: Case) -> None:
        for place, tensor in zip(self.input_places, case.inputs):
            self.inputs.tensor(place).copy_(tensor)

    def call(self, case: Case, watch: bool = False) -> dict:
        self.write_inputs(case)
        for place in [*self.output_places, *self.buffer_places]:
            self.outputs.words(place).fill_(255)  # NaN, so that what nobody writes shows
        limit = CALL if self.called else FIRST_COMPILING if self.compiles else FIRST
        buffers = dict(zip(self.deck.outputs.changed_buffers, self.buffer_places))
        reply = self.ask(
            {
                "do": "call", "reset": self.reset, "seed": self.deck.reference.run_seed, "bind": not self.called, "watch": watch,
                "poison": [place.bytes for place in self.output_places if place.bytes], "outputs": self._form(), "buffers": buffers,
            },
            limit + 20 * self.deck.seconds,
            "a call",
        )  # fmt: skip
        self.called = True
        self._check_form(reply)
        return reply

    def again(self, wait: float) -> None:
        self.ask({"do": "again", "wait": wait, "outputs": self._form()}, 30 + wait, "a call")

    def _form(self) -> dict:
        return {"structure": tree.describe(self.deck.outputs.structure), "places": self.output_places}

    def _check_form(self, reply: dict) -> None:
        outputs = self.deck.outputs
        if reply.get("subclass"):
            raise Found("deferred", f"the output is a {reply['subclass']}, a Tensor subclass that may still owe its work: return a plain torch.Tensor")
        want = tree.describe(outputs.structure)
        if reply.get("structure") != want:
            raise Found("wrong-interface", f"forward returned {reply.get('structure')}, expected {want}")
        for name, found, shape, dtype in zip(outputs.names, reply.get("outputs", []), outputs.shapes, outputs.dtypes):
            for what, has, wants in (("shape", found[1], list(shape)), ("dtype", found[2], str(dtype)), ("device", found[3], "cpu"), ("layout", found[0] in ("Tensor", "Parameter"), True)):
                if has != wants:
                    raise Found("wrong-interface", f"{name} has {what} {found[0] if what == 'layout' else has}, expected {'strided' if what == 'layout' else wants}")
        if not reply.get("copied"):
            raise Found("no-evidence", "the call handed over no outputs; do not interfere with the harness")

    def found(self) -> list[torch.Tensor]:
        """The answer as it lies in shared memory now: outputs, changed inputs, changed buffers."""
        changed = [self.inputs.tensor(self.input_places[i]) for i in self.deck.outputs.changed_inputs]
        return [*map(self.outputs.tensor, self.output_places), *changed, *map(self.outputs.tensor, self.buffer_places)]

    def mutated(self, case: Case) -> int | None:
        """The first input that changed and may not."""
        for index, (place, tensor) in enumerate(zip(self.input_places, case.inputs)):
            if index not in self.deck.outputs.changed_inputs and not same(self.inputs.tensor(place), tensor):
                return index
        return None


class Verifier:
    """Raises Found unless every case is right. `worst`: share of the budget used, and where."""

    def __init__(self, subject: Subject):
        self.subject, self.deck = subject, subject.deck
        self.worst: tuple[float, str] = (0.0, "")
        self.past: list[Case] = []
        self.pooled: dict[tuple[str, int], list[tuple[torch.Tensor, torch.Tensor]]] = {}

    def check(self, case: Case, watch: bool = False) -> dict:
        reply = self.subject.call(case, watch)
        self.judge(case)
        return reply

    def judge(self, case: Case) -> None:
        self.subject.process.stop()  # nothing is written while the judge reads
        wrong = self._worst_of(case)
        mutated = self.subject.mutated(case)
        if mutated is not None:
            raise Found("input-mutated", f"input {mutated} was changed by the call: work on a copy")
        if wrong is not None:
            self._diagnose(case, *wrong)
        self.past.append(case)

    def _worst_of(self, case: Case, coarse: bool = False, count: bool = True) -> tuple[int, Excess] | None:
        over = None
        for index, found in enumerate(self.subject.found()):
            excess = self.deck.compare(case, index, found, coarse)
            where = f"{self.deck.outputs.names[index]}, {excess.kind}, {case.variant}"
            if count and excess.share >= self.worst[0]:
                self.worst = (excess.share, where)
            if excess.share > 1 and over is None:
                over = (index, excess)
            if count and case.expected[index].pooled and excess.share <= 1:
                self.pooled.setdefault((case.variant, index), []).append((found.clone(), case.expected[index].exact))
        return over

    def finish(self) -> None:
        """Errors of small outputs, pooled over the seeds of each variant."""
        if self.deck.reference.options["tolerance"] == "kernelbench":
            return
        for (variant, index), pairs in self.pooled.items():
            found = torch.cat([f.reshape(-1) for f, _ in pairs])
            exact = torch.cat([e.reshape(-1) for _, e in pairs])
            expected = next(c for c in self.deck.cases if c.variant == variant).expected[index]
            excess = numerics.compare(found, exact, expected.budget)
            if excess.share > self.worst[0]:
                self.worst = (excess.share, f"{self.deck.outputs.names[index]}, {excess.kind}, {variant}")
            if excess.share > 1:
                coarse = numerics.compare(found, exact, expected.coarse)
                verdict = "imprecise" if coarse.share <= 1 else "incorrect"
                text = f"{self.deck.outputs.names[index]} differs over {len(pairs)} seeds: {excess.kind} error {excess.found:.2g}, allowed {excess.allowed:.2g} (variant {variant})"
                raise Found(verdict, text, share=(excess.share, variant))

    def _diagnose(self, case: Case, index: int, excess: Excess) -> None:
        """Says which kind of wrong it is; raises in every case."""
        subject = self.subject
        text = self._text(case, index, excess)
        share = (excess.share, f"{self.deck.outputs.names[index]}, {case.variant}")
        first = [tensor.clone() for tensor in subject.found()]
        subject.again(0.3)
        if self._worst_of(case, count=False) is None:
            raise Found("deferred", f"{text}; right a moment after the call had returned: join threads and finish the work before returning", share=share)
        for old in self.past:
            if old.inputs is not case.inputs and all(self._fits(old, i, tensor) for i, tensor in enumerate(first)):
                raise Found("stale", f"the answer belongs to earlier inputs (variant {old.variant}): compute from the values given, they change in place", share=share)
        if self._old_weights(case, first):
            raise Found("stale", "the answer belongs to earlier parameters: read them in each call, or when their version changes", share=share)
        coarse = all(self.deck.compare(case, i, tensor, coarse=True).share <= 1 for i, tensor in enumerate(first))
        subject.call(case)
        if self._repeats_differ(case, first):
            raise Found("nondeterministic", f"{text}; repeats on the same inputs differ: look for a race or an unseeded draw", share=share)
        if coarse and case.expected[index].floating:
            raise Found("imprecise", f"{text}; it would pass at bf16: accumulate and compute in {str(case.expected[index].dtype)[6:]}", share=share)
        raise Found("incorrect", text, share=share)

    def _fits(self, case: Case, index: int, found: torch.Tensor) -> bool:
        return self.deck.compare(case, index, found).share <= 1

    def _old_weights(self, case: Case, found: list[torch.Tensor]) -> bool:
        if case.weights == 0:
            return False
        try:
            answer = self.deck.reference.run(self.deck.weights[0], case.inputs)
        except RuntimeError:
            return False
        for index, (tensor, old) in enumerate(zip(found, answer.tensors)):
            if case.expected[index].floating:
                if numerics.compare(tensor, old.double(), case.expected[index].budget).share > 1:
                    return False
            elif not torch.equal(tensor, old):
                return False
        return True

    def _repeats_differ(self, case: Case, first: list[torch.Tensor]) -> bool:
        """Memory that nobody wrote differs too, but shows as NaN: that is `incorrect`."""
        for index, (a, b) in enumerate(zip(first, self.subject.found())):
            expected = case.expected[index]
            if not expected.floating:
                if not torch.equal(a, b):
                    return True
                continue
            if bool(a.isnan().any()) or bool(b.isnan().any()):
                if self._fits(case, index, a) != self._fits(case, index, b):
                    return True
                continue
            if bool(torch.isfinite(a).all()) and numerics.compare(b, a.double(), expected.budget).share > 1:
                return True
        return False

    def repeat(self, case: Case) -> None:
        """The same inputs once more: the answer must stay."""
        self.subject.call(case)
        wrong = self._worst_of(case)
        if wrong is not None:
            raise Found("nondeterministic", f"{self._text(case, *wrong)}; the first call on the same inputs was right: look for a race, or state kept between calls")

    def _text(self, case: Case, index: int, excess: Excess) -> str:
        expected, found = case.expected[index], self.subject.found()[index]
        name = self.deck.outputs.names[index]
        place = self._place(found, expected, excess)
        at = f", at {place[0]}: got {place[1]}, want {place[2]}" if place else ""
        if excess.kind == "exact":
            return f"{name} differs in {int(excess.found)} of {found.numel()} elements (variant {case.variant}){at}"
        if excess.kind == "non-finite":
            return f"{name} is not finite where it should be (variant {case.variant}){at}"
        return f"{name} differs: {excess.kind} error {excess.found:.2g}, allowed {excess.allowed:.2g} (variant {case.variant}){at}"

    def _place(self, found, expected, excess):
        if excess.place < 0 or found.numel() == 0:
            return None
        rest, position = excess.place, []
        for size in reversed(found.shape):
            position.append(rest % size)
            rest //= size
        got, want = found.reshape(-1)[excess.place].item(), expected.exact.reshape(-1)[excess.place].item()
        form = (lambda v: f"{v:.6g}") if isinstance(want, float) else str
        return list(reversed(position)), form(got), form(want)


def replaced_or_none(subject: Subject) -> list[str]:
    """What the harness saw replaced, where it still answers."""
    try:
        reply = subject.process.request({"do": "inspect"}, 10)
    except (Ended, TooLong):
        return []
    return [str(name) for name in reply.get("replaced", [])]


def tampering(names: list[str]) -> Found:
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return Found("tampering", f"replaced {shown}: leave torch, the clock and the interpreter as they are")


def finite(value: float) -> float:
    return value if math.isfinite(value) else 1e308
