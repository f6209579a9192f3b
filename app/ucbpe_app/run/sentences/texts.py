"""The texts about an event, by name, and how numbers, points and picks are written in them.

`say` fills their ``{places}``, numbers as `number` writes them. The browser's engine has the same
texts and fills them by the same rule (`engine/sentences.js`). A run that looks for the minimum of f
has some words of its own, and so has a lesson whose words are plain (`plain`).
"""

from __future__ import annotations

import math
import re
import tomllib
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_core import Policy, Trace
    from ucbpe_core.problems import Problem
    from ucbpe_core.support.validation import Booleans, Direction, Floats


def _read(name: str) -> Mapping[str, str]:
    return MappingProxyType(tomllib.loads(Path(__file__).with_name(name).read_text("utf-8")))


TEXTS = _read("texts.toml")
PLAIN = _read("plain.toml")  # of lessons whose words are plain, where they are others
_IN_WORDS = {False: TEXTS, True: {**TEXTS, **PLAIN}}
_PLACE = re.compile(r"\{([\w.]+)\}")


def say(name: str, **facts: object) -> str:
    """The text of that name, its places filled with facts, in plain words if `plain` is one.

    A place without a fact, and a fact such as ``"@evidence"``, is the text of that name, filled by
    the same facts. Where these are of one thing, n = 1, a text may have a variant.
    """
    texts, singular = _IN_WORDS[bool(facts.get("plain"))], f"{name}.one"
    text = texts[singular if facts.get("n") == 1 and singular in texts else name]

    def filled(place: re.Match[str]) -> str:
        fact = str(facts.get(place[1], f"@{place[1]}"))
        return say(fact[1:], **facts) if fact.startswith("@") else fact

    return _PLACE.sub(filled, text)


def only(name: str, condition: object) -> str:
    """The fact that a text is there on a condition, else nothing."""
    return f"@{name}" if condition else ""


class Words(NamedTuple):
    """The words of one direction; `best` is the bound of the band that an optimist goes by."""

    sign: float
    extreme: str
    best: str
    highest: str
    higher: str
    low: str  # what the band is where the extreme is ruled out
    top: str  # the extreme, in plain words
    at_least: str
    plus: str  # between mean and std in that bound
    short_of: str
    exceeds: str
    positive: str
    claim: str  # about the extreme of f, by y•
    y_dot_bound: str
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
        low="low",
        top="top",
        at_least="at least",
        plus="+",
        short_of="below",
        exceeds="exceeds",
        positive="made positive",
        claim="max f is at least",
        y_dot_bound="greatest lower bound",
        y_dot_rule="y• ← max over X of μ − √βₜ σ",
        region_rule="R⁺ ← {x : μ + 2 √βₜ₊₁ σ ≥ y•}",
    ),
    "minimize": Words(
        sign=-1.0,
        extreme="minimum",
        best="lower",
        highest="lowest",
        higher="lower",
        low="high",
        top="bottom",
        at_least="at most",
        plus="−",
        short_of="above",
        exceeds="falls below",
        positive="negated and made positive",
        claim="min f is at most",
        y_dot_bound="least upper bound",
        y_dot_rule="y• ← min over X of μ + √βₜ σ",
        region_rule="R⁺ ← {x : μ − 2 √βₜ₊₁ σ ≤ y•}",
        rules=(
            ("argmax over X of μ + √βₜ σ", "argmin over X of μ − √βₜ σ"),
            ("argmax of μ + √βₜ σ", "argmin of μ − √βₜ σ"),
            ("argmax over X of μ + 2 σ", "argmin over X of μ − 2 σ"),
            ("argmax over X of μ", "argmin over X of μ"),
            ("μ + b s − threshold", "threshold − μ + b s"),
            ("argmax over X of fᵏ", "argmin over X of fᵏ"),
            ("P(f > max fᵏ)", "P(f < min fᵏ)"),
            ("max of μ + √(βₜ π / 2) |f − μ|", "max of −μ + √(βₜ π / 2) |f − μ|"),
            ("max(max f over the batch − μ⁺, 0)", "max(μ⁺ − min f over the batch, 0)"),
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
    text, shared = rule_of(trace.policy, role, trace.problem.direction), trace.history.plan.shared
    return f"{text}, with one {' and '.join(shared)} a batch" if shared else text


def rule_of(policy: Policy, role: str, direction: Direction) -> str:
    """The rule by which a policy makes the picks of a role; "" for a role that it does not have."""
    text = policy.rules.get(role, "")
    for maximising, instead in _WORDS[direction].rules:
        text = text.replace(maximising, instead)
    return text


_MOST_COORDINATES = 2
_DIGITS = 3
_LONGEST = 12  # characters of a result as it was recorded
_ROUNDING = 1e-9  # share of an extent, far below any step along it
COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def pick_label(number: int) -> str:
    """x⁰, x¹, .. as on screen."""
    return f"x{str(number).translate(_SUPERSCRIPTS)}"


def counted(count: int) -> str:
    """A small count as a word, as in "three measurements"."""
    return COUNTS[count] if count < len(COUNTS) else str(count)


def number(value: float) -> str:
    """Three significant digits, or all those of a large integer part; a true minus sign."""
    large = 1000 <= abs(value) < 1e6
    return f"{value:{'.0f' if large else '.3g'}}".replace("-", "−")


def closer(value: float, within: float) -> str:
    """`number`, with as many more digits as it takes to be no further off than `within`."""
    text, digits = number(value), 3
    while abs(float(text.replace("−", "-")) - value) > within and digits < 17:
        digits += 1
        text = f"{value:.{digits}g}".replace("-", "−")
    return text


def result(y: float) -> str:
    """A measured value, as it was recorded; a longer one, such as a mean, is rounded."""
    text = f"{y:.12g}"
    short = float(text) == y and len(text) <= _LONGEST
    return (text if short else f"{y:.7g}").replace("-", "−")


def spread(mean: float, std: float) -> str:
    """A mean ± std; 1234.5 ± 0.06 has more digits than 71.3 ± 8."""
    return f"{closer(mean, 0.1 * std)} ± {number(std)}"


def earlier_picks(k: int) -> dict[str, str]:
    """The fact `earlier`, with those in it: the picks before pick k."""
    return {
        "earlier": pick_label(0) if k == 1 else "@several",
        "first": pick_label(0),
        "between": "@and" if k == 2 else "@to",
        "last": pick_label(max(k - 1, 0)),
    }


def at_least(value: float, sign: float, digits: int = _DIGITS) -> str:
    """A bound rounded so that it stays one: down for sign 1, up for sign -1."""
    if value == 0:
        return "0"
    scale = 10.0 ** (digits - 1 - math.floor(math.log10(abs(value))))
    return number(sign * math.floor(sign * value * scale) / scale)


def coordinate(value: float, extent: float, digits: int = 3) -> str:
    """A coordinate as its axis, of this extent, can tell it.

    It has so many significant digits, or more where the axis begins far from 0; what is only
    rounding relative to the extent is 0.
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
    parts = [coordinate(*pair) for pair in zip(x.tolist(), extents.tolist(), strict=True)]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def place(candidates: Floats, index: int, extents: Floats) -> str:
    """Where a candidate is: its coordinates, or its row where they are too many for a line.

    `extents`, shape (d,), are those of all candidates.
    """
    if candidates.shape[1] > _MOST_COORDINATES:
        return f"candidate {index}"
    return coordinates(candidates[index], extents)


def place_in(problem: Problem, index: int) -> str:
    """Where a candidate of a problem is, in the same words."""
    return place(problem.candidates, index, np.ptp(problem.bounds, axis=1))


def setting_of(trace: Trace, index: int) -> str:
    """What the picks of a batch share with this one, as x1 = 0.3; "" for nothing."""
    X, names = trace.problem.candidates, trace.problem.axes
    return ", ".join(
        f"{name} = {coordinate(float(x[index]), float(np.ptp(x)))}"
        for name, x in zip(names, X.T, strict=False)
        if name in trace.history.plan.shared
    )


def percentage(mask: Booleans) -> str:
    """Share of X, as 38 %; small shares keep a decimal."""
    return percent(np.count_nonzero(mask) / mask.size)


def percent(share: float) -> str:
    """0.38 as 38 %; small shares keep a decimal."""
    share *= 100
    return f"{share:.0f} %" if share >= 10 or share == 0 else f"{share:.2g} %"
