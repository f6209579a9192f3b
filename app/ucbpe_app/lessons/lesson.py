"""A lesson: a moment of a run, a caption and a question; and as text, which a teacher writes.

docs/lessons.md describes the format, which is TOML.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ucbpe_app.lessons.caption import caption_of, changes_of, letters_of
from ucbpe_app.run.choices import PROBLEM_NAMES
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.notation import (
    CODES,
    NAMES,
    SETTING_CODES,
    event_of,
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
    title, caption, question, answer : what a student reads; the answer when asked for
    choices : answers to choose from, the right one first
    problem, settings, event : the moment
    layers : layers shown at first, names of fields of `Layers`
    hidden : groups and controls that are not offered, names in `GROUPS` or `CONTROLS`
    plain : whether words on screen are those that need no word of the field
    """

    slug: str
    title: str
    problem: str
    caption: Caption = ()
    settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    event: Event = Event(1, Kind.POSTERIOR)
    layers: frozenset[str] = frozenset({"truth"})
    hidden: frozenset[str] = frozenset()
    plain: bool = False
    question: str = ""
    answer: str = ""
    choices: tuple[str, ...] = ()

    @property
    def shuffled(self) -> tuple[str, ...]:
        """The choices in an order that reveals nothing, and that is the same each time."""
        mixed = ((sha256(f"{self.slug} {text}".encode()).digest(), text) for text in self.choices)
        return tuple(text for _, text in sorted(mixed))

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


_FEWEST, _MOST, _LETTERS = 2, 6, 200


def choices_of(table: Mapping[str, Any], mistakes: list[InputError]) -> tuple[str, ...]:
    """The answers of a lesson to choose from; what is wrong in them becomes mistakes."""
    if "choices" not in table:
        return ()
    if "question" not in table:
        mistakes.append(
            InputError("a question for choices", "none", "write one, or leave choices out")
        )
    choices = table["choices"]
    texts = choices if isinstance(choices, list) else []
    words = [" ".join(text.split()) for text in texts if isinstance(text, str)]
    fits = all(0 < len(text) <= _LETTERS for text in words) and len(set(words)) == len(texts)
    if not fits or not _FEWEST <= len(words) <= _MOST:
        wanted = (
            f"choices to be {_FEWEST} to {_MOST} different texts of 1 to {_LETTERS} letters, "
            "the right one first"
        )
        remedy = 'write choices = ["the right one", "another"]'
        mistakes.append(InputError(wanted, short(choices), remedy))
        return ()
    return tuple(words)


VERSION = 1
LARGEST = 64 * 1024  # bytes: sixteen times the longest lesson that can be, links and all
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_MOST_LETTERS = {
    "slug": 40, "title": 60, "caption": 2500, "problem": 40, "event": 40, "question": 500,
    "answer": 1000,
}  # fmt: skip
_REQUIRED = ("version", "slug", "title", "problem", "caption")
_FIELDS = (
    *_REQUIRED, "settings", "event", "show", "hide", "words", "question", "answer", "choices",
)  # fmt: skip
_GONE = frozenset({"number", "tolerance"})  # once fields, which files can still have
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
    _check_fields(table, mistakes)
    texts = {name: _text(table, name, mistakes) for name in _MOST_LETTERS}
    if texts["slug"] and not _SLUG.fullmatch(texts["slug"]):
        expected = "slug to be of small letters and digits, with single hyphens between"
        mistakes.append(InputError(expected, short(texts["slug"]), "rename it, as in my-lesson"))
    if texts["problem"] and texts["problem"] not in PROBLEM_NAMES:
        expected = f"problem to be one of {', '.join(PROBLEM_NAMES)}"
        mistakes.append(InputError(expected, short(texts["problem"]), "choose one of these"))
    if bool(texts["question"]) != bool(texts["answer"]):
        got = "the question alone" if texts["question"] else "the answer alone"
        mistakes.append(InputError("question and answer together", got, "write both or none"))
    if (words := table.get("words", "exact")) not in _WORDS:
        mistakes.append(InputError(f"words to be {' or '.join(_WORDS)}", short(words), "write one"))
    return Lesson(
        slug=texts["slug"],
        title=" ".join(texts["title"].split()),
        problem=texts["problem"],
        caption=_caption(texts["caption"], mistakes),
        settings=MappingProxyType(_settings(table.get("settings", {}), mistakes)),
        event=_event(texts["event"], mistakes),
        layers=_names(table, "show", LAYERS, ["truth"], mistakes),
        hidden=_names(table, "hide", (*GROUPS, *sorted(CONTROLS)), [], mistakes),
        plain=_WORDS.get(words, False),
        question=" ".join(texts["question"].split()),
        answer=" ".join(texts["answer"].split()),
        choices=choices_of(table, mistakes),
    )


def _caption(text: str, mistakes: list[InputError]) -> Caption:
    """A caption that fits its strip."""
    caption = caption_of(text, mistakes)
    if (letters := letters_of(caption)) > _MOST_READ:
        wanted = f"caption to be of at most {_MOST_READ} letters, those of addresses not counted"
        remedy = "shorten it, or move some of it into the answer"
        mistakes.append(InputError(wanted, f"{letters}", remedy))
    return caption


def _check_fields(table: Mapping[str, Any], mistakes: list[InputError]) -> None:
    """Note those that are unknown or missing, and a version that is not this one."""
    for name in sorted(_GONE.intersection(table)):
        warnings.warn(f"{name} is no longer used; it is left out", stacklevel=4)
    for name in sorted(set(table) - set(_FIELDS) - _GONE):
        expected = f"fields among {', '.join(_FIELDS)}"
        mistakes.append(InputError(expected, short(name), "remove or rename it"))
    missing = (name for name in _REQUIRED if name not in table)
    mistakes.extend(InputError(name, "none", f"add {name} to the file") for name in missing)
    version = table.get("version", VERSION)
    if version != VERSION or isinstance(version, bool):
        expected = f"version to be {VERSION}"
        mistakes.append(InputError(expected, short(version), "write it as docs/lessons.md says"))


def _text(table: Mapping[str, Any], name: str, mistakes: list[InputError]) -> str:
    text, most = table.get(name, ""), _MOST_LETTERS[name]
    if not isinstance(text, str):
        got, remedy = short(text), f'write {name} = "..."'
    elif name in table and not text.strip():
        got, remedy = "nothing", "write some, or leave the field out"
    elif len(text) > most:
        got, remedy = f"{len(text)}", "shorten it"
    else:
        return text.strip()
    mistakes.append(InputError(f"{name} to be text of 1 to {most} letters", got, remedy))
    return ""


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


def _event(text: str, mistakes: list[InputError]) -> Event:
    try:
        return event_of(text) if text else Event(1, Kind.POSTERIOR)
    except InputError as error:
        mistakes.append(InputError(error.expected, error.got, "write one of these"))
        return Event(1, Kind.POSTERIOR)


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
