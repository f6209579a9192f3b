"""Frozen dataclasses <-> tables, lists, text and numbers, by cattrs.

Stricter than cattrs alone: text and booleans are not accepted as numbers, nor 1.0 as an integer or
text as a list; numbers must be finite, and unknown fields are errors. A field with a default may be
omitted.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, partial
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar, get_origin

from ucbpe_core.errors import InputError, UCBPEError
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.kernels import KERNELS
from ucbpe_core.policies import POLICIES
from ucbpe_core.records import tables
from ucbpe_core.schedules import SCHEDULES

if TYPE_CHECKING:
    from cattrs import Converter

    from ucbpe_core.plugins import Registry

_T = TypeVar("_T")
_Hook = Callable[[Any, Any], Any]

REMEDY = "fix that field, or save the file again"
_PLAIN: dict[type, tuple[tuple[type, ...], str]] = {
    int: ((int,), "a whole number"),
    float: ((float, int), "a number"),
    str: ((str,), "text"),
    bool: ((bool,), "true or false"),
}


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
        write = partial(tables.to_table, registry, where=name)
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
    return lambda value, _: tables.from_table(registry, value, name, complete=True)


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
