"""Kernels, policies and schedules <-> tables {kind, parameter, ..}: one rule for every file.

The kind is the name that a class is registered under, and the parameters are the fields of its
dataclass: numbers, text, lists and, for a kernel of kernels, tables. TOML and JSON can hold these.
"""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ucbpe_core.confidence import BetaSchedule, CompactBeta, ConstantBeta, FiniteBeta
from ucbpe_core.errors import InputError, UCBPEError
from ucbpe_core.kernels import RBF, Kernel, Matern, Polynomial, Product, Sum
from ucbpe_core.policies import POLICIES, Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

KERNELS: dict[str, type[Kernel]] = {
    "rbf": RBF,
    "matern": Matern,
    "polynomial": Polynomial,
    "sum": Sum,
    "product": Product,
}
SCHEDULES: dict[str, type[BetaSchedule]] = {
    "finite": FiniteBeta,
    "compact": CompactBeta,
    "constant": ConstantBeta,
}


def check_options(factory: Callable[..., Any], options: Iterable[str], owner: str) -> None:
    """Refuse options that `factory` does not have, naming those it has."""
    check_keys(options, inspect.signature(factory).parameters, f"options of {owner}")


def check_keys(given: Iterable[str], known: Iterable[str], where: str) -> None:
    """Refuse keys that are not known, naming those that are."""
    known = list(known)
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise InputError(
            f"{where} among {', '.join(known) or 'none'}", ", ".join(unknown), "remove or rename it"
        )


def as_table(value: Any, where: str) -> dict[str, Any]:
    """A copy of `value` if it is a mapping."""
    if not isinstance(value, Mapping):
        raise InputError(f"{where} as a table", reprlib.repr(value), "write { key = value }")
    return dict(value)


def from_table(base: type, table: Any, where: str = "", *, complete: bool = False) -> Any:
    """The kernel, policy or schedule (`base`) that a table {kind, parameter, ..} describes.

    A parameter that is a table itself is one of the same `base`. Parameters left out take their
    defaults, unless the table has to be `complete`.

    Raises
    ------
    InputError
        For an unknown kind or parameter, a missing one, or a value that the class refuses.
    """
    kinds, name = _registered(base)
    where = where or name
    given = as_table(table, where)
    kind = given.pop("kind", None)
    if not isinstance(kind, str) or kind not in kinds:
        got = reprlib.repr(kind)
        raise InputError(f"{where} with a kind among {', '.join(kinds)}", got, "name one")
    known = inspect.signature(kinds[kind]).parameters
    check_options(kinds[kind], given, f"{where} of kind {kind}")
    missing = [name for name in known if complete and name not in given]
    if missing:
        wanted = f"{where} of kind {kind} with {', '.join(known)}"
        raise InputError(wanted, f"none of {', '.join(missing)}", "add what is missing")
    for name, value in given.items():
        if isinstance(value, Mapping):
            given[name] = from_table(base, value, f"{where}.{name}", complete=complete)
        elif isinstance(value, bool) and not isinstance(known[name].default, bool):
            # Python would take true for the number 1.
            raise InputError(f"{where}.{name} to be a number", repr(value), "write a number")
    try:
        return kinds[kind](**given)
    except UCBPEError:
        raise
    except (TypeError, ValueError) as error:
        wanted = f"{where} of kind {kind} with parameters it can take"
        raise InputError(wanted, str(error), "fix that parameter") from None


def to_table(record: Any) -> dict[str, Any]:
    """The table {kind, parameter, ..} that describes a kernel, policy or schedule.

    Raises
    ------
    InputError
        For one of a class that is not registered: a subclass may mean something else.
    """
    kinds, where = _registered(type(record))
    for kind, cls in kinds.items():
        if type(record) is cls:
            names = sorted(inspect.signature(cls).parameters)
            return {"kind": kind} | {name: _value(getattr(record, name)) for name in names}
    wanted = f"{where} of kind {', '.join(kinds)}"
    raise InputError(wanted, repr(record), "use one of these, or register its class")


def _value(value: Any) -> Any:
    return to_table(value) if isinstance(value, (Kernel, Policy, BetaSchedule)) else value


def _registered(cls: type) -> tuple[Mapping[str, type], str]:
    """All classes of the same base, by their registered names; and what they are called."""
    for base, kinds, name in (
        (Kernel, KERNELS, "kernel"),
        (Policy, POLICIES, "policy"),
        (BetaSchedule, SCHEDULES, "beta"),
    ):
        if issubclass(cls, base):
            return kinds, name
    raise InputError("a kernel, policy or schedule", cls.__name__, "use one of these")
