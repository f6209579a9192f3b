"""What the numbers of a study say: better and worse only where an interval excludes 0."""

from __future__ import annotations

from math import isnan, sqrt
from typing import TYPE_CHECKING

from ucbpe_app.pages.comparing import listed
from ucbpe_app.run.sentences import number

if TYPE_CHECKING:
    from ucbpe_app.pages.study.results import Rank, Ranking


def verdict(ranking: Ranking, *, running: bool = False) -> str:
    """Who has the smallest mean regret, and who differs from the reference."""
    least = ranking.rows[0].mean
    first = [one.policy for one in ranking.rows if one.mean == least]
    so_far = "So far " if running else ""
    have = "has" if len(first) == 1 else "have"
    said = [f"{so_far}{listed(first)} {have} the smallest mean regret, {number(least)}."]
    if ranking.replicates == 1:
        said.append("One replicate proves nothing.")
    elif ranking.others:
        said.append(_compared(ranking))
    if running:
        said.append("The order may still change.")
    return " ".join(said)


def outlook(ranking: Ranking, planned: int) -> str:
    """The policy nearest to the reference that is not told apart from it, and what more would do.

    The half width of an interval of a mean shrinks with the square root of the replicates.
    """
    open_ones = [one for one in ranking.others if not one.word and not isnan(one.low)]
    paired = (
        "In one replicate all policies meet the same initial points and noise, so differences are "
        "taken within replicates."
    )
    if not open_ones:
        return paired
    n = ranking.replicates
    nearest = min(open_ones, key=lambda one: abs(one.difference))
    half = (nearest.high - nearest.low) / 2
    said = (
        f"{ranking.reference} and {nearest.policy}: their difference is known to ± {number(half)}, "
        "which has no winner."
    )
    if planned > n:
        said += f" With {planned} replicates it will be about ± {number(half * sqrt(n / planned))}"
        said += ", if the scatter stays."
    return f"{said} {paired}"


def _compared(ranking: Ranking) -> str:
    parts = []
    for word in ("better", "worse"):
        names = [one.policy for one in ranking.others if one.word == word]
        if names:
            parts.append(f"{listed(names)} {'is' if len(names) == 1 else 'are'} {word}")
    if not parts:
        return f"No policy is told apart from {ranking.reference}."
    return f"{', '.join(parts)} than {ranking.reference}."


def difference(row: Rank) -> str:
    """+4.4 worse; a difference whose interval has 0 is not called either, nor one without any."""
    signed = f"{'+' if row.difference > 0 else ''}{number(row.difference)}"
    return signed if isnan(row.low) else f"{signed} {row.word or 'no clear difference'}"
