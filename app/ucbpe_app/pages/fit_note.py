"""Short texts of the Step page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.run.sentences import number

if TYPE_CHECKING:
    from ucbpe_core.fitting import Fit


def words_of_fit(fit: Fit, n: int) -> str:
    """What a fit to n measurements found."""
    if fit.winner == "unchanged":
        return f"{n} measurements: none of the {len(fit.starts)} searches improved on these values."
    named = {"given": "the present values", "data": "the scales of the data"}
    start = named.get(fit.winner, fit.winner.replace(" ", " start "))
    return (
        f"{n} measurements: log likelihood {number(fit.given)} → "
        f"{number(fit.log_marginal_likelihood)}, found from {start} ({len(fit.starts)} tried)."
    )
