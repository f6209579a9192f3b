"""What a lesson asks, and how it ends: questions with their answers, tasks, and the last card.

docs/lessons.md describes how they are written.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from ucbpe_app.lessons.fields import Fields
from ucbpe_app.run.facts import FACTS
from ucbpe_app.run.notation import NAMES, SETTING_CODES, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.run.events import Event

_ASKED, _ANSWERED, _CHOICE, _TOLD = 500, 1000, 200, 300  # letters
_FEWEST, _MOST = 2, 6  # choices


@dataclass(frozen=True)
class Choice:
    """An answer to choose; `reason` says why it is wrong and what to look at, or is empty."""

    text: str
    reason: str = ""


@dataclass(frozen=True)
class Question:
    """A question with `choices`, the right one first, or with a `number` for an answer.

    Attributes
    ----------
    text, answer : what is asked, and the reason of the right answer
    tolerance, wrong : how far from `number` an answer is right, and what is said beyond
    at : the event from which it is offered; None: that at which the lesson opens
    again : slug of the earlier lesson whose question this is, with other numbers
    """

    text: str
    answer: str
    choices: tuple[Choice, ...] = ()
    number: float | None = None
    tolerance: float = 0.0
    wrong: str = ""
    at: Event | None = None
    again: str = ""

    @property
    def shuffled(self) -> tuple[Choice, ...]:
        """The choices in an order that reveals nothing, and that is the same each time."""
        mixed = {sha256(f"{self.text} {one.text}".encode()).digest(): one for one in self.choices}
        return tuple(mixed[key] for key in sorted(mixed))


@dataclass(frozen=True)
class Task:
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

    kind: str
    at: Event
    text: str
    of: str = ""
    quantity: str = ""
    below: float | None = None
    above: float | None = None
    setting: str = ""
    near: str = ""
    margin: float = 0.0
    done: str = ""

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
class End:
    """The last card: at `event`, or at the last of the first 14; what to remember and to try."""

    event: Event | None = None
    remember: str = ""
    try_: str = ""


def questions_of(fields: Fields) -> tuple[Question, ...]:
    """Those of a lesson; what is wrong in them becomes mistakes."""
    known = ("text", "answer", "choices", "number", "tolerance", "wrong", "at", "again")
    found = list[Question]()
    for table, where in fields.tables("questions"):
        own = Fields(table, known, fields.mistakes, known[:2], where)
        if ("choices" in own) == ("number" in own):
            got = "both" if "number" in own else "none"
            own.mistake("choices or a number", got, "write one of the two")
        number, tolerance = own.number("number"), own.number("tolerance") or 0.0
        wrong = own.line("wrong", _TOLD)
        if number is not None and not (tolerance > 0 and wrong):
            own.mistake(
                "a tolerance above 0, and wrong, beside the number",
                f"tolerance {tolerance:g}" if wrong else "no wrong",
                'write tolerance = 0.05 and wrong = "why, and what to look at"',
            )
        found.append(
            Question(
                own.line("text", _ASKED), own.line("answer", _ANSWERED), _choices(own), number,
                tolerance, wrong, own.event("at"), own.text("again", 40),
            )
        )  # fmt: skip
    return tuple(found)


def _choices(fields: Fields) -> tuple[Choice, ...]:
    """The right one, and wrong ones each with its reason."""
    found = list[Choice]()
    for table, where in fields.tables("choices"):
        required = ("text", "reason")[: 2 if found else 1]
        own = Fields(table, ("text", "reason"), fields.mistakes, required, where)
        if not found and "reason" in own:
            own.mistake("no reason of the right choice", "one", "move it into answer")
        found.append(Choice(own.line("text", _CHOICE), own.line("reason", _TOLD)))
    distinct = len({one.text for one in found}) == len(found)
    if "choices" in fields and not (distinct and _FEWEST <= len(found) <= _MOST):
        fields.mistake(
            f"choices to be {_FEWEST} to {_MOST} different ones, the right one first",
            f"{len(found)}" if distinct else "one twice",
            'write choices = [{text = "the right one"}, {text = "another", reason = "why not"}]',
        )
    return tuple(found)


def tasks_of(fields: Fields) -> tuple[Task, ...]:
    """Those of a lesson; what is wrong in them becomes mistakes."""
    found = list[Task]()
    for table, where in fields.tables("tasks"):
        task = _task(Fields(table, _TASK, fields.mistakes, _TASK[:3], where))
        if task is not None:
            found.append(task)
    return tuple(found)


_GOAL = ("quantity", "below", "above", "near", "margin", "done")
_TASK = ("kind", "at", "text", "of", "setting", *_GOAL)
_OF_KINDS = {"draw": {"of", "done"}, "drag": {*_GOAL}, "set": {*_GOAL, "setting"}}


def _task(own: Fields) -> Task | None:
    kind, at = own.one_of("kind", tuple(_OF_KINDS)), own.event("at")
    text = own.line("text", 160)
    if not kind or at is None:
        return None
    for name in _TASK[3:]:
        if name in own and name not in _OF_KINDS[kind]:
            own.mistake(f"no {name} of kind {kind}", "one", "remove it")
    of, quantity = own.one_of("of", ("mean", "band")), own.one_of("quantity", tuple(FACTS))
    below, above = own.number("below"), own.number("above")
    near, margin, done = own.line("near", _TOLD), own.number("margin"), own.line("done", _TOLD)
    if kind == "draw" and not of:
        own.mistake("of", "none", 'write of = "mean" or of = "band"')
    if kind != "draw" and not (quantity and done and (below is None) != (above is None)):
        remedy = 'write them, as quantity = "region", below = 20, done = "..."'
        own.mistake("quantity, done, and below or above", "not all, or both bounds", remedy)
    if bool(near) != bool(margin and margin > 0):
        own.mistake("near and a margin above 0 together", "one", "write both or none")
    setting = own.one_of("setting", SETTING_CODES)
    setting = NAMES.get(setting, setting)
    return Task(kind, at, text, of, quantity, below, above, setting, near, margin or 0.0, done)


def end_of(fields: Fields) -> End:
    """How a lesson ends."""
    table = fields.table.get("end", {})
    if not isinstance(table, dict):
        fields.mistake("end to be a table", short(table), "write [end] and remember below")
        return End()
    own = Fields(table, ("event", "remember", "try"), fields.mistakes, (), "in end, ")
    return End(own.event("event"), own.line("remember", _TOLD), own.line("try", _TOLD))
