"""Names in a study -> problems, policies, kernels and schedules, with their options checked.

A problem or policy is a name that this package registers, or ``module:attribute``: a factory of
`Problem`, or a `Policy` class, of one's own that every worker can import.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ucbpe_core.confidence import BetaSchedule, CompactBeta, ConstantBeta, FiniteBeta
from ucbpe_core.errors import InputError
from ucbpe_core.kernels import RBF, Kernel, Matern, Polynomial
from ucbpe_core.policies import POLICIES, Policy
from ucbpe_core.problems import PROBLEMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ucbpe_core.problems import Problem

KERNELS: dict[str, type[Kernel]] = {"rbf": RBF, "matern": Matern, "polynomial": Polynomial}
SCHEDULES: dict[str, type[BetaSchedule]] = {
    "finite": FiniteBeta,
    "compact": CompactBeta,
    "constant": ConstantBeta,
}


def problem_factory(name: str) -> Callable[..., Problem]:
    """The factory registered as, or imported from, `name`.

    Raises
    ------
    InputError
        For a name that is neither.
    """
    factory = _look_up(name, PROBLEMS, "problem")
    if not callable(factory):
        raise InputError(f"{name} to be a function", repr(factory), "name a factory of a Problem")
    return factory


def policy_class(name: str) -> type[Policy]:
    """The policy registered as, or imported from, `name`.

    Raises
    ------
    InputError
        For a name that is neither, or something that is no policy.
    """
    found = _look_up(name, POLICIES, "policy")
    if not (isinstance(found, type) and issubclass(found, Policy)):
        raise InputError(f"{name} to be a Policy class", repr(found), "derive it from Policy")
    return found


def takes(factory: Callable[..., Any], option: str) -> bool:
    """Whether `factory` has a parameter of that name."""
    return option in inspect.signature(factory).parameters


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
        raise InputError(f"{where} as a table", repr(value), "write { key = value }")
    return dict(value)


def from_table(kinds: Mapping[str, type[Any]], table: Mapping[str, Any], where: str) -> Any:
    """The record that a table {kind, parameter, ..} describes."""
    parameters = as_table(table, where)
    kind = parameters.pop("kind", None)
    if kind not in kinds:
        raise InputError(f"{where} with a kind among {', '.join(kinds)}", repr(kind), "name one")
    check_options(kinds[kind], parameters, f"{where} of kind {kind}")
    return kinds[kind](**parameters)


def to_table(kinds: Mapping[str, type[Any]], record: Any, where: str) -> dict[str, Any]:
    """The table {kind, parameter, ..} that describes a frozen record of one of the `kinds`."""
    for kind, cls in kinds.items():
        if type(record) is cls:
            return {"kind": kind, **{name: getattr(record, name) for name in _parameters(cls)}}
    raise InputError(f"{where} of kind {', '.join(kinds)}", repr(record), "use one of these")


def _parameters(cls: type[Any]) -> list[str]:
    return sorted(inspect.signature(cls).parameters)


def _look_up(name: str, registered: Mapping[str, Any], what: str) -> Any:
    if name in registered:
        return registered[name]
    module, separator, attribute = str(name).partition(":")
    if not separator:
        known = ", ".join(registered)
        raise InputError(f"a {what} among {known}", repr(name), "name one, or write module:name")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(
            f"{what} {name!r} to be importable", str(error), "check the module and the search path"
        ) from error
