"""Records of a lesson's file: where a field of one is declared stands how it is read."""

from __future__ import annotations

import math
import re
from dataclasses import MISSING, Field, dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from ucbpe_app.run.notation import event_of, short
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from ucbpe_app.run.events import Event

# What was expected, what was got, and what to do.
Mistake = tuple[str, str, str]


@dataclass(frozen=True)
class Record:
    """A table of a file; each field has as metadata what `read_by` returns."""

    def mistakes(self) -> Iterable[Mistake]:
        """What is wrong with it, though each field alone is right."""
        return ()


_R = TypeVar("_R", bound=Record)


def read_by(how: Callable[..., Any], *about: Any, **named: Any) -> Mapping[str, Any]:
    """That a field is read by `how(fields, name, *about)`, a method of `Fields` or as one.

    `name` is its name in the file, if that is another, and `required` whether the file must have
    it, though the record has a default.
    """
    return MappingProxyType({"by": lambda own, name: how(own, name, *about), **named})


class Fields:
    """A table whose mistakes are collected; each names its field, and the part of the file.

    Parameters
    ----------
    where : before what is expected, as "in questions 2, "
    """

    def __init__(
        self, table: Mapping[str, Any], mistakes: list[InputError], where: str = ""
    ) -> None:
        self.table, self.mistakes, self.where = table, mistakes, where

    def mistake(self, expected: str, got: str, remedy: str) -> None:
        """Note one."""
        self.mistakes.append(InputError(self.where + expected, got, remedy))

    @staticmethod
    def declared(kind: type[Record]) -> dict[str, Field[Any]]:
        """The fields of a record by their names in the file."""
        return {one.metadata.get("name", one.name): one for one in fields(kind)}

    def record(self, kind: type[_R]) -> _R | None:
        """The record of this table; None with mistakes."""
        before, declared = len(self.mistakes), self.declared(kind)
        for name in sorted(set(self.table) - set(declared)):
            self.mistake(f"fields among {', '.join(declared)}", short(name), "remove or rename it")
        given = dict[str, Any]()
        for name, one in declared.items():
            required = one.default is one.default_factory is MISSING
            if name in self.table:
                given[one.name] = one.metadata["by"](self, name)
            elif required or one.metadata.get("required"):
                self.mistake(name, "none", f"add {name} to the file")
        if len(self.mistakes) > before:
            return None
        found = kind(**given)
        for mistake in found.mistakes():
            self.mistake(*mistake)
        return found

    def text(self, name: str, most: int) -> str:
        """Words of at most that many letters; empty if they are wrong."""
        text = self.table[name]
        if not isinstance(text, str):
            got, remedy = short(text), f'write {name} = "..."'
        elif not text.strip():
            got, remedy = "nothing", "write some, or leave the field out"
        elif len(text) > most:
            got, remedy = f"{len(text)}", "shorten it"
        else:
            return text.strip()
        self.mistake(f"{name} to be text of 1 to {most} letters", got, remedy)
        return ""

    def line(self, name: str, most: int) -> str:
        """A text whose lines are joined; spaces that do not break stay."""
        return re.sub(r"[ \t\r\n]+", " ", self.text(name, most))

    def number(self, name: str) -> float | None:
        """A finite number; None if it is wrong."""
        value = self.table[name]
        if isinstance(value, float) and math.isfinite(value):
            return value
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1e15:
            return float(value)
        self.mistake(f"{name} to be a number", short(value), f"write {name} = 1.5")
        return None

    def texts(self, name: str, what: str, example: str) -> list[str]:
        """A list of texts; empty if it is wrong."""
        texts = self.table[name]
        if isinstance(texts, list) and all(isinstance(text, str) for text in texts):
            return texts
        self.mistake(
            f"{name} to be a list of {what}", short(texts), f'write {name} = ["{example}"]'
        )
        return []

    def one_of(self, name: str, known: Collection[str]) -> str:
        """One of these words; empty if it is wrong."""
        value = self.table[name]
        if isinstance(value, str) and value in known:
            return value
        self.mistake(f"{name} to be one of {', '.join(known)}", short(value), "choose one of these")
        return ""

    def event(self, name: str) -> Event | None:
        """An event; None if it is wrong."""
        return self._event(name, self.text(name, 40))

    def events(self, name: str) -> tuple[Event, ...]:
        """A list of events."""
        found = (self._event(name, text) for text in self.texts(name, "events", "1.pick.0"))
        return tuple(event for event in found if event is not None)

    def _event(self, name: str, text: str) -> Event | None:
        try:
            return event_of(text)
        except InputError as error:
            wanted = error.expected.removeprefix("event")
            self.mistake(f"{name}{wanted}", error.got, "write one of these")
            return None

    def records(self, name: str, kind: type[_R]) -> tuple[_R, ...]:
        """The records of a list of tables."""
        tables = self.table[name]
        if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
            remedy = f"write [[{name}]] and its fields below"
            self.mistake(f"{name} to be tables", short(tables), remedy)
            return ()
        parts = (
            Fields(table, self.mistakes, f"{self.where}in {name} {number}, ")
            for number, table in enumerate(tables, start=1)
        )
        return tuple(found for part in parts if (found := part.record(kind)) is not None)

    def part(self, name: str, kind: type[_R]) -> _R | None:
        """The record of one table; None with mistakes."""
        return Fields(self.table_of(name), self.mistakes, f"{self.where}in {name}, ").record(kind)

    def table_of(self, name: str) -> dict[str, Any]:
        """A table; empty if it is wrong."""
        table = self.table[name]
        if isinstance(table, dict):
            return table
        self.mistake(f"{name} to be a table", short(table), f"write [{name}] and its fields below")
        return {}
