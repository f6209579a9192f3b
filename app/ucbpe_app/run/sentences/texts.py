"""The texts about an event, by name; a live lesson's file uses the same texts.

``{places}`` are filled with text: numbers as `numbers.number` writes them.
"""

from __future__ import annotations

from types import MappingProxyType

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
