"""Names in a study -> problems and policies.

A problem or policy is a name that this package registers, or ``module:attribute``: a factory of
`Problem`, or a `Policy` class, of one's own that every worker can import.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import InputError
from ucbpe_core.policies import POLICIES, Policy
from ucbpe_core.problems import PROBLEMS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ucbpe_core.problems import Problem


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
