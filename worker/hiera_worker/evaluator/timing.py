"""How long a call takes, by the judge's own clock, baseline and candidate in turns.

A burst is k calls between two looks at the clock, k chosen so that it lasts 20 ms or more, less an empty burst of the
same form. The idle side is stopped. Inputs rotate over sets that together exceed twice the last-level cache.
"""
from __future__ import annotations

import math
import os
import random
import statistics
import time
from dataclasses import dataclass

import torch

from ..errors import Infrastructure
from . import shared
from .deck import Case, Deck
from .reference import same
from .verdicts import Found
from .verify import Subject

BURST = 0.020
MOST_CALLS, MOST_SETS = 20000, 4096
#: of a burst whose outputs are all kept: calls, and bytes of outputs
RING_CALLS, RING_BYTES = 64, 64 << 20
#: effort → least pairs, most pairs, seconds to spend
EFFORT = {"quick": (5, 5, 1.5), "full": (5, 15, 4.0), "final": (5, 30, 12.0)}
LATE = 60.0
#: share of a burst spent waiting for a processor above which it counts as disturbed
QUIET = 0.05


def last_level_cache() -> int:
    """Bytes, from the kernel; 32 MiB where it does not say."""
    largest, folder = 0, "/sys/devices/system/cpu/cpu0/cache"
    units = {"K": 1 << 10, "M": 1 << 20}
    try:
        for name in os.listdir(folder):
            with open(os.path.join(folder, name, "size")) as size:
                text = size.read().strip()
            largest = max(largest, int(text[:-1]) * units.get(text[-1], 1))
    except (OSError, ValueError):
        pass
    return largest or 32 << 20


class Sets:
    """Input sets for timing: drawn once, copied to each side's own memory."""

    def __init__(self, deck: Deck, memory: int):
        reference = deck.reference
        self.places, self.stride = shared.lay_out(deck.cases[0].inputs)
        used = sum(place.bytes for place in self.places) or 1
        wanted = -(-2 * last_level_cache() // used)
        self.count = max(2, min(wanted, MOST_SETS, int(memory // max(self.stride, 1)))) if self.places else 1
        self.mapping = shared.Mapping(self.stride * self.count)
        started = time.monotonic()
        for index in range(self.count):
            self.write(self.mapping, index, reference.draw(reference.new_seed())[1])
            if time.monotonic() - started > 2 and index >= 1:
                self.count = index + 1
                break
        self.cache = "cold" if used * self.count >= 2 * last_level_cache() else "warm"
        self.checked = random.sample(range(self.count), min(3, self.count))
        self.cases: dict[tuple[int, int], Case] = {}

    def write(self, mapping: shared.Mapping, index: int, tensors: list[torch.Tensor]) -> None:
        for place, tensor in zip(self.places, tensors):
            mapping.tensor(_moved(place, index * self.stride)).copy_(tensor)

    def read(self, mapping: shared.Mapping, index: int) -> list[torch.Tensor]:
        return [mapping.tensor(_moved(place, index * self.stride)) for place in self.places]

    def copy(self) -> shared.Mapping:
        twin = shared.Mapping(self.stride * self.count)
        size = min(twin.size, self.mapping.size)
        a, b = (torch.frombuffer(m.map, dtype=torch.uint8, count=size) for m in (twin, self.mapping))
        a.copy_(b)
        return twin

    def case(self, deck: Deck, index: int) -> Case:
        """The checked sets' answers are worked out once for all candidates of a deck."""
        if (id(deck), index) not in self.cases:
            self.cases[id(deck), index] = deck.own_case([tensor.clone() for tensor in self.read(self.mapping, index)])
        return self.cases[id(deck), index]

    def forget(self, deck: Deck) -> None:
        self.cases = {key: case for key, case in self.cases.items() if key[0] != id(deck)}


def _moved(place: shared.Place, by: int) -> shared.Place:
    return shared.Place(place.offset + by, place.shape, place.strides, place.dtype, place.span)


class Side:
    """One of the two that take turns."""

    def __init__(self, subject: Subject, sets: Sets, mapping: shared.Mapping, ruler: Side | None = None):
        """`ruler`: the baseline's side, whose process is trusted; None where this is it."""
        self.subject, self.sets, self.ruler = subject, sets, ruler
        subject.attach({"sets": mapping})
        self.mapping = mapping
        self.calls, self.empty = 1, 0.0

    def ask(self, message: dict, limit: float) -> dict:
        """Raises Found for a candidate; a reference that fails while it is timed is nobody's fault but the machine's."""
        try:
            return self.subject.ask(message, limit, "a timed call")
        except Found as failure:
            if self.ruler is None:
                raise Infrastructure(f"the reference failed while it was timed: {failure.reason}", todo="try again") from None
            raise

    def empty_of(self, calls: int) -> float:
        """Seconds of a burst that makes its arguments and calls nothing, in the trusted process: a candidate's own could take any time."""
        if self.ruler is None:
            return min(self.burst(calls, empty=True) for _ in range(3))
        self.subject.process.stop()
        took = self.ruler.empty_of(calls)
        self.ruler.subject.process.stop()
        return took

    def burst(self, calls: int, empty: bool = False, last: int | None = None, start: int | None = None, ring: list | None = None) -> float:
        """Seconds by the judge's clock. `last`: the set that the last call gets; `ring`: places in which each call's outputs are kept."""
        count = self.sets.count
        first = random.randrange(count) if start is None else start
        order = [(first + i) % count for i in range(calls)]
        if last is not None:
            order[-1] = last
            if calls > 1 and order[-2] == last:
                order[-2] = (last + 1) % count
        if self.subject.reset:
            self.ask({"do": "reset", "names": self.subject.reset}, LATE)
        message = {"do": "burst", "order": order, "empty": empty, "seed": self.subject.deck.reference.run_seed, "ring": ring}
        limit = LATE + calls * 20 * self.subject.deck.seconds
        begin = time.perf_counter()
        self.ask(message, limit)
        return time.perf_counter() - begin

    def calibrate(self, patience: float) -> None:
        """Warms up until two bursts agree, and finds how many calls make a burst: from the quickest seen, since a
        neighbour on the machine only ever slows one down."""
        deadline = time.monotonic() + patience
        calls, quickest, previous = 1, math.inf, math.inf
        while True:
            took = self.burst(calls)
            quickest = min(quickest, took / calls)
            calls = max(1, min(MOST_CALLS, math.ceil(min(1.2 * BURST / quickest, 20 * calls))))
            settled = took >= BURST and abs(took - previous) < 0.1 * took
            if (settled and calls * quickest >= BURST) or time.monotonic() + took > deadline:
                break
            previous = took
        self.calls = max(1, min(MOST_CALLS, math.ceil(1.2 * BURST / quickest)))
        self.empty = self.empty_of(self.calls)

    def watched_burst(self, calls: int) -> tuple[float, float]:
        """Seconds, and the share of them that its threads waited for a processor that others used."""
        waited = self.subject.process.waited()
        took = self.burst(calls)
        return took, (self.subject.process.waited() - waited) / took

    def turn(self) -> Turn:
        """A first call wakes threads that went to sleep while the other side ran; it matters to short ones only."""
        if self.calls > 1:
            self.burst(1)
        took, disturbed = self.watched_burst(self.calls)
        if took < 0.8 * BURST and self.calls < MOST_CALLS:  # calibrated while the machine was busy
            self.calls = min(MOST_CALLS, math.ceil(1.2 * self.calls * BURST / took))
            self.empty = self.empty_of(self.calls)
            return self.turn()
        return Turn(max(took - self.empty, took * 0.02) / self.calls, disturbed)


@dataclass(frozen=True)
class Turn:
    """Seconds a call, and the share of the time that its threads waited for a processor that others used."""

    seconds: float
    disturbed: float


@dataclass
class Result:
    candidate: float
    baseline: float
    ratios: list[float]
    candidates: list[float]
    quiet: bool

    def interval(self) -> tuple[float, float, float]:
        """Median of the pairs' ratios with a 95 % interval from order statistics (binomial)."""
        ordered, n = sorted(self.ratios), len(self.ratios)
        rank, tail = 0, 0.0
        while rank < n // 2:
            tail += math.comb(n, rank) / 2.0**n
            if tail > 0.025:
                break
            rank += 1
        rank = max(rank - 1, 0)
        return statistics.median(ordered), ordered[rank], ordered[n - 1 - rank]

    def spread(self) -> float:
        if len(self.candidates) < 4:
            return 0.0
        q = statistics.quantiles(self.candidates, n=4)
        return (q[2] - q[0]) / statistics.median(self.candidates)


def measure(baseline: Side, candidate: Side, effort: str) -> Result:
    """Interleaved pairs; which side begins is drawn for each. Disturbed pairs are measured again while time allows."""
    least, most, seconds = EFFORT[effort]
    patience = min(0.5, seconds / 6)
    for side, other in ((candidate, baseline), (baseline, candidate)):
        other.subject.process.stop()
        side.calibrate(patience)
    started = time.monotonic()
    pairs: list[tuple[Turn, Turn]] = []
    clean = 0
    while len(pairs) < 3 * most and clean < most:
        spent = time.monotonic() - started
        if len(pairs) >= least and spent > (seconds if clean >= least else 2 * seconds):
            break
        turns = {}
        sides = [baseline, candidate]
        random.shuffle(sides)
        for side, other in ((sides[0], sides[1]), (sides[1], sides[0])):
            other.subject.process.stop()
            turns[id(side)] = side.turn()
        pairs.append((turns[id(baseline)], turns[id(candidate)]))
        clean += _disturbance(pairs[-1]) < QUIET
    baseline.subject.process.stop()
    pairs.sort(key=_disturbance)
    kept = pairs[: max(clean, least)]  # where the machine was busy throughout: the quietest
    return Result(
        statistics.median(c.seconds for _, c in kept),
        statistics.median(b.seconds for b, _ in kept),
        [b.seconds / c.seconds for b, c in kept],
        [c.seconds for _, c in kept],
        clean >= least,
    )


def _disturbance(pair: tuple[Turn, Turn]) -> float:
    return max(pair[0].disturbed, pair[1].disturbed)


def check_bursts(side: Side, times: int) -> None:
    """The last answer of bursts of unknown length is compared in full; raises Found where it is wrong."""
    sets = side.sets
    for _ in range(times):
        index = random.choice(sets.checked)
        case = sets.case(side.subject.deck, index)
        _check(side, case, random.randint(1, max(1, min(side.calls, 200))), index)


def _check(side: Side, case: Case, calls: int, index: int, start: int | None = None) -> float:
    subject = side.subject
    for place in [*subject.output_places, *subject.buffer_places]:
        subject.outputs.words(place).fill_(255)
    took = side.burst(calls, last=index, start=start)
    if subject.deck.outputs.changed_inputs or subject.deck.outputs.changed_buffers:
        return took  # what a burst leaves in them depends on its length
    reply = subject.ask({"do": "collect", "outputs": subject._form()}, LATE, "a timed call")
    subject.process.stop()  # nothing is written while the judge reads
    subject._check_form(reply)
    for tensor, now in zip(case.inputs, side.sets.read(side.mapping, index)):
        if not same(now, tensor):
            raise Found("input-mutated", "a timed call changed its inputs: work on a copy")
    for number, found in enumerate(subject.found()):
        excess = subject.deck.compare(case, number, found)
        if excess.share > 1:
            name = subject.deck.outputs.names[number]
            others = (subject.deck.compare(sets_case, number, found).share <= 1 for key, sets_case in side.sets.cases.items() if key[0] == id(subject.deck) and sets_case is not case)
            if any(others):
                raise Found("stale", f"{name} of a timed call belongs to another call's inputs: compute from the values given")
            raise Found("incorrect", f"{name} of a timed call is wrong: {excess.kind} error {excess.found:.2g}, allowed {excess.allowed:.2g}; it was right when called alone")
    return took


def check_scaling(side: Side, result: Result) -> None:
    """k calls must take k times as long as one: a process that skips calls, or answers before it is done, shows here."""
    few = side.calls // 8 or 1
    if side.calls < 4:
        return
    empty = side.empty_of(few)
    quiet = 0
    for _ in range(30):
        took, disturbed = side.watched_burst(few)
        small = took - empty
        if small < 3 * few * result.candidate + 2e-4:
            return
        quiet += disturbed < QUIET
        if quiet == 10:
            raise Found("tampering", f"{few} calls take {1e3 * small:.3g} ms but {side.calls} take {1e3 * result.candidate * side.calls:.3g} ms: do each call's work within the call")


def check_every(side: Side, result: Result) -> None:
    """Every call of a burst hands over its outputs before the clock stops, and one that the judge chose is compared:
    calls that are not looked at one by one must not be faster than calls that are."""
    subject, deck, sets = side.subject, side.subject.deck, side.sets
    size = max((place.offset + place.bytes for place in subject.output_places), default=0)
    calls = min(side.calls, RING_CALLS, RING_BYTES // max(size, 1))
    if calls < 4 or deck.outputs.changed_inputs or deck.outputs.changed_buffers:
        return
    ring = shared.Mapping(size * calls)
    try:
        subject.attach({"ring": ring})
        places = [[_moved(place, slot * size) for place in subject.output_places] for slot in range(calls)]
        subject.process.stop()
        copying = _seconds_to_copy(ring, places)
        empty, quiet = side.empty_of(calls), 0
        for _ in range(30):
            index, slot = random.choice(sets.checked), random.randrange(calls)
            case = sets.case(deck, index)
            for place in places[slot]:
                ring.words(place).fill_(255)
            waited = subject.process.waited()
            took = side.burst(calls, start=(index - slot) % sets.count, ring=places)
            disturbed = (subject.process.waited() - waited) / took
            subject.process.stop()
            for number, place in enumerate(places[slot]):
                excess = deck.compare(case, number, ring.tensor(place))
                if excess.share > 1:
                    raise Found("tampering", f"call {slot} of {calls} timed ones gave a wrong {deck.outputs.names[number]}: do the work of every call")
            if took - empty < 1.5 * calls * result.candidate + 3 * copying + 2e-3:  # outputs leave the cache as they are copied
                return
            quiet += disturbed < QUIET
            if quiet == 10:
                raise Found("tampering", f"calls take {1e3 * result.candidate:.3g} ms, but {1e3 * (took - empty - copying) / calls:.3g} ms where each one's outputs are looked at: do each call's work within the call")
    finally:
        ring.close()


def _seconds_to_copy(ring: shared.Mapping, places: list) -> float:
    """What handing over all outputs takes, at least: done here, twice, so that the memory is there."""
    sources = [ring.tensor(place).clone() for place in places[0]]
    best = math.inf
    for _ in range(3):
        begin = time.perf_counter()
        for slot in places:
            for place, source in zip(slot, sources):
                ring.tensor(place).copy_(source)
        best = min(best, time.perf_counter() - begin)
    return best


def check_fresh(side: Side, result: Result) -> None:
    """Answers kept by content show as calls that are slow on new values and fast on values seen before."""
    sets, deck = side.sets, side.subject.deck
    reference = deck.reference
    count = min(sets.count, side.calls, 256)
    if not sets.places:
        return
    quiet, innocent = 0, False
    for _ in range(6):
        start = random.randrange(sets.count)
        indices = [(start + i) % sets.count for i in range(count)]
        spent = time.monotonic()
        for done, index in enumerate(indices, 1):
            drawn = _unlike(reference.draw(reference.new_seed())[1], sets.read(sets.mapping, index))
            sets.write(side.mapping, index, drawn)
            if time.monotonic() - spent > 0.5:
                break
        last = indices[done - 1]
        case = deck.own_case(drawn)  # the judge's own copy: the shared one is the candidate's to write
        side.burst(1, start=(start + done) % sets.count)
        waited = side.subject.process.waited()
        fresh = _check(side, case, done, last, start=start)
        disturbed = (side.subject.process.waited() - waited) / fresh
        seen = min(side.burst(done, last=last, start=start) for _ in range(2))
        kept = fresh > 2 * seen and fresh > 2 * result.candidate * done
        innocent = not kept or fresh - seen < 1e-3
        quiet += disturbed < QUIET
        if innocent or quiet == 3:
            break
    for index in set(indices):
        sets.write(side.mapping, index, sets.read(sets.mapping, index))
    if not innocent:
        raise Found("stale", f"calls take {1e3 * fresh / done:.3g} ms on new values and {1e3 * seen / done:.3g} ms on values seen before: answers are kept by content; compute in each call")


def _unlike(drawn: list[torch.Tensor], known: list[torch.Tensor]) -> list[torch.Tensor]:
    """Inputs that differ from those seen before, also where get_inputs() always gives the same."""
    if not all(same(a, b) for a, b in zip(drawn, known)):
        return drawn
    return [tensor * (1 + 0.01 * torch.rand_like(tensor)) if tensor.is_floating_point() else tensor for tensor in drawn]
