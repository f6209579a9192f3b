"""How settings, events and names are written in links and lesson files, and errors in notices."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import param

from ucbpe_app.run.choices import slug
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.settings import SETTINGS
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ucbpe_core import UCBPEError

# The paper's letters; every other setting has its own name.
CODES = {"batch_size": "K", "batches": "T"}
NAMES = {code: name for name, code in CODES.items()}
SETTING_CODES = tuple(CODES.get(name, name) for name in SETTINGS)
_EVENT = re.compile(r"(?P<t>[1-9]\d{0,5})\.(?P<kind>posterior|region|observe|pick\.(?P<k>\d{1,5}))")


def text_of(value: float | str | tuple[str, ...]) -> str:
    """A value in a link: a float by the fewest digits that give it back exactly."""
    if isinstance(value, tuple):
        return ",".join(map(text_of, value))
    if isinstance(value, str):
        return slug(value)
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) else repr(float(value))


def value_of(parameter: param.Parameter, text: str) -> Any:
    """The value of a setting, or the text itself where it is none: the settings refuse that."""
    if isinstance(parameter, param.Selector):
        choices = {text_of(choice): choice for choice in parameter.objects}
        if isinstance(parameter, param.ListSelector):
            return [choices.get(slug(name), name) for name in text.split(",") if name]
        return choices.get(slug(text), text)
    try:
        return int(text) if isinstance(parameter, param.Integer) else float(text)
    except ValueError:
        return text


def is_unlisted(parameter: param.Parameter, text: str) -> bool:
    """Whether a text names what is no choice of a setting, as where a plugin is missing."""
    if not isinstance(parameter, param.Selector):
        return False
    value = value_of(parameter, text)
    named = value if isinstance(value, list) else [value]
    return any(name not in parameter.objects for name in named)


def short(text: object) -> str:
    """What was got, cut to the length of a notice."""
    try:
        shown = str(text)
    except ValueError:  # Python writes no whole number of more than 4300 digits
        return "a very long number"
    return shown if len(shown) <= 40 else f"{shown[:39]}…"


def event_of(text: str) -> Event:
    """The event that is written like that.

    Raises
    ------
    InputError
        If it is not.
    """
    match = _EVENT.fullmatch(text)
    if match is None:
        expected = "event as in 3.posterior, 3.pick.0, 3.region or 3.observe"
        raise InputError(expected, short(text), "it is left out")
    return Event(int(match["t"]), Kind(match["kind"].split(".")[0]), int(match["k"] or 0))


def members_of(
    field: str, names: Iterable[str], known: tuple[str, ...], errors: list[InputError]
) -> frozenset[str]:
    """Those of the names that are known, as the settings call them; the others become errors."""
    own = [NAMES.get(name, name) for name in names]
    for name in own:
        if name not in known:
            choice = ", ".join(CODES.get(setting, setting) for setting in known)
            error = InputError(f"{field} to name some of {choice}", short(name), "it is left out")
            errors.append(error)
    return frozenset(own) & frozenset(known)


def sentences(error: UCBPEError) -> str:
    """What was expected, what was got and what to do, as plain text."""
    remedy = f"{error.remedy[:1].upper()}{error.remedy[1:]}"
    subject, _, wanted = error.expected.partition(" to be ")
    expected = f"{subject} must be {wanted}" if wanted else f"Expected {subject}"
    return f"{expected}; got {error.got}. {remedy}."
