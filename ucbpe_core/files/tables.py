"""Frozen dataclasses <-> tables, lists, text and numbers: one rule for every file.

A kernel, policy or schedule is a table {kind, parameter, ..}: the name that its class is registered
under, and the fields of its dataclass: numbers, text, lists and, for a kernel of kernels, tables.

Other records are converted by cattrs, more strictly than by cattrs alone: text and booleans are not
accepted as numbers, nor 1.0 as an integer or text as a list; numbers must be finite, and unknown
fields are errors. A field with a default may be omitted.
"""

from __future__ import annotations

import inspect
import re
import reprlib
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, partial
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar, get_origin

from ucbpe_core.errors import InputError, UCBPEError
from ucbpe_core.gp.kernels import KERNELS
from ucbpe_core.gp.process import GaussianProcess
from ucbpe_core.policies import POLICIES
from ucbpe_core.policies.schedules import SCHEDULES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cattrs import Converter

    from ucbpe_core.support.plugins import Registry

_T = TypeVar("_T")
_Hook = Callable[[Any, Any], Any]

REMEDY = "fix that field, or save the file again"
_PLAIN: dict[type, tuple[tuple[type, ...], str]] = {
    int: ((int,), "a whole number"),
    float: ((float, int), "a number"),
    str: ((str,), "text"),
    bool: ((bool,), "true or false"),
}
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


def to_plain(record: Any, declared: Any = None) -> Any:
    """A record as tables, lists, text and numbers; fields that have their default are left out.

    Raises
    ------
    InputError
        For a kernel, policy or schedule of a class that is not registered.
    """
    return converter().unstructure(record, unstructure_as=declared)


def from_plain(value: Any, kind: type[_T], path: str = "$") -> _T:
    """The record of that kind described by a parsed file; `path` is its place in the file.

    Raises
    ------
    InputError
        For a field that is missing, unknown, of another type, not finite or rejected by the record
        itself; the message has its path, as in ``$.batches[3].picks[0].y``.
    """
    from cattrs.errors import BaseValidationError

    try:
        return converter().structure(value, kind)
    except (BaseValidationError, UCBPEError) as error:
        raise _located(error, path) from None


@cache
def converter() -> Converter:
    """The converter of this package; hooks for further types may be added."""
    # Imported here, so only at the first save or load.
    from cattrs import Converter
    from cattrs.cols import list_structure_factory
    from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn

    made = Converter(omit_if_default=True, forbid_extra_keys=True)
    for plain in _PLAIN:
        made.register_structure_hook(plain, _plain)

    @made.register_structure_hook_factory(is_dataclass)
    def _record(kind: Any, made: Converter) -> _Hook:
        fill = make_dict_structure_fn(kind, made, _cattrs_forbid_extra_keys=True)
        hook = _checked(Mapping, "a table", fill)
        return _complete(hook) if kind is GaussianProcess else hook

    @made.register_structure_hook_factory(_is_tuple)
    def _entries(kind: Any, made: Converter) -> _Hook:
        fill = list_structure_factory(kind, made)
        return _checked(list, "a list", lambda value, kind: tuple(fill(value, kind)))

    for registry, name in ((KERNELS, "kernel"), (POLICIES, "policy"), (SCHEDULES, "beta")):
        is_one = partial(_is_subclass, base=registry.base)
        made.register_structure_hook_func(is_one, _reader(registry, name))
        write = partial(to_table, registry, where=name)
        made.register_unstructure_hook_func(is_one, write)
    prior = make_dict_unstructure_fn(GaussianProcess, made, _cattrs_omit_if_default=False)
    made.register_unstructure_hook(GaussianProcess, prior)
    return made


def name_kinds(union: Any, kinds: Mapping[type, str]) -> None:
    """Give the tables of the members of a union a field ``kind`` that identifies them."""
    from cattrs.strategies import configure_tagged_union

    configure_tagged_union(union, converter(), kinds.__getitem__, "kind")


def _is_tuple(kind: Any) -> bool:
    return get_origin(kind) is tuple


def _reader(registry: Registry[Any], name: str) -> _Hook:
    return lambda value, _: from_table(registry, value, name, complete=True)


def _is_subclass(kind: Any, base: type) -> bool:
    return isinstance(kind, type) and issubclass(kind, base)


def _plain(value: Any, kind: type) -> Any:
    types, wanted = _PLAIN[kind]
    if type(value) not in types:
        raise InputError(wanted, reprlib.repr(value), REMEDY)
    try:
        converted = kind(value)
    except OverflowError:
        raise InputError("a finite number", reprlib.repr(value), REMEDY) from None
    if kind is float and not isfinite(converted):
        raise InputError("a finite number", str(value), REMEDY)
    return converted


def _complete(fill: _Hook) -> _Hook:
    """Require every field of a prior in a file; its defaults are only for Python."""
    names = {field.name for field in fields(GaussianProcess)}

    def hook(value: Any, kind: Any) -> Any:
        prior = fill(value, kind)
        if names - set(value):
            missing = ", ".join(sorted(names - set(value)))
            raise InputError(f"a prior with {', '.join(names)}", f"none of {missing}", REMEDY)
        return prior

    return hook


def _checked(outer: type, wanted: str, fill: _Hook) -> _Hook:
    def hook(value: Any, kind: Any) -> Any:
        if not isinstance(value, outer):
            raise InputError(wanted, reprlib.repr(value), REMEDY)
        return fill(value, kind)

    return hook


def _located(error: BaseException, path: str) -> InputError:
    """The first error as an `InputError` with the path of the field."""
    from cattrs.errors import BaseValidationError, ForbiddenExtraKeysError

    field = ""
    while isinstance(error, BaseValidationError):
        error = error.exceptions[0]
        note: Any = getattr(error, "__notes__", [None])[-1]
        field = getattr(note, "name", "")
        path += f".{field}" if field else f"[{note.index}]" if hasattr(note, "index") else ""
    if isinstance(error, UCBPEError):
        return InputError(f"{error.expected} at {path}", error.got, error.remedy)
    if isinstance(error, ForbiddenExtraKeysError):
        extra = reprlib.repr(sorted(error.extra_fields))
        return InputError(f"no unknown fields at {path}", extra, "remove or rename them")
    if isinstance(error, KeyError):
        got = "none" if error.args == (field,) else reprlib.repr(error.args[0])
        wanted = f"a field at {path}" if got == "none" else f"a known kind at {path}"
        return InputError(wanted, got, REMEDY)
    return InputError(f"a value that can be read at {path}", str(error), REMEDY)
