"""A lesson: a moment of a run, a caption and questions; and as text, which a teacher writes.

docs/lessons.md describes the format, which is TOML.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ucbpe_app.lessons.caption import caption_of, changes_of, letters_of
from ucbpe_app.lessons.fields import Fields, Record, read_by
from ucbpe_app.lessons.questions import End, Question, Task
from ucbpe_app.run.choices import PROBLEM_NAMES
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.notation import (
    CODES,
    NAMES,
    SETTING_CODES,
    members_of,
    short,
    value_of,
)
from ucbpe_app.run.prior import suggested
from ucbpe_app.run.screen import CONTROLS, GONE, GROUPS, LAYERS
from ucbpe_app.run.settings import RunSpec, Settings
from ucbpe_core.errors import InputError, UCBPEError
from ucbpe_core.files import tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ucbpe_app.lessons.caption import Caption, Change
    from ucbpe_app.lessons.fields import Mistake


VERSION = 1
LARGEST = 64 * 1024  # bytes: sixteen times the longest lesson that can be, links and all
MOST_EVENTS = 14  # from the event that a lesson opens until its end card
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_OF_QUESTIONS = frozenset({"question", "answer", "choices", "number", "tolerance"})
_HIDDEN = (*GROUPS, *sorted(CONTROLS))
_MOST_READ = 240  # letters of a caption: what the strip above the pictures holds


def _is(own: Fields, name: str, yes: str, no: str) -> bool:
    return own.one_of(name, (yes, no)) == yes


def _version(own: Fields, name: str) -> int:
    version = own.table[name]
    if version != VERSION or isinstance(version, bool):
        remedy = "write it as docs/lessons.md says"
        own.mistake(f"{name} to be {VERSION}", short(version), remedy)
    return VERSION


def _slug(own: Fields, name: str) -> str:
    slug = own.text(name, 40)
    if slug and not _SLUG.fullmatch(slug):
        expected = f"{name} to be of small letters and digits, with single hyphens between"
        own.mistake(expected, short(slug), "rename it, as in my-lesson")
    return slug


def _caption(own: Fields, name: str) -> Caption:
    """A caption that fits its strip."""
    caption = caption_of(own.text(name, 2500), own.mistakes)
    if (letters := letters_of(caption)) > _MOST_READ:
        wanted = f"{name} to be of at most {_MOST_READ} letters, not counting addresses"
        own.mistake(wanted, f"{letters}", "shorten it, or move some of it into the answer")
    return caption


def _settings(own: Fields, name: str) -> Mapping[str, Any]:
    """The settings under their own names, each checked by itself."""
    settings, good = own.table_of(name), dict[str, Any]()
    for code, value in settings.items():
        name = NAMES.get(code, code)
        if CODES.get(name, name) not in SETTING_CODES or name == "problem":
            others = (other for other in SETTING_CODES if other != "problem")
            expected = f"settings among {', '.join(others)}"
            above = code in Fields.declared(Lesson)
            remedy = "write it above [settings]" if above else "remove or rename it"
            own.mistake(expected, short(code), remedy)
            continue
        good[name] = value_of(Settings.param[name], short(value))
        try:
            Settings().accept(**{name: good[name]})
        except UCBPEError as error:
            expected = f"in settings, {error.expected}"
            own.mistake(expected, f"{code} = {short(value)}", error.remedy)
    return MappingProxyType(good)


def _names(own: Fields, field: str, known: tuple[str, ...]) -> frozenset[str]:
    names, unknown = own.texts(field, "names", known[0]), list[InputError]()
    for name in GONE.intersection(names):
        warnings.warn(f"{field}: {name} is no longer offered; it is left out", stacklevel=2)
    members = members_of(field, [name for name in names if name not in GONE], known, unknown)
    for error in unknown:
        own.mistake(error.expected, error.got, "remove or rename it")
    return members


@dataclass(frozen=True)
class Lesson(Record):
    """`settings` beside the prior that the problem suggests, and the event that is opened.

    Attributes
    ----------
    slug : its name in an address: `/?preset=figure-2` opens it
    title, caption : what a student reads
    shelf : method, rules, or empty for lessons of others
    problem, settings, event : the moment
    layers : layers shown at first, names of fields of `Layers`
    hidden : groups and controls that are not offered, names in `GROUPS` or `CONTROLS`
    plain : whether words on screen are those that need no word of the field
    truth_at_end : whether true f, and with it the regret, are hidden until the lesson's end
    predict : picks before which a student is asked for a place
    tasks, questions, end : what else is asked, and what is said at the end
    """

    slug: str = field(metadata=read_by(_slug))
    title: str = field(metadata=read_by(Fields.line, 60))
    problem: str = field(metadata=read_by(Fields.one_of, PROBLEM_NAMES))
    caption: Caption = field(default=(), metadata=read_by(_caption, required=True))
    settings: Mapping[str, Any] = field(
        default_factory=lambda: MappingProxyType({}), metadata=read_by(_settings)
    )
    event: Event = field(default=Event(1, Kind.POSTERIOR), metadata=read_by(Fields.event))
    layers: frozenset[str] = field(
        default=frozenset(), metadata=read_by(_names, LAYERS, name="show")
    )
    hidden: frozenset[str] = field(
        default=frozenset(), metadata=read_by(_names, _HIDDEN, name="hide")
    )
    plain: bool = field(default=False, metadata=read_by(_is, "plain", "exact", name="words"))
    shelf: str = field(default="", metadata=read_by(Fields.one_of, ("method", "rules")))
    truth_at_end: bool = field(
        default=True, metadata=read_by(_is, "at the end", "shown", name="truth")
    )
    predict: tuple[Event, ...] = field(default=(), metadata=read_by(Fields.events))
    tasks: tuple[Task, ...] = field(default=(), metadata=read_by(Fields.records, Task))
    questions: tuple[Question, ...] = field(default=(), metadata=read_by(Fields.records, Question))
    end: End = field(default=End(), metadata=read_by(Fields.part, End))
    version: int = field(default=VERSION, metadata=read_by(_version, required=True))

    def last(self, events: Sequence[Event]) -> Event:
        """The event of its end card, of the events of its run."""
        if self.end.event is not None:
            return self.end.event
        start = events.index(self.event) if self.event in events else 0
        return events[: start + MOST_EVENTS][-1]

    def mistakes(self) -> Iterator[Mistake]:
        if not all(event.kind is Kind.PICK for event in self.predict):
            yield "predict to name picks", "another event", 'write predict = ["1.pick.0"]'

    @property
    def links(self) -> tuple[Change, ...]:
        """Where the links of the caption lead, in order."""
        return changes_of(self.caption)

    def spec(self, problem: str | None = None) -> RunSpec:
        """Every setting; on another `problem`, with the prior that one suggests.

        Raises
        ------
        UCBPEError
            If the problem's data cannot be loaded.
        """
        chosen = suggested(problem or self.problem)
        return RunSpec(**{**chosen, **self.settings})

    def changed(self, change: Change) -> RunSpec:
        """Every setting after a change of this lesson, with errors as `spec`."""
        settings = dict(change.settings)
        return replace(self.spec(settings.pop("problem", None)), **settings)

    def leads(self, change: Change, spec: RunSpec) -> bool:
        """Whether these are the settings after a change that stays in this lesson."""
        # Those of another problem cannot be: to compare them, it would have to be made.
        problem = change.settings.get("problem", self.problem)
        return not change.lesson and problem == spec.problem and self.changed(change) == spec


class LessonError(UCBPEError):
    """A lesson whose file has mistakes: `mistakes` has one error for each."""

    def __init__(self, name: str, mistakes: Sequence[UCBPEError]) -> None:
        first = mistakes[0]
        super().__init__(first.expected, first.got, first.remedy)
        self.name, self.mistakes = name, tuple(mistakes)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.mistakes)

    def __str__(self) -> str:
        return "\n".join(f"{self.name}: {mistake}" for mistake in self.mistakes)


def read_file(path: Path) -> Lesson:
    """The lesson of a file.

    Raises
    ------
    LessonError
        If it cannot be read, or as `read`.
    """
    try:
        with path.open("rb") as stream:
            content = stream.read(LARGEST + 1)
        text = content.decode("utf-8-sig")
    except OSError as error:
        mistake = InputError("a lesson", error.strerror or str(error), "check that it can be read")
        raise LessonError(path.name, [mistake]) from None
    except UnicodeDecodeError as error:
        mistake = InputError(
            "text in UTF-8", f"byte {error.start}, which is not", "save it as UTF-8"
        )
        raise LessonError(path.name, [mistake]) from None
    return read(text, path.name)


def read(text: str, name: str) -> Lesson:
    """The lesson of a text, which came under this name.

    Raises
    ------
    LessonError
        For a text that is too long or not TOML, and for fields that are missing, unknown or wrong.
    """
    if len(text.encode()) > LARGEST:
        limit = f"a lesson of at most {LARGEST // 1024} kB"
        raise LessonError(name, [InputError(limit, "more", "shorten it")])
    try:
        table = tables.parse_toml(text)
    except ValueError as error:
        message = str(error)
        mistake = InputError("TOML", f"{message[:1].lower()}{message[1:]}", "fix it there")
        raise LessonError(name, [mistake]) from None
    mistakes = list[InputError]()
    if misplaced := ", ".join(sorted(_OF_QUESTIONS.intersection(table))):
        remedy = 'write [[questions]], then text = "...", answer = "..." and choices or a number'
        mistakes.append(InputError("questions in tables", misplaced, remedy))
    lesson = Fields(table, mistakes).record(Lesson)
    if lesson is None or mistakes:
        raise LessonError(name, mistakes)
    truth = {"truth"}  # a layer, too, which comes by itself
    layers = lesson.layers - truth if lesson.truth_at_end else lesson.layers | truth
    return replace(lesson, layers=layers)
