"""Why a point was picked: one name and one sentence per role, whatever the policy.

A new role needs a function and a line in `_ROLES`; without, its policy's rule is quoted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_app.run.sentences.texts import (
    counted,
    earlier_picks,
    number,
    percent,
    pick_label,
    rule,
    say,
    words_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core import Trace
    from ucbpe_core.policies import Decision


def role_name(role: str) -> str:
    """What a pick of this role is called."""
    return _ROLES[role].name if role in _ROLES else f"{role} pick"


def learns(role: str) -> bool:
    """Whether the rule of a role considers what a measurement would teach."""
    return role in _ROLES and _ROLES[role].learns


def reason(trace: Trace, decision: Decision, k: int) -> str:
    """Why pick k of a batch, with its numbers."""
    role = decision.roles[k]
    if role not in _ROLES:
        score, std = decision.scores[k], number(decision.stds[k])
        which = "value" if words_of(trace).sign > 0 else "value for −f"
        value = f"{which} {number(score)}, " if np.isfinite(score) else ""
        return f"{pick_label(k)} was chosen by the rule: {rule(trace, role)} ({value}σ = {std})."
    return _ROLES[role].sentence(trace, decision, k) + _repeat(trace, decision, k)


def _ucb(trace: Trace, decision: Decision, k: int) -> str:
    words, given = words_of(trace), say("ucb_given") if k else ""
    bound = _bound(trace, decision, k)
    own = {"highest": words.highest, "best": words.best, "higher": words.higher}
    return say("ucb", x=pick_label(k), given=given, bound=bound, **own)


def _pe(trace: Trace, decision: Decision, k: int) -> str:
    where = say("inside_plus" if trace.policy.uses_region else "on_x")
    return _least_known(decision, k, where) + (say("blind") if k else "")


def _init(trace: Trace, decision: Decision, k: int) -> str:
    others, largest = len(decision.indices) - 1, decision.stds[0]
    nats = 0.5 * others * float(np.log1p(largest**2 / trace.gp.noise_variance))
    told = say("init", results=counted("more_results", others), nats=number(nats))
    return f"{_least_known(decision, k, say('on_x'))} {told}"


def _ei(trace: Trace, decision: Decision, k: int) -> str:
    return say(
        "ei",
        x=pick_label(k),
        exceeds=say("exceeds" if words_of(trace).sign > 0 else "falls_below"),
        best=say("best_measured" if decision.n else "prior_mean"),
        mean=number(decision.scores[k]),
        std=number(decision.stds[k]),
    )


def _ts(trace: Trace, decision: Decision, k: int) -> str:
    words = words_of(trace)
    draw = f"draw {k + 1} of {len(decision.indices)} from the posterior"
    value = number(words.sign * decision.scores[k])
    chance = (
        f"Each candidate is picked with the posterior probability of being the {words.extreme}."
    )
    return (
        f"{pick_label(k)} is the {words.highest} point of {draw}, which reaches {value}. {chance}"
    )


def _lp(trace: Trace, decision: Decision, k: int) -> str:
    X, before = trace.problem.candidates[decision.indices[k]], decision.indices[:k]
    nearest = np.linalg.norm(trace.problem.candidates[before] - X, axis=1).min()
    words, near = words_of(trace), f"this close to {earlier_picks(k)}"
    positive = "made positive" if words.sign > 0 else "negated and made positive"
    return (
        f"{pick_label(k)} keeps the highest value, {number(decision.scores[k])}, when each "
        f"{words.best} bound, {positive}, is multiplied by the estimated chance that the "
        f"{words.extreme} can lie {near}; the nearest is {number(float(nearest))} away."
    )


def _match(trace: Trace, decision: Decision, k: int) -> str:
    share = percent(float(decision.scores[k]))
    return (
        f"{pick_label(k)} represents simulated runs of GP-UCB, one measurement at a time: "
        f"with probability {share} the best point of such a run is nearest to this pick."
    )


def _fill(trace: Trace, decision: Decision, k: int) -> str:
    visited = decision.roles.count("match")
    points = "1 point" if visited == 1 else f"{visited} points"
    words = words_of(trace)
    return (
        f"The simulated runs visit only {points}, all picked already, so {pick_label(k)} has "
        f"the {words.highest} {words.best} bound given the earlier picks: "
        f"{_bound(trace, decision, k)}."
    )


def _random(trace: Trace, decision: Decision, k: int) -> str:
    size = len(trace.problem.candidates)
    return (
        f"{pick_label(k)} was drawn at random from all {size} candidates, "
        f"regardless of what is known about f (σ = {number(decision.stds[k])})."
    )


def _bound(trace: Trace, decision: Decision, k: int) -> str:
    """The sum that makes a score which is a bound; where f is minimised the score is that of -f."""
    words, half = words_of(trace), decision.sqrt_beta * decision.stds[k]
    bound = words.sign * decision.scores[k]
    return say(
        "bound",
        mean=number(bound - words.sign * half),
        plus=words.plus,
        multiplier=number(decision.sqrt_beta),
        std=number(decision.stds[k]),
        bound=number(bound),
    )


def _least_known(decision: Decision, k: int, where: str) -> str:
    given = say("given", earlier=earlier_picks(k)) if k else ""
    std = number(decision.stds[k])
    return say("least_known", x=pick_label(k), where=where, given=given, std=std)


def _repeat(trace: Trace, decision: Decision, k: int) -> str:
    measured = trace.posterior.conditioned_indices[: decision.n]
    known = say("known") if decision.known[k] else ""
    if decision.indices[k] not in (*measured, *decision.indices[:k]):
        return known
    teaches = learns(decision.roles[k]) and trace.gp.noise_variance > 0
    return say("repeat", learns=say("repeat_learns") if teaches else "") + known


class _Role(NamedTuple):
    """A name, a sentence, and whether the rule considers what a measurement would teach."""

    name: str
    sentence: Callable[[Trace, Decision, int], str]
    learns: bool = True


_ROLES = {
    "ucb": _Role("UCB pick", _ucb),
    "pe": _Role("PE pick", _pe),
    "init": _Role("Initialisation pick", _init),
    "ei": _Role("EI pick", _ei),
    "ts": _Role("Thompson pick", _ts, learns=False),
    "lp": _Role("LP pick", _lp, learns=False),
    "match": _Role("Matched pick", _match, learns=False),
    "fill": _Role("Fill-in pick", _fill),
    "random": _Role("Random pick", _random, learns=False),
}
