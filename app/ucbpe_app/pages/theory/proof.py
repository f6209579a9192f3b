"""The proof of Theorem 1 on a run: which statements do not hold, and what each step costs."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.run.sentences import number
from ucbpe_core import theory
from ucbpe_core.policies.schedules import CompactBeta

if TYPE_CHECKING:
    from ucbpe_app.pages.theory.state import Gain
    from ucbpe_core import Trace
    from ucbpe_core.support.validation import Floats
    from ucbpe_core.theory import Check, RunDiagnostics

_TITLES = {
    "band": "f stays in its band",
    "lemma1": "Lemma 1: regret of x⁰ ≤ 2√β std",
    "optimum_in_region": "the top is in R",
    "optimum_in_region_plus": "the top is in R⁺",
    "first_in_region_plus": "next x⁰ is in R⁺",
    "picks_in_region_plus": "next PE picks are in R⁺",
    "lemma2": "Lemma 2: next std at x⁰ ≤ each pick’s",
    "lemma2_summed": "Lemma 2 summed over the batch",
    "lemma3_printed": "Lemma 3 as printed",
    "lemma3": "Lemma 3 with the missing term",
    "lemma4": "Lemma 4: Σ std² ≤ C information",
    "exploring_regret": "regret of x¹, x², …: from two bands",
}


@dataclass(frozen=True)
class Failure:
    """A statement that does not hold on a run.

    Attributes
    ----------
    name : of the check, as in `theory.check_lemmas`
    batches : every t at which it does not hold
    numbers : both of its sides at the first of them, and their margin
    """

    name: str
    batches: tuple[int, ...]
    numbers: str

    @property
    def title(self) -> str:
        """The statement in a few words."""
        return _TITLES[self.name]


@dataclass(frozen=True)
class Verdicts:
    """Of the statements that say something about a run: their number, and those that fail."""

    checked: int
    failures: tuple[Failure, ...]


def verdicts(course: RunDiagnostics) -> Verdicts:
    """Check every statement at every batch."""
    checks = theory.check_lemmas(course)
    checked = sum(bool((check.holds | check.fails).any()) for check in checks)
    return Verdicts(checked, tuple(_failure(one, course) for one in checks if one.fails.any()))


def _failure(check: Check, course: RunDiagnostics) -> Failure:
    batches = np.flatnonzero(check.fails)
    first = int(batches[0])
    sides = (check.left, check.right, check.margin)
    left, right, margin = (number(float(side[first])) for side in sides)
    numbers = f"{left} > {right}, margin {margin}"
    if check.name == "band":
        outside = int(course.outside[first])
        numbers += f"; f is outside at {outside} candidate{'s' if outside > 1 else ''}"
    return Failure(check.name, tuple(int(t) for t in batches + 1), numbers)


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
