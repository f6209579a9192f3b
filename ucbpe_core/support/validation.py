"""Checks shared by every public entry: each returns a clean value or raises `InputError`."""

from __future__ import annotations

import inspect
import json
import operator
import reprlib
from collections.abc import Callable, Iterable, Sequence, Sized
from functools import lru_cache, wraps
from typing import Any, Literal, ParamSpec, Self, SupportsFloat, SupportsIndex, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ucbpe_core.errors import InputError, KeywordError, TooLargeError, grouped
from ucbpe_core.support.limits import require

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
Booleans = NDArray[np.bool_]
# Of measurements: None stands for the noise variance of the process.
Noise = ArrayLike | Sequence[float | None] | None
Direction = Literal["maximize", "minimize"]
Repeats = Literal["allow", "avoid"]
Fitting = Literal["each batch", "never"]
SharedBy = Literal["first", "sum"]

# What NumPy makes a float of, although it is no real number.
_CONVERTED = (str, bytes, complex, np.complexfloating, np.datetime64, np.timedelta64)
_Scalar = TypeVar("_Scalar", bound=np.generic)
_Known = TypeVar("_Known", bound=str | bool)
_P = ParamSpec("_P")
_R = TypeVar("_R")
_MOST_BITS = 1000
_COPIES = 16  # bytes for a number of a list: NumPy's array of it, and ours


def read_only(array: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """A read-only view of `array`."""
    view = array.view()
    view.flags.writeable = False
    return view


def frozen_copy(array: ArrayLike, dtype: Any = np.float64) -> NDArray[Any]:
    """A read-only copy, independent of the caller's array."""
    return read_only(np.array(array, dtype=dtype))


def instance(value: object, kind: type, remedy: str) -> Any:
    """`value` if it is of that class; a class itself is refused by its name."""
    if isinstance(value, kind):
        return value
    if callable(value) and not isinstance(value, type):
        name = getattr(value, "__name__", type(value).__name__)
        raise InputError(f"a {kind.__name__}", f"the function {name}", remedy)
    if not isinstance(value, type):
        raise InputError(f"a {kind.__name__}", type(value).__name__, remedy)
    remedy = f"call it: {value.__name__}(..)" if issubclass(value, kind) else remedy
    raise InputError(f"a {kind.__name__}", f"the class {value.__name__}", remedy)


@lru_cache(maxsize=256)
def _keywords(function: Callable[..., Any]) -> tuple[str, ...]:
    parameters = inspect.signature(function).parameters.values()
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return ()
    return tuple(one.name for one in parameters if one.kind is not one.VAR_POSITIONAL)


def _check_keywords(function: Callable[..., Any], given: Iterable[str]) -> None:
    known = _keywords(function)
    unknown = [name for name in given if name not in known] if known else []
    if unknown:
        from difflib import get_close_matches  # for a mistake alone

        near = get_close_matches(unknown[0], known, 1)
        remedy = f"write {near[0]}=" if near else f"it has {', '.join(known)}"
        raise KeywordError(f"a parameter of {function.__name__}", f"{unknown[0]}=", remedy)


class Keyworded:
    """Whose classes refuse a keyword that they do not have, and say which they have."""

    def __new__(cls, *_args: Any, **keywords: Any) -> Self:
        if keywords:
            _check_keywords(cls, keywords)
        return super().__new__(cls)


def keyworded(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function that refuses a keyword that it does not have, and says which it has."""

    @wraps(function)
    def call(*args: _P.args, **keywords: _P.kwargs) -> _R:
        if keywords:
            _check_keywords(function, keywords)
        return function(*args, **keywords)

    return call


def set_checked(record: object, **checks: Callable[[Any, str], Any]) -> None:
    """Check fields of a frozen record, as in `set_checked(self, C=real)`, and keep the results."""
    for name, check in checks.items():
        object.__setattr__(record, name, check(getattr(record, name), name))


def real(value: SupportsFloat, name: str) -> float:
    """`value` as a finite float."""
    try:
        if isinstance(value, str | bytes) or _is_masked(value):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        got = reprlib.repr(value)
        raise InputError(f"{name} to be a number", got, "pass a real number") from None
    if not np.isfinite(number):
        raise InputError(f"{name} to be finite", str(number), "pass a finite number")
    return number


def positive(value: SupportsFloat, name: str) -> float:
    """`value` as a finite float above 0."""
    number = real(value, name)
    if number <= 0:
        raise InputError(f"{name} above 0", f"{number:g}", "pass a positive number")
    return number


def non_negative(value: SupportsFloat, name: str) -> float:
    """`value` as a finite float of at least 0."""
    number = real(value, name)
    if number < 0:
        raise InputError(f"{name} of at least 0", f"{number:g}", "pass 0 or a positive number")
    return number


def fraction(value: SupportsFloat, name: str) -> float:
    """`value` as a float strictly between 0 and 1."""
    number = real(value, name)
    if not 0 < number < 1:
        raise InputError(f"{name} strictly between 0 and 1", f"{number:g}", "pass e.g. 0.1")
    return number


# Of points in one run, or one batch: their factor alone would take 80 GB.
MOST_POINTS = 100_000
LARGEST = 1e150  # difference of values: its square, and the inverse of that, are floats


def count(value: SupportsIndex, name: str, minimum: int = 1, maximum: int | None = None) -> int:
    """`value` as an int of at least `minimum`, and at most `maximum`."""
    try:
        number = operator.index(value)
    except TypeError:
        got = reprlib.repr(value)
        raise InputError(f"{name} to be a whole number", got, "pass an int") from None
    if number < minimum:
        raise InputError(f"{name} of at least {minimum}", str(number), "pass a larger number")
    if maximum is not None and number > maximum:
        bits = number.bit_length()  # Python refuses to write numbers of thousands of digits
        got = reprlib.repr(number) if bits < _MOST_BITS else f"one of {bits} bits"
        raise InputError(f"{name} of at most {grouped(maximum)}", got, "pass a smaller number")
    return number


def points(array: ArrayLike, name: str, dimension: int | None = None) -> Floats:
    """`array` as finite points, shape (n, d); a 1-D array is read as n points of one dimension.

    Arrays of any real dtype, lists, and frames of pandas with numbers in every column.
    """
    X = numeric(array, name)
    if X.ndim == 1 and dimension in (None, 1):
        X = X[:, None]
    if X.ndim != 2 or X.shape[1] == 0:
        wanted = "d" if dimension is None else str(dimension)
        raise InputError(f"{name} of shape (n, {wanted})", f"shape {X.shape}", "one row per point")
    if dimension is not None and X.shape[1] != dimension:
        raise InputError(
            f"{name} with {dimension} columns", f"{X.shape[1]}", "use the dimension of the domain"
        )
    return finite(X, name)


def pairs(bounds: Any) -> Any:
    """Bounds as pairs of low and high, also those of a `scipy.optimize.Bounds`."""
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        return np.stack(np.broadcast_arrays(bounds.lb, bounds.ub), axis=-1)
    return bounds


def bounds(array: ArrayLike, name: str) -> Floats:
    """`array` as low and high of each coordinate, shape (d, 2); one pair is read as d = 1."""
    box = np.atleast_2d(numeric(array, name))
    if box.ndim != 2 or box.shape[1] != 2 or not np.all(finite(box, name) @ [-1, 1] > 0):
        raise InputError(f"{name} of shape (d, 2) with low < high", repr(array), "e.g. [(0, 1)]")
    return box


def values(array: ArrayLike, name: str, size: int) -> Floats:
    """`array` as finite values, shape (size,); a single number counts as size 1."""
    return finite(_flat(array, name, size), name)


def all_equal(y: Floats) -> bool:
    """Whether values (n,) are equal but for rounding: what they vary by is then no scale."""
    largest = np.abs(y).max(initial=0.0)
    return bool(largest == 0 or np.ptp(y / largest) <= 1e-12)


def varied(y: Floats) -> Floats:
    """`y` (n,) if what its values vary by is a scale, whose square is a number.

    Raises
    ------
    InputError
        For values that are all equal (`all_equal`), or differ by too little or too much.
    """
    if all_equal(y):
        got = f"{len(y)} equal to {y[0]:g}" if len(y) else "none"
        remedy = "observe more points; GaussianProcess.from_data takes equal values"
        raise InputError("at least two different values in y", got, remedy)
    extent = float(y.max() / 2 - y.min() / 2) * 2
    if not 1 / LARGEST <= extent <= LARGEST:
        wanted = f"y that differ by {1 / LARGEST:g} to {LARGEST:g}"
        raise InputError(wanted, f"{extent:.3g}", "give y in another unit")
    return y


def measurements(array: ArrayLike, size: int) -> Floats:
    """`array` as measured values y (size,); for NaN or an infinity the error names `fail`."""
    y = _flat(array, "y", size)
    if not np.isfinite(y).all():
        k = int(np.argmin(np.isfinite(y)))
        remedy = "leave it out, and say fail(index, reason) for a pick that gave no value"
        raise InputError("y to be finite", f"{y[k]} at position {k}", remedy)
    return y


def _flat(array: ArrayLike, name: str, size: int) -> Floats:
    """`array` as numbers, shape (size,)."""
    y = np.atleast_1d(numeric(array, name))
    if y.shape != (size,):
        column = y.ndim == 2 and 1 in y.shape and y.size == size
        remedy = "pass it flat, with .ravel()" if column else "one value per point"
        raise InputError(f"{name} of shape ({size},)", f"shape {y.shape}", remedy)
    return y


def choice(value: Any, name: str, *known: _Known) -> _Known:
    """`value` if it is one of these texts, or of these truth values."""
    if not isinstance(value, type(known[0])) or value not in known:
        wanted = f"{name} {' or '.join(map(json.dumps, known))}"
        raise InputError(wanted, reprlib.repr(value), "pass one of them")
    return value


def texts(given: Any, name: str) -> tuple[str, ...]:
    """`given` as texts, which alone a file can have as names and labels."""
    found = tuple(given) if isinstance(given, Iterable) else (given,)
    for one in found:
        if not isinstance(one, str):
            raise InputError(f"{name} to be text", reprlib.repr(one), "pass str(..) of it")
    return tuple(map(str, found))


def require_callable(value: object, name: str, remedy: str) -> None:
    """Refuse what cannot be called."""
    if not callable(value):
        raise InputError(f"{name} to be a function", f"{value!r:.60}", remedy)


def direction_of(value: object) -> Direction:
    """`value` if it says whether f is maximised."""
    return choice(value, "direction", "maximize", "minimize")


def sign_of(direction: Direction) -> float:
    """1 to maximise f, -1 to minimise it, which is to maximise -f."""
    return 1.0 if direction == "maximize" else -1.0


def repeats_of(value: object) -> Repeats:
    """`value` if it says whether points whose value is known may be picked."""
    return choice(value, "repeats", "allow", "avoid")


def fitting_of(value: object) -> Fitting:
    """`value` if it says when the prior is fitted."""
    return choice(value, "fit", "each batch", "never")


def shared_of(given: Any) -> tuple[str, ...]:
    """`given` if it names inputs, each once."""
    names = (given,) if isinstance(given, str) else given
    if isinstance(given, str) or not isinstance(names, list | tuple):
        remedy = f"pass ({given!r:.60},)" if isinstance(given, str) else 'pass ("heat",)'
        raise InputError("a tuple of names in shared", f"{given!r:.60}", remedy)
    names = texts(names, "shared")
    if len(set(names)) < len(names):
        raise InputError("names in shared that differ", f"{list(names)}", "name each once")
    return names


def shared_by_of(value: object) -> SharedBy:
    """`value` if it says how the setting is chosen that a batch shares."""
    return choice(value, "shared_by", "first", "sum")


def noise_variances(given: Noise, size: int) -> tuple[float | None, ...]:
    """The noise variance of each of `size` measurements; None where that of the process holds.

    `given` is None for all of them, one number for all of them, or a sequence of numbers and None.
    """
    name, remedy = "noise_variance", "pass one number, or one per measurement"
    if given is None:
        return (None,) * size
    unmasked(given, name)
    try:
        raw = np.asarray(given, dtype=object)
    except ValueError:
        raise InputError(f"{name} of shape ({size},)", "a ragged list", remedy) from None
    if raw.ndim == 0:
        return (non_negative(raw.item(), name),) * size
    if raw.shape != (size,):
        raise InputError(f"{name} of shape ({size},)", f"shape {raw.shape}", remedy)
    return tuple(None if noise is None else non_negative(noise, name) for noise in raw)


def indices(array: ArrayLike, size: int, name: str = "indices") -> Integers:
    """`array` as candidate indices in 0..size-1, shape (n,); negative ones raise."""
    unmasked(array, name)
    try:
        raw = np.atleast_1d(np.asarray(array))
    except ValueError:
        wanted = f"{name} to be a 1-D list of integers"
        raise InputError(wanted, "a ragged list", "pass ints") from None
    if raw.size == 0:
        return np.empty(0, dtype=np.intp)
    if raw.ndim != 1 or raw.dtype.kind not in "iu":
        raise InputError(
            f"{name} to be a 1-D list of integers", f"{raw.dtype} of shape {raw.shape}", "pass ints"
        )
    bad = raw[(raw < 0) | (raw >= size)]
    if bad.size:
        raise InputError(
            f"{name} between 0 and {size - 1}", str(bad[0]), "pass a row number of the candidates"
        )
    return raw.astype(np.intp)


def finite(array: Floats, name: str) -> Floats:
    """`array` itself if it holds neither NaN nor infinities."""
    bad = ~np.isfinite(array)
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        position = where[0] if len(where) == 1 else where
        raise InputError(
            f"{name} to be finite",
            f"{array[where]} at position {position}",
            "remove or correct that entry",
        )
    return array


def numeric(array: ArrayLike, name: str) -> Floats:
    """A copy of `array` as floats, of any shape; text and masked entries raise."""
    unmasked(array, name)
    if isinstance(array, Sized) and not hasattr(array, "nbytes"):
        require(_COPIES * len(array), name, "pass fewer rows")
    try:
        floats = _floats(array)
    except MemoryError:
        raise TooLargeError(f"{name} that fit in memory", _kind(array), "pass fewer rows") from None
    if floats is None:
        remedy = "pass an array or a frame of numbers"
        if hasattr(array, "columns"):
            remedy += ", or Table.from_frame(frame), which takes text as categories"
        raise InputError(f"{name} to be numeric", _kind(array), remedy)
    return floats


def shape_of(array: ArrayLike, name: str) -> tuple[int, ...]:
    """The shape of `array`; `InputError` for rows of different lengths."""
    try:
        return np.shape(array)
    except ValueError:
        raise InputError(
            f"{name} of one shape", "a ragged list", "pass rows of equal length"
        ) from None


def names_of(array: object) -> tuple[str, ...] | None:
    """The names of a frame's columns; None for an array or a list, which has none."""
    columns = getattr(array, "columns", None)
    return None if columns is None else tuple(map(str, columns))


def _kind(array: Any) -> str:
    """The type passed, with the non-numeric columns of a frame, or the type of the entries."""
    kind, entries = type(array).__name__, getattr(array, "dtype", None)
    columns = [
        repr(name) for name in getattr(array, "columns", ()) if _floats(array[[name]]) is None
    ]
    if columns:
        return f"a {kind} with entries that are not numbers in {', '.join(columns)}"
    return kind if entries is None else f"{kind} of {entries}"


def unmasked(array: object, name: str) -> None:
    """Refuse a masked array with hidden entries, as their values would be used."""
    if _is_masked(array):
        remedy = "drop those entries first, and what belongs to them"
        raise InputError(f"{name} without masked entries", "a masked array", remedy)


def _is_masked(array: object) -> bool:
    if isinstance(array, list | tuple):
        return any(map(_is_masked, array))
    return isinstance(array, np.ma.MaskedArray) and bool(np.ma.is_masked(array))


def _floats(array: ArrayLike) -> Floats | None:
    """A copy as floats; None where NumPy does not read real numbers, or would make some of others.

    It converts text, dates, durations and complex numbers, also those in an array of objects; and
    pandas converts dates with a time zone, which is why NumPy's array is copied, and not its own.
    """
    try:
        raw = np.asarray(array)
        if raw.dtype.kind not in "biufO":
            return None
        if raw.dtype.kind == "O" and any(isinstance(entry, _CONVERTED) for entry in raw.flat):
            return None
        return np.array(raw, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
