"""The words for a run that looks for the maximum of f, and for one that looks for the minimum."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ucbpe_core import Policy, Trace
    from ucbpe_core.validation import Direction


class Words(NamedTuple):
    """The words of one direction; `best` is the bound of the band that an optimist goes by."""

    sign: float
    extreme: str
    best: str
    highest: str
    higher: str
    plus: str  # between mean and std in that bound
    short_of: str
    y_dot: str
    y_dot_rule: str
    region_rule: str
    rules: tuple[tuple[str, str], ...] = ()  # part of a policy's rule, and what it is instead


_WORDS: dict[Direction, Words] = {
    "maximize": Words(
        sign=1.0,
        extreme="maximum",
        best="upper",
        highest="highest",
        higher="higher",
        plus="+",
        short_of="below",
        y_dot="max f is at least y• = {y_dot}, the greatest lower bound",
        y_dot_rule="y• ← max over X of μ − √βₜ σ",
        region_rule="R⁺ ← {x : μ + 2 √βₜ₊₁ σ ≥ y•}",
    ),
    "minimize": Words(
        sign=-1.0,
        extreme="minimum",
        best="lower",
        highest="lowest",
        higher="lower",
        plus="−",
        short_of="above",
        y_dot="min f is at most y• = {y_dot}, the least upper bound",
        y_dot_rule="y• ← min over X of μ + √βₜ σ",
        region_rule="R⁺ ← {x : μ − 2 √βₜ₊₁ σ ≤ y•}",
        rules=(
            ("argmax over X of μ + √βₜ σ", "argmin over X of μ − √βₜ σ"),
            ("argmax over X of μ", "argmin over X of μ"),
            ("argmax over X of fᵏ", "argmin over X of fᵏ"),
            ("f − μ⁺", "μ⁺ − f"),
            ("softplus((μ − m + √βₜ σ) / s)", "softplus((m − μ + √βₜ σ) / s)"),
        ),
    ),
}


def words_of(trace: Trace) -> Words:
    """The words for the direction of a run."""
    return _WORDS[trace.problem.direction]


def rule(trace: Trace, role: str) -> str:
    """The rule by which a run's policy makes the picks of a role, in the direction of the run."""
    return rule_of(trace.policy, role, trace.problem.direction)


def rule_of(policy: Policy, role: str, direction: Direction) -> str:
    """The rule by which a policy makes the picks of a role; "" for a role that it does not have."""
    text = policy.rules.get(role, "")
    for maximising, instead in _WORDS[direction].rules:
        text = text.replace(maximising, instead)
    return text
