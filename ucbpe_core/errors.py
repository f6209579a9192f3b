"""Errors that a user can act on: each says what was expected, what was found and a remedy."""

import sys
import warnings

__all__ = [
    "FewerPicksWarning",
    "IllConditionedError",
    "IllConditionedWarning",
    "InputError",
    "KeywordError",
    "KnownValuesWarning",
    "NothingLeftError",
    "PriorWarning",
    "RepeatsWarning",
    "TooLargeError",
    "UCBPEError",
]


class UCBPEError(ValueError):
    """Base of every error raised on purpose by this package.

    Parameters
    ----------
    expected, got, remedy : str
        Three short clauses, joined in the message and kept as attributes.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, RBF, UCBPEError
    >>> try:
    ...     GaussianProcess(RBF(), noise_variance=-1.0)
    ... except UCBPEError as error:
    ...     print(error.expected, error.got, error.remedy, sep=" | ")
    noise_variance of at least 0 | -1 | pass 0 or a positive number
    """

    def __init__(self, expected: str, got: str, remedy: str) -> None:
        got = got or "nothing"  # where it is an empty text of the user's
        super().__init__(f"expected {expected}; got {got}; {remedy}")
        self.expected = expected
        self.got = got
        self.remedy = remedy

    def __reduce__(self) -> tuple[type["UCBPEError"], tuple[str, str, str]]:
        # The default would replay the joined message as one argument and fail across processes.
        return type(self), (self.expected, self.got, self.remedy)


class InputError(UCBPEError):
    """A value, shape or index that the operation does not accept.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, RBF
    >>> GaussianProcess(RBF(), noise_variance=-1.0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ucbpe_core.errors.InputError: expected noise_variance of at least 0; got -1; pass ...
    """


class KeywordError(InputError, TypeError):
    """A keyword that a class or function does not have; a `TypeError` too, as Python's own is.

    Examples
    --------
    >>> from ucbpe_core import RBF
    >>> RBF(lenghtscale=0.2)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ucbpe_core.errors.KeywordError: expected a parameter of RBF; got lenghtscale=; write ...
    """


class NothingLeftError(InputError):
    """No candidate is left to propose: f is known, or a pick was withdrawn, at each of them.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, RBF
    >>> bandit = Bandit(
    ...     range(2), GaussianProcess(RBF(), noise_variance=0.0), GPUCBPE(2), repeats="avoid"
    ... )
    >>> bandit.tell(range(2), [0.1, 0.5])
    >>> bandit.ask()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ucbpe_core.errors.NothingLeftError: expected a candidate left to measure; got ...
    """


class IllConditionedError(UCBPEError):
    """A covariance that double precision cannot factor: numerically not positive definite.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, RBF
    >>> class Wrong(RBF):
    ...     def profile(self, r):
    ...         return 1 - 2 * r  # less than -1: no correlation
    >>> GaussianProcess(Wrong()).condition([0.0, 2.0], [0.2, 0.7])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ucbpe_core.errors.IllConditionedError: expected a positive definite covariance; got ...
    """


class IllConditionedWarning(UserWarning):
    """Results are valid but less accurate than requested; the message says how much and why.

    Examples
    --------
    >>> import warnings
    >>> from ucbpe_core import GaussianProcess, IllConditionedWarning, RBF
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     process = GaussianProcess(RBF(), noise_variance=1e-14).condition([0.0], [1.0])
    >>> issubclass(caught[0].category, IllConditionedWarning)
    True
    """


class FewerPicksWarning(UserWarning):
    """A batch that shares a setting has fewer picks, as no other candidate has that setting.

    Examples
    --------
    >>> import warnings
    >>> from ucbpe_core import Bandit, FewerPicksWarning, GaussianProcess, GPUCBPE, RBF
    >>> gp, rows = GaussianProcess(RBF(), noise_variance=0.0), [[20, 1], [20, 2], [60, 1]]
    >>> bandit = Bandit(rows, gp, GPUCBPE(3), repeats="avoid", shared=("input 1",))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     decision = bandit.ask()
    >>> decision.indices, issubclass(caught[0].category, FewerPicksWarning)
    (array([0, 1]), True)
    """


class RepeatsWarning(UserWarning):
    """Every pick of a batch has been measured before, in a search whose prior is fitted.

    Examples
    --------
    >>> import warnings
    >>> from ucbpe_core import GaussianProcess, Bandit, GPUCBPE, RBF, RepeatsWarning
    >>> bandit = Bandit(range(2), GaussianProcess(RBF()), GPUCBPE(2), fit="each batch")
    >>> bandit.tell([0, 1], [0.1, 0.5])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     decision = bandit.ask()
    >>> bandit.is_repeated(decision), issubclass(caught[0].category, RepeatsWarning)
    (True, True)
    """


class KnownValuesWarning(UserWarning):
    """f is known at every candidate that the policy considers: more results add no information.

    Examples
    --------
    >>> import warnings
    >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, KnownValuesWarning, RBF
    >>> bandit = Bandit(range(3), GaussianProcess(RBF(), noise_variance=0.0), GPUCBPE(2))
    >>> bandit.tell(range(3), [0.1, 0.5, 0.2])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     decision = bandit.ask()
    >>> decision.exhausted, issubclass(caught[0].category, KnownValuesWarning)
    (True, True)
    """


class PriorWarning(UserWarning):
    """A prior that cannot be right for the values told, or a lengthscale for the points.

    `Bandit`, `BoxBandit` and `Experiment` give it when a batch is asked for, once for each prior:
    if the values lie more than 10 standard deviations of the prior from its mean
    (root mean square) or vary 10 times as much as it expects; if the points told are 30
    lengthscales apart (median distance to the nearest); or if the lengthscale is 100 times the
    extent of the candidates.

    Examples
    --------
    >>> import warnings
    >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern, PriorWarning
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=3))
    >>> bandit.tell([0, 10, 20], [60.0, 66.0, 61.0])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     decision = bandit.ask()
    >>> issubclass(caught[0].category, PriorWarning)
    True
    """


class TooLargeError(UCBPEError):
    """More memory is needed than is free; nothing was allocated.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import GaussianProcess, RBF
    >>> GaussianProcess(RBF()).sample(np.linspace(0, 1, 10**6))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ucbpe_core.errors.TooLargeError: expected at least 2.7e+04 GB of free memory for draws at ...
    """


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the line that called this package, however many of its functions are in between."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] == "ucbpe_core":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def grouped(count: int) -> str:
    """A whole number for a message: 40 000.

    Examples
    --------
    >>> from ucbpe_core.errors import grouped
    >>> grouped(40_000)
    '40 000'
    """
    return f"{count:,}".replace(",", " ")
