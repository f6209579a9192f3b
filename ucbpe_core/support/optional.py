"""Optional dependencies, and modules that only some systems have."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ucbpe_core.errors import InputError


def optional(module: str, extra: str) -> Any:
    """Import a module that the extra installs.

    Raises
    ------
    InputError
        If it is not installed; the remedy names the extra.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise InputError(f"{module} to be installed", str(error), install(extra)) from error


def install(extra: str) -> str:
    """The command that adds an extra."""
    return f"pip install 'ucbpe[{extra}]'"


def of_system(module: str) -> Any:
    """A module of the standard library, or None on a system without it: ``fcntl`` on Windows."""
    try:
        return import_module(module)
    except ModuleNotFoundError:
        return None


def is_of_extra(error: ModuleNotFoundError) -> bool:
    """Whether what is missing comes with an extra; a missing module of this project is a bug."""
    return error.name is None or error.name.split(".")[0] not in {"ucbpe_app", "ucbpe_core"}
