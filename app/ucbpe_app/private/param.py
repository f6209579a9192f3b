"""What the app uses of param 2 that it does not document."""

from __future__ import annotations

from typing import Any

import param
from param.parameterized import Parameters

_register = Parameters._register_watcher


def validate(parameter: param.Parameter, value: Any) -> None:
    """Raise param's own ValueError or TypeError for a value that a parameter cannot have."""
    parameter._validate(value)


def share_watchers() -> None:
    """Have all objects of this process keep one list where one watcher follows many parameters.

    Panel has each of a page's hundred objects follow all of its parameters, some 35. Param keeps a
    dict and a list for each: a sixth of what a page takes. Here they are one dict and one list,
    until another watcher follows some of these parameters, or the first no longer does.
    """
    Parameters._register_watcher = _register_shared


class _Shared(dict[str, list[Any]]):
    """Of several parameters; never changed."""


def _register_shared(
    parameters: Parameters, action: str, watcher: Any, what: str = "value"
) -> None:
    instance = parameters.self
    names = watcher.parameter_names
    if instance is None or what != "value" or not instance._param__private.initialized:
        _register(parameters, action, watcher, what)
        return
    known = instance._param__private.watchers
    for name in names:
        if type(known.get(name)) is _Shared:
            known[name] = {kind: list(those) for kind, those in known[name].items()}
    fresh = [name for name in names if name not in known]
    _register(parameters, action, watcher, what)
    if len(fresh) > 1 and action == "append":
        known.update(dict.fromkeys(fresh, _Shared(value=[watcher])))
