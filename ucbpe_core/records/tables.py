"""Registered classes <-> tables {kind, parameter, ..} of plain values: one rule for every file.

The kind is the name that a kernel, policy or schedule is registered under, and the parameters are
the fields of its dataclass: numbers, text, lists and, for a kernel of kernels, tables.
"""

from __future__ import annotations

import inspect
import re
import reprlib
import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import InputError, UCBPEError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ucbpe_core.plugins import Registry

# Python's reader visits every prefix of a dotted key: its work grows with the square of the number
# of parts. No table of this package is nested deeper than eight.
_MOST_PARTS = 20
_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_LONG_KEY = re.compile(rf"(?<![\w-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{_MOST_PARTS}}}")


def check_options(factory: Callable[..., Any], options: Iterable[str], owner: str) -> None:
    """Raise for options that `factory` does not have, naming those it has."""
    check_keys(options, inspect.signature(factory).parameters, f"options of {owner}")


def check_keys(given: Iterable[str], names: Iterable[str], where: str) -> None:
    """Raise for keys that are not among `names`, naming these."""
    names = list(names)
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise InputError(
            f"{where} among {', '.join(names) or 'none'}", ", ".join(unknown), "remove or rename it"
        )


def as_table(value: Any, where: str) -> dict[str, Any]:
    """A copy of `value` if it is a mapping."""
    if not isinstance(value, Mapping):
        raise InputError(f"{where} as a table", reprlib.repr(value), "write { key = value }")
    return dict(value)


def from_table(
    kinds: Registry[type[Any]], table: Any, where: str, *, complete: bool = False
) -> Any:
    """The record that a table {kind, parameter, ..} describes.

    A parameter that is a table itself is a record of the same `kinds`. Omitted parameters take
    their defaults, unless the table must be `complete`.

    Raises
    ------
    InputError
        For an unknown kind or parameter, a missing one, or a value that the record rejects.
    """
    given = as_table(table, where)
    kind = given.pop("kind", None)
    if not isinstance(kind, str) or (kind not in kinds and ":" not in kind):
        got = reprlib.repr(kind)
        raise InputError(f"{where} with a kind among {', '.join(kinds)}", got, "name one")
    cls = kinds.find(kind)
    parameters = inspect.signature(cls).parameters
    check_keys(given, parameters, f"options of {where} of kind {kind}")
    missing = [
        name
        for name, parameter in parameters.items()
        if name not in given and (complete or parameter.default is parameter.empty)
    ]
    if missing:
        got = f"none of {', '.join(missing)}"
        raise InputError(f"{where} of kind {kind} with {', '.join(parameters)}", got, "add them")
    for name, value in given.items():
        if isinstance(value, Mapping):
            given[name] = from_table(kinds, value, f"{where}.{name}", complete=complete)
        elif isinstance(value, bool) and not isinstance(parameters[name].default, bool):
            # Python would accept true as the number 1.
            raise InputError(f"{where}.{name} to be a number", repr(value), "write a number")
    try:
        return cls(**given)
    except UCBPEError:
        raise
    except (TypeError, ValueError) as error:
        wanted = f"{where} of kind {kind} with parameters it can take"
        raise InputError(wanted, str(error), "fix that parameter") from None


def to_table(kinds: Registry[type[Any]], record: Any, where: str) -> dict[str, Any]:
    """The table {kind, parameter, ..} that describes a frozen record of one of the `kinds`.

    Raises
    ------
    InputError
        For a record of a class that is not among them.
    """
    if not isinstance(record, kinds.base):
        raise InputError(f"{where} of kind {', '.join(kinds)}", repr(record), "use one of these")
    table: dict[str, Any] = {"kind": kinds.name_of(type(record), where)}
    for name in sorted(inspect.signature(type(record)).parameters):
        value, inner = getattr(record, name), f"{where}.{name}"
        nested = isinstance(value, kinds.base)
        table[name] = to_table(kinds, value, inner) if nested else value
    return table


def parse_toml(text: str) -> dict[str, Any]:
    """The tables of a text: Python's reader, guarded against inputs that take it very long.

    Raises
    ------
    ValueError
        For other text, for numbers of too many digits, for tables nested too deeply, and for dotted
        keys of too many parts, also inside strings.
    """
    found = _LONG_KEY.search(text)
    if found is not None:
        line = text.count("\n", 0, found.start()) + 1
        raise ValueError(f"More than {_MOST_PARTS} parts in a dotted key (at line {line})")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("Tables are nested too deeply") from None
