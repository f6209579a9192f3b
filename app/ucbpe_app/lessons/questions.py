"""What a lesson asks, and how it ends: questions with their answers, tasks, and the last card.

docs/lessons.md describes how they are written.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from hashlib import sha256
from typing import TYPE_CHECKING

from ucbpe_app.lessons.fields import Fields, Record, read_by
from ucbpe_app.run.facts import FACTS
from ucbpe_app.run.notation import NAMES, SETTING_CODES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ucbpe_app.lessons.fields import Mistake
    from ucbpe_app.run.events import Event

_TOLD = 300  # letters
_FEWEST, _MOST = 2, 6  # choices


@dataclass(frozen=True)
class Choice(Record):
    """An answer to choose; `reason` says why it is wrong and what to look at, or is empty."""

    text: str = field(metadata=read_by(Fields.line, 200))
    reason: str = field(default="", metadata=read_by(Fields.line, _TOLD))


@dataclass(frozen=True)
class Question(Record):
    """A question with `choices`, the right one first, or with a `number` for an answer.

    Attributes
    ----------
    text, answer : what is asked, and the reason of the right answer
    tolerance, wrong : how far from `number` an answer is right, and what is said beyond
    at : the event from which it is offered; None: that at which the lesson opens
    again : slug of the earlier lesson whose question this is, with other numbers
    """

    text: str = field(metadata=read_by(Fields.line, 500))
    answer: str = field(metadata=read_by(Fields.line, 1000))
    choices: tuple[Choice, ...] = field(default=(), metadata=read_by(Fields.records, Choice))
    number: float | None = field(default=None, metadata=read_by(Fields.number))
    tolerance: float = field(default=0.0, metadata=read_by(Fields.number))
    wrong: str = field(default="", metadata=read_by(Fields.line, _TOLD))
    at: Event | None = field(default=None, metadata=read_by(Fields.event))
    again: str = field(default="", metadata=read_by(Fields.line, 40))

    def mistakes(self) -> Iterator[Mistake]:
        if bool(self.choices) == (self.number is not None):
            got = "both" if self.choices else "none"
            yield "choices or a number", got, "write one of the two"
        if self.number is not None and not (self.tolerance > 0 and self.wrong):
            expected = "a tolerance above 0, and wrong, beside the number"
            got = f"tolerance {self.tolerance:g}" if self.wrong else "no wrong"
            yield expected, got, 'write tolerance = 0.05 and wrong = "why, and what to look at"'
        for i, choice in enumerate(self.choices, start=1):
            if i == 1 and choice.reason:
                yield "no reason of the right choice", "one", "move it into answer"
            elif i > 1 and not choice.reason:
                yield f"in choices {i}, reason", "none", "add why it is wrong, and what to look at"
        distinct = len({one.text for one in self.choices}) == len(self.choices)
        if self.choices and not (distinct and _FEWEST <= len(self.choices) <= _MOST):
            expected = f"choices to be {_FEWEST} to {_MOST} different ones, the right one first"
            got = f"{len(self.choices)}" if distinct else "one twice"
            yield expected, got, 'write {text = "another", reason = "why not"}'

    @property
    def shuffled(self) -> tuple[Choice, ...]:
        """The choices in an order that reveals nothing, and that is the same each time."""
        mixed = {sha256(f"{self.text} {one.text}".encode()).digest(): one for one in self.choices}
        return tuple(mixed[key] for key in sorted(mixed))


def _setting(own: Fields, name: str) -> str:
    code = own.one_of(name, SETTING_CODES)
    return NAMES.get(code, code)


_GOAL = frozenset({"quantity", "below", "above", "near", "margin", "done"})
_OF_KINDS = {"draw": {"of", "done"}, "drag": _GOAL, "set": _GOAL | {"setting"}}


@dataclass(frozen=True)
class Task(Record):
    """Something to draw before event `at`, or to bring about at it.

    Attributes
    ----------
    kind : draw, drag (a measurement) or set (a setting)
    of : what is drawn, the mean or the upper edge of the band
    quantity, below, above : of `FACTS`, and the bound that it is to pass; one of them is a number
    setting : which one is to be set, a name of `Settings`; empty: any
    near, margin : what is said where less than the margin is missing
    done : what is said once it is so, or beside the gap of what was drawn
    """

    kind: str = field(metadata=read_by(Fields.one_of, tuple(_OF_KINDS)))
    at: Event = field(metadata=read_by(Fields.event))
    text: str = field(metadata=read_by(Fields.line, 160))
    of: str = field(default="", metadata=read_by(Fields.one_of, ("mean", "band")))
    quantity: str = field(default="", metadata=read_by(Fields.one_of, tuple(FACTS)))
    below: float | None = field(default=None, metadata=read_by(Fields.number))
    above: float | None = field(default=None, metadata=read_by(Fields.number))
    setting: str = field(default="", metadata=read_by(_setting))
    near: str = field(default="", metadata=read_by(Fields.line, _TOLD))
    margin: float = field(default=0.0, metadata=read_by(Fields.number))
    done: str = field(default="", metadata=read_by(Fields.line, _TOLD))

    def mistakes(self) -> Iterator[Mistake]:
        for one in fields(self)[3:]:
            if getattr(self, one.name) != one.default and one.name not in _OF_KINDS[self.kind]:
                yield f"no {one.name} of kind {self.kind}", "one", "remove it"
        if self.kind == "draw" and not self.of:
            yield "of", "none", 'write of = "mean" or of = "band"'
        one_bound = (self.below is None) != (self.above is None)
        if self.kind != "draw" and not (self.quantity and self.done and one_bound):
            expected, got = "quantity, done, and below or above", "not all, or both bounds"
            yield expected, got, 'write them, as quantity = "region", below = 20, done = "..."'
        if bool(self.near) != (self.margin > 0):
            yield "near and a margin above 0 together", "one", "write both or none"

    @property
    def key(self) -> str:
        """Under which a browser keeps its answer."""
        return f"{self.kind} {self.at.text}"

    def turn(self, events: Sequence[Event], inputs: int) -> int | None:
        """The event before which it is asked, of a run of so many inputs; None where it is not."""
        if self.at not in events or (self.kind != "set" and inputs > 1):
            return None
        index = events.index(self.at) + (self.kind != "draw")
        return index if 0 < index < len(events) else None


@dataclass(frozen=True)
class End(Record):
    """The last card: at `event`, or at the last of the first 14; what to remember and to try."""

    event: Event | None = field(default=None, metadata=read_by(Fields.event))
    remember: str = field(default="", metadata=read_by(Fields.line, _TOLD))
    try_: str = field(default="", metadata=read_by(Fields.line, _TOLD, name="try"))
