"""Undocumented features of param 2 that the app uses."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, Literal

import param
from param.parameterized import Parameters

# Functions of Panel's objects that follow their design and their spinner, which no page changes,
# and that have the row which a pane keeps for itself follow the pane.
UNUSED = {"_update_design", "_update_loading", "_sync_layoutable"}

_register = Parameters._register_watcher


def validate(parameter: param.Parameter, value: Any) -> None:
    """Raise param's own ValueError or TypeError for a value that a parameter cannot have."""
    parameter._validate(value)


class OpenSelector(param.Selector):
    """A choice that also takes values that it does not list: those for which `takes` is true."""

    __slots__ = ("takes",)

    def __init__(self, *, takes: Callable[[object], bool], **options: Any) -> None:
        self.takes = takes  # before its default is checked
        super().__init__(**options)

    def _validate_value(self, value: Any, allow_None: bool | None = None) -> None:
        if not self.takes(value):
            super()._validate_value(value, allow_None)


def name_of(function: Any) -> str:
    """The name of a function or a method; "" for a partial, which has none."""
    name: str = getattr(function, "__name__", "")
    return name


def share_watchers() -> None:
    """Have all objects of this process keep one list for parameters that the same watchers follow.

    Panel has each of a page's hundred objects follow all of its parameters, some 35. Param keeps a
    dict and a list for each: a sixth of what a page takes. Watchers that are `UNUSED` are left
    out.
    """
    setattr(Parameters, _register.__name__, _register_shared)  # a method of theirs


def forget_copies(objects: Iterable[param.Parameterized]) -> None:
    """Release the copies of parameters that objects keep and have not changed.

    Param makes one whenever somebody reads what a parameter of an object is, and Panel reads all of
    them: some 2,000 for a page, which is 0.7 MB. The next to read one is given another.
    """
    for one in objects:
        copies, shared = one._param__private.params, type(one).param
        for name in list(copies):
            own = copies[name]
            # Of whoever else refers to it, a change would be lost.
            if sys.getrefcount(own) <= _REFERENCES and _alike(own, shared[name]):
                del copies[name]
        one._param__private.params = dict(copies)  # a dict keeps the room that it had


_REFERENCES = 3  # of the object, of the loop above, and of the call that counts


def _alike(own: param.Parameter, shared: param.Parameter) -> bool:
    """Whether a copy is still one: all but the owner, and watchers, of which it must have none."""
    return (
        type(own) is type(shared)
        and not own.watchers
        and all(
            _same(getattr(own, slot), getattr(shared, slot))
            for slot in type(own)._all_slots_
            if slot not in ("owner", "watchers")
        )
    )


def _same(own: Any, shared: Any) -> bool:
    """Whether two values are one, or containers of the same, which param copies."""
    if own is shared:
        return True
    if type(own) is not type(shared) or not isinstance(own, list | dict | set | tuple):
        return False
    if len(own) != len(shared):
        return False
    if isinstance(own, dict):
        return all(key in shared and own[key] is shared[key] for key in own)
    if isinstance(own, set):
        return own == shared
    return all(a is b for a, b in zip(own, shared, strict=True))


def _register_shared(
    parameters: Parameters,
    action: Literal["append", "remove"],
    watcher: Any,
    what: str = "value",
) -> None:
    instance, names = parameters.self, watcher.parameter_names
    own = None if instance is None else instance._param__private
    usual = what == "value" and all(name in parameters for name in names)
    if own is None or not own.initialized or not usual:
        _register(parameters, action, watcher, what)
        return
    if name_of(watcher.fn) in UNUSED:
        return
    known = own.watchers
    # Names that had one dict have one again: a dict is replaced and never changed.
    alike: dict[int, list[str]] = {}
    for name in names:
        alike.setdefault(id(known.get(name)), []).append(name)
    for group in alike.values():
        before = known.get(group[0], {})
        those = list(before.get("value", ()))
        if action == "append":
            those.append(watcher)
        elif watcher in those:
            those.remove(watcher)
        after = {**before, "value": those}
        known.update((name, after) for name in group)
