"""The words of an event: where we are, why this point, the algorithm, and its timeline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.sentences.reasons import reason, role_name
from ucbpe_app.run.sentences.texts import (
    counted,
    number,
    percentage,
    pick_label,
    place,
    rule,
    say,
    words_of,
)

if TYPE_CHECKING:
    from ucbpe_app.run.replay import Replay
    from ucbpe_core import Trace
    from ucbpe_core.policies import Decision


@dataclass(frozen=True)
class Line:
    """One line of the algorithm: its text, its numbers once reached, and whether it is current."""

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
    decision = trace.decisions[event.t - 1]
    what, sentence = {
        Kind.FIT: _fit,
        Kind.PICK: _pick,
        Kind.REGION: _region,
        Kind.OBSERVE: _observe,
    }[event.kind](trace, event, decision)
    status = say("status", t=event.t, T=len(trace.decisions), what=what)
    return EventText(status, sentence, _algorithm(trace, event, decision))


def _fit(trace: Trace, event: Event, decision: Decision) -> tuple[str, str]:
    n, multiplier = decision.n, number(decision.sqrt_beta)
    known = say("prior") if n == 0 else counted("posterior", n)
    sentence = say("fit", known=known, multiplier=multiplier, beta=number(decision.beta))
    return counted("fit.status", n), sentence


def _pick(trace: Trace, event: Event, decision: Decision) -> tuple[str, str]:
    k, role = event.k, decision.roles[event.k]
    which = role_name(role) + (_rank(decision, k) if decision.roles.count(role) > 1 else "")
    inside = ""
    if trace.policy.uses_region and k:
        inside = say("inside", share=percentage(decision.region_plus))
    x, std = _place(trace, decision, k), number(decision.stds[k])
    return say("pick.status", which=which, x=x, std=std, inside=inside), reason(trace, decision, k)


def _rank(decision: Decision, k: int) -> str:
    """2 of 9: the place of pick k among the picks of its role."""
    same = [i for i, role in enumerate(decision.roles) if role == decision.roles[k]]
    return say("rank", number=same.index(k) + 1, count=len(same))


def _region(trace: Trace, event: Event, decision: Decision) -> tuple[str, str]:
    words, y_dot = words_of(trace), number(decision.y_dot)
    inner, share = percentage(decision.region), percentage(decision.region_plus)
    kept = "region.all" if decision.region_plus.all() else "region.part"
    sentence = say(
        "region", known=words.y_dot.format(y_dot=y_dot),
        kept=say(kept, share=share, best=words.best),
    )  # fmt: skip
    if decision.exhausted:
        sentence += say("region.exhausted")
    return say("region.status", y_dot=y_dot, inner=inner, share=share), sentence


def _observe(trace: Trace, event: Event, decision: Decision) -> tuple[str, str]:
    t, K, words = event.t, len(decision.indices), words_of(trace)
    simple, best = trace.simple_regret[t - 1], trace.running_minimum[t - 1]
    results, told = counted("results", K), {"simple": number(simple), "best": number(best)}
    status = say("observe.status", results=results, **told)
    if trace.hold_data:
        return status, (
            f"The held data of this batch: {results}, measured at the picks of the run that they "
            f"come from. The best pick so far is {number(best)} {words.short_of} the "
            f"{words.extreme} of f."
        )
    news, end = counted("news", K), {"short_of": words.short_of, "extreme": words.extreme}
    return status, say("observe", news=news, **told, **end)


def _algorithm(trace: Trace, event: Event, decision: Decision) -> tuple[Line, ...]:
    """The lines in order; each shows its numbers from its event on."""
    reached, words = _order(event), words_of(trace)
    fit = say("line.fit_value", n=decision.n, multiplier=number(decision.sqrt_beta))
    lines = [(say("line.fit"), fit, 0.0)]
    for picks in _runs(trace, decision):
        if picks[0] == 1 and trace.policy.uses_region:
            share = say("line.share", share=percentage(decision.region_plus))
            lines.append((words.y_dot_rule, f"y• = {number(decision.y_dot)}", 1.5))
            lines.append((words.region_rule, share, 1.5))
        shown = [k for k in picks if _pick_order(k) <= reached]
        latest = shown[-1] if shown else picks[0]
        value = f"{pick_label(latest)} = {_place(trace, decision, latest)}"
        text = f"{_loop(picks)} ← {rule(trace, decision.roles[latest])}"
        lines.append((text, value, _pick_order(latest)))
    regret = f"rₜ = {number(trace.simple_regret[event.t - 1])}"
    lines.append((say("line.measure"), regret, np.inf))
    return tuple(
        Line(text, value if order <= reached else "", order == reached)
        for text, value, order in lines
    )


def _place(trace: Trace, decision: Decision, k: int) -> str:
    index = int(decision.indices[k])
    return place(trace.problem.candidates, index)


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
    return say("line.loop", first=picks[0], last=picks[-1])


def _order(event: Event) -> float:
    """A number that grows along the batch: fit 0, picks 1, 2, .., the region between 1 and 2."""
    if event.kind is Kind.PICK:
        return _pick_order(event.k)
    return {Kind.FIT: 0.0, Kind.REGION: 1.5, Kind.OBSERVE: np.inf}[event.kind]


def _pick_order(k: int) -> float:
    return 1.0 + k


def timeline_items(replay: Replay, t: int) -> list[dict[str, Any]]:
    """The events of batch t for the timeline."""
    return [
        {
            "label": _label(event),
            "index": i,
            "role": _role(replay, event),
            "event": event.text,
        }
        for i, event in enumerate(replay.batch(t), replay.batch_start(t))
    ]


def _label(event: Event) -> str:
    if event.kind is Kind.PICK:
        return pick_label(event.k)
    return {Kind.FIT: "fit", Kind.REGION: "R⁺", Kind.OBSERVE: "observe"}[event.kind]


def _role(replay: Replay, event: Event) -> str:
    if event.kind is not Kind.PICK:
        return event.kind.value
    return replay.trace.decisions[event.t - 1].roles[event.k]
