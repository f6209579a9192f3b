"""The proof of Theorem 1 on a run: its lemmas as rows of a grid, and what each step costs."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.sentences import number
from ucbpe_core import theory
from ucbpe_core.policies.schedules import CompactBeta

if TYPE_CHECKING:
    from ucbpe_app.pages.theory.state import Gain
    from ucbpe_app.run.replay import Replay
    from ucbpe_core import Trace
    from ucbpe_core.support.validation import Floats
    from ucbpe_core.theory import Check, RunDiagnostics


class Status(StrEnum):
    """Whether a statement holds at a t."""

    HOLDS = "holds"
    FAILS = "fails"
    SILENT = "silent"


@dataclass(frozen=True)
class Cell:
    """A statement at a t: whether it holds, its numbers, and the event that shows them."""

    state: Status
    numbers: str
    event: Event


@dataclass(frozen=True)
class Statement:
    """A row of the grid.

    Attributes
    ----------
    name : of the check, as in `theory.check_lemmas`
    title, because, grounds : what it is, and why it should hold, in a word and in words
    cells : at t = 1 .. T
    """

    name: str
    title: str
    because: str
    grounds: str
    cells: tuple[Cell, ...] = field(repr=False)

    @property
    def fails(self) -> bool:
        """Whether it does at any t."""
        return any(cell.state is Status.FAILS for cell in self.cells)


class _Words(NamedTuple):
    title: str
    because: str
    grounds: str
    kind: Kind  # where in a batch to see it
    k: int = 0


_BAND, _PLUS, _OPEN = "band", "R⁺", "unproved"
_FROM_BAND = "Follows from the band"
_WORDS = {
    "band": _Words(
        "f stays in its band", _BAND, "Guaranteed for all t with probability 1 − δ", Kind.POSTERIOR
    ),
    "lemma1": _Words("Lemma 1: regret of x⁰ ≤ 2√β std", _BAND, _FROM_BAND, Kind.PICK),
    "optimum_in_region": _Words("the top is in R", _BAND, _FROM_BAND, Kind.REGION),
    "optimum_in_region_plus": _Words("the top is in R⁺", _BAND, _FROM_BAND, Kind.REGION),
    "first_in_region_plus": _Words(
        "next x⁰ is in R⁺", _OPEN, "Lemma 2 needs it; not shown in full", Kind.REGION
    ),
    "picks_in_region_plus": _Words(
        "next PE picks are in R⁺", _OPEN, "The bound on every pick needs it; not proved",
        Kind.REGION,
    ),
    "lemma2": _Words(
        "Lemma 2: next std at x⁰ ≤ each pick’s", _PLUS, "Follows if the next x⁰ lies in R⁺",
        Kind.PICK, 1,
    ),
    "lemma2_summed": _Words(
        "Lemma 2 summed over the batch", _PLUS, "Follows from Lemma 2", Kind.PICK, 1
    ),
    "lemma3_printed": _Words(
        "Lemma 3 as printed", "lacks a term", "A term is missing", Kind.OBSERVE
    ),
    "lemma3": _Words("Lemma 3 with the missing term", _PLUS, "Follows from Lemma 2", Kind.OBSERVE),
    "lemma4": _Words("Lemma 4: Σ std² ≤ C information", "algebra", "True of any run", Kind.OBSERVE),
    "exploring_regret": _Words(
        "regret of x¹, x², …: from two bands", _BAND, f"{_FROM_BAND}, in R⁺", Kind.PICK, 1
    ),
}  # fmt: skip


def statements_of(replay: Replay, course: RunDiagnostics) -> tuple[Statement, ...]:
    """Every statement, with a cell for each batch of the run."""
    events = frozenset(replay.events)
    return tuple(_statement(events, course, check) for check in theory.check_lemmas(course))


def _statement(events: frozenset[Event], course: RunDiagnostics, check: Check) -> Statement:
    words = _WORDS[check.name]
    cells = []
    for t, state in enumerate(_states(check), 1):
        wanted = Event(t, words.kind, words.k)
        event = wanted if wanted in events else Event(t, Kind.POSTERIOR)
        cells.append(Cell(state, _numbers(check, course, t), event))
    texts = words.title, words.because, words.grounds
    return Statement(check.name, *texts, tuple(cells))


def _states(check: Check) -> list[Status]:
    holds, fails = check.holds, check.fails
    return [
        Status.HOLDS if holds[i] else Status.FAILS if fails[i] else Status.SILENT
        for i in range(len(holds))
    ]


def _numbers(check: Check, course: RunDiagnostics, t: int) -> str:
    """The two sides at t, and their margin."""
    left, right, margin = (float(term[t - 1]) for term in (check.left, check.right, check.margin))
    if np.isnan(margin):
        return "nothing to compare"
    sign = "≤" if check.holds[t - 1] else ">"
    text = f"{number(left)} {sign} {number(right)}, margin {number(margin)}"
    outside = int(course.outside[t - 1])
    if check.name == "band" and check.fails[t - 1]:
        text += f"; f is outside at {outside} candidate{'s' if outside > 1 else ''}"
    return text


_OWN_STEP = 1.05  # from here on the regret of x0 is a step beside that of the batch
_STEPS = {
    "regret": ("regret of this run", ""),
    "first": ("regret of x⁰", "the best of a batch may be another pick"),
    "band": ("the band", "x⁰ could be as low as its band allows"),
    "beta": ("β of the last batch", "the last band is the widest"),
    "lemma3": ("Lemma 3, corrected", "std at x⁰ against the mean of the batch"),
    "cauchy_schwarz": ("Cauchy–Schwarz", "sum of std against root of sum of squares"),
    "lemma4": ("Lemma 4", "squares of std against information"),
    "gamma": ("γ for the gain", "the most that any choice could learn"),
}


@dataclass(frozen=True, eq=False)
class Step:
    """A step of the proof: its name, why it costs something, and the bound after it, (T,)."""

    name: str
    reason: str
    values: Floats = field(repr=False)

    @property
    def value(self) -> float:
        """After the last batch."""
        return float(self.values[-1])


def chain(trace: Trace, course: RunDiagnostics, gain: Gain) -> tuple[Step, ...]:
    """The steps of `theory.proof_steps` that cost something after the last batch.

    The regret of x0 is one of them if it is 5 % above that of the batch; that of beta is none where
    beta is constant.
    """
    compact = isinstance(trace.beta, CompactBeta)
    costs = theory.proof_steps(course, gain.bound, compact=compact)
    steps = [Step(*_STEPS[cost.name], cost.value) for cost in costs]
    if steps[1].value <= _OWN_STEP * steps[0].value:
        del steps[1]
    kept = steps[:1]
    kept += [
        after for before, after in pairwise(steps) if not np.isclose(before.value, after.value)
    ]
    return tuple(kept)
