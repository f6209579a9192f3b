"""The Gaussian process of this package as an estimator of scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from ucbpe_core.extras import optional
from ucbpe_core.fitting import fit_hyperparameters
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.validation import Floats, names_of, numeric

optional("sklearn", "sklearn")  # says what to install

from sklearn.base import BaseEstimator, RegressorMixin  # noqa: E402
from sklearn.utils.validation import check_is_fitted, validate_data  # noqa: E402

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.kernels import Kernel


class GPRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """f ~ GP(mean, kernel) given y = f(x) + e, for pipelines, grid searches and cross-validation.

    Parameters
    ----------
    kernel : default `Matern(nu=2.5)`; with one lengthscale for each column, on the scale of X, as
        from `GaussianProcess.from_data`
    gp : a complete prior instead of `kernel`; it is still fitted if `optimize`
    optimize : fit the hyperparameters by marginal likelihood (`fit_hyperparameters`)
    starts : local searches of the fit
    random_state : seed of the fit's starts

    Attributes
    ----------
    gp_ : the prior with its hyperparameters
    process_ : the process given the data, a `ConditionedProcess`
    n_features_in_ : d

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import cross_val_score
    >>> from ucbpe_core import Matern
    >>> from ucbpe_core.connect.regressor import GPRegressor
    >>> X = np.linspace(0, 1, 20)[:, None]
    >>> y = np.sin(6 * X[:, 0])
    >>> cross_val_score(GPRegressor(Matern(nu=2.5)), X[::-1], y[::-1], cv=2).shape
    (2,)
    >>> mean, std = GPRegressor(Matern(nu=2.5)).fit(X, y).predict([[0.5]], return_std=True)
    >>> mean.round(2)
    array([0.14])
    """

    def __init__(
        self,
        kernel: Kernel | None = None,
        *,
        gp: GaussianProcess | None = None,
        optimize: bool = True,
        starts: int = 5,
        random_state: int = 0,
    ) -> None:
        self.kernel = kernel
        self.gp = gp
        self.optimize = optimize
        self.starts = starts
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Condition on values y (n,) at X (n, d), fitting the hyperparameters before that.

        With a single value, or values that are all equal, the prior is not fitted. `InputError` for
        a frame with other things than numbers, as for `predict` and `sample_y`.
        """
        _check_frame(X)
        X, y = validate_data(self, X, y, y_numeric=True, dtype=np.float64)
        gp = GaussianProcess.from_data(X, y, self.kernel) if self.gp is None else self.gp
        if self.optimize and np.ptp(y) > 0:
            gp = fit_hyperparameters(gp, X, y, self.random_state, starts=self.starts).gp
        self.gp_, self.process_ = gp, gp.condition(X, y)
        return self

    def predict(
        self, X: ArrayLike, return_std: bool = False, noisy: bool = False
    ) -> Floats | tuple[Floats, Floats]:
        """Posterior mean (m,) at X (m, d); with `return_std` also the std of f, or of a new y."""
        check_is_fitted(self)
        _check_frame(X)
        found = self.process_.predict(
            validate_data(self, X, reset=False, dtype=np.float64), noisy=noisy
        )
        return (found.mean, found.std) if return_std else found.mean

    def sample_y(self, X: ArrayLike, n_samples: int = 1, random_state: int = 0) -> Floats:
        """Joint draws of f at X (m, d), shape (m, n_samples)."""
        check_is_fitted(self)
        _check_frame(X)
        Z = validate_data(self, X, reset=False, dtype=np.float64)
        return self.process_.sample(Z, random_state, size=n_samples).T


def _check_frame(X: ArrayLike) -> None:
    """Refuse text and dates by the names of their columns, which scikit-learn does not say."""
    if names_of(X) is not None:
        numeric(X, "X")
