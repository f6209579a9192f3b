"""Failures that a user can act on: each gives what was expected, what was got and a remedy."""


class UCBPEError(ValueError):
    """Base of every error raised on purpose by this package.

    ::

        try:
            GaussianProcess(RBF(), noise_variance=-1.0)
        except UCBPEError as error:
            print(error.expected, error.got, error.remedy)

    Parameters
    ----------
    expected, got, remedy : str
        Three short clauses; the message joins them, and they stay available as attributes.
    """

    def __init__(self, expected: str, got: str, remedy: str) -> None:
        got = got or "nothing"  # where it is a text of somebody's
        super().__init__(f"expected {expected}; got {got}; {remedy}")
        self.expected = expected
        self.got = got
        self.remedy = remedy

    def __reduce__(self) -> tuple[type["UCBPEError"], tuple[str, str, str]]:
        # The default would replay the joined message as one argument and fail across processes.
        return type(self), (self.expected, self.got, self.remedy)


class InputError(UCBPEError):
    """A value, shape or index that the operation cannot take.

    ::

        GaussianProcess(RBF(), noise_variance=-1.0)  # raises it
    """


class IllConditionedError(UCBPEError):
    """A covariance that double precision cannot factor: numerically not positive definite.

    ::

        GaussianProcess(kernel).condition(X, y)  # raises it for a kernel that is no covariance
    """


class IllConditionedWarning(UserWarning):
    """Results are sound but coarser than asked for; the message gives the amount and the reason.

    ::

        GaussianProcess(RBF(), 1e-14).condition(X, y)  # warns that 1e-10 is used
    """


class TooLargeError(UCBPEError):
    """More memory than there is. Nothing was taken of it.

    ::

        Posterior.prior(gp, candidates).observe(range(10**6), y)  # raises it
    """


def grouped(count: int) -> str:
    """A whole number for a message: 40 000.

    ::

        grouped(40_000)
    """
    return f"{count:,}".replace(",", " ")
