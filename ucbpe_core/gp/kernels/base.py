"""What a kernel is, its parameters, and sums, products and restrictions of kernels.

Parameters are the fields of a frozen dataclass, as positive numbers by name and on the log scale.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.support.validation import Keyworded, count, instance, positive, shape_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ucbpe_core.support.validation import Floats


# Step of central differences: in a log parameter, or as a share of the extent of the points. The
# cube root of the rounding error balances it against the error of the difference, which is of
# second order in the step (see `Kernel`).
STEP = 6e-6
# What fields of these names are, unless their metadata says otherwise.
_UNITS = {"lengthscale": "x", "period": "x", "variance": "y^2"}


class _Field(NamedTuple):
    name: str
    unit: str
    fitted: bool
    several: bool  # may have a number for each input


@cache
def _fields_of(kind: Hashable) -> tuple[_Field, ...]:
    found = []
    for field in fields(kind):  # type: ignore[arg-type]
        declared = str(field.type)
        fitted = field.init and "float" in declared and field.metadata.get("fitted", True)
        unit = field.metadata.get("unit", _UNITS.get(field.name, ""))
        found.append(_Field(field.name, unit, fitted, "tuple" in declared))
    return tuple(found)


def has_length_each(kind: type[Any], name: str) -> bool:
    """Whether a field of a kind of kernel is a length, of which each input can have its own."""
    return any(field[:2] == (name, "x") and field.several for field in _fields_of(kind))  # type: ignore[arg-type]


def short_name(name: str) -> str:
    """What a hyperparameter is: "lengthscale" for "left.lengthscale[1]"."""
    return name.rsplit(".", 1)[-1].partition("[")[0]


@dataclass(frozen=True)
class Parametrised(Keyworded):
    """A frozen dataclass whose fields are p positive hyperparameters.

    A field declared as `float` is one; one declared as ``float | tuple[float, ...]`` is one or
    several; a field that is `Parametrised` itself contributes its own. Fields of other types, such
    as whole numbers, are no hyperparameters, and neither is one with the metadata
    ``{"fitted": False}``. The metadata ``unit`` says how a value changes with the units of the
    data: "x", "x^2", "y^2", or "" for a number without a unit. By default it is "x" for a
    `lengthscale` or `period`, "y^2" for a `variance`, and "" for all others.

    A name is the path of fields to the parameter: "left.lengthscale[1]" is the second lengthscale
    of the field `left`. Names are also the keys of the tables in saved files.

    Raises
    ------
    InputError
        For a hyperparameter that is not positive and finite.

    Examples
    --------
    >>> from ucbpe_core import Matern, RBF
    >>> kernel = Matern((0.2, 3.0), nu=2.5) + RBF()
    >>> kernel.parameter_names[:3], kernel.parameter_units[:3]
    (('left.lengthscale[0]', 'left.lengthscale[1]', 'left.variance'), ('x', 'x', 'y^2'))
    >>> kernel.with_parameters([1, 2, 3, 4, 5]).left
    Matern(lengthscale=(1.0, 2.0), variance=3.0, nu=2.5)
    """

    def __post_init__(self) -> None:
        for name, _, fitted, several in self._fields():
            if fitted:
                check = _positive_each if several else positive
                object.__setattr__(self, name, check(getattr(self, name), name))

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the p hyperparameters, in the order of `parameters`."""
        return tuple(name for name, _, _ in self._walk())

    @property
    def parameter_units(self) -> tuple[str, ...]:
        """The unit of each hyperparameter: "x", "x^2", "y^2" or ""."""
        return tuple(unit for _, unit, _ in self._walk())

    @property
    def parameters(self) -> tuple[float, ...]:
        """The p hyperparameters."""
        return tuple(value for _, _, value in self._walk())

    @property
    def log_parameters(self) -> Floats:
        """Natural logarithms of the hyperparameters, shape (p,)."""
        return np.log(np.array(self.parameters, dtype=float))

    def with_parameters(self, values: Iterable[float]) -> Self:
        """A copy with these p hyperparameters."""
        return self._filled(iter(values))

    def with_log_parameters(self, theta: Floats) -> Self:
        """A copy with hyperparameters exp(theta), theta of shape (p,)."""
        return self._filled(iter(np.exp(theta).tolist()))

    def with_each(self, dimension: int) -> Self:
        """A copy that has a length of its own for each of d inputs where a field can have that."""
        changed: dict[str, Any] = {}
        for name, unit, _, several in self._fields():
            value = getattr(self, name)
            if isinstance(value, Parametrised):
                changed[name] = value.with_each(dimension)
            elif several and unit == "x" and isinstance(value, float) and dimension > 1:
                changed[name] = (value,) * dimension
        return replace(self, **changed)

    def log_slopes(self, function: Callable[[Self], float], first: int = 0) -> Floats:
        """d function(self) / d log_parameters[i] for i >= first, by central differences."""
        theta = self.log_parameters
        steps = STEP * np.eye(len(theta))[first:]
        above, below = (
            np.array([function(self.with_log_parameters(theta + sign * by)) for by in steps])
            for sign in (1, -1)
        )
        return (above - below) / (2 * STEP)

    def _fields(self) -> tuple[_Field, ...]:
        return _fields_of(type(self))  # type: ignore[arg-type]  # a class can be hashed

    def _walk(self) -> Iterator[tuple[str, str, float]]:
        """Name, unit and value of each hyperparameter."""
        for name, unit, fitted, _ in self._fields():
            value = getattr(self, name)
            if isinstance(value, Parametrised):
                yield from ((f"{name}.{inner}", *rest) for inner, *rest in value._walk())  # type: ignore[misc]
            elif fitted and isinstance(value, tuple):
                yield from ((f"{name}[{i}]", unit, each) for i, each in enumerate(value))
            elif fitted:
                yield name, unit, value

    def _filled(self, values: Iterator[float]) -> Self:
        changed: dict[str, Any] = {}
        for name, _, fitted, _ in self._fields():
            value = getattr(self, name)
            if isinstance(value, Parametrised):
                changed[name] = value._filled(values)
            elif fitted and isinstance(value, tuple):
                changed[name] = tuple(next(values) for _ in value)
            elif fitted:
                changed[name] = next(values)
        return replace(self, **changed)


def _positive_each(value: Any, name: str) -> float | tuple[float, ...]:
    if shape_of(value, name) == ():
        return positive(value, name)
    several = tuple(positive(each, name) for each in np.ravel(value))
    if not several:
        raise InputError(f"at least one {name}", "none", "pass one per dimension")
    return several


_BLOCK = 64  # points whose variances are computed together
_REMEDY = "combine kernels with + and * only"


@dataclass(frozen=True)
class Kernel(Parametrised, ABC):
    """A positive semi-definite covariance k(x, z): a frozen dataclass with one method, `evaluate`.

    Its fields are its hyperparameters, as `Parametrised` says. All else is derived from the two: a
    variance from the point and itself, gradients from central differences, whose error is about
    1e-10 for a kernel that changes on the scale of its data (Nocedal and Wright, Numerical
    Optimization, 2006, section 8.1). A kernel that has a formula for any of these overrides the
    method.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from ucbpe_core import Kernel, Matern
    >>> @dataclass(frozen=True)
    ... class Wiener(Kernel):
    ...     variance: float = 1.0
    ...     def evaluate(self, X, Z):
    ...         return self.variance * np.minimum(X, Z.T)
    >>> kernel = 2 * Wiener() + Matern(lengthscale=0.3)
    >>> kernel.gram(np.array([[0.5], [1.0]])).round(3)
    array([[2.   , 1.217],
           [1.217, 3.   ]])
    >>> kernel.parameter_names
    ('left.variance', 'right.lengthscale', 'right.variance')
    """

    @abstractmethod
    def evaluate(self, X: Floats, Z: Floats) -> Floats:
        """Covariances k(x_i, z_j): points (n, d) and (m, d) to an (n, m) array.

        Each number should depend on its two points only, in every bit.
        """

    def gram(self, X: Floats) -> Floats:
        """Covariances k(x_i, x_j) of points (n, d) among themselves, shape (n, n)."""
        return self.evaluate(X, X)

    def diagonal(self, X: Floats) -> Floats:
        """Prior variances k(x_i, x_i): points (n, d) to an (n,) array."""
        if self.stationary:
            return self.gram(X[:1]).ravel().repeat(len(X))
        blocks = (X[i : i + _BLOCK] for i in range(0, len(X), _BLOCK))
        return np.concatenate([np.empty(0), *(self.gram(block).diagonal() for block in blocks)])

    @property
    def stationary(self) -> bool:
        """Whether k(x, z) is known to depend on x - z only."""
        return False

    @property
    def rounding_units(self) -> float:
        """Error of a value beyond its last bit, in units of 2^-52 of the prior variance."""
        return 0.0

    def gram_and_contraction(self, X: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
        """`gram(X)`, and a function of weights (n, n) to sum_ij weights_ij d gram_ij / d theta
        (p,).

        The weights are symmetric, theta are the log parameters.
        """

        def contract(weights: Floats) -> Floats:
            return self.log_slopes(lambda k: float(np.vdot(weights, k.gram(X))))

        return self.gram(X), contract

    def weighted_gradient(self, X: Floats, Z: Floats, weights: Floats) -> Floats:
        """Gradient at each z_j of sum over i of weights_ij k(x_i, z_j), shape (m, d).

        Shapes: X (n, d), Z (m, d), weights (n, m). Where x_i = z_j the gradient of a stationary
        kernel is taken as 0, even at a kink: it is the mean of the slopes around it.
        """
        extent, size = np.ptp(np.concatenate([X, Z]), axis=0), np.abs(Z).max(axis=0, initial=0.0)
        steps = STEP * np.where(extent > 0, extent, np.where(size > 0, size, 1.0))
        changes = (self.evaluate(X, Z + by) - self.evaluate(X, Z - by) for by in np.diag(steps))
        slopes = [np.einsum("nm,nm->m", weights, change) for change in changes]
        return np.stack(slopes, axis=1) / (2 * steps)

    def __add__(self, other: Kernel) -> Sum:
        return Sum(self, other)

    def __mul__(self, other: Kernel | float) -> Kernel:
        return Product(self, other) if isinstance(other, Kernel) else self.scaled(other)

    def __rmul__(self, factor: float) -> Kernel:
        return self.scaled(factor)

    def scaled(self, factor: float) -> Kernel:
        """``factor * kernel``: the same kernel with its variance times a positive factor.

        Raises
        ------
        InputError
            For a factor that is not positive, or a kernel without a field ``variance``.
        """
        factor = positive(factor, "the factor of a kernel")
        if not hasattr(self, "variance"):
            got = type(self).__name__
            raise InputError("a kernel with a variance", got, "multiply it by Constant(factor)")
        return replace(self, variance=factor * self.variance)  # type: ignore[call-arg]

    def on(self, dims: int | Sequence[int]) -> Active:
        """The kernel of these inputs only, by their numbers from 0, in this order."""
        return Active(self, dims)  # type: ignore[arg-type]


@dataclass(frozen=True)
class _Pair(Kernel):
    """Two kernels, joined by a function of their values."""

    left: Kernel
    right: Kernel

    _join: ClassVar[np.ufunc]

    def __post_init__(self) -> None:
        for part in (self.left, self.right):
            instance(part, Kernel, _REMEDY)

    def evaluate(self, X: Floats, Z: Floats) -> Floats:
        return self._join(self.left.evaluate(X, Z), self.right.evaluate(X, Z))

    def diagonal(self, X: Floats) -> Floats:
        return self._join(self.left.diagonal(X), self.right.diagonal(X))

    @property
    def stationary(self) -> bool:
        return self.left.stationary and self.right.stationary

    @property
    def rounding_units(self) -> float:
        return self.left.rounding_units + self.right.rounding_units


@dataclass(frozen=True)
class Sum(_Pair):
    """k(x, z) = k1(x, z) + k2(x, z).

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import Matern, RBF
    >>> kernel = RBF() + Matern(lengthscale=0.1)
    >>> kernel.diagonal(np.zeros((1, 2))), kernel.parameter_names
    (array([2.]), ('left.lengthscale', 'left.variance', 'right.lengthscale', 'right.variance'))
    """

    _join = np.add

    def gram_and_contraction(self, X: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
        left, by_left = self.left.gram_and_contraction(X)
        right, by_right = self.right.gram_and_contraction(X)
        return left + right, lambda w: np.concatenate([by_left(w), by_right(w)])

    def weighted_gradient(self, X: Floats, Z: Floats, weights: Floats) -> Floats:
        left = self.left.weighted_gradient(X, Z, weights)
        return left + self.right.weighted_gradient(X, Z, weights)

    def scaled(self, factor: float) -> Sum:
        return Sum(self.left.scaled(factor), self.right.scaled(factor))


@dataclass(frozen=True)
class Product(_Pair):
    """k(x, z) = k1(x, z) k2(x, z).

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import RBF
    >>> from ucbpe_core.gp.kernels import Polynomial
    >>> kernel = RBF() * Polynomial(degree=1)
    >>> kernel.evaluate(np.array([[1.0]]), np.array([[1.0], [2.0]])).round(3)
    array([[2.  , 1.82]])
    """

    _join = np.multiply

    def gram_and_contraction(self, X: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
        left, by_left = self.left.gram_and_contraction(X)
        right, by_right = self.right.gram_and_contraction(X)
        return left * right, lambda w: np.concatenate([by_left(w * right), by_right(w * left)])

    def weighted_gradient(self, X: Floats, Z: Floats, weights: Floats) -> Floats:
        left = self.left.weighted_gradient(X, Z, weights * self.right.evaluate(X, Z))
        return left + self.right.weighted_gradient(X, Z, weights * self.left.evaluate(X, Z))

    def scaled(self, factor: float) -> Product:
        return Product(self.left.scaled(factor), self.right)


@dataclass(frozen=True)
class Active(Kernel):
    """k(x, z) = inner(x[dims], z[dims]): a kernel of some of the inputs, ``inner.on(dims)``.

    Parameters
    ----------
    inner : Kernel
    dims : numbers of the inputs, from 0; lengthscales, one for each of them, are in this order

    Raises
    ------
    InputError
        For a number below 0 or a repeated one, and for points with fewer inputs.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import RBF
    >>> from ucbpe_core.gp.kernels import Polynomial
    >>> kernel = RBF(2.0).on(0) + Polynomial(degree=1).on([1, 2])
    >>> kernel.gram(np.array([[0.0, 1.0, 2.0], [2.0, 0.0, 1.0]])).round(3)
    array([[7.   , 3.607],
           [3.607, 3.   ]])
    >>> kernel.parameter_names[:2]
    ('left.inner.lengthscale', 'left.inner.variance')
    """

    inner: Kernel
    dims: tuple[int, ...]

    def __post_init__(self) -> None:
        instance(self.inner, Kernel, _REMEDY)
        dims = tuple(count(i, "the number of an input", minimum=0) for i in np.ravel(self.dims))
        if not dims or len(set(dims)) < len(dims):
            raise InputError("different numbers of inputs", repr(self.dims), "name each once")
        object.__setattr__(self, "dims", dims)

    def of(self, X: Floats) -> Floats:
        """The columns of X (n, d) that the kernel depends on."""
        if X.shape[1] <= max(self.dims):
            wanted = f"points of at least {max(self.dims) + 1} inputs for {self!r}"
            raise InputError(wanted, str(X.shape[1]), "number the inputs from 0")
        return X[:, self.dims]

    @property
    def stationary(self) -> bool:
        return self.inner.stationary

    @property
    def rounding_units(self) -> float:
        return self.inner.rounding_units

    def evaluate(self, X: Floats, Z: Floats) -> Floats:
        return self.inner.evaluate(self.of(X), self.of(Z))

    def gram_and_contraction(self, X: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
        return self.inner.gram_and_contraction(self.of(X))

    def weighted_gradient(self, X: Floats, Z: Floats, weights: Floats) -> Floats:
        gradient = np.zeros(Z.shape)
        gradient[:, self.dims] = self.inner.weighted_gradient(self.of(X), self.of(Z), weights)
        return gradient

    def with_each(self, dimension: int) -> Active:
        return replace(self, inner=self.inner.with_each(len(self.dims)))

    def scaled(self, factor: float) -> Active:
        return replace(self, inner=self.inner.scaled(factor))
