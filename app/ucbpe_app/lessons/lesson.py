"""A lesson: a moment of a run, a caption, and a question for a class, which may be marked."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import sha256
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ucbpe_app.lessons.caption import changes_of
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.notation import short
from ucbpe_app.run.prior import suggested
from ucbpe_app.run.settings import RunSpec
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

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
