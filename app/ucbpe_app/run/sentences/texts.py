"""The texts about an event, by name, and how numbers, points and picks are written in them.

`say` fills their ``{places}``, numbers as `number` writes them. The browser's engine has the same
texts and fills them by the same rule (`live/sentences.js`). A run that looks for the minimum of f
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
    from ucbpe_core import Policy, Trace
    from ucbpe_core.validation import Booleans, Direction, Floats

TEXTS = MappingProxyType(
    {
        "status": "Batch {t} of {T}, {what}",
        "and": "and",
        "to": "…",
        "points": "{n} points",
        "points.one": "{n} point",
        "item.fit": "posterior",
        "item.region": "R⁺",
        "item.observe": "observe",
        # The posterior.
        "heading.fit": "The posterior",
        "fit.status": "posterior after {n} observations",
        "fit.status.one": "posterior after {n} observation",
        "prior": "No measurement yet: this is the prior.",
        "posterior": "The posterior after {n} measurements.",
        "posterior.one": "The posterior after {n} measurement.",
        "fit": "{evidence} The band is the mean ± {multiplier} standard deviations, "
               "where √β = {multiplier} (β = {beta}).",
        # Picks: each role has its reason.
        "heading.pick": "Why {pick} is here",
        "pick.status": "{role}{rank}: x = {x}, std {std}{inside}",
        "rank": " {number} of {count}",
        "inside": " in R+ ({share} of X)",
        "pick": "{reason}{repeat}{known}",
        "repeat": " It was picked before{learns}.",
        "repeat_learns": ": with noise, measuring again can give the most information",
        "known": " f is known there already, so its result tells nothing new.",
        "several": "{first} {between} {last}",
        "bound": "{mean} {plus} {multiplier} × {std} = {value}",
        "ucb": "{pick} has the {highest} {best} bound{ucb_given}: {bound}. "
               "Nowhere does the band reach {higher}.",
        "ucb_given": " with the earlier picks counted as measured",
        "least_known": "{pick} is where f is least known {where}{given}: σ = {std}.",
        "given": ", given that {earlier} will be measured",
        "inside_plus": "inside R⁺",
        "on_x": "on X",
        "pe": "{least_known}{blind}",
        "blind": " No result was needed: σ depends on where you measure, not on the values.",
        "init": "{least_known} This is initialisation: at the largest σ, {more_results} could give "
                "up to {nats} nats of information about f, more than C allows.",
        "more_results": "{n} more results",
        "more_results.one": "{n} more result",
        "ei": "{pick} has the highest expected improvement: f there {exceeds} μ⁺, {incumbent}, by "
              "{score} on average over the posterior, where falling short counts as 0 (σ = {std}).",
        "best_measured": "the best mean at a measured point",
        "prior_mean": "the prior mean",
        "ts": "{pick} is the {highest} point of draw {position} of {K} from the posterior, which "
              "reaches {value}. Each candidate is picked with the posterior probability of being "
              "the {extreme}.",
        "lp": "{pick} keeps the highest value, {score}, when each {best} bound, {positive}, is "
              "multiplied by the estimated chance that the {extreme} can lie this close to "
              "{earlier}; the nearest is {nearest} away.",
        "match": "{pick} represents simulated runs of GP-UCB, one measurement at a time: with "
                 "probability {chance} the best point of such a run is nearest to this pick.",
        "fill": "The simulated runs visit only {points}, all picked already, so {pick} has the "
                "{highest} {best} bound given the earlier picks: {bound}.",
        "random": "{pick} was drawn at random from all {size} candidates, regardless of what is "
                  "known about f (σ = {std}).",
        "other": "{pick} was chosen by the rule: {rule} ({worth}σ = {std}).",
        "penalised": "{pick} has the largest σ{given}{penalty}: {score}.",
        "penalty": ", less {slope} times what {reach} lacks to the threshold {level}, {level_is}. "
                   "Nothing is lacking on {explored_share} of X. Its σ is {std}, and what is left",
        "phase pe": "{pick} is where f is least known, given the points of this phase alone: "
                    "their σ is {score}. It is one of the {explored_share} of X that no phase "
                    "before ruled out. Given all points, σ = {std}.",
        "joint": "{pick} is one of the picks in R⁺ whose results together tell most about f: given "
                 "all other picks, σ = {score} there, given those before, {std}.",
        "dpp": "{pick} was drawn with the other picks, as a set in R⁺ whose chance grows with what "
               "its results together would tell about f (σ = {std}).",
        "pims": "{pick} has the highest probability, {score}, that f there {exceeds} the "
                "{extreme} of a draw from the posterior (σ = {std}).",
        "believer": "{pick} has the highest expected improvement{believed}: {score} over μ⁺, "
                    "{incumbent} (σ = {std}).",
        "believed": ", with the earlier picks taken to be at their means",
        "liar": "{pick} has the highest expected improvement{lied}: {score} over μ⁺, the best mean "
                "at a measured or invented point (σ = {std}).",
        "lied": ", with the same value invented for the earlier picks",
        "qucb": "{pick} adds most to what the batch can reach{given}: the {best} bound of the best "
                "of the batch is {score} on average over the samples (σ = {std}).",
        "qei": "{pick} adds most to the improvement that the best of the batch is expected to bring"
               "{given}: {score} over μ⁺, {incumbent}, on average over the samples (σ = {std}).",
        "level_is": "the mean at the measured or picked point with the {highest} {best} bound",
        "no_penalty": ", with no penalty as no point is measured or picked yet",
        "worth": "value{negated} {score}, ",
        "negated": " for −f",
        # The relevant region.
        "heading.region": "Where the {extreme} can be",
        "region.status": "relevant region: y_dot {y_dot}, R {inner}, R+ {share} of X",
        "region": "If f stays inside the band, {claim} y• = {y_dot}, the {y_dot_bound}. "
                  "{kept}{exhausted}",
        "region.part": "R⁺ keeps the {share} of X whose widened {best} bound reaches y•: "
                       "the rest of the batch is chosen there.",
        "region.all": "The widened {best} bound reaches y• everywhere: R⁺ is all of X.",
        "exhausted": " f is known everywhere in R⁺, so no result there tells anything new.",
        # A region of the policy's own.
        "item.explored": "region",
        "heading.explored": "Where exploring has no penalty",
        "explored.status": "explored region: threshold {level}, {explored_share} of X",
        "explored": "The threshold is {level}, {level_is}. {reach} reaches it on "
                    "{explored_share} of X: elsewhere σ is lowered by {slope} times what is "
                    "lacking.",
        "heading.unexplored": "No region in this batch",
        "unexplored.status": "no pick of this batch explores a region",
        "unexplored": "No other pick of this batch explores a region: the rule draws at random "
                      "which picks do.",
        # How much can still be gained.
        "stop": "May I stop? Inside the band, f {exceeds} its value at x = {x} by at most {bound}.",
        # The results.
        "heading.observe": "What the results say",
        "results": "{n} results",
        "results.one": "{n} result",
        "observe.status": "observe {results}: regret {simple}, best so far {running}",
        "news": "The {n} results are in",
        "news.one": "The result is in",
        "observe": "{news} and the mean moves for the first time in this batch. Its best point is "
                   "{simple} {short_of} the {extreme} of f; the best pick so far, {running}.",
        "observe.held": "The held data of this batch: {results}, measured at the picks of the run "
                        "that they come from. The best pick so far is {running} {short_of} the "
                        "{extreme} of f.",
        "moved": "{n} values were moved by hand: the mean and the picks follow. The std before the "
                 "picks stands still: it depends only on where f was measured.",
        "moved.one": "A value was moved by hand: the mean and the picks follow. The std before the "
                     "picks stands still: it depends only on where f was measured.",
        "left_out": "{n} measurements are left out, as if they had not been made.",
        "left_out.one": "A measurement is left out, as if it had not been made.",
        # What was run.
        "run.batches": "T = {T} of K = {K}",
        "run.noise": "{noise} in the prior, {truth} in truth",
        "kernel.nu": "{label}, ν = {nu}",
        "schedule.finite": "finite X, δ = {delta}{times}",
        "schedule.compact": "compact cube, δ = {delta}{times}",
        "schedule.constant": "{beta}, whatever t{times}",
        "times": ", times {scale}",
        # Why the browser's engine computes no run.
        "error.noise": "GP-BUCB needs a noise variance above 0, as information is infinite without",
        "error.covariance": "the kernel is no covariance: raise the noise variance",
        # The first difference between a run and the same run of another program.
        "verify.start": "initial measurement {number} is {own}, not {known}",
        "verify.beta": "β of batch {t} is {own}, not {known}",
        "verify.pick": "{pick} of batch {t} is candidate {own}, not {known}",
        "verify.result": "the result of {pick} of batch {t} differs",
        # Labels in pictures.
        "label.mean": "mean",
        "label.band": "band: ± {multiplier} std",
        "label.truth": "true f",
        "label.noisy": "thin: of a measurement",
        "label.updated": "dashed: {picks} taken",
        "label.draws": "thin: five draws of f",
        "label.prior": "grey: draws of the prior",
        "label.paths": "orange: draws of f",
        "label.told": "told by f({x})",
        "label.told.prior": "dashed: by the prior",
        "label.one_draw": "one draw of the posterior",
        "label.one_draw.prior": "one draw of the prior",
        "label.one_draw.path": "draw of {pick}: its {highest} point is the pick",
        "label.told.outline": "dash-dot: |correlation| > ½; dots: in the prior",
        "label.covariance": "covariance of f(x) and f(x′)",
        "label.covariance.after": "covariance of f(x) and f(x′), {picks} taken",
        "label.slices": "Along each input through the best mean, {mean}",
        "label.slices.pointed": "Along each input through candidate {candidate}",
        "label.y_dot": "y•: max above {y_dot}",
        "label.y_dot.minimize": "y•: min below {y_dot}",
        "label.bracket": "at most {bound} to gain",
        "label.region": "{share} of X",
        "label.region_plus": "{share} of X",
        "label.region.unknown": "",
        "label.region_plus.unknown": "",
        "label.std": "std",
        "label.before": "dotted: before {pick}",
        "label.outside": "faint: outside R⁺",
        "label.upper_bound": "upper bound",
        "label.lower_bound": "lower bound",
        "label.upper_bound.made": "upper bound: mean + {multiplier} std",
        "label.lower_bound.made": "lower bound: mean − {multiplier} std",
        "label.std_after": "std after {earlier}",
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
        "label.explored_edge": "threshold: edge of the region",
        "label.dots_explored": "in the region",
        "label.dots_unexplored": "outside the region",
        "label.dots_inside": "in R⁺",
        "label.dots_outside": "outside R⁺",
        "label.rightmost": "{pick}: rightmost dot in R⁺",
        "label.optimum": "true maximum",
        "label.optimum.minimize": "true minimum",
        "label.now": "now",
        "label.start": "start",
        "label.first_batch": "best of batch 1: {regret}",
        "label.each_batch": "best of each batch",
        "label.so_far": "best so far {regret}",
        "label.sum_best": "best of each batch {regret}",
        "label.sum_every": "every pick {regret}",
        "label.stop": "at most {bound} to gain",
        "label.stop_true": "in truth {regret}",
        "label.stop.said": "Stopping in batch {t}: at most {bound} to gain, in truth {regret}.",
        "label.printed": "as printed {bound}",
        "label.proved": "as proved {bound}",
        "label.simple.said": "Last batch {each}, best so far {best}.",
        "label.sums.said": "Best of each batch {best}, every pick {every}.",
        # The algorithm.
        "line.fit": "μ, σ ← posterior after n observations",
        "line.fit_value": "n = {n}, √β = {multiplier}",
        "line.y_dot": "{y_dot_rule}",
        "line.y_dot_value": "y• = {y_dot}",
        "line.region": "{region_rule}",
        "line.region_value": "{share} of X",
        "line.threshold": "threshold ← μ where the {best} bound is {highest}, measured or picked",
        "line.threshold_value": "{level}",
        "line.explored": "region ← {x : {reach} {reaches} threshold}",
        "line.explored_value": "{explored_share} of X",
        "line.pick": "{loop} ← {rule}",
        "line.first": "{pick}",
        "line.single": "{pick}",
        "line.loop": "for k = {from} … {last}: xᵏ",
        "line.pick_value": "{pick} = {x}",
        "line.measure": "measure, and t ← t + 1",
        "line.measure_value": "rₜ = {simple}",
    }
)  # fmt: skip
# Those of lessons whose words are plain, where they are others.
PLAIN: dict[str, str] = tomllib.loads(
    Path(__file__).with_name("plain.toml").read_text(encoding="utf-8")
)
_IN_WORDS = {False: TEXTS, True: TEXTS | PLAIN}
_PLACE = re.compile(r"\{([\w.]+)\}")


def say(name: str, **facts: object) -> str:
    """The text of that name, its places filled with facts, in plain words if `plain` is one.

    A place without a fact, and a fact such as ``"@prior"``, is the text of that name, filled by the
    same facts. Where these are of one thing, n = 1, a text may have a variant.
    """
    texts, one = _IN_WORDS[bool(facts.get("plain"))], f"{name}.one"
    text = texts[one if facts.get("n") == 1 and one in texts else name]

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
_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def pick_label(number: int) -> str:
    """x⁰, x¹, .. as on screen."""
    return f"x{str(number).translate(_SUPERSCRIPTS)}"


def counted(count: int) -> str:
    """A small count as a word, as in "three measurements"."""
    return _COUNTS[count] if count < len(_COUNTS) else str(count)


def number(value: float) -> str:
    """Three significant digits, or all those of a large integer part; a true minus sign."""
    large = 1000 <= abs(value) < 1e6
    return f"{value:{'.0f' if large else '.3g'}}".replace("-", "−")


def earlier_picks(k: int) -> dict[str, str]:
    """The fact `earlier`, with those in it: the picks before pick k."""
    return {
        "earlier": pick_label(0) if k == 1 else "@several",
        "first": pick_label(0),
        "between": "@and" if k == 2 else "@to",
        "last": pick_label(max(k - 1, 0)),
    }


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


def place(candidates: Floats, index: int, extents: Floats | None = None) -> str:
    """Where a candidate is: its coordinates, or its row where they are too many for a line.

    `extents`, shape (d,), of all candidates are computed unless given.
    """
    if candidates.shape[1] > _MOST_COORDINATES:
        return f"candidate {index}"
    extents = np.ptp(candidates, axis=0) if extents is None else extents
    return coordinates(candidates[index], extents)


def percentage(mask: Booleans) -> str:
    """Share of X, as 38 %; small shares keep a decimal."""
    return percent(np.count_nonzero(mask) / mask.size)


def percent(share: float) -> str:
    """0.38 as 38 %; small shares keep a decimal."""
    share *= 100
    return f"{share:.0f} %" if share >= 10 or share == 0 else f"{share:.2g} %"
