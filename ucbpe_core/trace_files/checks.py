"""Checks of one value of a parsed file: each returns it typed, or raises `InputError` saying where.

JSON has fewer types than Python, and NumPy converts what it can: text to numbers, true to 1. So
types come first here, and only then the checks that every entry of the package shares.
"""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any, NoReturn

from ucbpe_core import validation
from ucbpe_core.errors import InputError
from ucbpe_core.tables import as_table, check_keys

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ucbpe_core.validation import Floats, Integers


REMEDY = "mend that field, or save the run again"


def fields(value: Any, where: str, names: Iterable[str]) -> dict[str, Any]:
    """A table with exactly these names."""
    table, names = as_table(value, where), list(names)
    check_keys(table, names, f"fields of {where}")
    missing = [name for name in names if name not in table]
    if missing:
        wanted = f"{where} with {', '.join(names)}"
        raise InputError(wanted, f"none of {', '.join(missing)}", REMEDY)
    return table


def listing(value: Any, where: str) -> list[Any]:
    """A list."""
    if not isinstance(value, list):
        _refuse(value, where, "a list")
    return value


def text(value: Any, where: str) -> str:
    """Text."""
    if not isinstance(value, str):
        _refuse(value, where, "text")
    return value


def flag(value: Any, where: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        _refuse(value, where, "true or false")
    return value


def whole(value: Any, where: str, minimum: int = 0) -> int:
    """A whole number of at least `minimum`."""
    if type(value) is not int:
        _refuse(value, where, "a whole number")
    return validation.count(value, where, minimum)


def number(value: Any, where: str) -> float:
    """A finite number."""
    if type(value) not in (int, float):
        _refuse(value, where, "a number")
    return validation.real(value, where)


def numbers(value: Any, where: str, size: int | None = None) -> Floats:
    """A list of finite numbers, shape (size,)."""
    entries = listing(value, where)
    for i, entry in enumerate(entries):
        if type(entry) not in (int, float):
            _refuse(entry, f"{where}[{i}]", "a number")
    return validation.values(entries, where, len(entries) if size is None else size)


def members(value: Any, where: str, size: int) -> Integers:
    """A list of candidate indices in 0..size-1."""
    entries = listing(value, where)
    for i, entry in enumerate(entries):
        whole(entry, f"{where}[{i}]")
    return validation.indices(entries, size, where)


def agree(got: object, expected: object, where: str) -> None:
    """Refuse a value that the rest of the file contradicts."""
    if got != expected:
        raise InputError(
            f"{where} to be {reprlib.repr(expected)}, as the rest of the file says",
            reprlib.repr(got),
            REMEDY,
        )


def _refuse(value: object, where: str, kind: str) -> NoReturn:
    raise InputError(f"{where} to be {kind}", reprlib.repr(value), REMEDY)
