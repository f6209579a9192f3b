"""Captions: plain words, some of which lead to a moment, as in ``[it shrinks](event=1.pick.1)``.

What stands between the parentheses has the fields of a link, but only those that differ from the
lesson: settings, ``event``, ``show``, and ``preset`` for another lesson. Paragraphs are apart by
blank lines.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from ucbpe_app.run.notation import NAMES, SETTINGS, event_of, members_of, short, value_of
from ucbpe_app.run.screen import LAYERS
from ucbpe_app.run.settings import Settings
from ucbpe_core.errors import InputError, UCBPEError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_app.run.events import Event

_LINK = re.compile(r"\[(?P<words>[^\[\]]+)\]\((?P<target>[^()\s]*)\)")
_FIELDS = ("preset", *SETTINGS, "event", "show")
_MOST_FIELDS = 40


@dataclass(frozen=True)
class Change:
    """What a link in a caption changes of its lesson; what is None or empty is as in the lesson.

    `lesson` is the slug of another lesson, of which the rest then is a change.
    """

    lesson: str = ""
    settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    event: Event | None = None
    layers: frozenset[str] | None = None


@dataclass(frozen=True)
class Span:
    """Words of a caption, and where they lead if they are a link."""

    words: str
    change: Change | None = None


Caption = tuple[tuple[Span, ...], ...]


def caption_of(text: str, errors: list[InputError]) -> Caption:
    """The paragraphs of a caption; links that lead nowhere become errors."""
    # A space that does not break, as \u00a0 in TOML, stays one.
    parts = re.split(r"\n[ \t\r\n]*\n", text)
    paragraphs = (re.sub(r"[ \t\r\n]+", " ", part).strip(" ") for part in parts)
    return tuple(_spans(paragraph, errors) for paragraph in paragraphs if paragraph)


def plain(caption: Caption) -> str:
    """The words alone, a paragraph a line."""
    return "\n".join("".join(span.words for span in spans) for spans in caption)


def changes_of(caption: Caption) -> tuple[Change, ...]:
    """Where the links of a caption lead, in order."""
    return tuple(span.change for spans in caption for span in spans if span.change is not None)


def _spans(paragraph: str, errors: list[InputError]) -> tuple[Span, ...]:
    spans, end = list[Span](), 0
    for found in _LINK.finditer(paragraph):
        spans.append(Span(paragraph[end : found.start()]))
        spans.append(Span(found["words"], _change(found["words"], found["target"], errors)))
        end = found.end()
    spans.append(Span(paragraph[end:]))
    for span in spans:
        if span.change is None and "](" in span.words:
            expected = "a link in caption to be as [words](event=1.pick.1), without spaces in ()"
            errors.append(InputError(expected, short(span.words), "fix the link"))
    return tuple(span for span in spans if span.words)


def _change(words: str, target: str, errors: list[InputError]) -> Change:
    """Where a link leads; each mistake names the link that it is in."""
    own = list[InputError]()
    fields = _fields(target, own)
    settings = {
        NAMES.get(code, code): value_of(NAMES.get(code, code), fields[code])
        for code in SETTINGS
        if code in fields
    }
    for name, value in settings.items():
        try:
            Settings().accept(**{name: value})
        except UCBPEError as error:
            own.append(InputError(error.expected, short(value), error.remedy))
    event, layers = None, None
    if "event" in fields:
        try:
            event = event_of(fields["event"])
        except InputError as error:
            own.append(error)
    if "show" in fields:
        layers = members_of("show", filter(None, fields["show"].split(",")), LAYERS, own)
    where = f"in the caption's link [{short(words)}], "
    errors.extend(InputError(where + error.expected, error.got, "fix the link") for error in own)
    return Change(fields.get("preset", ""), MappingProxyType(settings), event, layers)


def _fields(target: str, errors: list[InputError]) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            target, keep_blank_values=True, strict_parsing=True, max_num_fields=_MOST_FIELDS
        )
    except ValueError:
        pairs = []
    if not pairs:
        errors.append(
            InputError("fields as in event=1.pick.1&K=5", short(target) or "none", "fix it")
        )
    times = Counter(name for name, _ in pairs)
    for name, count in times.items():
        if name not in _FIELDS:
            errors.append(InputError(f"some of {', '.join(_FIELDS)}", short(name), "fix it"))
        elif count > 1:
            errors.append(InputError(f"{name} once", f"{count} times", "keep one"))
    return {name: text for name, text in pairs if name in _FIELDS}
