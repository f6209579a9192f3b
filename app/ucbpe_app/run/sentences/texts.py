"""The texts about an event, by name, and how numbers, points and picks are written in them.

``{places}`` are filled with text: numbers as `number` writes them. A live lesson's file uses the
same texts. A run that looks for the minimum of f has some words of its own.
"""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from ucbpe_core import Policy, Trace
    from ucbpe_core.validation import Booleans, Direction, Floats

TEXTS = MappingProxyType(
    {
        "status": "Batch {t} of {T}, {what}",
        "and": "and",
        # The posterior.
        "fit.status": "fit to {n} observations",
        "fit.status.one": "fit to {n} observation",
        "prior": "No measurement yet: this is the prior.",
        "posterior": "The posterior after {n} measurements.",
        "posterior.one": "The posterior after {n} measurement.",
        "fit": "{known} The band is the mean ± {multiplier} standard deviations, "
               "where √β = {multiplier} (β = {beta}).",
        # Picks.
        "pick.status": "{which}: x = {x}, std {std}{inside}",
        "rank": " {number} of {count}",
        "inside": " in R+ ({share} of X)",
        "bound": "{mean} {plus} {multiplier} × {std} = {bound}",
        "ucb": "{x} has the {highest} {best} bound{given}: {bound}. "
               "Nowhere does the band reach {higher}.",
        "ucb_given": " with the earlier picks counted as measured",
        "least_known": "{x} is where f is least known {where}{given}: σ = {std}.",
        "given": ", given that {earlier} will be measured",
        "inside_plus": "inside R⁺",
        "on_x": "on X",
        "blind": " No result was needed: σ depends on where you measure, not on the values.",
        "init": "This is initialisation: at the largest σ, {results} could give up to {nats} nats "
                "of information about f, more than C allows.",
        "more_results": "{n} more results",
        "more_results.one": "{n} more result",
        "ei": "{x} has the highest expected improvement: f there {exceeds} μ⁺, {best}, by {mean} "
              "on average over the posterior, where falling short counts as 0 (σ = {std}).",
        "exceeds": "exceeds",
        "falls_below": "falls below",
        "best_measured": "the best mean at a measured point",
        "prior_mean": "the prior mean",
        "repeat": " It was picked before{learns}.",
        "repeat_learns": ": with noise, measuring again can give the most information",
        "known": " f is known there already, so its result tells nothing new.",
        # The relevant region.
        "region.status": "relevant region: y_dot {y_dot}, R {inner}, R+ {share} of X",
        "region": "If f stays inside the band, {known}. {kept}",
        "region.part": "R⁺ keeps the {share} of X whose widened {best} bound reaches y•: "
                       "the rest of the batch is chosen there.",
        "region.all": "The widened {best} bound reaches y• everywhere: R⁺ is all of X.",
        "region.exhausted": " f is known everywhere in R⁺, so no result there tells anything new.",
        # The results.
        "results": "{n} results",
        "results.one": "{n} result",
        "observe.status": "observe {results}: regret {simple}, best so far {best}",
        "news": "The {n} results are in",
        "news.one": "The result is in",
        "observe": "{news} and the mean moves for the first time in this batch. Its best point is "
                   "{simple} {short_of} the {extreme} of f; the best pick so far, {best}.",
        # Labels in pictures.
        "label.mean": "mean",
        "label.band": "band: ± {multiplier} std",
        "label.truth": "true f",
        "label.noisy": "thin: of a measurement",
        "label.updated": "dashed: {picks} taken",
        "label.y_dot": "y•: max above {y_dot}",
        "label.y_dot.minimize": "y•: min below {y_dot}",
        "label.region": "{share} of X",
        "label.region_plus": "{share} of X",
        "label.std": "std",
        "label.before": "dotted: before {pick}",
        "label.outside": "faint: outside R⁺",
        "label.upper_bound": "upper bound",
        "label.lower_bound": "lower bound",
        "label.upper_bound.made": "upper bound: mean + {multiplier} std",
        "label.lower_bound.made": "lower bound: mean − {multiplier} std",
        "label.std_after": "std after {picks}",
        "label.inside": "inside the line: R⁺, {share} of X",
        "label.unveiled": "clear dots: R⁺, {share} of X",
        "label.all": "R⁺ is all of X",
        "label.measured": "× measured",
        "label.dotted": "dotted: {run}",
        "label.press": "{map}: show it large",
        "label.plane": "Decision plane: each candidate is a dot",
        "label.hidden": "{hidden} not shown",
        "label.equal_upper": "line of equal upper bound",
        "label.equal_lower": "line of equal lower bound",
        "label.through_y_dot": "y•: {line}",
        "label.plus_edge": "edge of R⁺",
        "label.dots_inside": "in R⁺",
        "label.dots_outside": "outside R⁺",
        "label.rightmost": "{pick}: rightmost dot in R⁺",
        "label.optimum": "true maximum",
        "label.optimum.minimize": "true minimum",
        # The algorithm.
        "line.fit": "μ, σ ← posterior after n observations",
        "line.fit_value": "n = {n}, √β = {multiplier}",
        "line.share": "{share} of X",
        "line.loop": "for k = {first} … {last}: xᵏ",
        "line.measure": "measure, and t ← t + 1",
    }
)  # fmt: skip


def say(name: str, **values: object) -> str:
    """The text of that name, filled in."""
    return TEXTS[name].format(**values)


def counted(name: str, n: int, **values: object) -> str:
    """The same for n things; one thing may have a separate text."""
    return say(f"{name}.one" if n == 1 else name, n=n, **values)


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


_MOST_COORDINATES = 2
_DIGITS = 3
_ROUNDING = 1e-9  # share of an extent, far below any step along it
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def pick_label(number: int) -> str:
    """x⁰, x¹, .. as on screen."""
    return f"x{str(number).translate(_SUPERSCRIPTS)}"


def number(value: float) -> str:
    """Three significant digits, or all those of a large integer part; a true minus sign."""
    large = 1000 <= abs(value) < 1e6
    return f"{value:{'.0f' if large else '.3g'}}".replace("-", "−")


def at_least(value: float, sign: float) -> str:
    """A bound rounded so that it stays one: down for sign 1, up for sign -1."""
    if value == 0:
        return "0"
    scale = 10.0 ** (_DIGITS - 1 - math.floor(math.log10(abs(value))))
    return number(sign * math.floor(sign * value * scale) / scale)


def coordinate(value: float, extent: float, digits: int = 3) -> str:
    """A coordinate as its axis, of this extent, can tell it.

    It has so many significant digits, or more where the axis begins far from 0; what is only
    rounding beside the extent is 0.
    """
    size = abs(value)
    if size <= _ROUNDING * extent:
        return "0"
    away = round(math.log10(size / extent)) if extent else 0
    if away <= 0 and digits == _DIGITS:
        return number(value)
    whole = math.floor(math.log10(size)) + 1 if away > 0 else 0
    return f"{value:.{max(digits + max(away, 0), whole)}g}".replace("-", "−")


def coordinates(x: Floats, extents: Floats) -> str:
    """0.31 in one dimension, (0.31, 0.82) in more."""
    parts = [coordinate(*one) for one in zip(x.tolist(), extents.tolist(), strict=True)]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def place(candidates: Floats, index: int) -> str:
    """Where a candidate is: its coordinates, or its row where they are too many for a line."""
    if candidates.shape[1] > _MOST_COORDINATES:
        return f"candidate {index}"
    return coordinates(candidates[index], np.ptp(candidates, axis=0))


def percentage(mask: Booleans) -> str:
    """Share of X, as 38 %; small shares keep a decimal."""
    return percent(np.count_nonzero(mask) / mask.size)


def percent(share: float) -> str:
    """0.38 as 38 %; small shares keep a decimal."""
    share *= 100
    return f"{share:.0f} %" if share >= 10 or share == 0 else f"{share:.2g} %"


def earlier_picks(k: int) -> str:
    """The picks before pick k >= 1: x⁰, x⁰ and x¹, x⁰ … x⁴."""
    if k == 1:
        return pick_label(0)
    between = say("and") if k == 2 else "…"
    return f"{pick_label(0)} {between} {pick_label(k - 1)}"
