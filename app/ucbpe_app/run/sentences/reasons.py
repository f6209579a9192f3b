"""Why a point was picked, one text per role, and the phases of a run, if its policy has any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from ucbpe_app.run.events import group_at
from ucbpe_app.run.sentences.texts import (
    earlier_picks,
    number,
    only,
    percent,
    percentage,
    pick_label,
    place_in,
    rule,
    say,
    setting_of,
    words_of,
)
from ucbpe_core.policies import expected_improvement as recommended

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core import Trace
    from ucbpe_core.policies import Decision, Explored
    from ucbpe_core.support.validation import Booleans


def phase_starts(trace: Trace) -> tuple[int, ...]:
    """The first batch of each phase of a run; one for a policy without phases."""
    return trace.policy.starts(len(trace.decisions))


def phase_facts(trace: Trace, t: int) -> dict[str, object]:
    """Number, first and last batch of the phase of batch t; nothing for a run of one phase."""
    starts = phase_starts(trace)
    if len(starts) == 1:
        return {}
    number = sum(start <= t for start in starts)
    last = (*starts[1:], len(trace.decisions) + 1)[number - 1] - 1
    which = "batches" if last > starts[number - 1] else "batch"
    return {
        "phase": number,
        "phases": len(starts),
        "phase_batches": f"@phase.{which}",
        "first_batch": starts[number - 1],
        "last_batch": last,
    }


def describe_phase(trace: Trace, decision: Decision, t: int) -> str:
    """The sentence on the phase where a batch begins; "" for a run of one phase."""
    facts, region = phase_facts(trace, t), next(iter(decision.explored), None)
    if not facts or region is None:
        return ""
    return " " + say("phase", **facts, explored_share=percentage(region.mask))


_TIE = 1e-6  # share by which stds are equal: they are differences of variances
Facts: TypeAlias = dict[str, object]
Look: TypeAlias = Literal["ucb", "pe", "theirs", "other"]
THEIRS = "theirs"  # role of what another tool chose


def role_name(role: str) -> str:
    """What a pick of this role is called."""
    return _ROLES[role].name if role in _ROLES else f"{role} pick"


def look_of(role: str) -> Look:
    """As what picks of this role are drawn: an upper bound, exploration, or another rule.

    Pictures, the timeline, the lines of the algorithm and their styles all follow it.
    """
    return "theirs" if role == THEIRS else _ROLES.get(role, _OTHER).look


def reason(trace: Trace, decision: Decision, k: int) -> str:
    """Why pick k of a batch, with its numbers."""
    return say("pick", **pick_facts(trace, decision, k))


def pick_facts(trace: Trace, decision: Decision, k: int) -> Facts:
    """What the texts about pick k of a batch are filled with."""
    role, std, score = decision.roles[k], decision.stds[k], decision.scores[k]
    words, region, j = words_of(trace), trace.policy.uses_region, int(decision.indices[k])
    in_plus = region and (k or role == "pe") and bool(decision.region_plus[j])
    same = [i for i, other in enumerate(decision.roles) if other == role]
    value = words.sign * score  # of f, where the score is of -f
    own = _ROLES.get(role, _OTHER)
    return {
        **words._asdict(),
        "role": role_name(role),
        "reason": f"@{role if role in _ROLES else 'other'}",
        "pick": pick_label(k),
        "x": place_in(trace.problem, j),
        "std": number(std),
        "score": number(score),
        "value": number(value),
        "mean": number(value - words.sign * decision.sqrt_beta * std),
        "multiplier": number(decision.sqrt_beta),
        "rank": only("rank", len(same) > 1),
        "number": same.index(k) + 1,
        "count": len(same),
        "inside": only("inside", in_plus),
        "share": percentage(decision.region_plus) if in_plus else "",
        **_offered(trace, decision, k).facts,
        **{name: only(name, k) for name in ("ucb_given", "given", "blind", "believed", "lied")},
        **earlier_picks(k),
        **_repeat(trace, decision, k),
        **own.facts(trace, decision, k),
        **shared_facts(trace, decision, k),
    }


def _repeat(trace: Trace, decision: Decision, k: int) -> Facts:
    """Whether pick k was picked before, and what another measurement there tells, by the std."""
    known, j = only("known", decision.known[k]), decision.indices[k]
    measured = trace.before(decision.t).conditioned_indices
    if j not in (*measured, *decision.indices[:k]):
        return {"repeat": "", "known": known}
    std = trace.before(decision.t, k).std
    offered = std[_offered(trace, decision, k).mask]
    again = "@repeat_most" if std[j] >= (1 - _TIE) * offered.max() else "@repeat_less"
    return {
        "repeat": "@repeat",
        "again": again if trace.gp.noise_variance > 0 else "",
        "there": number(std[j]),
        "most": number(std.max()),
        "known": known,
    }


class _Offered(NamedTuple):
    """The candidates among which a pick is made, and what the texts call them."""

    mask: Booleans
    facts: Facts


def _offered(trace: Trace, decision: Decision, k: int) -> _Offered:
    """R+ for one that explores it, of the group if there is one; without any there, the group."""
    group, explores = group_at(trace, decision), decision.roles[k] == "pe"
    everywhere = np.ones_like(decision.region_plus) if group is None else group
    if (
        trace.policy.uses_region
        and explores
        and (inside := everywhere & decision.region_plus).any()
    ):
        return _Offered(inside, {"where": "@inside_plus"})
    return _Offered(everywhere, {"where": "@on_x" if group is None else "@among_these"})


def shared_facts(trace: Trace, decision: Decision, k: int) -> Facts:
    """Why the picks of a batch have the values that they share; nothing where they share none."""
    plan, group = trace.history.plan, group_at(trace, decision)
    if group is None:
        return {}
    total = float(np.sum(decision.scores))
    by = "first" if np.isnan(total) else plan.shared_by  # as where picks have no score
    some = (group & decision.region_plus).any()
    return {
        "shared": "@shared.others" if k else f"@shared.{by}",
        "setting": setting_of(trace, int(decision.indices[k])),
        "inputs": " and ".join(plan.shared),
        "sum": number(total),
        "negated": only("negated", words_of(trace).sign < 0),
        "nowhere": "",
        "of_these": "@of_these.shared",
        "of_group": "@of_group.some" if some else "@of_group.none",
        "size": int(np.count_nonzero(group)),
    }


def _none(trace: Trace, decision: Decision, k: int) -> Facts:
    return {}


def _init(trace: Trace, decision: Decision, k: int) -> Facts:
    others, largest = len(decision.indices) - 1, decision.stds[0]
    nats = 0.5 * others * float(np.log1p(largest**2 / trace.gp.noise_variance))
    return {"n": others, "nats": number(nats)}


def _ei(trace: Trace, decision: Decision, k: int) -> Facts:
    return {"incumbent": "@best_measured" if decision.n else "@prior_mean"}


def _upper(trace: Trace, decision: Decision, k: int) -> Facts:
    root, sign = float(np.sqrt(recommended.BETA)), words_of(trace).sign
    mean = sign * (decision.scores[k] - root * decision.stds[k])
    # The last pick is a new one where all others were measured before.
    measured, picks = trace.before(decision.t).conditioned_indices, decision.indices
    repeats = np.isin(picks, measured)
    new = 0 < k == len(picks) - 1 and repeats[:k].all() and not repeats[k]
    left = "@left.new" if new else "@left.free"
    return {"mean": number(mean), "multiplier": number(root), "left": left}


def _ts(trace: Trace, decision: Decision, k: int) -> Facts:
    return {"position": k + 1, "K": len(decision.indices)}


def _lp(trace: Trace, decision: Decision, k: int) -> Facts:
    X, before = trace.problem.candidates[decision.indices[k]], decision.indices[:k]
    nearest = np.linalg.norm(trace.problem.candidates[before] - X, axis=1).min()
    return {"nearest": number(float(nearest))}


def _match(trace: Trace, decision: Decision, k: int) -> Facts:
    return {"chance": percent(float(decision.scores[k]))}


def _fill(trace: Trace, decision: Decision, k: int) -> Facts:
    return {"n": decision.roles.count("match")}


def _random(trace: Trace, decision: Decision, k: int) -> Facts:
    return {"size": len(trace.problem.candidates)}


def _by_rule(trace: Trace, decision: Decision, k: int) -> Facts:
    return {
        "rule": rule(trace, decision.roles[k]),
        "worth": only("worth", np.isfinite(decision.scores[k])),
        "negated": only("negated", words_of(trace).sign < 0),
        "repeat": "",
        "known": "",
    }


def _penalised(trace: Trace, decision: Decision, k: int) -> Facts:
    region = decision.explored[k]
    facts = explored_facts(trace, region)
    return {**facts, "penalty": "@penalty" if region else "@no_penalty"}


def _phase(trace: Trace, decision: Decision, k: int) -> Facts:
    region = decision.explored[k]
    return {"explored_share": percentage(region.mask) if region else ""}


def explored_facts(trace: Trace, region: Explored | None) -> Facts:
    """What the texts about a region of the policy's own are filled with; in the units of f."""
    words = words_of(trace)
    facts = {**words._asdict(), "reaches": "≥" if words.sign > 0 else "≤"}
    if region is None:
        return {**facts, "level": "", "explored_share": "", "reach": f"μ {words.plus} b s"}
    return {
        **facts,
        "level": number(words.sign * region.level),
        "explored_share": percentage(region.mask),
        "slope": number(region.slope),
        "reach": f"μ {words.plus} {number(region.coefficient)} s",
    }


class _Role(NamedTuple):
    """A name, and facts of its own; `look` is "pe" where picks are made by the std alone."""

    name: str
    facts: Callable[[Trace, Decision, int], Facts] = _none
    look: Look = "other"


_OTHER = _Role("", _by_rule)
_ROLES = {
    "ucb": _Role("UCB pick", look="ucb"),
    "pe": _Role("PE pick", look="pe"),
    "init": _Role("Initialisation pick", _init, look="pe"),
    "ei": _Role("EI pick", _ei),
    "ts": _Role("Thompson pick", _ts),
    "lp": _Role("LP pick", _lp),
    "match": _Role("Matched pick", _match),
    "fill": _Role("Fill-in pick", _fill),
    "random": _Role("Random pick", _random),
    "penalised": _Role("Penalised PE pick", _penalised, look="pe"),
    "phase pe": _Role("Phase PE pick", _phase, look="pe"),
    "pims": _Role("PIMS pick"),
    "plain ucb": _Role("Plain UCB pick"),
    "believer": _Role("EI pick by belief", _ei),
    "upper": _Role("UCB pick", _upper),
    "randomised": _Role("EI pick by draws", _ei),
    "liar": _Role("EI pick by a lie", _ei),
    "qucb": _Role("qUCB pick"),
    "qei": _Role("qEI pick", _ei),
}
