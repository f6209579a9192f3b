"""What the pages list, and the settings of each: first built-in, then from plugins.

The pages list what has a name and can be made without arguments. A constructor that takes a
parameter of the name of a setting (`lengthscale`, `variance`, `delta`, `scale`, ..) is given it,
and the setting has its field. For plugins, other parameters are settings as well,
see `options`, or have their defaults.
"""

from __future__ import annotations

import logging
import unicodedata
from functools import cache
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, TypeVar

from ucbpe_core.errors import InputError, UCBPEError
from ucbpe_core.gp.kernels import KERNELS as KERNEL_CLASSES
from ucbpe_core.gp.kernels import RBF, Linear, Periodic, Product, Sum
from ucbpe_core.policies import POLICIES as POLICY_CLASSES
from ucbpe_core.policies.schedules import SCHEDULES as SCHEDULE_CLASSES
from ucbpe_core.problems import PROBLEMS, is_random

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Mapping

    from ucbpe_core.gp.kernels import Kernel
    from ucbpe_core.support.plugins import Registry

T = TypeVar("T")

_LOG = logging.getLogger(__name__)


def takes(maker: Callable[..., object], name: str) -> bool:
    """Whether a class or factory has a parameter of that name."""
    return name in _parameters(maker)


@cache
def _parameters(maker: Hashable) -> frozenset[str]:
    return frozenset(signature(maker).parameters)  # type: ignore[arg-type]


def made(maker: Callable[..., T], values: Mapping[str, Any], names: Iterable[str]) -> T:
    """What a class makes of those of these settings that it takes.

    Raises
    ------
    UCBPEError
        For values that it refuses with any error.
    """
    arguments = {name: values[name] for name in names if takes(maker, name)}
    try:
        return maker(**arguments)
    except UCBPEError:
        raise
    except Exception as error:
        text = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        what = f"{getattr(maker, '__name__', maker)}({text}) to be possible"
        raise InputError(what, f"{type(error).__name__}: {error}", "enter a valid value") from error


def read(item: object, names: Iterable[str]) -> dict[str, Any]:
    """The settings among `names` from which `made` makes an equal thing again.

    Raises
    ------
    InputError
        For one that another parameter sets apart, or a lengthscale for each input.
    """
    values = {name: getattr(item, name) for name in names if takes(type(item), name)}
    scales = [values[name] for name in values if isinstance(values[name], tuple)]
    if scales or made(type(item), values, values) != item:
        raise InputError("what the settings can say", repr(item), "choose another")
    return values


def _listed(
    registry: Registry[T], labels: Mapping[str, str], hidden: Collection[str] = ()
) -> dict[str, T]:
    """The items by the names that people read: `labels` by name, or the name itself; not `hidden`.

    What needs arguments is not listed; nor is what cannot be loaded or has the name of another,
    upper or lower case, and the log has the reason.
    """
    listed: dict[str, T] = {}
    for name in (*labels, *(name for name in registry if name not in {*labels, *hidden})):
        try:
            item = registry.find(name)
            needed = [
                parameter.name
                for parameter in signature(item).parameters.values()  # type: ignore[arg-type]
                if parameter.default is Parameter.empty
                and parameter.kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
            ]
        except (InputError, ValueError) as error:
            _LOG.warning("%s is not listed: %s", name, error)
            continue
        label = labels.get(name, name)
        if label.casefold() in map(str.casefold, listed):
            _LOG.warning("%s is not listed: another has that name", name)
        elif not needed:
            listed[label] = item
    return listed


# A constant and white noise are of use in sums only, which are for Python, studies and files.
KERNELS = _listed(
    KERNEL_CLASSES,
    {
        "rbf": "RBF",
        "matern": "Matérn",
        "rational_quadratic": "Rational quadratic",
        "periodic": "Periodic",
        "linear": "Linear",
        "polynomial": "Polynomial",
    },
    hidden=("constant", "white"),
)
# What the kernel is joined with: each has a lengthscale, a period or a variance of its own.
JOINED: Mapping[str, tuple[type[Sum | Product], type[Kernel]]] = {
    f"{word} {name}": (join, kind)
    for word, join in (("plus", Sum), ("times", Product))
    for name, kind in (("RBF", RBF), ("Periodic", Periodic), ("Linear", Linear))
}
ALONE = "none"
SCHEDULES = _listed(
    SCHEDULE_CLASSES,
    {
        "finite": "Finite set",
        "compact": "Compact cube",
        "constant": "Constant",
        "information_gain": "Information gain",
        "realized_gain": "Realized gain",
        "randomized": "Randomized",
    },
)
# What the pages call them, as the list of a field: links and files have the names above.
SCHEDULE_NAMES = {"Finite X" if name == "Finite set" else name: name for name in SCHEDULES}
_SCHEDULE_LABELS = {name: label for label, name in SCHEDULE_NAMES.items()}
POLICIES = _listed(POLICY_CLASSES, {})
_PROBLEM_LABELS = {
    "figure1": "Paper, Figure 1",
    "generated_gp_1d": "Generated GP, 1-D",
    "multimodal": "Multimodal curve, 1-D",
    "thin_peak": "Thin peak, 1-D",
    "generated_gp": "Generated GP, 2-D",
    "gaussian_mixture": "Gaussian mixture, 2-D",
    "himmelblau": "Himmelblau, tilted, 2-D",
    "mackey_glass": "Mackey-Glass, 6-D",
    "tsunami": "Tsunamis, 5-D",
    "abalone": "Abalone, 8-D",
}
FACTORIES = _listed(PROBLEMS, {})
PROBLEM_NAMES = _PROBLEM_LABELS | {name: name for name in FACTORIES if name not in _PROBLEM_LABELS}
TWO_INPUTS = tuple(name for name, label in _PROBLEM_LABELS.items() if label.endswith(" 2-D"))
SEEDED_PROBLEMS = tuple(filter(is_random, PROBLEM_NAMES))


def class_label(things: Mapping[str, object], kind: type) -> str:
    """What the pages call a class; its own name for one that they do not list."""
    return next((label for label, listed in things.items() if listed is kind), kind.__name__)


def slug(name: str) -> str:
    """A name for an address: "Compact cube" is compact-cube, "Matérn" is matern."""
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return letters.strip().lower().replace(" ", "-")


def schedule_label(name: str) -> str:
    """A schedule inside a sentence: finite X, compact cube."""
    label = _SCHEDULE_LABELS[name]
    return f"{label[:1].lower()}{label[1:]}"


def users(things: Mapping[str, Callable[..., object]], name: str) -> tuple[str, ...]:
    """The choices that take a parameter of that name."""
    return tuple(label for label, maker in things.items() if takes(maker, name))
