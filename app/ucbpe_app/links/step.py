"""A moment of the laboratory as the query of an address, and back, one field at a time.

A query reads like ``v=1&problem=himmelblau&policy=gp-ucb-pe&K=10&...&event=3.pick.2&show=truth``.
`encode` writes every setting, so that a link keeps its meaning when defaults change. In one typed
by hand, what is left out is as in its lesson, or as the problem suggests. The lesson stands in the
field ``preset``, as lessons were called first. Where the measurements are those of a run with other
settings, these stand in further fields, as in ``data.lengthscale=0.65``. Those moved by hand stand
in ``moved=2_0.5,7_out``: their numbers, from 0 in the order in which they were made, and values.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any

from ucbpe_app.lessons import Lesson, find, offered
from ucbpe_app.query import (
    LinkField,
    Query,
    accept_texts,
    digest_field,
    names_field,
    query_of_texts,
    setting_texts,
    texts_of,
)
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.moved import Moved, moved_of, moved_text
from ucbpe_app.run.notation import NAMES, SETTING_CODES, event_of, short, value_of
from ucbpe_app.run.screen import CONTROLS, GROUPS, LAYERS
from ucbpe_app.run.settings import MEASURED, RunSpec, Settings
from ucbpe_core.errors import InputError, UCBPEError

VERSION = 1


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
    data : settings of the run whose measurements are held; None for the run's own
    moved : which of the measurements were moved, and left out
    """

    settings: RunSpec
    event: Event = Event(1, Kind.POSTERIOR)
    layers: frozenset[str] = frozenset({"truth"})
    hidden: frozenset[str] = frozenset()
    preset: str = ""
    digest: str = ""
    data: RunSpec | None = None
    moved: Moved = ()


def version_of(text: str) -> int:
    """The version of a link, which must not be later than this one."""
    if not re.fullmatch(r"[1-9]\d{0,5}", text):
        remedy = "the link is read as one of this version"
        raise InputError("v to be an integer, at least 1", short(text), remedy)
    if int(text) > VERSION:
        remedy = "what this version knows is opened; update the laboratory for the rest"
        raise InputError(f"a link of version {VERSION} or before", f"v={text}", remedy)
    return int(text)


def lesson_of(text: str) -> Lesson:
    """The lesson of a slug; links call it a preset, as they did when lessons were fewer."""
    lesson = find(text)
    if lesson is None:
        slugs = ", ".join(lesson.slug for lesson in offered())
        raise InputError(f"preset to be one of {slugs}", short(text), "it is left out")
    return lesson


# A further field of a link is one more entry here, and its attribute of `Moment`. The settings are
# fields as well, by their names or the letters in `CODES`.
SHOWN: tuple[LinkField[Any], ...] = (
    LinkField("event", "event", event_of, lambda event: event.text, Moment.event),
    names_field("show", "layers", LAYERS, Moment.layers),
    names_field("hide", "hidden", (*GROUPS, *sorted(CONTROLS)), Moment.hidden),
    LinkField("moved", "moved", moved_of, moved_text, Moment.moved),
    digest_field("run"),
)
_VERSION = LinkField("v", "", version_of, str, VERSION)
_LESSON = LinkField[Lesson | None]("preset", "preset", lesson_of, str, None)
_DATA = "data."
_HELD = tuple(name for name in SETTING_CODES if NAMES.get(name, name) not in MEASURED)
FIELDS = (
    *("v", "preset", *SETTING_CODES, *(field.name for field in SHOWN)),
    *(_DATA + name for name in _HELD),
)


def encode(moment: Moment) -> str:
    """The query of a link, without the question mark; `decode` gives back the same moment."""
    return query_of_texts(write(moment))


def write(moment: Moment) -> dict[str, str]:
    """The fields of a link as texts, in order."""
    lesson = find(moment.preset)
    return {
        "v": str(VERSION),
        **({"preset": moment.preset} if moment.preset else {}),
        **setting_texts(vars(moment.settings), lesson.settings if lesson else {}),
        **texts_of(moment, SHOWN),
        **_data_texts(moment),
    }


def _data_texts(moment: Moment) -> dict[str, str]:
    """The settings of the run whose measurements are held, where they differ."""
    if moment.data is None:
        return {}
    own = vars(moment.settings)
    data = {name: value for name, value in vars(moment.data).items() if value != own[name]}
    return {_DATA + code: text for code, text in setting_texts(data, own).items()}


def decode(query: str) -> tuple[Moment, tuple[InputError, ...]]:
    """The moment of a query, and what was wrong with it.

    A field that cannot be read changes nothing but itself: its error says what is used instead.
    The problem is made, to see that it can be and for the prior that it suggests: that may take a
    moment, or a download.
    """
    read = Query(query, FIELDS)
    return read_moment(read), tuple(read.errors)


def read_moment(query: Query) -> Moment:
    """The moment of the fields of a link, as `decode`; what is wrong is added to its errors."""
    query.read(_VERSION)
    # Without a setting it is the first page, perhaps with controls hidden.
    lesson = query.read(_LESSON, None if query.fields.keys() & set(SETTING_CODES) else offered()[0])
    lesson = _possible(lesson, query)
    shown = query.values(SHOWN, vars(lesson or Lesson("", "", "")))
    others = len(query.errors)
    settings = _settings(query, lesson)
    if len(query.errors) > others:  # with another setting it is another run
        shown["digest"] = ""
    data = _data(query, settings)
    return Moment(settings, preset=lesson.slug if lesson else "", data=data, **shown)


def usual(problem: str, preset: str = "") -> RunSpec:
    """The settings that a link leaves unsaid: its lesson's, with the prior the problem suggests.

    Raises
    ------
    UCBPEError
        If the problem's data cannot be had.
    """
    return (find(preset) or Lesson("", "", problem)).spec(problem)


def _possible(lesson: Lesson | None, query: Query) -> Lesson | None:
    """The lesson, or the first where a problem that nobody else names cannot be had for it."""
    if lesson is None or "problem" in query.fields:
        return lesson
    try:
        lesson.spec()
    except UCBPEError as error:
        first = offered()[0]
        remedy = f"the link opens with preset={first.slug}"
        query.errors.append(InputError(error.expected, f"preset={lesson.slug}", remedy))
        return first
    return lesson


def _data(query: Query, own: RunSpec) -> RunSpec | None:
    """The settings of the run whose measurements are held, if they are not those of the link."""
    settings = Settings()
    settings.accept(**asdict(own))
    data = accept_texts(query, settings, query.settings(_HELD, _DATA), _DATA)
    return None if data == own or not own.can_hold(data) else data


def _settings(query: Query, lesson: Lesson | None) -> RunSpec:
    """The settings that the fields give, over those that they leave unsaid."""
    texts, settings = query.settings(SETTING_CODES), Settings()
    start, refused = _start(texts.get("problem"), lesson)
    settings.accept(**asdict(start))
    return accept_texts(query, settings, texts, refused=refused)


def _start(text: str | None, lesson: Lesson | None) -> tuple[RunSpec, dict[str, UCBPEError]]:
    """What is left unsaid, and why a problem that is said cannot be had."""
    own, slug = (lesson.problem, lesson.slug) if lesson else (offered()[0].problem, "")
    refused: dict[str, UCBPEError] = {}
    if text is not None:
        problem = value_of(Settings.param["problem"], text)
        try:
            Settings().check("problem", problem)
            return usual(problem, slug), refused
        except UCBPEError as error:
            refused["problem"] = error
    return usual(own, slug), refused
