"""A lesson: a moment of a run, a caption, and a question for a class."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ucbpe_app.lessons.caption import changes_of
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.prior import suggested
from ucbpe_app.run.settings import RunSpec

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
    choices, number, tolerance : how an answer is marked, where it is: by choices, the right one
        first, or by a number that may be off by `tolerance`
    problem, settings, event : the moment
    layers : layers shown at first, names of fields of `Layers`
    hidden : groups and controls that are not offered, names in `GROUPS` or `CONTROLS`
    """

    slug: str
    title: str
    problem: str
    caption: Caption = ()
    settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    event: Event = Event(1, Kind.FIT)
    layers: frozenset[str] = frozenset({"truth"})
    hidden: frozenset[str] = frozenset()
    question: str = ""
    answer: str = ""
    choices: tuple[str, ...] = ()
    number: float | None = None
    tolerance: float = 0.0

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
