"""The lesson on screen: its card, the choice of another one, and lessons from a file."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app.lessons import LARGEST, Change, Lesson, LessonError, check, find, offered, read
from ucbpe_app.lessons.questions import Question
from ucbpe_app.links import query_of
from ucbpe_app.run.sentences.texts import number, only, say
from ucbpe_app.widgets.lesson import LessonCard
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    import param

    from ucbpe_app.links import Moment
    from ucbpe_app.run.events import Event
    from ucbpe_app.run.settings import RunSpec
    from ucbpe_app.widgets.controls import Controls
    from ucbpe_app.widgets.link_bar import LayerChoice, Links
    from ucbpe_app.widgets.session import Session

_LOOKS = ("mathml", "mark")
_FROM_LINK = "Opened from a link"
# What every lesson decides anew; of the other layers, those that a person has added are kept.
_OF_LESSONS = frozenset({"truth", "noisy", "stop"})


@dataclass(frozen=True)
class Opening:
    """A moment of a lesson: its query, and what the screen is to show and to hide with it."""

    query: str
    lesson: Lesson
    layers: frozenset[str]
    hidden: frozenset[str]

    def applied(self, moment: Moment) -> Moment:
        """The moment of the query as it is to be shown; a lesson of a file has no slug there."""
        slug = self.lesson.slug if self.lesson in offered() else ""
        return replace(moment, layers=self.layers, hidden=self.hidden, preset=slug)


class LessonGuide:
    """Chooses lessons and moments of them; `card` is to be laid out.

    ``visit`` opens one. The page then calls `arrive`, and `resync` in any case: another request may
    have overtaken it.
    """

    def __init__(
        self,
        session: Session,
        controls: Controls,
        layers: LayerChoice,
        links: Links,
        visit: Callable[[str, Opening], Coroutine[Any, Any, None]],
    ) -> None:
        self._session, self._controls = session, controls
        self._layers, self._page_links, self._visit = layers, links, visit
        self._own: tuple[Lesson, ...] = ()  # opened from files
        self._here: dict[Event, int] = {}  # the links of the caption that lead into this run
        self._coming = False  # another lesson or moment, with a card of its own
        self._syncing = False
        self.lesson: Lesson | None = None
        self.card = LessonCard(self._follow, self._step, self.reset)
        controls.preset.param.watch(self._choose, "value")
        controls.on_reset = self.reset
        controls.file.on_open(self._open_file)

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """Those that can be chosen, in order."""
        return (*offered(), *self._own)

    def arrive(self, lesson: Lesson | None) -> None:
        """Show the card of a lesson, or of none."""
        self.lesson = lesson
        lessons, at = self.lessons, None if lesson is None else self.lessons.index(lesson)
        free = at is not None and self._controls.preset.visible
        before = lessons[at - 1] if free and at else None
        after = lessons[at + 1] if free and at is not None and at + 1 < len(lessons) else None
        asked = lesson.questions[0] if lesson and lesson.questions else Question("", "")
        self.card.param.update(
            title=_FROM_LINK if lesson is None else lesson.title,
            place="" if at is None else f"Lesson {at + 1} of {len(lessons)}",
            paragraphs=[] if lesson is None else self._paragraphs(lesson),
            question=asked.text,
            answer=asked.answer,
            choices=[choice.text for choice in asked.shuffled],
            right=asked.shuffled.index(asked.choices[0]) if asked.choices else 0,
            before="" if before is None else before.title,
            after="" if after is None else after.title,
        )
        self.resync()

    def resync(self) -> None:
        """Have the choice and the card say which lesson is on screen."""
        options: dict[str, Lesson | None] = {} if self.lesson else {_FROM_LINK: None}
        options |= {lesson.title: lesson for lesson in offered()}
        options |= {f"{lesson.title} (file)": lesson for lesson in self._own}
        self._syncing = True
        try:
            self._controls.preset.param.update(options=options, value=self.lesson)
        finally:
            self._syncing = False
        self._coming = False
        self.load()

    def load(self) -> None:
        """Compare the run on screen with the lesson's."""
        if self._coming:
            return
        lesson, spec = self.lesson, self._session.spec
        self._here = {}
        if lesson is not None:
            for number, change in enumerate(lesson.links):
                if lesson.leads(change, spec):
                    self._here.setdefault(change.event or lesson.event, number)
        matches = lesson is None or bool(self._here) or lesson.leads(Change(), spec)
        self.card.changed = not matches
        self.update()

    def update(self) -> None:
        """Mark the link whose moment is on screen."""
        self.card.setting = describe_setting(self._session.spec, self._session.frame.sqrt_beta)
        event = self._session.replay.events[self._session.index]
        here = self._here.get(event, -1)
        if here != self.card.here:
            self.card.here = here

    def reset(self) -> None:
        """Take the lesson's own settings again, or those of the first lesson."""
        self._open(self.lesson or offered()[0])

    def _open(self, lesson: Lesson) -> None:
        self._start(Opening(self._query(lesson), lesson, *self._screen(lesson)))

    def _follow(self, number: int) -> None:
        """Go where a link of the caption leads."""
        lesson = self.lesson
        if lesson is None:
            return
        change = lesson.links[number]
        query, other = self._query(lesson, change), find(change.lesson)
        layers, hidden = self._layers.chosen, self._page_links.origin.hidden
        if other is not None:
            layers, hidden = self._screen(other)
        if change.layers is not None:
            layers = change.layers
        self._start(Opening(query, other or lesson, layers, hidden))

    def _screen(self, lesson: Lesson) -> tuple[frozenset[str], frozenset[str]]:
        """What to show and what to hide with a lesson: that of the one before goes with it."""
        before = self.lesson or Lesson("", "", "")
        added = self._layers.chosen - before.layers - _OF_LESSONS
        kept = self._page_links.origin.hidden - before.hidden
        return lesson.layers | added, kept | lesson.hidden

    def _step(self, steps: int) -> None:
        if self.lesson is not None:
            self._open(self.lessons[self.lessons.index(self.lesson) + steps])

    def _choose(self, event: param.parameterized.Event) -> None:
        if not self._syncing and event.new is not None and event.new != self.lesson:
            self._open(event.new)

    def _start(self, opening: Opening) -> None:
        self._coming = True
        pn.state.execute(partial(self._visit, opening.query, opening))

    def _query(self, lesson: Lesson, change: Change | None = None) -> str:
        return query_of(lesson, change, known=lesson in offered())

    def _paragraphs(self, lesson: Lesson) -> list[list[dict[str, str]]]:
        return [
            [
                {"words": span.words}
                | ({"bold": "true"} if span.bold else {})
                | {name: vars(span)[name] for name in _LOOKS if vars(span)[name]}
                | ({} if span.change is None else {"query": self._query(lesson, span.change)})
                for span in spans
            ]
            for spans in lesson.caption
        ]

    def _open_file(self, name: str, size: int, text: str | None) -> None:
        if text is not None:
            pn.state.execute(partial(self._read, name, text))
            return
        large = size > LARGEST
        expected = f"a file of at most {LARGEST // 1024} kB" if large else "text in UTF-8"
        got = f"{size / 1024:.0f} kB" if large else "other bytes"
        self._show_error(LessonError(name, [InputError(expected, got, "choose or write another")]))

    async def _read(self, name: str, text: str) -> None:
        """Open the lesson of a file, once its runs are seen to begin."""
        try:
            lesson = await asyncio.to_thread(_checked, name, text)
        except LessonError as error:
            self._show_error(error)
            return
        # The same file again, corrected, takes the place of its former self.
        others = (own for own in self._own if lesson.slug != own.slug and lesson.title != own.title)
        self._own = (*others, lesson)
        self._open(lesson)

    def _show_error(self, error: LessonError) -> None:
        title = f"{error.name} was not opened; nothing has changed"
        self._page_links.show_errors(error.mistakes, title)


def _checked(name: str, text: str) -> Lesson:
    lesson = read(text, name)
    check(lesson, tuple(other.slug for other in offered()), name)
    return lesson


def describe_setting(spec: RunSpec, sqrt_beta: float) -> str:
    """Kernel, lengthscale if there is one, and band: what a person changes before a room."""
    scaled = hasattr(spec.build_kernel(), "lengthscale")
    parts = {"kernel": spec.kernel, "lengthscale": number(spec.lengthscale)}
    return say(
        "setting", **parts, scaled=only("setting.scaled", scaled), multiplier=number(sqrt_beta)
    )
