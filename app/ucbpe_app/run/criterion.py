"""What a pick maximised, over all candidates, and what is shown of one of them at an event."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_app.run.events import Kind, region_at
from ucbpe_app.run.sentences import coordinate, number, pick_label
from ucbpe_app.run.sentences.texts import rule as rule_text
from ucbpe_app.run.sentences.texts import setting_of
from ucbpe_core.gp import ties
from ucbpe_core.policies import without_pending
from ucbpe_core.policies.expected_improvement import best_mean, lowest_tied
from ucbpe_core.policies.picking import log_expected_improvement

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_app.run.replay import Replay
    from ucbpe_core import Trace
    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.support.validation import Booleans, Floats


@dataclass(frozen=True, eq=False)
class Criterion:
    """What one pick maximised.

    Attributes
    ----------
    k, role : number and role of the pick
    name : of the criterion, in words; what the rule uses if it has none
    values : of each candidate, shape (M,); None where the rule gives candidates no value. Where f
        is minimised bounds are those of -f
    eligible : the candidates that the pick may be, shape (M,): R+ or all of X, or what they have of
        candidates that share what the batch shares
    where : which these are, after "the maximum": in R+, where x1 = 0.3; "" for all of X
    tolerance : how far apart two values may lie and still tie, as for the policy
    sign : -1 where the values are those of -f, else 1
    """

    k: int
    role: str
    name: str
    values: Floats | None = field(repr=False)
    eligible: Booleans = field(repr=False)
    where: str = ""
    tolerance: float = 0.0
    sign: float = 1.0

    @property
    def extreme(self) -> str:
        """What the pick is of the values, in the units of f."""
        return "maximum" if self.sign > 0 else "minimum"

    def in_words(self, value: float) -> str:
        """One of `values` in the units of f, under `name`."""
        return number(self.sign * value)

    @property
    def largest(self) -> float:
        """The greatest value of an eligible candidate; nan without values."""
        return float("nan") if self.values is None else float(self.values[self.eligible].max())

    def rank(self, index: int) -> tuple[int, int] | None:
        """1 + the number of eligible candidates above this one, and the number of eligible ones.

        A candidate that ties with this one is not above it. None where the rule gives no values,
        and for a candidate that may not be picked.
        """
        if self.values is None or not self.eligible[index]:
            return None
        above = self.eligible & (self.values > self.values[index] + self.tolerance)
        return 1 + int(np.count_nonzero(above)), int(np.count_nonzero(self.eligible))

    @property
    def shares(self) -> Floats | None:
        """How far up each candidate is from the least to the greatest value: 0 to 1, shape (M,).

        0 for a candidate that may not be picked, 1 where all values are equal; None without
        values. Unlike a quotient of values it depends on neither their unit nor their origin.
        """
        if self.values is None:
            return None
        least, largest = float(self.values[self.eligible].min()), self.largest
        flat = np.ones_like(self.values)
        up = (self.values - least) / (largest - least) if largest > least else flat
        return np.where(self.eligible, up, 0.0)

    def share(self, index: int) -> float | None:
        """That of one candidate."""
        shares = self.shares
        return None if shares is None else float(shares[index])


def criterion(replay: Replay, frame: Frame) -> Criterion | None:
    """The criterion in force at an event: the pick's that it makes.

    Before the first pick is counted, at the fit and region events, it is the first pick's: it
    depends on nothing but the posterior that is on screen there. Once the batch is measured there
    is none.
    """
    event = frame.event
    if event.kind is Kind.OBSERVE:
        return None
    decision = replay.trace.decisions[event.t - 1]
    k = event.k if event.kind is Kind.PICK else 0
    trace, role, at = replay.trace, decision.roles[k], region_at(replay.trace.policy, decision)
    bounded = trace.policy.uses_region and at is not None and k >= at
    # The first pick of all decides the group, where that is how it is chosen.
    group = None if k == 0 and trace.history.plan.shared_by == "first" else frame.group
    eligible, where = np.ones(len(frame.mean), dtype=bool), ""
    if group is not None:
        eligible, where = group, f" where {setting_of(trace, int(decision.indices[k]))}"
    if bounded and (inside := eligible & decision.region_plus).any():
        eligible, where = inside, f" in R⁺{where}"
    rule = _rule(role, trace)
    scores = None
    if rule.scores is not None:
        posterior = trace.before(event.t)
        tied = trace.before(event.t, k).std_tolerance(float(decision.stds[k]))
        scores = rule.scores(replay.scene.sign, frame, posterior, tied)
    return Criterion(
        k=k,
        role=role,
        name=name_of(role, trace),
        values=None if scores is None else scores.values,
        eligible=eligible,
        where=where,
        tolerance=0.0 if scores is None else scores.tolerance,
        sign=replay.scene.sign if rule.minimised else 1.0,
    )


def name_of(role: str, trace: Trace) -> str:
    """What the criterion of a role is called, in the direction of a run."""
    rule = _rule(role, trace)
    minimised = trace.problem.direction == "minimize"
    return rule.minimised if rule.minimised and minimised else rule.name


def _rule(role: str, trace: Trace) -> _Rule:
    return _RULES.get(role) or _Rule(rule_text(trace, role))


class _Scores(NamedTuple):
    values: Floats
    tolerance: float


def _bound(sign: float, frame: Frame, posterior: Posterior, tied: float) -> _Scores:
    values = sign * frame.mean + frame.sqrt_beta * frame.std_now
    return _Scores(values, posterior.tolerance + frame.sqrt_beta * tied)


def _plain_bound(sign: float, frame: Frame, posterior: Posterior, tied: float) -> _Scores:
    measured = without_pending(posterior)
    values = sign * measured.mean + frame.sqrt_beta * measured.std
    return _Scores(values, ties.of_bound(measured, frame.sqrt_beta**2))


def _std(sign: float, frame: Frame, posterior: Posterior, tied: float) -> _Scores:
    return _Scores(frame.std_now, tied)


def _lowered(sign: float, frame: Frame, posterior: Posterior, tied: float) -> _Scores:
    region = frame.explored
    if region is None:
        return _Scores(frame.std_now, tied)
    s = without_pending(posterior).std
    lack = np.minimum(sign * frame.mean + region.coefficient * s - region.level, 0.0)
    return _Scores(frame.std_now + region.slope * lack, tied)


def _improvement(sign: float, frame: Frame, posterior: Posterior, tied: float) -> _Scores:
    best, mean, std = best_mean(posterior.signed(sign)), sign * frame.mean, frame.std
    values = np.exp(log_expected_improvement(mean, std, best))
    j = int(values.argmax())
    lowest = lowest_tied(posterior, mean[j], std[j], best)
    return _Scores(values, float(values[j] - np.exp(lowest)))


class _Rule(NamedTuple):
    """What a role maximises: its name, and its scores unless it gives candidates none.

    `minimised` is its name where f is minimised, if that is another.
    """

    name: str
    scores: Callable[[float, Frame, Posterior, float], _Scores] | None = None
    minimised: str = ""


_RULES = {
    "ucb": _Rule("upper bound", _bound, "lower bound"),
    "fill": _Rule("upper bound", _bound, "lower bound"),
    "pe": _Rule("std σ", _std),
    "init": _Rule("std σ", _std),
    "penalised": _Rule("σ less its penalty", _lowered),
    "ei": _Rule("expected improvement", _improvement),
    "ts": _Rule(
        "the highest point of a random draw", minimised="the lowest point of a random draw"
    ),
    "lp": _Rule(
        "an upper bound, lowered around the earlier picks",
        minimised="a lower bound, raised around the earlier picks",
    ),
    "match": _Rule("how well the K points together match simulated runs"),
    "random": _Rule("chance alone"),
    "phase pe": _Rule("σ given the points of the phase alone"),
    "plain ucb": _Rule("upper bound", _plain_bound, "lower bound"),
    "pims": _Rule("the probability of exceeding a draw"),
    "believer": _Rule("expected improvement, the picks before at their means"),
    "upper": _Rule(
        "upper bound with 2 σ, where no result is awaited",
        minimised="lower bound with 2 σ, where no result is awaited",
    ),
    "randomised": _Rule("expected improvement, a value drawn for each of the picks before"),
    "liar": _Rule("expected improvement, the picks before at the lie"),
    "qucb": _Rule("what the whole batch can reach"),
    "qei": _Rule("the improvement that the whole batch can bring"),
}


_DRAWN = 2  # inputs; more are in a table
# What rows are called where words are plain; those of no name are left out.
_PLAIN = {
    "mean μ": "best guess", "std σ": "std", "upper": "band, top", "lower": "band, bottom",
    "in R": "", "in R⁺": "",
}  # fmt: skip
_YES_OR_NO = {True: "yes", False: "no", None: "not known yet"}


@dataclass(frozen=True, eq=False)
class Reading:
    """One candidate at one event.

    Attributes
    ----------
    index, x : which one, and its inputs, shape (d,)
    mean, std, upper, lower : of the posterior on screen; std with the picks before counted, std(k)
    in_region, in_region_plus : None while the region is not known
    criterion : in force at this event; None once the batch is measured
    truth : the true value
    distance : to the pick that the event is about, in units of the inputs; None without one
    subject : label of that pick; empty without one
    picked : labels of the picks of this batch that are this candidate
    """

    index: int
    x: Floats = field(repr=False)
    mean: float
    std: float
    upper: float
    lower: float
    in_region: bool | None
    in_region_plus: bool | None
    criterion: Criterion | None = field(repr=False)
    truth: float
    distance: float | None
    subject: str
    picked: tuple[str, ...]

    @property
    def rank(self) -> tuple[int, int] | None:
        """Rank by the criterion, and of how many; None without one."""
        return None if self.criterion is None else self.criterion.rank(self.index)


def read(replay: Replay, frame: Frame, index: int) -> Reading:
    """What is known of candidate `index` at the event of a frame."""
    problem, subject = replay.trace.problem, frame.subject
    mean, std, x = float(frame.mean[index]), float(frame.std_now[index]), problem.candidates[index]
    half = frame.sqrt_beta * std
    return Reading(
        index=index,
        x=x,
        mean=mean,
        std=std,
        upper=mean + half,
        lower=mean - half,
        in_region=None if frame.region is None else bool(frame.region[index]),
        in_region_plus=None if frame.region_plus is None else bool(frame.region_plus[index]),
        criterion=criterion(replay, frame),
        truth=float(problem.values[index]),
        distance=None if subject is None else float(np.linalg.norm(x - subject.x)),
        subject="" if subject is None else pick_label(subject.number),
        picked=tuple(pick_label(pick.number) for pick in frame.picks if pick.index == index),
    )


class ReadingRow(NamedTuple):
    """A line of the readout: a name, a value, and its kind.

    Two of kind "half" share a line, one of kind "whole" has its own; one of kind "input" is for
    where there is no table of inputs.
    """

    name: str
    value: str
    kind: str = "half"


def rows(
    scene: Scene, reading: Reading, *, truth: bool, guessing: bool = False, plain: bool = False
) -> list[ReadingRow]:
    """What to show of a reading: the same names for every candidate.

    Parameters
    ----------
    truth : whether the true value may be shown
    guessing : whether the next pick is being guessed: at the fit event the rank gives it away
    plain : whether words are plain, without terms of the field: then no rule is named
    """
    *names, output = scene.axes
    extents = scene.extents.tolist()
    inputs = list(zip(names, map(coordinate, reading.x.tolist(), extents), strict=True))
    true = [(f"true {output}", number(reading.truth))] if truth else []
    lines = [
        [("mean μ", number(reading.mean)), ("std σ", number(reading.std))],
        [("upper", number(reading.upper)), ("lower", number(reading.lower))],
    ]
    if scene.uses_region:
        facts = (_YES_OR_NO[fact] for fact in (reading.in_region, reading.in_region_plus))
        lines.append(list(zip(("in R", "in R⁺"), facts, strict=True)))
    # One input shares its line with the true value; more leave that a line of its own.
    lines = [inputs + true, *lines] if len(inputs) == 1 else [inputs, *lines, true]
    entries = [
        ReadingRow(*cell, _kind(line, table=line is inputs and len(inputs) > _DRAWN))
        for line in lines
        for cell in line
    ]
    if plain:
        named = (row._replace(name=_PLAIN.get(row.name, row.name)) for row in entries)
        return [*(row for row in named if row.name), _distance_row(reading)]
    return [*entries, _rank_row(reading, guessing=guessing), _distance_row(reading)]


def _kind(line: list[tuple[str, str]], *, table: bool) -> str:
    if table:
        return "input"
    return "whole" if len(line) == 1 else "half"


def _rank_row(reading: Reading, *, guessing: bool) -> ReadingRow:
    of = reading.criterion
    if of is None:
        return ReadingRow("rank", "none: the batch is measured", "whole")
    hidden = guessing and not reading.subject
    value = "shown after the reveal" if hidden else _rank(of, reading)
    return ReadingRow(f"rank for {pick_label(of.k)}", value, "whole")


def _distance_row(reading: Reading) -> ReadingRow:
    if reading.distance is None:
        return ReadingRow("distance", "no pick yet", "whole")
    return ReadingRow(f"distance to {reading.subject}", number(reading.distance), "whole")


def _rank(by: Criterion, reading: Reading) -> str:
    """The rank, by what, and among which candidates; or why there is none."""
    if by.values is None:
        return f"none: the rule uses {by.name}"
    if reading.rank is None:
        return f"none: not{by.where}"
    rank, size = reading.rank
    return f"{rank} of {size}{by.where} by {by.name}"
