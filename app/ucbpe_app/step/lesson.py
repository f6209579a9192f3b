"""The lesson on screen: its two cards, the choice of another one, and lessons from a file."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app.lessons import LARGEST, Change, Lesson, LessonError, check, find, offered, read
from ucbpe_app.lessons.card import asked, ending, last, paragraphs, shelves
from ucbpe_app.links import query_of
from ucbpe_app.run.sentences.texts import number, only, say
from ucbpe_app.widgets.bar_buttons import AllLessons
from ucbpe_app.widgets.lesson import EndCard, LessonCard
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from ucbpe_app.lessons.card import Shelf
    from ucbpe_app.links import Moment
    from ucbpe_app.run.events import Event
    from ucbpe_app.run.settings import RunSpec
    from ucbpe_app.widgets.controls import Controls
    from ucbpe_app.widgets.link_bar import LayerChoice, Links
    from ucbpe_app.widgets.run_view import RunView
    from ucbpe_app.widgets.session import Session

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
    predict: str = ""

    def applied(self, moment: Moment) -> Moment:
        """The moment of the query as it is to be shown; a lesson of a file has no slug there."""
        slug = self.lesson.slug if self.lesson in offered() else ""
        return replace(
            moment, layers=self.layers, hidden=self.hidden, preset=slug, predict=self.predict
        )


class LessonGuide:
    """Chooses lessons and moments of them. `card` and `others` are to be laid out.

    ``visit`` opens one. The page then calls `arrive`, and `resync` in any case: another request may
    have overtaken it.
    """

    def __init__(
        self,
        session: Session,
        controls: Controls,
        view: RunView,
        layers: LayerChoice,
        links: Links,
        visit: Callable[[str, Opening], Coroutine[Any, Any, None]],
    ) -> None:
        self._session, self._controls, self._view = session, controls, view
        self._layers, self._page_links, self._visit = layers, links, visit
        self._own: tuple[Lesson, ...] = ()  # opened from files
        self._here: dict[Event, int] = {}  # the links of the caption that lead into this run
        self.coming = False  # another lesson or moment, with a card of its own
        self.lesson: Lesson | None = None
        self.card = LessonCard(self._do, largest=LARGEST)
        self.end = EndCard(partial(self._step, 1))
        view.why.append(self.end)
        self.others = AllLessons(margin=0)
        controls.on_reset = self.reset

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """Those that can be chosen, shelf by shelf."""
        return tuple(lesson for shelf in shelves(self._own) for lesson in shelf.lessons)

    @property
    def _shelf(self) -> Shelf:
        """Where the lesson on screen stands."""
        return next(shelf for shelf in shelves(self._own) if self.lesson in shelf.lessons)

    def _beside(self, steps: int) -> Lesson | None:
        """The lesson so many places on, if it may be chosen."""
        free = self.lesson is not None and self._controls.lessons
        return self._shelf.beside(self.lesson, steps) if self.lesson and free else None

    def arrive(self, lesson: Lesson | None) -> None:
        """Show the card of a lesson, or of none."""
        self.lesson = lesson
        before, after = self._beside(-1), self._beside(1)
        self.card.param.update(
            title=_FROM_LINK if lesson is None else lesson.title,
            slug="" if lesson is None else lesson.slug,
            place="" if lesson is None else self._shelf.place(lesson),
            number=-1 if lesson is None else self.lessons.index(lesson),
            shelves=self._listed() if self._controls.lessons else [],
            paragraphs=[] if lesson is None else paragraphs(lesson, self._href),
            before="" if before is None else before.title,
            after="" if after is None else after.title,
        )
        self.others.visible = self._controls.lessons
        self.resync()

    def _listed(self) -> list[dict[str, Any]]:
        lessons = self.lessons
        return [
            {**shelf._asdict(), "lessons": [
                {"number": lessons.index(one), "place": i, "title": one.title, "slug": one.slug}
                for i, one in enumerate(shelf.lessons, start=1)
            ]}
            for shelf in shelves(self._own)
        ]  # fmt: skip

    def resync(self) -> None:
        """Have the card say which lesson is on screen."""
        self.coming = False
        self.load()

    def load(self) -> None:
        """Compare the run on screen with the lesson's."""
        if self.coming:
            return
        lesson, spec = self.lesson, self._session.spec
        self._here = {}
        if lesson is not None:
            for number, change in enumerate(lesson.links):
                if lesson.leads(change, spec):
                    self._here.setdefault(change.event or lesson.event, number)
        own = lesson is not None and lesson.leads(Change(), spec)
        replay = self._session.replay
        self.card.param.update(
            changed=not (lesson is None or bool(self._here) or own),
            questions=[] if lesson is None else asked(lesson, replay),
            last=last(lesson, replay) if lesson and own else -1,
        )
        self.update()

    def update(self) -> None:
        """Mark the link whose moment is on screen, and show the last card at its event."""
        session = self._session
        self.card.setting = describe_setting(session.spec, session.frame.sqrt_beta)
        here = self._here.get(session.replay.events[session.index], -1)
        if here != self.card.here:
            self.card.here = here
        if not self.coming:
            self.card.index = session.index
            self._end(session.index)

    def _end(self, index: int) -> None:
        """Have the last card in the place of the reason, and what was found in the picture."""
        lesson, view, after = self.lesson, self._view, self._beside(1)
        at = lesson is not None and index == self.card.last
        name = self._shelf.name(after) if after is not None else ""
        if lesson is not None and at:
            facts = ending(lesson, self._session.replay, index)
            self.end.param.update(
                **facts, slug=lesson.slug, next=name, others=bool(self.card.shelves)
            )
        self.end.visible, view.algorithm.reason.visible = at, not at
        view.timeline.onwards = self.card.last if name else -1
        view.picture.ask(found=at, handle=at and not self._session.history.present.moved)

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

    def _do(self, what: str, about: Any) -> None:
        """Do what the card asks."""
        if what == "link":
            self._follow(about)
        elif what == "step":
            self._step(about)
        elif what == "choose":
            self._open(self.lessons[about])
        elif what == "file":
            self._open_file(str(about["name"]), int(about["size"]), about["text"])
        else:
            self.reset()

    def _step(self, steps: int) -> None:
        lesson = self._beside(steps)
        if lesson is not None:
            self._open(lesson)

    def _start(self, opening: Opening) -> None:
        self.coming = True
        opening = replace(opening, predict=self._page_links.predict)
        pn.state.execute(partial(self._visit, opening.query, opening))

    def _href(self, change: Change) -> str:
        assert self.lesson is not None
        return f"?{self._query(self.lesson, change)}"

    def _query(self, lesson: Lesson, change: Change | None = None) -> str:
        return query_of(lesson, change, known=lesson in offered())

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
