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
from ucbpe_app.lessons.fields import Fields
from ucbpe_app.lessons.questions import End, Question, Task, end_of, questions_of, tasks_of
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
    from collections.abc import Mapping, Sequence

    from ucbpe_app.lessons.caption import Caption, Change


@dataclass(frozen=True)
class Lesson:
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

    slug: str
    title: str
    problem: str
    caption: Caption = ()
    settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    event: Event = Event(1, Kind.POSTERIOR)
    layers: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()
    plain: bool = False
    shelf: str = ""
    truth_at_end: bool = True
    predict: tuple[Event, ...] = ()
    tasks: tuple[Task, ...] = ()
    questions: tuple[Question, ...] = ()
    end: End = field(default_factory=End)

    def last(self, events: Sequence[Event]) -> Event:
        """The event of its end card, of the events of its run."""
        if self.end.event is not None:
            return self.end.event
        start = events.index(self.event) if self.event in events else 0
        return events[: start + MOST_EVENTS][-1]

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


VERSION = 1
LARGEST = 64 * 1024  # bytes: sixteen times the longest lesson that can be, links and all
# From the event that a lesson opens: until it first asks, and until its end card.
POINT, MOST_EVENTS = 7, 14
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_MOST_LETTERS = {"slug": 40, "title": 60, "caption": 2500}
_REQUIRED = ("version", "slug", "title", "problem", "caption")
_FIELDS = (
    *_REQUIRED, "settings", "event", "show", "hide", "words", "shelf", "truth", "predict", "tasks",
    "questions", "end",
)  # fmt: skip
_OF_QUESTIONS = frozenset({"question", "answer", "choices", "number", "tolerance"})
_SHELVES = ("method", "rules")
_TRUTH = ("at the end", "shown")
_F = frozenset({"truth"})  # the layer, which comes by itself where it is shown at the end
_WORDS = {"plain": True, "exact": False}
_MOST_READ = 240  # letters of a caption: what the strip above the pictures holds


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
    lesson = _lesson(table, mistakes)
    if mistakes:
        raise LessonError(name, mistakes)
    return lesson


def _lesson(table: dict[str, Any], mistakes: list[InputError]) -> Lesson:
    """The lesson of a table; with mistakes, one that is not to be used."""
    fields = _fields(table, mistakes)
    texts = {name: fields.text(name, most) for name, most in _MOST_LETTERS.items()}
    if texts["slug"] and not _SLUG.fullmatch(texts["slug"]):
        expected = "slug to be of small letters and digits, with single hyphens between"
        fields.mistake(expected, short(texts["slug"]), "rename it, as in my-lesson")
    predict = fields.events("predict")
    if not all(event.kind is Kind.PICK for event in predict):
        fields.mistake("predict to name picks", "another event", 'write predict = ["1.pick.0"]')
    at_end = fields.one_of("truth", _TRUTH, _TRUTH[0]) == _TRUTH[0]
    return Lesson(
        slug=texts["slug"],
        title=" ".join(texts["title"].split()),
        problem=fields.one_of("problem", PROBLEM_NAMES),
        caption=_caption(texts["caption"], mistakes),
        settings=MappingProxyType(_settings(table.get("settings", {}), mistakes)),
        event=fields.event("event") or Event(1, Kind.POSTERIOR),
        layers=_names(table, "show", LAYERS, ["truth"], mistakes) - (_F if at_end else set()),
        hidden=_names(table, "hide", (*GROUPS, *sorted(CONTROLS)), [], mistakes),
        plain=_WORDS[fields.one_of("words", tuple(_WORDS), "exact")],
        shelf=fields.one_of("shelf", _SHELVES),
        truth_at_end=at_end,
        predict=predict,
        tasks=tasks_of(fields),
        questions=questions_of(fields),
        end=end_of(fields),
    )


def _caption(text: str, mistakes: list[InputError]) -> Caption:
    """A caption that fits its strip."""
    caption = caption_of(text, mistakes)
    if (letters := letters_of(caption)) > _MOST_READ:
        wanted = f"caption to be of at most {_MOST_READ} letters, those of addresses not counted"
        remedy = "shorten it, or move some of it into the answer"
        mistakes.append(InputError(wanted, f"{letters}", remedy))
    return caption


def _fields(table: dict[str, Any], mistakes: list[InputError]) -> Fields:
    """The fields of the file, of this version; those of a question belong to its own table."""
    misplaced = _OF_QUESTIONS.intersection(table)
    own = {name: value for name, value in table.items() if name not in misplaced}
    fields = Fields(own, _FIELDS, mistakes, _REQUIRED)
    if misplaced:
        remedy = 'write [[questions]], then text = "...", answer = "..." and choices or a number'
        fields.mistake("questions in tables", ", ".join(sorted(misplaced)), remedy)
    version = table.get("version", VERSION)
    if version != VERSION or isinstance(version, bool):
        expected = f"version to be {VERSION}"
        fields.mistake(expected, short(version), "write it as docs/lessons.md says")
    return fields


def _settings(table: Any, mistakes: list[InputError]) -> dict[str, Any]:
    """The settings under their own names, each checked by itself."""
    if not isinstance(table, dict):
        expected = "settings to be a table"
        mistakes.append(InputError(expected, short(table), "write [settings] and K = 5 below"))
        return {}
    settings: dict[str, Any] = table
    good = dict[str, Any]()
    for code, value in settings.items():
        name = NAMES.get(code, code)
        if CODES.get(name, name) not in SETTING_CODES or name == "problem":
            others = (other for other in SETTING_CODES if other != "problem")
            expected = f"settings among {', '.join(others)}"
            remedy = "write it above [settings]" if code in _FIELDS else "remove or rename it"
            mistakes.append(InputError(expected, short(code), remedy))
            continue
        good[name] = value_of(Settings.param[name], short(value))
        try:
            Settings().accept(**{name: good[name]})
        except UCBPEError as error:
            expected = f"in settings, {error.expected}"
            mistakes.append(InputError(expected, f"{code} = {short(value)}", error.remedy))
    return good


def _names(
    table: Mapping[str, Any],
    field: str,
    known: tuple[str, ...],
    default: list[str],
    mistakes: list[InputError],
) -> frozenset[str]:
    names, unknown = table.get(field, default), list[InputError]()
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        remedy = f'write {field} = ["{known[0]}"]'
        mistakes.append(InputError(f"{field} to be a list of names", short(names), remedy))
        return frozenset()
    for name in GONE.intersection(names):
        warnings.warn(f"{field}: {name} is no longer offered; it is left out", stacklevel=4)
    members = members_of(field, [name for name in names if name not in GONE], known, unknown)
    mistakes.extend(InputError(item.expected, item.got, "remove or rename it") for item in unknown)
    return members
