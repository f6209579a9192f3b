"""Fields that only links have, and which fields they are in all."""

from __future__ import annotations

import re

from ucbpe_app.lessons import Lesson, find, offered
from ucbpe_app.run.notation import SETTINGS, short
from ucbpe_core.errors import InputError

VERSION = 1

FIELDS = ("v", "preset", *SETTINGS, "event", "show", "hide", "run")


def version_of(text: str) -> int:
    """The version of a link, which must not be later than this one."""
    if not re.fullmatch(r"[1-9]\d{0,5}", text):
        remedy = "the link is read as one of this version"
        raise InputError("v to be a whole number, at least 1", short(text), remedy)
    if int(text) > VERSION:
        remedy = "what this version knows is opened; update the laboratory for the rest"
        raise InputError(f"a link of version {VERSION} or before", f"v={text}", remedy)
    return int(text)


def lesson_of(text: str) -> Lesson:
    """The lesson of a slug; links call it a preset, as they did when lessons were fewer."""
    lesson = find(text)
    if lesson is None:
        known = ", ".join(lesson.slug for lesson in offered())
        raise InputError(f"preset to be one of {known}", short(text), "it is left out")
    return lesson


def digest_of(text: str) -> str:
    """The digest of a run, or its beginning."""
    if not re.fullmatch(r"[0-9a-f]{8,64}", text):
        remedy = "whether this is the same run is not checked"
        raise InputError("run to be 8 to 64 hexadecimal digits", short(text), remedy)
    return text
