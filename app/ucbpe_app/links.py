"""One link is one exact moment: `encode` writes it into an address, `decode` reads it.

A moment is a run's settings, an event, and what is shown; `restore` gives its run.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from ucbpe_app.lessons import CHANGED, Change, Lesson, find, offered
from ucbpe_app.run.cache import CACHE, RunCache, load
from ucbpe_app.run.changes import Moved, moved_of, moved_text
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.notation import NAMES, SETTING_CODES, event_of, short, value_of
from ucbpe_app.run.query import (
    DIGEST_DIGITS,
    LinkField,
    Query,
    accept_texts,
    digest_field,
    names_field,
    other_digest,
    query_of_texts,
    restored_as,
    setting_texts,
    texts_of,
)
from ucbpe_app.run.screen import CONTROLS, GROUPS, LAYERS
from ucbpe_app.run.settings import MEASURED, RunSpec, Settings
from ucbpe_core.errors import InputError, UCBPEError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ucbpe_app.run.replay import Replay
    from ucbpe_app.tasks.job import Job


__all__ = ["DIGEST_DIGITS", "Moment", "decode", "encode", "query_of", "restore", "usual"]


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
    data : settings of the run whose measurements are kept; None for the run's own
    moved : which of the measurements were moved, and left out
    pinned : settings of the run that is drawn behind; None without one
    """

    settings: RunSpec
    event: Event = Event(1, Kind.POSTERIOR)
    layers: frozenset[str] = frozenset({"truth"})
    hidden: frozenset[str] = frozenset()
    preset: str = ""
    digest: str = ""
    data: RunSpec | None = None
    moved: Moved = ()
    pinned: RunSpec | None = None


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
_DATA, _PIN = "data.", "pin"
_HELD = tuple(name for name in SETTING_CODES if NAMES.get(name, name) not in MEASURED)
FIELDS = (
    *("v", "preset", *SETTING_CODES, *(field.name for field in SHOWN)),
    *(_DATA + name for name in _HELD),
    *(_PIN, *(f"{_PIN}.{name}" for name in SETTING_CODES)),
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
        **_other_texts(moment, moment.data, _DATA),
        **({_PIN: "1"} if moment.pinned else {}),
        **_other_texts(moment, moment.pinned, f"{_PIN}."),
    }


def _other_texts(moment: Moment, other: RunSpec | None, prefix: str) -> dict[str, str]:
    """The settings of another run than that on screen, where they differ."""
    if other is None:
        return {}
    own = vars(moment.settings)
    differ = {name: value for name, value in vars(other).items() if value != own[name]}
    return {prefix + code: text for code, text in setting_texts(differ, own).items()}


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
    other = other_settings(query, settings, _HELD, _DATA)
    data = None if other == settings or not settings.can_hold(other) else other
    pins = any(name.partition(".")[0] == _PIN for name in query.fields)
    pinned = other_settings(query, settings, SETTING_CODES, f"{_PIN}.") if pins else None
    slug = lesson.slug if lesson else ""
    return Moment(settings, preset=slug, data=data, pinned=pinned, **shown)


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


def other_settings(query: Query, own: RunSpec, codes: Iterable[str], prefix: str) -> RunSpec:
    """The settings of another run in a link: `own`, where its fields with this prefix differ."""
    settings = Settings()
    settings.accept(**asdict(own))
    return accept_texts(query, settings, query.settings(codes, prefix), prefix)


def _settings(query: Query, lesson: Lesson | None) -> RunSpec:
    """The settings that the fields give, and the usual ones for the rest."""
    texts, settings = query.settings(SETTING_CODES), Settings()
    start, refused = _start(texts.get("problem"), lesson)
    settings.accept(**asdict(start))
    return accept_texts(query, settings, texts, refused=refused)


def _start(text: str | None, lesson: Lesson | None) -> tuple[RunSpec, dict[str, UCBPEError]]:
    """What the fields leave out, and why a problem that they name cannot be built."""
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


def restore(
    moment: Moment, job: Job | None = None, cache: RunCache = CACHE
) -> tuple[Moment, Replay, tuple[InputError, ...]]:
    """The run of a moment, the moment as it can be shown, and where that differs from its link.

    Where no run can be made, one setting is taken as usual, if that is enough.

    Raises
    ------
    UCBPEError
        If it is not enough.
    Superseded
        If `job.stop()` was called meanwhile.
    """
    try:
        replay = load(moment.settings, job, cache, data=moment.data, moved=moment.moved)
    except UCBPEError as error:
        if moment.moved:
            without = replace(moment, moved=(), digest="")
            moment, replay, others = restore(without, job, cache)
            remedy = "every measurement has its own value"
            return moment, replay, (InputError(error.expected, error.got, remedy), *others)
        name, replay, settings = _without_the_invalid_setting(moment, error, job, cache)
        message = restored_as(name, getattr(moment.settings, name), error, settings)
        moment = replace(moment, settings=settings, digest="", data=None)
        return moment, replay, (message, *_differences(moment, replay))
    return moment, replay, _differences(moment, replay)


def _without_the_invalid_setting(
    moment: Moment, error: UCBPEError, job: Job | None, cache: RunCache
) -> tuple[str, Replay, RunSpec]:
    """The setting at fault, and the run with the usual value of it.

    The last settings are tried first: those before them say what the run is about.
    """
    for name, value in reversed(asdict(usual(moment.settings.problem, moment.preset)).items()):
        settings = replace(moment.settings, **{name: value})
        if settings != moment.settings:
            try:
                return name, load(settings, job, cache), settings
            except UCBPEError:
                continue
    raise error


def _differences(moment: Moment, replay: Replay) -> tuple[InputError, ...]:
    """Where the run does not have the event of a link, or is not the run of its digest."""
    errors, event = list[InputError](), moment.event
    if event not in replay.events:
        T, K = len(replay.trace.decisions), replay.trace.policy.batch_size
        expected = f"event to be one of this run, of {T} batches of {K}"
        got = f"{event.kind} {event.k or ''}".strip() + f" of batch {event.t}"
        errors.append(InputError(expected, got, "the nearest event is shown"))
    return (*errors, *other_digest("run", replay.trace.digest, moment.digest))


def query_of(lesson: Lesson, change: Change | None = None, *, known: bool) -> str:
    """The query of the moment that a lesson opens, or a link in its caption.

    Parameters
    ----------
    known : whether servers know the lesson by its slug; if not, the query has every setting, and
        that is an error, as `Lesson.changed`, where the problem's data cannot be had
    """
    change = change or Change()
    if known or change.lesson:
        texts = {"preset": change.lesson or lesson.slug, **setting_texts(change.settings)}
        return query_of_texts(texts | texts_of(change, CHANGED))
    layers = lesson.layers if change.layers is None else change.layers
    event = change.event or lesson.event
    return encode(Moment(lesson.changed(change), event, layers, lesson.hidden))
