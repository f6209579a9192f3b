"""A moment of the laboratory as the query of an address, and back, one field at a time.

A query reads like ``v=1&problem=himmelblau&policy=gp-ucb-pe&K=10&...&event=3.pick.2&show=truth``.
`encode` writes every setting, so that a link keeps its meaning when defaults change. In one typed
by hand, what is left out is as in its lesson, or as the problem suggests. The lesson stands in the
field ``preset``, as lessons were called first.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl, urlencode

from ucbpe_app.lessons import Lesson, find, offered
from ucbpe_app.links.fields import FIELDS, VERSION, digest_of, lesson_of, version_of
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.notation import (
    CODES,
    NAMES,
    SETTINGS,
    event_of,
    members_of,
    opens_with,
    short,
    text_of,
    text_of_event,
    value_of,
)
from ucbpe_app.run.screen import CONTROLS, GROUPS, LAYERS
from ucbpe_app.run.settings import RunSpec, Settings
from ucbpe_core.errors import InputError, UCBPEError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

DIGEST_DIGITS = 16  # of the 64, kept in a link: 64 bits leave no room for chance

# What the server takes from an address for itself.
_FOREIGN = re.compile(r"theme|bokeh-.*")
_MOST_FIELDS = 100


@dataclass(frozen=True)
class Moment:
    """What is on screen.

    Attributes
    ----------
    settings, event : the run, and where in it
    layers : what of it is shown, names of fields of `Layers`
    hidden : groups and controls that are not offered, names in `GROUPS` or `CONTROLS`
    preset : slug of the lesson that it began with; empty if none is known
    digest : `Trace.digest` of the run, or its beginning; empty if not known
    """

    settings: RunSpec
    event: Event = Event(1, Kind.FIT)
    layers: frozenset[str] = frozenset({"truth"})
    hidden: frozenset[str] = frozenset()
    preset: str = ""
    digest: str = ""


def encode(moment: Moment) -> str:
    """The query of a link, without the question mark; `decode` gives back the same moment."""
    fields = {
        "v": str(VERSION),
        "preset": moment.preset,
        **{CODES.get(name, name): text_of(v) for name, v in asdict(moment.settings).items()},
        "event": text_of_event(moment.event),
        "show": ",".join(sorted(moment.layers)),
        "hide": ",".join(sorted(CODES.get(name, name) for name in moment.hidden)),
        "run": moment.digest[:DIGEST_DIGITS],
    }
    # Empty lists say that nothing is shown or hidden, where a lesson would; the others say nothing.
    kept = {name: text for name, text in fields.items() if text or name in ("show", "hide")}
    return urlencode(kept, safe=",")


def decode(query: str) -> tuple[Moment, tuple[InputError, ...]]:
    """The moment of a query, and what was wrong with it.

    A field that cannot be read changes nothing but itself: its error says what is used instead.
    The problem is made, to see that it can be and for the prior that it suggests: that may take a
    moment, or a download.
    """
    errors: list[InputError] = []
    fields = _fields(query, errors)

    def read(name: str, reader: Callable[[str], T], default: T) -> T:
        try:
            return reader(fields[name]) if name in fields else default
        except InputError as error:
            errors.append(error)
            return default

    def listed(name: str, known: tuple[str, ...], default: frozenset[str]) -> frozenset[str]:
        if name not in fields:
            return default
        return members_of(name, filter(None, fields[name].split(",")), known, errors)

    read("v", version_of, VERSION)
    # Without a setting it is the first page, perhaps with controls hidden.
    lesson = read("preset", lesson_of, None if set(SETTINGS) & set(fields) else offered()[0])
    lesson = _possible(lesson, fields, errors)
    usual_view = lesson or Lesson("", "", "")
    event = read("event", event_of, usual_view.event)
    layers = listed("show", LAYERS, usual_view.layers)
    hidden = listed("hide", (*GROUPS, *sorted(CONTROLS)), usual_view.hidden)
    digest, others = read("run", digest_of, ""), len(errors)
    settings = _settings(fields, lesson, errors)
    if len(errors) > others:  # with another setting it is another run
        digest = ""
    slug = lesson.slug if lesson else ""
    return Moment(settings, event, layers, hidden, slug, digest), tuple(errors)


def usual(problem: str, preset: str = "") -> RunSpec:
    """The settings that a link leaves unsaid: its lesson's, with the prior the problem suggests.

    Raises
    ------
    UCBPEError
        If the problem's data cannot be had.
    """
    return (find(preset) or Lesson("", "", problem)).spec(problem)


def refusal(name: str, text: object, error: UCBPEError, settings: RunSpec) -> InputError:
    """The error of a setting in a link, which says what `settings` has instead."""
    used = text_of(getattr(settings, name))
    code = CODES.get(name, name)
    return InputError(error.expected, f"{code}={short(text)}", opens_with(code, used, error))


def _fields(query: str, errors: list[InputError]) -> dict[str, str]:
    """The known fields that occur once; the others are errors."""
    try:
        pairs = parse_qsl(
            query.removeprefix("?"), keep_blank_values=True, max_num_fields=_MOST_FIELDS
        )
    except ValueError:
        errors.append(
            InputError(f"at most {_MOST_FIELDS} fields", "more", "the link is not opened")
        )
        return {}
    times = Counter(name for name, _ in pairs)
    for name, count in times.items():
        if name not in FIELDS and not _FOREIGN.fullmatch(name):
            remedy = "it is left out; see if it is misspelt, or the link of a later version"
            errors.append(InputError("a field that links have", short(name), remedy))
        elif name in FIELDS and count > 1:
            remedy = "the field is left out; keep one of them"
            errors.append(InputError(f"{name} once", f"{count} times", remedy))
    return {name: text for name, text in pairs if name in FIELDS and times[name] == 1}


def _possible(
    lesson: Lesson | None, fields: dict[str, str], errors: list[InputError]
) -> Lesson | None:
    """The lesson, or the first where a problem that nobody else names cannot be had for it."""
    if lesson is None or "problem" in fields:
        return lesson
    try:
        lesson.spec()
    except UCBPEError as error:
        first = offered()[0]
        remedy = f"the link opens with preset={first.slug}"
        errors.append(InputError(error.expected, f"preset={lesson.slug}", remedy))
        return first
    return lesson


def _settings(fields: dict[str, str], lesson: Lesson | None, errors: list[InputError]) -> RunSpec:
    """The settings that the fields give, each checked by itself and then all together."""
    texts = {NAMES.get(code, code): fields[code] for code in SETTINGS if code in fields}
    good = {name: value_of(name, text) for name, text in texts.items()}
    refused: dict[str, UCBPEError] = {}
    for name, value in good.items():
        _try(Settings(), name, value, refused)
    good = {name: value for name, value in good.items() if name not in refused}
    settings = Settings()
    settings.accept(**asdict(_start(good, lesson, refused)))
    try:
        settings.accept(**good)
    except UCBPEError:  # each can be had, and not all of them together: the first ones are
        for name, value in good.items():
            _try(settings, name, value, refused)
    spec = settings.spec()
    errors.extend(refusal(name, texts[name], error, spec) for name, error in refused.items())
    return spec


def _start(good: dict[str, Any], lesson: Lesson | None, refused: dict[str, UCBPEError]) -> RunSpec:
    """What is left unsaid; a problem that cannot be had goes from `good` to `refused`."""
    own, slug = (lesson.problem, lesson.slug) if lesson else (offered()[0].problem, "")
    try:
        return usual(good.get("problem", own), slug)
    except UCBPEError as error:
        if "problem" not in good:
            raise
        refused["problem"] = error
        del good["problem"]
        return usual(own, slug)


def _try(settings: Settings, name: str, value: Any, refused: dict[str, UCBPEError]) -> None:
    try:
        settings.accept(**{name: value})
    except UCBPEError as error:
        refused[name] = error
