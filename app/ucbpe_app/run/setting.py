"""Settings as fields of a frozen dataclass, each with its parameter and its place on the pages.

The options of plugins are settings as well: each has a control, and a name in links.
"""

from __future__ import annotations

import logging
import math
import re
from copy import copy
from dataclasses import dataclass, field, fields, is_dataclass, replace
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import param

from ucbpe_app.private import validate
from ucbpe_app.run.choices import FACTORIES, KERNELS, POLICIES, SCHEDULES, slug, users
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


Row = tuple[str, ...]
Condition = tuple[str, tuple[str, ...]]
S = TypeVar("S")

# The heading of the arguments of each part.
_SECTIONS = {
    "problem": "Problem", "kernel": "Belief", "schedule": "Confidence",
    "policy": "Policy", "run": "Policy", "workers": "Policy",
}  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """One setting: what it can be, where a form has its field, and when it is in use.

    Attributes
    ----------
    parameter : its values, bounds, label and meaning
    section : the heading that it is under, "" for none
    word : its name in the middle of a sentence, "" for its label
    same_row : whether it shares a row with the setting before
    slider : whether it has a logarithmic slider
    part : what it is an argument of: "problem"; "kernel", "schedule" or "policy", for the
        constructors that take it; "run", the loop over batches; "workers", how
        long evaluations take; "" if a ``build_`` method names it
    shown_for : (setting that decides, values for which this one is used); None for always
    argument : the parameter that it sets; "" for the one with its name
    optional : whether links leave it out where no choice uses it
    """

    parameter: param.Parameter
    section: str = ""
    word: str = ""
    same_row: bool = False
    slider: bool = False
    part: str = ""
    shown_for: Condition | None = None
    argument: str = ""
    optional: bool = False

    @property
    def shared(self) -> bool:
        """Whether it is the same for all runs that are compared on one problem."""
        return self.part in ("problem", "run", "workers")

    @property
    def in_text(self) -> str:
        """Its name in the middle of a sentence."""
        label = str(self.parameter.label)
        return self.word or f"{label[:1].lower()}{label[1:]}"

    def used(self, choices: object) -> bool:
        """Whether these choices use it; one that is not among them might."""
        decider, values = self.shown_for or ("", ())
        return getattr(choices, decider, None) in (None, *values)

    def like(self, default: Any, *, shown_for: Condition | None = None, **slots: Any) -> Setting:
        """The same elsewhere, with another default, and perhaps other values or words."""
        parameter = copy(self.parameter)
        for slot, value in {"default": default, **slots}.items():
            setattr(parameter, slot, value)
        return replace(self, parameter=parameter, shown_for=shown_for or self.shown_for)

    def plain(self, *, same_row: bool = False) -> Setting:
        """The same as one field of many: without heading and slider."""
        return replace(self, section="", slider=False, same_row=same_row)


def setting(
    parameter: param.Parameter, section: str = "", word: str = "", part: str = "", **place: Any
) -> Any:
    """The field of a dataclass that is a setting, by default under the heading of its part."""
    section = section or _SECTIONS.get(part, "")
    return as_field(Setting(parameter, section, word, part=part, **place))


def as_field(entry: Setting) -> Any:
    """The field of a dataclass that is this setting, with the parameter's default."""
    return field(default=_frozen(entry.parameter.default), metadata={"setting": entry})


def settings_of(kind: type[Any]) -> dict[str, Setting]:
    """The settings of a dataclass by name, in order."""
    return {item.name: item.metadata["setting"] for item in fields(kind)}


class SpecSettings(param.Parameterized, Generic[S]):
    """Settings of one session, with a parameter for each entry: the fields of `kind`, or more.

    Every combination here passes `kind.check`.
    """

    kind: ClassVar[type[Any]]
    entries: ClassVar[Mapping[str, Setting]]

    if TYPE_CHECKING:  # the parameters, of `add_settings`

        def __getattr__(self, name: str) -> Any: ...

    def spec(self) -> S:
        """A frozen copy."""
        names = (item.name for item in fields(self.kind))
        spec: S = self.kind(**{name: _frozen(getattr(self, name)) for name in names})
        return spec

    def check(self, name: str, value: Any) -> None:
        """Refuse a value that this setting cannot have, whatever the others are."""
        check_value(self.param[name], value)

    def accept(self, **changes: Any) -> None:
        """Set several values at once, or raise `InputError` and change nothing."""
        before = {name: getattr(self, name) for name in changes}
        for name, value in changes.items():
            self.check(name, value)
        values = vars(self.spec())
        changed = {name: value for name, value in changes.items() if name in values}
        self.kind(**{**values, **changed}).check()
        if changes != before:
            self.param.update(**changes)


def add_settings(
    settings: type[SpecSettings[Any]], entries: Mapping[str, Setting] | None = None
) -> None:
    """Give the class its entries, those of its `kind` unless others are given."""
    settings.entries = settings_of(settings.kind) if entries is None else entries
    for name, entry in settings.entries.items():
        if name not in settings.param or settings.param[name] is not entry.parameter:
            settings.param.add_parameter(name, entry.parameter)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def arranged(settings: Mapping[str, Setting]) -> dict[str, tuple[Row, ...]]:
    """The headings, and under each the settings, those of a row side by side."""
    sections: dict[str, list[Row]] = {}
    for name, entry in settings.items():
        rows = sections.setdefault(entry.section, [])
        if entry.same_row and rows:
            rows[-1] = (*rows[-1], name)
        else:
            rows.append((name,))
    return {title: tuple(rows) for title, rows in sections.items()}


def paired(entries: Mapping[str, Setting]) -> dict[str, Setting]:
    """The settings without headings and sliders, numbers two to a row."""
    placed: dict[str, Setting] = {}
    single = False  # whether the last one is a number in a row of its own
    for name, entry in entries.items():
        number = not isinstance(entry.parameter, param.Selector)
        placed[name] = entry.plain(same_row=number and single)
        single = number and not single
    return placed


_TOO_LARGE = 1e50  # what is below can be squared, and added up


def check_value(parameter: param.Parameter, value: Any) -> None:
    """Refuse a value that a setting cannot have, whatever the others are.

    Raises
    ------
    InputError
        Which says what it can have.
    """
    expected = _expectation(parameter)
    try:
        validate(parameter, value)
    except (ValueError, TypeError) as invalid:
        raise InputError(expected, str(value), "enter a valid value") from invalid
    if not isinstance(parameter, param.Number):
        return
    if isinstance(value, bool) or not math.isfinite(value):
        raise InputError(f"{expected}, finite", str(value), "enter a valid value")
    if abs(value) >= _TOO_LARGE:
        wanted = f"{expected}, nearer to 0 than {_TOO_LARGE:g}"
        raise InputError(wanted, str(value), "take another unit, or a smaller number")


def _expectation(parameter: param.Parameter) -> str:
    label = str(parameter.label)
    if isinstance(parameter, param.Selector):
        return f"{label} to be one of {', '.join(map(str, parameter.objects))}"
    low, high = parameter.bounds or (None, None)
    if isinstance(parameter, param.Integer) and None not in (low, high):
        return f"{label} to be an integer from {low} to {high}"
    kind = "an integer" if isinstance(parameter, param.Integer) else "a number"
    strict_low, strict_high = (not inclusive for inclusive in parameter.inclusive_bounds)
    limits = [
        f"{'above' if strict_low else 'of at least'} {low:g}" if low is not None else "",
        f"{'below' if strict_high else 'at most'} {high:g}" if high is not None else "",
    ]
    return f"{label} to be {kind} {' and '.join(part for part in limits if part)}".strip()


_LOG = logging.getLogger(__name__)
_OWNERS: Mapping[str, Mapping[str, Callable[..., object]]] = {
    "problem": FACTORIES,
    "policy": POLICIES,
    "kernel": KERNELS,
    "schedule": SCHEDULES,
}


def with_options(kind: type[S]) -> type[S]:
    """Add a field for each option to a class of settings, right after the choice of its owner.

    An argument of a choice is in use where the choice takes it. This decorates the class before
    `dataclass` does.
    """
    own = dict(kind.__annotations__)
    settings: dict[str, Setting] = {name: getattr(kind, name).metadata["setting"] for name in own}
    kind.__annotations__.clear()
    for name, annotation in own.items():
        kind.__annotations__[name] = annotation
        part = settings[name].part
        if part in _OWNERS and part != name and settings[name].shown_for is None:
            entry = replace(settings[name], shown_for=(part, users(_OWNERS[part], name)))
            setattr(kind, name, as_field(entry))
        for label, owner in _OWNERS.get(name, {}).items():
            for option, parameter, about in _options(owner, _arguments(settings, name)):
                code = _code(name, label, option)
                if code in own or code in kind.__annotations__:
                    _LOG.warning("%s of %s has no control: %s is taken", option, label, code)
                    continue
                kind.__annotations__[code] = type(parameter.default).__name__
                place: dict[str, Any] = {
                    "part": name,
                    "shown_for": (name, (label,)),
                    "argument": option,
                }
                word = about.get("label", option.replace("_", " "))
                slider = about.get("slider", 0.0)
                field = setting(parameter, word=word, slider=slider, **place)
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
