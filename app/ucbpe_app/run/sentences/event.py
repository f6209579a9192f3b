"""The words of an event: where we are, why this point, and the algorithm with its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.sentences.direction import rule, words_of
from ucbpe_app.run.sentences.numbers import number, percentage, pick_label, place
from ucbpe_app.run.sentences.reasons import reason, role_name

if TYPE_CHECKING:
    from ucbpe_core import Decision, Trace


@dataclass(frozen=True)
class Line:
    """One line of the algorithm: its text, its numbers once reached, and whether it is lit."""

    text: str
    value: str
    active: bool


@dataclass(frozen=True)
class EventText:
    """Status for the live region, the sentence that says why, and the algorithm."""

    status: str
    sentence: str
    lines: tuple[Line, ...]


def describe_event(trace: Trace, event: Event) -> EventText:
    """The words of one event of a trace."""
    decision = trace.iterations[event.t - 1].decision
    place = f"Batch {event.t} of {len(trace.iterations)}"
    what, sentence = {
        Kind.FIT: _fit,
        Kind.PICK: _pick,
        Kind.REGION: _region,
        Kind.OBSERVE: _observe,
    }[event.kind](trace, event, decision)
    return EventText(f"{place}, {what}", sentence, _algorithm(trace, event, decision))


def _fit(trace: Trace, event: Event, decision: Decision) -> tuple[str, str]:
    n, multiplier = decision.n, number(decision.sqrt_beta)
    known = "No measurement yet: this is the prior." if n == 0 else _counted(n)
    sentence = (
        f"{known} The band is the mean ± {multiplier} standard deviations, "
        f"where √β = {multiplier} (β = {number(decision.beta)})."
    )
    return f"fit to {n} observation{'' if n == 1 else 's'}", sentence


def _pick(trace: Trace, event: Event, decision: Decision) -> tuple[str, str]:
    k, role = event.k, decision.roles[event.k]
    x = _place(trace, decision, k)
    std, name = number(decision.stds[k]), role_name(role)
    which = f"{name} {_rank(decision, k)}" if decision.roles.count(role) > 1 else name
    inside = ""
    if trace.policy.uses_region and k:
        inside = f" in R+ ({percentage(decision.region_plus)} of X)"
    return f"{which}: x = {x}, std {std}{inside}", reason(trace, decision, k)


def _rank(decision: Decision, k: int) -> str:
    """2 of 9: the place of pick k among the picks of its role."""
    same = [i for i, role in enumerate(decision.roles) if role == decision.roles[k]]
    return f"{same.index(k) + 1} of {len(same)}"


def _region(trace: Trace, event: Event, decision: Decision) -> tuple[str, str]:
    words, y_dot = words_of(trace), number(decision.y_dot)
    share = percentage(decision.region_plus)
    kept = f"R⁺ keeps the {share} of X whose widened {words.best} bound reaches y•"
    conclusion = "the rest of the batch is chosen there."
    if decision.region_plus.all():
        kept = f"The widened {words.best} bound reaches y• everywhere"
        conclusion = "R⁺ is all of X."
    known = f"If f stays inside the band, {words.y_dot.format(y_dot)}."
    sentence = f"{known} {kept}: {conclusion}"
    status = f"relevant region: y_dot {y_dot}, R {percentage(decision.region)}, R+ {share} of X"
    return status, sentence


def _observe(trace: Trace, event: Event, decision: Decision) -> tuple[str, str]:
    t, K, words = event.t, len(decision.indices), words_of(trace)
    simple, best = trace.simple_regret[t - 1], trace.running_minimum[t - 1]
    results = "1 result" if K == 1 else f"{K} results"
    status = f"observe {results}: regret {number(simple)}, best so far {number(best)}"
    if trace.held:
        return status, (
            f"The held data of this batch: {results}, measured where the run that they come from "
            f"had its picks. The best pick so far is {number(best)} {words.short_of} the "
            f"{words.extreme} of f."
        )
    news = "The result is in" if K == 1 else f"The {K} results are in"
    sentence = (
        f"{news} and the mean moves for the first time in this batch. Its best point is "
        f"{number(simple)} {words.short_of} the {words.extreme} of f; the best pick so far, "
        f"{number(best)}."
    )
    return status, sentence


def _counted(n: int) -> str:
    return f"The posterior after {n} measurement{'s' if n > 1 else ''}."


def _algorithm(trace: Trace, event: Event, decision: Decision) -> tuple[Line, ...]:
    """The lines in order; each tells its numbers once its event has come."""
    reached, words = _order(event), words_of(trace)
    fit = f"n = {decision.n}, √β = {number(decision.sqrt_beta)}"
    lines = [("μ, σ ← posterior after n observations", fit, 0.0)]
    for picks in _runs(trace, decision):
        if picks[0] == 1 and trace.policy.uses_region:
            share = percentage(decision.region_plus)
            lines.append((words.y_dot_rule, f"y• = {number(decision.y_dot)}", 1.5))
            lines.append((words.region_rule, f"{share} of X", 1.5))
        shown = [k for k in picks if _pick_order(k) <= reached]
        latest = shown[-1] if shown else picks[0]
        value = f"{pick_label(latest)} = {_place(trace, decision, latest)}"
        text = f"{_loop(picks)} ← {rule(trace, decision.roles[latest])}"
        lines.append((text, value, _pick_order(latest)))
    regret = f"rₜ = {number(trace.simple_regret[event.t - 1])}"
    lines.append(("measure, and t ← t + 1", regret, np.inf))
    return tuple(
        Line(text, value if order <= reached else "", order == reached)
        for text, value, order in lines
    )


def _place(trace: Trace, decision: Decision, k: int) -> str:
    index = int(decision.indices[k])
    return place(trace.problem.candidates[index], index)


def _runs(trace: Trace, decision: Decision) -> list[list[int]]:
    """The picks in order, split where the role changes and where R⁺ is computed, after x⁰."""
    runs: list[list[int]] = []
    for k, role in enumerate(decision.roles):
        splits = k == 1 and trace.policy.uses_region
        if runs and not splits and decision.roles[k - 1] == role:
            runs[-1].append(k)
        else:
            runs.append([k])
    return runs


def _loop(picks: list[int]) -> str:
    if len(picks) == 1:
        return pick_label(picks[0])
    return f"for k = {picks[0]} … {picks[-1]}: xᵏ"


def _order(event: Event) -> float:
    """A number that grows along the batch: fit 0, picks 1, 2, .., the region between 1 and 2."""
    if event.kind is Kind.PICK:
        return _pick_order(event.k)
    return {Kind.FIT: 0.0, Kind.REGION: 1.5, Kind.OBSERVE: np.inf}[event.kind]


def _pick_order(k: int) -> float:
    return 1.0 + k
