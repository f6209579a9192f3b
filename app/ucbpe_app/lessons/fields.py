"""The fields of one table of a lesson's file, each read with its own check."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from ucbpe_app.run.notation import event_of, short
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ucbpe_app.run.events import Event


class Fields:
    """A table whose mistakes are collected; each names its field, and the part of the file.

    Parameters
    ----------
    known, required : names that the table can have, and has to have
    where : before what is expected, as "in questions 2, "
    """

    def __init__(
        self,
        table: Mapping[str, Any],
        known: Collection[str],
        mistakes: list[InputError],
        required: Collection[str] = (),
        where: str = "",
    ) -> None:
        self.table, self.mistakes, self.where = table, mistakes, where
        for name in sorted(set(table) - set(known)):
            self.mistake(f"fields among {', '.join(known)}", short(name), "remove or rename it")
        for name in required:
            if name not in table:
                self.mistake(name, "none", f"add {name} to the file")

    def __contains__(self, name: str) -> bool:
        return name in self.table

    def mistake(self, expected: str, got: str, remedy: str) -> None:
        """Note one."""
        self.mistakes.append(InputError(self.where + expected, got, remedy))

    def text(self, name: str, most: int) -> str:
        """Words of at most that many letters; empty if the field is left out, or wrong."""
        text = self.table.get(name, "")
        if not isinstance(text, str):
            got, remedy = short(text), f'write {name} = "..."'
        elif name in self.table and not text.strip():
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
        """A finite number; None if the field is left out, or wrong."""
        value = self.table.get(name)
        if name not in self.table or (isinstance(value, float) and math.isfinite(value)):
            return value
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1e15:
            return float(value)
        self.mistake(f"{name} to be a number", short(value), f"write {name} = 1.5")
        return None

    def one_of(self, name: str, known: Collection[str], default: str = "") -> str:
        """One of these words."""
        value = self.table.get(name, default)
        if name not in self.table or (isinstance(value, str) and value in known):
            return str(value)
        self.mistake(f"{name} to be one of {', '.join(known)}", short(value), "choose one of these")
        return default

    def event(self, name: str) -> Event | None:
        """An event; None if the field is left out, or wrong."""
        text = self.text(name, 40)
        return self._event(name, text) if text else None

    def events(self, name: str) -> tuple[Event, ...]:
        """A list of events."""
        texts = self.table.get(name, [])
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            self.mistake(
                f"{name} to be a list of events", short(texts), f'write {name} = ["1.pick.0"]'
            )
            return ()
        found = (self._event(name, text) for text in texts)
        return tuple(event for event in found if event is not None)

    def _event(self, name: str, text: str) -> Event | None:
        try:
            return event_of(text)
        except InputError as error:
            wanted = error.expected.removeprefix("event")
            self.mistake(f"{name}{wanted}", error.got, "write one of these")
            return None

    def tables(self, name: str) -> Iterator[tuple[Mapping[str, Any], str]]:
        """Each table of a list, and where it stands."""
        tables = self.table.get(name, [])
        if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
            remedy = f"write [[{name}]] and its fields below"
            self.mistake(f"{name} to be tables", short(tables), remedy)
            return
        for number, table in enumerate(tables, start=1):
            yield table, f"{self.where}in {name} {number}, "
