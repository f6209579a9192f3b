"""The options of plugins, as settings: each has a control, and a name in links.

An option is a parameter that is no setting of the pages already, and whose default is a number, a
switch, or one of the texts that it can be. A dataclass says more of it in the metadata of its
field::

    epsilon: float = field(default=0.2, metadata={"label": "ε", "bounds": (0, 1)})

``label`` stands at the control, ``help`` says what it is, ``bounds`` are the least and the greatest
value (None for none), ``choices`` all values, and ``slider`` is the number of decades that the
slider of a positive number reaches down. The setting has the name of its owner before its own, so
that a link means the same whatever other plugins a server has. What is built in has the settings
that the pages list.
"""

from __future__ import annotations

import logging
import re
from dataclasses import fields, is_dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeVar

import param

from ucbpe_app.run.choices import FACTORIES, KERNELS, POLICIES, SCHEDULES, slug
from ucbpe_app.run.setting import Setting, setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

S = TypeVar("S")

_LOG = logging.getLogger(__name__)
_OWNERS: Mapping[str, Mapping[str, Callable[..., object]]] = {
    "problem": FACTORIES,
    "policy": POLICIES,
    "kernel": KERNELS,
    "schedule": SCHEDULES,
}


def with_options(kind: type[S]) -> type[S]:
    """Add a field for each option to a class of settings, right after the choice of its owner.

    It decorates the class before `dataclass` does.
    """
    own = dict(kind.__annotations__)
    settings: dict[str, Setting] = {name: getattr(kind, name).metadata["setting"] for name in own}
    kind.__annotations__.clear()
    for name, annotation in own.items():
        kind.__annotations__[name] = annotation
        for label, owner in _OWNERS.get(name, {}).items():
            for option, parameter, about in _options(owner, _arguments(settings, name)):
                code = _code(name, label, option)
                if code in own or code in kind.__annotations__:
                    _LOG.warning("%s of %s has no control: %s is taken", option, label, code)
                    continue
                kind.__annotations__[code] = type(parameter.default).__name__
                place = {"part": name, "shown_for": (name, (label,)), "argument": option}
                word = about.get("label", option.replace("_", " "))
                slider = about.get("slider", 0.0)
                field = setting(parameter, settings[name].section, word, slider=slider, **place)
                setattr(kind, code, field)
    return kind


def _arguments(settings: Mapping[str, Setting], part: str) -> frozenset[str]:
    """Parameters of a part that the pages have settings for, or that they set themselves."""
    names = {entry.argument or name for name, entry in settings.items() if entry.part == part}
    return frozenset({*names, "seed"})


def _code(part: str, label: str, option: str) -> str:
    """The name of the setting: that of its owner, as in an address, and its own."""
    owner = re.sub(r"\W+", "_", slug(label)).strip("_") or part
    return f"{owner}_{option}" if owner[0].isalpha() else f"{part}_{owner}_{option}"


def _options(
    owner: Callable[..., object], taken: frozenset[str]
) -> Iterator[tuple[str, param.Parameter, Mapping[str, Any]]]:
    """The options of what is not built in: name, parameter and metadata."""
    if owner.__module__.startswith("ucbpe_core."):
        return
    about = {field.name: field.metadata for field in fields(owner)} if is_dataclass(owner) else {}
    for name, argument in signature(owner).parameters.items():
        if name in taken:
            continue
        try:
            parameter = _parameter(name, argument.default, about.get(name, {}))
        except (TypeError, ValueError) as error:
            _LOG.warning("%s of %s has no control: %s", name, owner.__name__, error)
            continue
        if parameter is not None:
            yield name, parameter, about.get(name, {})


def _parameter(name: str, default: object, about: Mapping[str, Any]) -> param.Parameter | None:
    """The values that an option can have; None where the default does not tell."""
    label = about.get("label", name.replace("_", " ").capitalize())
    texts = {"label": label, "doc": about.get("help")}
    if "choices" in about:
        return param.Selector(default=default, objects=list(about["choices"]), **texts)
    if isinstance(default, bool):
        return param.Selector(default=default, objects={"No": False, "Yes": True}, **texts)
    low, high = about.get("bounds", (0 if "slider" in about else None, None))
    numeric = {"bounds": (low, high), "inclusive_bounds": ("slider" not in about, True), **texts}
    if isinstance(default, int):
        return param.Integer(default, **numeric)
    return param.Number(default, **numeric) if isinstance(default, float) else None
