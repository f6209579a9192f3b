"""A run of another tool in words: what a choice traded, how the run went, whether to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.problem.frame import certifies
from ucbpe_app.problem.sentences import counted
from ucbpe_app.run.sentences.texts import number
from ucbpe_core.foreign.ranks import EXPLOITED, EXPLORED, PLACES, REPEATED
from ucbpe_core.foreign.retrace import LEAST

if TYPE_CHECKING:
    from ucbpe_core.foreign import Retrace
    from ucbpe_core.foreign.ranks import Kind, Rule
    from ucbpe_core.foreign.retrace import Choice

NAMES: dict[Rule, str] = {
    "std": "Std",
    "exploration": "GP-UCB-PE: std in R⁺ once x⁰ is taken",
    "improvement": "Expected improvement",
    "recommended": "Recommended",
    "upper": "Upper bound",
    "mean": "Mean",
}
KINDS: dict[Kind, str] = {
    "explored": "explored",
    "exploited": "exploited",
    "repeated": "repeated",
    "neither": "neither",
    "no model": "no model yet",
    "failed": "failed or pruned",
}
RULED: dict[Kind, str] = {
    "explored": f"among the first {EXPLORED} of {PLACES} places by std",
    "exploited": f"among the first {EXPLOITED} of {PLACES} places by mean",
    "repeated": f"where the std was below {REPEATED:.0%} of the prior's",
    "neither": f"not among the first {EXPLORED} of {PLACES} places by std, nor the first "
    f"{EXPLOITED} by mean",
    "no model": f"before {LEAST} different results",
    "failed": "without a result",
}
_RANKED: dict[Kind, tuple[str, tuple[Rule, ...], str]] = {
    "explored": ("It explored.", ("std", "upper"), ": few places were known less"),
    "exploited": ("It exploited.", ("mean", "std"), ": it stayed where the best was expected"),
    "repeated": ("It repeated.", ("std", "mean"), ": the model was sure there"),
    "neither": ("It neither explored nor exploited.", ("std", "mean", "upper"), ""),
    "failed": ("It gave no result.", ("std", "upper"), ""),
}


def ordinal(n: int) -> str:
    """1st, 2nd, 3rd, 11th."""
    last = {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{'th' if n % 100 in (11, 12, 13) else last}"


def rule_name(rule: Rule, direction: str) -> str:
    """What a rule goes by, in the words of the pictures."""
    return "Lower bound" if rule == "upper" and direction == "minimize" else NAMES[rule]


def sentence(retraced: Retrace, i: int) -> str:
    """What a choice traded, and what came of it."""
    run, choice = retraced.run, retraced.choices[i]
    trial, parts = run.trials[i], [traded(choice, run.direction)]
    best = run.best([j for j in retraced.order[: choice.known] if j != i])
    kept = "" if best is None else f"; the best stays {number(run.y[best])}"
    if trial.y is None:
        parts.append({"running": "It runs.", "pruned": "It was pruned."}.get(trial.state, ""))
    elif run.best([i] if best is None else [best, i]) == i:
        parts.append(f"It came out at {number(trial.y)}, the best so far.")
    else:
        parts.append(f"It came out at {number(trial.y)}{kept}.")
    return " ".join(filter(None, parts))


def traded(choice: Choice, direction: str) -> str:
    """Its ranks by the rules that say most, or why there are none."""
    if not choice.ranks:
        known = counted(choice.known, "result") + " known"
        failed = "It gave no result. " if choice.kind == "failed" else ""
        return f"{failed}No model yet: {known}, and {LEAST} different ones are needed."
    head, rules, why = _RANKED[choice.kind]
    ranks = [
        f"{ordinal(choice.ranks[rule])} by {rule_name(rule, direction).lower()}" for rule in rules
    ]
    listed = f"{', '.join(ranks[:-1])} and {ranks[-1]}"
    return f"{head} Of 100 places it is {listed}{why}."


def kept_words(retraced: Retrace, i: int) -> str:
    """What was known before a choice was made."""
    run, choice = retraced.run, retraced.choices[i]
    best = run.best(retraced.order[: choice.known])
    known = counted(choice.known, "result") + " known"
    running = f", {len(choice.pending)} running" if choice.pending else ""
    top = "" if best is None else f"; the best {number(run.y[best])}"
    return f"Before trial {run.trials[i].number}: {known}{running}{top}."


def summary(retraced: Retrace) -> str:
    """When the run last improved, and whether the model fits."""
    run, check, best = retraced.run, retraced.check, retraced.improved
    parts = []
    if best is not None:
        parts.append(f"Best at trial {run.trials[best].number}: {number(run.y[best])}.")
    if check is not None:
        inside, n = int((np.abs(check.loo.residuals) <= 2).sum()), len(check.loo.y)
        fits = "The model fits" if certifies(check.verdict) else "The model does not fit"
        parts.append(f"{fits}: {inside} of {n} results within ± 2 std.")
    return " ".join(parts)


def may_stop(retraced: Retrace) -> str:
    """How much the last band allows beyond the best result."""
    check, gain, best = retraced.check, retraced.gain, retraced.improved
    if check is None or gain is None or best is None:
        return "There is no model to say it."
    if not certifies(check.verdict):
        return "The model does not fit: its band does not say it."
    side = "more" if retraced.run.direction == "maximize" else "less"
    top = number(retraced.run.y[best])
    return f"After the last trial the band allows at most {number(gain)} {side} than {top}."
