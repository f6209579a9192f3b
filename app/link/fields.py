"""One field of a link: its text, and the value that it stands for."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import param

from app.events import Event, Kind
from app.presets import PRESETS, Preset
from app.settings import RunSpec, Settings
from ucbpe_core.errors import InputError

VERSION = 1

# The paper's letters; every other setting has its own name.
CODES = {"batch_size": "K", "batches": "T"}
NAMES = {code: name for name, code in CODES.items()}
SETTINGS = tuple(CODES.get(name, name) for name in RunSpec.__annotations__)
FIELDS = ("v", "preset", *SETTINGS, "event", "show", "hide", "run")
_EVENT = re.compile(r"(?P<t>[1-9]\d{0,5})\.(?P<kind>fit|region|observe|pick\.(?P<k>\d{1,5}))")


def text_of(value: float | str) -> str:
    """A value as a link has it: a float by the fewest digits that give it back exactly."""
    if isinstance(value, str):
        return _slug(value)
    return str(value) if isinstance(value, int) else repr(float(value))


def value_of(name: str, text: str) -> Any:
    """The value of a setting, or the text itself where it is none: the settings refuse that."""
    parameter = Settings.param[name]
    if isinstance(parameter, param.Selector):
        return {_slug(choice): choice for choice in parameter.objects}.get(_slug(text), text)
    try:
        return int(text) if isinstance(parameter, param.Integer) else float(text)
    except ValueError:
        return text


def _slug(name: str) -> str:
    """A name for an address: "Compact cube" is compact-cube, "Matérn" is matern."""
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return letters.strip().lower().replace(" ", "-")


def short(text: object) -> str:
    """What was got, cut to the length of a notice."""
    shown = str(text)
    return shown if len(shown) <= 40 else f"{shown[:39]}…"


def version_of(text: str) -> int:
    """The version of a link, which must not be later than this one."""
    if not re.fullmatch(r"[1-9]\d{0,5}", text):
        remedy = "the link is read as one of this version"
        raise InputError("v to be a whole number, at least 1", short(text), remedy)
    if int(text) > VERSION:
        remedy = "what this version knows is opened; update the laboratory for the rest"
        raise InputError(f"a link of version {VERSION} or before", f"v={text}", remedy)
    return int(text)


def preset_of(text: str) -> Preset:
    """The preset of a slug."""
    for preset in PRESETS:
        if preset.slug == text:
            return preset
    known = ", ".join(preset.slug for preset in PRESETS)
    raise InputError(f"preset to be one of {known}", short(text), "it is left out")


def event_of(text: str) -> Event:
    """The event written as batch, kind and, of a pick, its number."""
    found = _EVENT.fullmatch(text)
    if found is None:
        expected = "event as in 3.fit, 3.pick.0, 3.region or 3.observe"
        raise InputError(expected, short(text), "it is left out")
    return Event(int(found["t"]), Kind(found["kind"].split(".")[0]), int(found["k"] or 0))


def digest_of(text: str) -> str:
    """The digest of a run, or its beginning."""
    if not re.fullmatch(r"[0-9a-f]{8,64}", text):
        remedy = "whether this is the same run is not checked"
        raise InputError("run to be 8 to 64 hexadecimal digits", short(text), remedy)
    return text


def members_of(
    field: str, text: str, known: tuple[str, ...], errors: list[InputError]
) -> frozenset[str]:
    """The names in a list with commas; those not known are errors."""
    names = [NAMES.get(name, name) for name in text.split(",") if name]
    for name in names:
        if name not in known:
            choice = ", ".join(CODES.get(one, one) for one in known)
            error = InputError(f"{field} to name some of {choice}", short(name), "it is left out")
            errors.append(error)
    return frozenset(names) & frozenset(known)
