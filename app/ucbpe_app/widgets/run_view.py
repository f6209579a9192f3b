"""`RunView`: the pictures, the timeline and the reasons of one run, wherever it is stepped.

`PARTS` are its views: each says where it is laid out, and when it is in use. A run view picks a
frame and hands it to the views in use; it computes nothing.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import panel as pn

from ucbpe_app import theme
from ucbpe_app.pictures.asked import Asking, Questions
from ucbpe_app.pictures.curve import CURVE
from ucbpe_app.pictures.field import FIELD, SCATTERED
from ucbpe_app.pictures.plane import LARGE_PLANE, PLANE
from ucbpe_app.pictures.slices import SLICES
from ucbpe_app.render.bokeh import filling
from ucbpe_app.render.view import PictureView, View, drawn_once, main_kind
from ucbpe_app.run.criterion import read, rows
from ucbpe_app.run.events import Kind
from ucbpe_app.run.screen import Layers
from ucbpe_app.run.sentences.reasons import phase_starts
from ucbpe_app.widgets.algorithm import AlgorithmView
from ucbpe_app.widgets.readout import InputsView, Readout
from ucbpe_app.widgets.regret import RegretView
from ucbpe_app.widgets.tabs import DrawTabs
from ucbpe_app.widgets.timeline import Timeline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from param.parameterized import Event

    from ucbpe_app.pictures.picture import RunKind
    from ucbpe_app.render.sending import Place
    from ucbpe_app.run.cache import Bounds
    from ucbpe_app.run.changes import PinnedRun
    from ucbpe_app.run.frames import Frame
    from ucbpe_app.run.replay import Replay

_MAPPED = 2  # inputs of a function that is drawn as maps


class Shown(NamedTuple):
    """What decides which views are in use: the main picture, what a person chose, and the size."""

    kind: RunKind
    layers: Layers
    large: bool

    @property
    def drawn(self) -> bool:
        """Whether the function is drawn over its inputs: there are one or two."""
        return self.kind is not LARGE_PLANE


class Part(NamedTuple):
    """A view of the run: how it is made, where it is laid out, and when it is in use."""

    make: Callable[[RunView], View]
    place: str  # "pictures" or "reasons"
    used: Callable[[Shown], bool]


class SecondView(PictureView):
    """A picture below the regret."""

    @cached_property
    def panel(self) -> pn.Column:
        options = filling(self.kind)
        options["css_classes"].append("lab-second")
        return pn.Column(super().panel, sizing_mode="stretch_width", margin=0, **options)


def _main(kind: RunKind) -> Part:
    return Part(lambda _: PictureView(kind), "pictures", lambda shown: shown.kind is kind)


# In the order in which they are drawn and, in one place, laid out. Each is made when it is first in
# use: half of the time that it takes to open a page is figures.
PARTS = (
    *map(_main, (CURVE, FIELD, SCATTERED, LARGE_PLANE)),
    Part(lambda _: PictureView(SLICES), "pictures", lambda shown: not shown.drawn),
    Part(attrgetter("algorithm"), "reasons", lambda _: True),
    Part(attrgetter("regret"), "reasons", lambda _: True),
    Part(
        lambda _: SecondView(PLANE),
        "reasons",
        # Presented, a key brings it.
        lambda shown: shown.drawn and (shown.layers.plane or shown.large),
    ),
    Part(attrgetter("inputs"), "reasons", lambda shown: not shown.drawn),
)


class RunView:
    """One run, and the event of it on screen.

    `pictures`, `timeline` and `reasons` are to be laid out. A move by the timeline or by a click
    on a regret curve calls `on_move` with the event's index, or just shows it if there is none.
    The regret is right of the pictures.
    """

    def __init__(self, on_move: Callable[[int], None] | None = None) -> None:
        self._move = on_move or self.show
        # Called as the first of what a message to the browser has: somebody may have drawn over it.
        self.before_draw: Callable[[], None] = lambda: None
        self.timeline = Timeline()
        self.readout = Readout(self._find)
        self.inputs, self.algorithm = InputsView(), AlgorithmView(acting=True)
        self.regret = RegretView(on_select=self._select_batch)
        # Only the views in use are in the page: every model there costs a little at each step.
        self.pictures = theme.within("lab-pictures")
        self._sliced = theme.styled("lab-sliced", margin=0)  # of several pictures
        self.why = self.algorithm.panel
        self.reasons = theme.within("lab-aside")
        self._made: dict[Part, View] = {}
        self._loaded: tuple[View, ...] = ()  # those in use that have this run
        self._layers, self._large = Layers(), False
        self._pinned: PinnedRun | None = None
        self._asking = Asking()
        self._draws: dict[PictureView, DrawTabs] = {}
        self.replay: Replay | None = None
        self.frame: Frame | None = None
        self.timeline.param.watch(self._follow_timeline, "index")
        self.readout.param.watch(self._point, ["pointed", "pinned_candidate"])

    @property
    def _shown(self) -> Shown:
        kind = CURVE if self.replay is None else main_kind(self.replay.scene)
        return Shown(kind, self._layers, self._large)

    def _views_in(self, place: str) -> tuple[View, ...]:
        """The views in use at a place; all for ""."""
        shown = self._shown
        parts = [part for part in PARTS if place in ("", part.place) and part.used(shown)]
        for part in parts:
            if part not in self._made:
                self._made[part] = part.make(self)
        return tuple(self._made[part] for part in parts)

    @property
    def views(self) -> tuple[View, ...]:
        """Every view in use."""
        return self._views_in("")

    @property
    def _own(self) -> dict[str, PictureView]:
        """The pictures in use of this run's candidates, by kind: the main one is the first."""
        return {view.kind.name: view for view in self.views if isinstance(view, PictureView)}

    @property
    def picture(self) -> PictureView:
        """The main picture: the function where it can be drawn, else the decision plane."""
        return next(iter(self._own.values()))

    def load(
        self,
        replay: Replay,
        index: int = 0,
        layers: Layers | None = None,
        pinned: PinnedRun | None = None,
    ) -> None:
        """Take another run, at one of its events, and the run to keep behind it.

        It is drawn in these layers, or in the layers chosen last.
        """
        with self._drawing():
            before, self.replay, self.frame = self.replay, replay, None
            self._layers, self._pinned = layers or self._layers, pinned
            self._arrange()
            self._set_draws()
            self._loaded = self.views
            for view in self._loaded:
                view.load(replay.scene)
                view.show(self.layers_at(index))  # before the first frame, which is drawn once
            self._pin_regret()
            starts = [i for i, event in enumerate(replay.events) if event.kind is Kind.POSTERIOR]
            # The timeline must know how far it reaches before it can go to an event.
            phases = [replay.batch_start(t) for t in phase_starts(replay.trace)]
            word = "Decision" if replay.trace.one_by_one else "Batch"
            self.timeline.param.update(
                total=len(replay.events), starts=starts, phases=phases, word=word
            )
            self._set_asked()
            self._offer(replay, before)
            self._point()  # no frame yet: `show` then draws the mark and the numbers
            self.show(index)
            if self._large:
                self.enlarge(True)

    def show(self, index: int) -> None:
        """Draw another event of the run, as one message to the browser."""
        if self.replay is None:
            return
        with self._drawing():
            self.frame = frame = self.replay.frame(index)
            self._put_behind(frame)
            for view in self.views:
                view.show(self.layers_at(index))  # which only the event of a reveal changes
                view.update(frame)
            if (tabs := self._draws.get(self.picture)) is not None:
                tabs.follow()
            self._show_readout()
            self._set_timeline(frame.index)

    def choose(self, layers: Layers) -> None:
        """Show and hide layers of the pictures."""
        if layers == self._layers:
            return
        before, self._layers = self._layers, layers
        with self._drawing():
            for view in self.views:
                view.show(self.layers)
            if layers.plain != before.plain and self.frame:
                self._set_asked()
                self._set_timeline(self.frame.index)
            self._change_views()
            self._set_draws()
            self._show_readout()

    def ask(self, asking: Asking) -> None:
        """Have picks asked before they are shown, tasks, and f shown from an event on."""
        if asking == self._asking:
            return
        self._asking = asking
        if self.replay is not None and self.frame is not None:
            with self._drawing():
                self._set_asked()
                self.show(self.frame.index)

    def _set_asked(self) -> None:
        assert self.replay is not None
        self._questions = Questions(self.replay, self._asking, self.picture.kind)
        self.timeline.asked = self._questions.asked(plain=self._layers.plain)
        self.algorithm.hide_rules(on=self._questions.hides_rules)

    def _set_timeline(self, index: int) -> None:
        self.timeline.param.update(**self._questions.at(index, self.layers_at(index)))

    def layers_at(self, index: int) -> Layers:
        """What is shown at an event: a lesson may hide f until its end."""
        return (
            self._asking.layers(self._layers, self.replay, index) if self.replay else self._layers
        )

    @property
    def layers(self) -> Layers:
        """What is shown at the event on screen."""
        return self.layers_at(self.frame.index) if self.frame else self._layers

    @property
    def featured(self) -> str:
        """The map that a person chose to see large, if any."""
        return self.picture.request.featured

    def enlarge(self, on: bool) -> None:
        """Make the pictures in use readable from the back of a room, or as they were."""
        before, self._large = self._large, on
        with self._drawing():
            if on != before:
                self._change_views()
            if self.replay:
                for view in self.views:
                    view.enlarge(on=on)

    def light(self, name: str) -> None:
        """Have one of `run.glossary.MARKS` stand out in every picture; "" for none."""
        with pn.io.hold():
            for view in self.views:
                view.light(name)

    def lock_axes(self, *, on: bool) -> None:
        """Keep all axes and scales as they are while runs change, or have them follow again."""
        for view in self.views:
            view.lock_axes(on=on)

    def pin(self, pinned: PinnedRun | None) -> None:
        """Keep a run behind the one on screen, as long as that is of the same problem, or none."""
        with self._drawing():
            self._pinned = pinned
            self._pin_regret()
            if self.frame is not None:
                self.show(self.frame.index)

    def set_bounds(self, bounds: Bounds) -> None:
        """Draw the bounds of Theorem 1 with the regret."""
        with pn.io.hold():
            self.regret.set_bounds(bounds.printed, bounds.proved)

    @contextmanager
    def _drawing(self) -> Iterator[None]:
        """Draw as one message to the browser."""
        with pn.io.hold():
            self.before_draw()
            with drawn_once():
                yield

    @property
    def states(self) -> dict[str, bool]:
        """What the style sheet of a page is to know of what is in use, by its names.

        "three": more than the regret is below the reason; "maps": f is drawn over two inputs.
        """
        three = self.dimension > 2 or len(self._views_in("reasons")) > 2
        return {"three": three, "maps": self.dimension == _MAPPED}

    @property
    def dimension(self) -> int:
        """Inputs of the problem: 1, 2, or 3 for more than can be drawn."""
        return 1 if self.replay is None else min(self.replay.scene.dimension, 3)

    def _arrange(self) -> None:
        """Lay out the views in use."""
        pictures = [view.panel for view in self._views_in("pictures")]
        several = pictures if len(pictures) > 1 else []
        reasons = [view.panel for view in self._views_in("reasons")]
        for column, objects in (
            (self._sliced, several),
            (self.pictures, [self._sliced] if several else pictures),
            (self.reasons, reasons),
        ):
            if column.objects != objects:
                column.objects = objects

    @property
    def _behind(self) -> PinnedRun | None:
        """The pinned run, if it can be drawn in this view."""
        fits = self._pinned and self.replay and self._pinned.fits(self.replay.scene)
        return self._pinned if fits else None

    def _change_views(self) -> None:
        """Draw the views that have come into use, and lay out the ones in use."""
        before, self._loaded = self._loaded, self.views
        if self.replay is not None and self.frame is not None:
            for view in self._loaded:
                if view not in before:
                    view.load(self.replay.scene)
                    view.show(self.layers)
                    view.update(self.frame)
                    view.point(self.readout.chosen)
            self._arrange()

    def _set_draws(self) -> None:
        """Have tabs over maps once a layer of draws is on: one draw is large in their place."""
        picture = self.picture
        chosen = self._layers.draws or self._layers.prior
        if chosen and "map" in picture.kind.plots and picture not in self._draws:
            self._draws[picture] = DrawTabs(picture)
        if picture in self._draws:
            self._draws[picture].show(self._layers)

    def _pin_regret(self) -> None:
        pinned = self._behind
        if pinned and self.replay and _alike(pinned.replay, self.replay):
            pinned = None
        self.regret.pin(pinned.replay.scene if pinned else None, pinned.label if pinned else "")

    def _put_behind(self, frame: Frame) -> None:
        """Have the function's picture draw the same event of the pinned run below its own."""
        pinned = self._behind
        behind = pinned.frame(frame.event) if pinned else None
        self.picture.pin(behind, pinned.label if pinned else "")

    def _offer(self, replay: Replay, before: Replay | None) -> None:
        """Offer the candidates of another run; one that is pinned stays so if it is there again."""
        scene = replay.scene
        same = before is not None and np.array_equal(before.scene.candidates, scene.candidates)
        self.readout.load(len(scene.candidates), (*scene.grid, 10, 10)[1], keep=same)

    def _find(self, picture: str, place: Place) -> int | None:
        """The candidate at a place of a picture in use."""
        in_use = self._own
        return in_use[picture].at(place) if picture in in_use else None

    def _point(self, *_: object) -> None:
        """Mark the candidate that a person chose in every picture, and show its numbers."""
        index = self.readout.chosen
        with pn.io.hold():
            for view in self.views:
                view.point(index)
            self._show_readout()

    def _show_readout(self) -> None:
        """Show the numbers of the candidate chosen, or of the pick that the event is about."""
        replay, frame, layers = self.replay, self.frame, self.layers
        if replay is None or frame is None:
            return
        subject = None if frame.subject is None else frame.subject.index
        index = subject if self.readout.chosen is None else self.readout.chosen
        # Without one, the numbers of any keep the room unseen.
        reading = read(replay, frame, index or 0)
        table = rows(
            replay.scene,
            reading,
            truth=layers.truth,
            guessing=self._questions.hides_rules,
            plain=layers.plain,
        )
        self.readout.show_candidate(index, reading.picked if index is not None else (), table)

    def _follow_timeline(self, event: Event) -> None:
        # `show` moves the timeline itself: that event is drawn already.
        if self.frame is None or event.new != self.frame.index:
            self._move(event.new)

    def _select_batch(self, t: int) -> None:
        if self.replay is None:
            return
        index = self.replay.batch_start(t)
        if self.timeline.asked:  # there may be something to ask on the way
            self.timeline.jump = index
        else:
            self._move(index)


def _alike(left: Replay, right: Replay) -> bool:
    """Whether two runs are of the same measurements, and so have the same regret."""
    return left.measured is right.measured and left is not right
