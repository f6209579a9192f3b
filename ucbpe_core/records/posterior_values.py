"""The posterior of a run at its batches, and the check of the values in a file against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.linalg import std_of
from ucbpe_core.region import relevant_region

if TYPE_CHECKING:
    from ucbpe_core.policies import Decision
    from ucbpe_core.posterior import Posterior
    from ucbpe_core.validation import Floats

# How far a posterior may be from its values in a file, in prior standard deviations (and of the
# range of y, for the mean). Machines differ by rounding, which a nearly singular covariance
# magnifies; the effect of another prior or other data is far larger.
_TOLERANCE = 1e-4


def at_picks(posterior: Posterior, decision: Decision) -> tuple[Floats, Floats]:
    """Mean at batch start and std just before each pick, shape (K,) each, to the last bit.

    `posterior` is the one after the last batch of this prior: the rows that the picks before k
    added as hallucinations are those that their measurements used. Sums are added up row by row, as
    in `Posterior`.
    """
    n, picks = decision.n, np.arange(len(decision.indices))
    V = posterior.state.rows.columns(decision.indices, posterior.n)
    w = np.array(posterior.state.data.residuals)
    start = np.full((1, len(picks)), posterior.gp.mean)
    prior = posterior.gp.kernel.diagonal(posterior.candidates[decision.indices])
    mean = np.add.accumulate(np.concatenate([start, w[:, None] * V]))[n]
    variance = np.subtract.accumulate(np.concatenate([prior[None], V**2]))[n + picks, picks]
    return mean, std_of(variance)


def check_batch(
    posterior: Posterior, decision: Decision, means: Floats, spread: float, path: str
) -> None:
    """Raise for a batch that disagrees with the posterior after the run.

    Compared are the mean and std at each pick, y_dot, and the masks of R and R+, except at
    candidates so close to the boundary that rounding decides.

    Parameters
    ----------
    posterior : after the run
    decision : read from the file
    means : the mean at each pick, read from the file, shape (K,)
    spread : the range of y, the scale on which means may differ
    path : of the batch in the file
    """
    mean, std = at_picks(posterior, decision)
    prior = np.sqrt(posterior.gp.kernel.diagonal(posterior.candidates))
    at = prior[decision.indices]
    for name, got, expected, scale in (
        ("mean", means, mean, at + spread),
        ("std", decision.stds, std, at),
    ):
        for k, near in enumerate(np.abs(got - expected) <= _TOLERANCE * scale):
            if not near:
                _refuse(f"{path}.picks[{k}].{name}", f"{expected[k]:.6g}", f"{got[k]:.6g}")
    _check_region(posterior.at(decision.n), decision, prior.max() + spread, path)


def _check_region(start: Posterior, decision: Decision, scale: float, path: str) -> None:
    wide = 2 * np.sqrt(decision.beta_next)
    near = _TOLERANCE * (1 + wide + decision.sqrt_beta) * scale
    found = relevant_region(start, decision.beta, decision.beta_next)
    if not abs(decision.y_dot - found.y_dot) <= near:
        _refuse(f"{path}.y_dot", f"{found.y_dot:.6g}", f"{decision.y_dot:.6g}")
    for name, multiplier in (("region", decision.sqrt_beta), ("region_plus", wide)):
        differs = getattr(decision, name) != getattr(found, name)
        clear = np.abs(start.mean + multiplier * start.std - found.y_dot) > near
        if (differs & clear).any():
            j = int(np.argmax(differs & clear))
            inside = bool(getattr(found, name)[j])
            _refuse(f"candidate {j} in {path}.{name}", str(inside), str(not inside))


def _refuse(where: str, expected: str, got: str) -> None:
    raise InputError(
        f"{where} to be {expected}, as the prior and the data say",
        got,
        "open an unchanged file, with the release of this package that wrote it",
    )
