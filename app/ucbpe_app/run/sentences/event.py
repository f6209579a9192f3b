"""The words of an event: where we are, why this point, the algorithm, and its timeline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_app.run.events import Event, Kind, explored_at, region_at
from ucbpe_app.run.sentences.reasons import (
    describe_phase,
    explored_facts,
    look_of,
    phase_facts,
    pick_facts,
    shared_facts,
)
from ucbpe_app.run.sentences.texts import (
    PLAIN,
    at_least,
    counted,
    number,
    only,
    percent,
    percentage,
    pick_label,
    place_in,
    rule,
    say,
    words_of,
)
from ucbpe_core.support.validation import sign_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.run.replay import Replay
    from ucbpe_app.run.sentences.reasons import Facts
    from ucbpe_core import Trace
    from ucbpe_core.gp.region import Certificate
    from ucbpe_core.policies import Decision


TIE = 1e-9  # share by which widths of the band are equal
TINY = 1e-3  # a regret that plain words do not tell from 0


@dataclass(frozen=True)
class Line:
    """One line of the algorithm: its text, its numbers once reached, and whether it is current.

    `look` is that of its picks (`reasons.look_of`), or "".
    """

    text: str
    value: str
    active: bool
    look: str = ""


@dataclass(frozen=True)
class EventText:
    """Status for the live region, a heading, the sentence that says why, and the algorithm."""

    status: str
    heading: str
    sentence: str
    lines: tuple[Line, ...]


def describe_event(
    trace: Trace, event: Event, *, plain: bool = False, secret: bool = False
) -> EventText:
    """The words of one event of a trace: `plain` ones need no word of the field.

    Where f is `secret`, no regret is told, but what was measured.
    """
    decision, kind = trace.decisions[event.t - 1], event.kind.value
    if event.kind is Kind.REGION and trace.policy.own_region:
        kind = "explored" if explored_at(decision, event) else "unexplored"
    facts = {**_FACTS[event.kind](trace, event, decision), "plain": plain}
    if plain and event.kind is Kind.POSTERIOR:
        facts |= _widest(trace, decision)
    text = kind
    if event.kind is Kind.OBSERVE:
        facts |= _regrets(trace, event.t, plain=plain)
        text = "observe.held" if trace.hold_data else text
        text = "observe.arrived" if trace.one_by_one else text
        text = "observe.secret" if secret else text
    elif facts.get("pending"):
        text = "posterior.running"
    phase = phase_facts(trace, event.t)
    name = f"@{kind}.status{'.secret' if secret and event.kind is Kind.OBSERVE else ''}"
    status = {"t": event.t, "T": len(trace.decisions), "what": name}
    if phase:
        status |= {**phase, "what": "@phase.status", "of_phase": name}
    begins = describe_phase(trace, decision, event.t) if event.kind is Kind.POSTERIOR else ""
    return EventText(
        say("status.one_by_one" if trace.one_by_one else "status", **facts, **status),
        say(f"heading.{kind}", **facts),
        say(text, **facts) + begins,
        _algorithm(trace, event, decision, plain=plain, secret=secret),
    )


def describe_stop(trace: Trace, certificate: Certificate) -> str:
    """What the band says to somebody who stops now."""
    words, x = words_of(trace), place_in(trace.problem, certificate.index)
    return say("stop", **words._asdict(), x=x, bound=at_least(certificate.regret, -1.0))


def changed(values: Sequence[float | None], *, plain: bool = False) -> str:
    """What a heading adds of measurements with these values by hand, None for one left out."""
    left_out = values.count(None)
    counts = {"moved": len(values) - left_out, "left_out": left_out}
    return "".join(f" · {say(name, plain=plain, n=n)}" for name, n in counts.items() if n)


def _fit(trace: Trace, event: Event, decision: Decision) -> Facts:
    n = trace.measured_before(event.t)
    posterior, evidence = trace.posterior, "@evidence" if n else "@evidence.none"
    if n and not posterior.has_rows:
        evidence = "@evidence.approximate"
    running = trace.before(event.t).conditioned_indices[n:] if decision.n > n else ()
    return {
        "n": n,
        "count": counted(n),
        "pending": ", ".join(place_in(trace.problem, index) for index in running),
        "evidence": evidence,
        "points": posterior.name,
        "multiplier": number(decision.sqrt_beta),
        "beta": number(decision.beta),
    }


def _widest(trace: Trace, decision: Decision) -> Facts:
    """Half the width of the band where it is widest, and where that is; of ties, the first."""
    std = trace.before(decision.t).std
    index = int(np.argmax(std >= (1 - TIE) * std.max()))
    half = number(decision.sqrt_beta * float(std[index]))
    return {"half": half, "x": place_in(trace.problem, index)}


def _pick(trace: Trace, event: Event, decision: Decision) -> Facts:
    return pick_facts(trace, decision, event.k)


def _region(trace: Trace, event: Event, decision: Decision) -> Facts:
    words = words_of(trace)
    if trace.policy.own_region:
        return explored_facts(trace, explored_at(decision, event))
    return {
        **words._asdict(),
        "y_dot": at_least(decision.y_dot, words.sign),
        "inner": percentage(decision.region),
        "share": percentage(decision.region_plus),
        "out": percent(1 - decision.region_plus.mean()),
        "kept": "@region.all" if decision.region_plus.all() else "@region.part",
        "exhausted": only("exhausted", decision.exhausted),
        **shared_facts(trace, decision, 0),
    }


def _observe(trace: Trace, event: Event, decision: Decision) -> Facts:
    return {
        **words_of(trace)._asdict(),
        "n": (results := len(trace.timetable.turns[event.t - 1].results)),
        "count": counted(results),
    }


def _regrets(trace: Trace, t: int, *, plain: bool) -> Facts:
    """Regrets and results after batch t; in plain words no regret has an exponent."""
    sign, y = sign_of(trace.problem.direction), trace.y
    before, after = trace.measured_before(t), trace.measured_before(t + 1)
    best = {"best_of": y[before:after], "best_so_far": y[:after]}
    results = {name: number(sign * float((sign * found).max())) for name, found in best.items()}
    regrets = {"simple": trace.simple_regret[t - 1], "running": trace.best_so_far[t - 1]}
    for name, regret in regrets.items():
        results[name] = "@tiny" if plain and regret < TINY else number(regret)
    return {**results}


_FACTS = {Kind.POSTERIOR: _fit, Kind.PICK: _pick, Kind.REGION: _region, Kind.OBSERVE: _observe}


def _algorithm(
    trace: Trace, event: Event, decision: Decision, *, plain: bool, secret: bool
) -> tuple[Line, ...]:
    """The lines in order; each shows its numbers from its event on."""
    at, n = region_at(trace.policy, decision), trace.measured_before(event.t)
    reached, region, words = _order(event, at), trace.policy.uses_region, words_of(trace)
    facts = {
        **words._asdict(),
        "plain": plain,
        "n": n,
        "and_running": only("and_running", decision.n > n),
        "ahead": decision.n - n,
        "all": {1: "@line.it", 2: "@line.both"}.get(len(decision.indices), "@line.all"),
        "size": counted(len(decision.indices)),
        "multiplier": number(decision.sqrt_beta),
        "y_dot": at_least(decision.y_dot, words.sign) if region else "",
        "share": percentage(decision.region_plus) if region else "",
        "out": percent(1 - decision.region_plus.mean()) if region else "",
        **_regrets(trace, event.t, plain=plain),
    }
    if own := trace.policy.own_region:
        facts |= explored_facts(trace, explored_at(decision, Event(event.t, Kind.REGION)))

    def line(name: str, order: float, look: str = "", **own: object) -> Line:
        kind = ".secret" if secret and name == "measure" else ""
        keys = name, f"{name}_value{kind}"
        text, value = (say(f"line.{key}", **facts, **own) for key in keys)
        return Line(text, value if order <= reached else "", order == reached, look)

    lines = [line("posterior", 0.0)]
    for picks in _runs(at, decision):
        if picks[0] == at:
            names = ("threshold", "explored") if own else ("y_dot", "region")
            lines += [line(name, at + 0.5) for name in names]
        latest = max((k for k in picks if _pick_order(k) <= reached), default=picks[0])
        role, single = decision.roles[latest], "@line.single" if picks[0] else "@line.first"
        facts_of_picks = {
            "loop": single if len(picks) == 1 else "@line.loop",
            "from": picks[0],
            "last": picks[-1],
            "count": counted(len(picks)),
            "rule": f"@rule.{role}" if plain and f"rule.{role}" in PLAIN else rule(trace, role),
            "pick": pick_label(latest),
            "x": place_in(trace.problem, int(decision.indices[latest])),
        }
        lines.append(line("pick", _pick_order(latest), look_of(role), **facts_of_picks))
    lines.append(line("measure", np.inf))
    return tuple(entry for entry in lines if entry.text)


def _runs(at: int | None, decision: Decision) -> list[list[int]]:
    """The picks in order, split where the role changes and where R⁺ is computed, after `at`."""
    runs: list[list[int]] = []
    for k, role in enumerate(decision.roles):
        if runs and k != at and decision.roles[k - 1] == role:
            runs[-1].append(k)
        else:
            runs.append([k])
    return runs


def _order(event: Event, region: int | None) -> float:
    """A number that grows along the batch: fit 0, picks 1, 2, .., the region before its pick."""
    if event.kind is Kind.PICK:
        return _pick_order(event.k)
    return {Kind.POSTERIOR: 0.0, Kind.REGION: (region or 0) + 0.5, Kind.OBSERVE: np.inf}[event.kind]


def _pick_order(k: int) -> float:
    return 1.0 + k


def timeline_items(replay: Replay, t: int, *, plain: bool = False) -> list[dict[str, Any]]:
    """The events of batch t for the timeline, in plain words or in the field's."""
    return [
        {
            "label": _label(replay.trace, event, plain=plain),
            "index": i,
            "look": _look(replay, event),
            "event": event.text,
        }
        for i, event in enumerate(replay.batch(t), replay.batch_start(t))
    ]


def _label(trace: Trace, event: Event, *, plain: bool) -> str:
    if event.kind is Kind.PICK:
        return pick_label(event.k)
    if event.kind is Kind.REGION and trace.policy.own_region:
        return say("item.explored", plain=plain)
    return say(f"item.{event.kind.value}", plain=plain)


def _look(replay: Replay, event: Event) -> str:
    if event.kind is not Kind.PICK:
        return ""
    return look_of(replay.trace.decisions[event.t - 1].roles[event.k])
