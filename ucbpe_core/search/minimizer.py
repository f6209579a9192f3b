"""What `minimize` keeps: all values so far, and the search that chooses from them.

The search is told values that are warped, anew before each fit, and does not choose a point again
where f is known.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import OptimizeResult

from ucbpe_core.errors import UCBPEError
from ucbpe_core.gp.fitting import Warp
from ucbpe_core.search.box import BoxBandit
from ucbpe_core.search.box.acquisition import SAME, Exclusion
from ucbpe_core.search.box.place import Box
from ucbpe_core.spaces.design import spread
from ucbpe_core.support.validation import LARGEST, frozen_copy

if TYPE_CHECKING:
    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.gp.process import GaussianProcess
    from ucbpe_core.history.history import History
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.policies.schedules import BetaSchedule
    from ucbpe_core.search.evaluation import Arrived
    from ucbpe_core.spaces.space import Space
    from ucbpe_core.support.validation import Booleans, Floats, Repeats

# Of the search of the cube, see `BoxBandit`.
SAMPLES, STARTS = 1024, 6


class _KnownBox(Box):
    """No point that was evaluated again: f is known there, whatever noise keeps a fit stable."""

    def exclusion(self, posterior: Posterior, history: History) -> Exclusion:
        U = self.space.unit(posterior.conditioned().X)
        return Exclusion(self.space, U, np.full(len(U), SAME), SAME)


class WarpedSearch(BoxBandit):
    """A search that is told values y, and has them warped, anew before each fit, if `warped`."""

    def __init__(self, *args: Any, warped: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        self.warped, self.warp, self.y = warped, Warp(), np.empty(0)

    def told(self, X: Floats, y: Floats) -> None:
        """`tell` values y (n,) at points X (n, d)."""
        self.y = np.append(self.y, y)
        self.tell(None, self.warp(y), points=X)

    def fit_if_due(self) -> bool:
        if self.warped and self.fit_is_due:
            self.warp, history = Warp.of(self.y), self.history
            for place, z in enumerate(self.warp(self.y).tolist()):
                history = history.corrected(place, z)
            self._become(history)
        return super().fit_if_due()


class WithoutRepeats(WarpedSearch):
    """A warped search in which no point is evaluated again."""

    _over = _KnownBox


@dataclass
class Minimizer:
    """A search: what is constant, all values so far, and the bandit, once one is finite."""

    space: Space
    gp: GaussianProcess | None
    policy: Policy
    beta: BetaSchedule
    noise: bool
    warped: bool
    repeats: Repeats
    seed: int
    bandit: WarpedSearch | None = None
    X: Floats = field(init=False)  # (n, d)
    y: Floats = field(default_factory=lambda: np.empty(0))
    t: int = 0  # batches that were evaluated

    def __post_init__(self) -> None:
        self.X = np.empty((0, len(self.space.box)))

    def add(self, arrived: Arrived) -> None:
        """Keep what has arrived, and raise what kept others from having a value."""
        self.keep(arrived)
        if arrived.error is not None:
            raise arrived.error

    def keep(self, arrived: Arrived) -> None:
        """Keep what has arrived."""
        if arrived.values:
            self.X = np.concatenate([self.X, arrived.points])
            self.y = np.concatenate([self.y, arrived.values])

    @property
    def warp(self) -> Warp:
        """The one in force; none until the first fit."""
        return Warp() if self.bandit is None else self.bandit.warp

    @property
    def usable(self) -> Booleans:
        """Which values (n,) can be used: the others are as bad as the worst of these."""
        return np.abs(self.y) <= LARGEST

    def ask(self, n: int, running: int) -> Floats:
        """The next n points, shape (n, d), while others are running."""
        X, y, good = self.X, self.y, self.usable
        if not good.any():  # nothing to fit to
            return spread(self.space, len(X) + running, n, self.seed)
        y = np.where(good, y, y[good].max())
        if self.bandit is None:
            repeated = self.noise or self.repeats == "allow"
            kind = WarpedSearch if repeated else WithoutRepeats
            self.bandit = kind(
                self.space, self.gp or self.space.prior(X, y), self.policy, self.beta,
                direction="minimize", repeats=self.repeats, seed=self.seed, samples=SAMPLES,
                starts=STARTS, warped=self.warped,
            )  # fmt: skip
        told = len(self.bandit.y)
        self.bandit.told(X[told:], y[told:])
        picks = self.bandit.fill(n).points
        self.gp = self.bandit.gp
        return picks

    def result(self, error: Exception | None = None) -> OptimizeResult:
        """All evaluations, and the best of them, so far or at the end: by an error, or after T."""
        X, y, finite = self.X, self.y, np.isfinite(self.y)
        best = int(np.argmin(self._heights()))
        message = f"{self.t} batches were evaluated"
        if not finite.all():
            message += f"; {np.count_nonzero(~finite)} of {len(y)} values were not finite"
        if not (self.usable | ~finite).all():
            message += f"; values above {LARGEST:g} were left out: give them in another unit"
        success, status = bool(finite.any()), 0 if finite.any() else 2
        if error is not None:
            notes = "".join(f"; {note}" for note in getattr(error, "__notes__", ()))
            message = f"ended by {type(error).__name__}: {error}{notes}; {message}"
            success, status = False, 3
        found = OptimizeResult()
        x = self.space.settings(X[best][None])[0] if self.space.named else X[best].copy()
        found.update(x=x, fun=float(y[best]), X=frozen_copy(X), y=frozen_copy(y), space=self.space)
        found.update(success=success, status=status, message=message, error=error)
        found.update(nfev=len(y), nit=self.t, gp=self.gp, warp=self.warp)
        return found

    def _heights(self) -> Floats:
        """What is least at the point that is returned (n,): y, or with noise the posterior mean."""
        heights, good = np.where(np.isfinite(self.y), self.y, np.inf), self.usable
        if not (self.noise and self.gp is not None and good.any()):
            return heights
        Z = self.space.coordinates(self.X)
        try:
            mean = self.gp.condition(Z[good], self.warp(self.y[good])).predict(Z).mean
        except UCBPEError:  # a prior that was fitted before the last values
            return heights
        return np.where(good, mean, np.inf)
