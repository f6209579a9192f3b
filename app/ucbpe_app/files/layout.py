"""The dashboard's views of a run, laid out for a file to step through."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app import engine, theme
from ucbpe_app.html import joined
from ucbpe_app.lessons import card
from ucbpe_app.pictures.asked import Questions, asking_of
from ucbpe_app.pictures.plane import PLANE
from ucbpe_app.pictures.slices import SLICES
from ucbpe_app.private.panel import Region
from ucbpe_app.render.markup import Markup
from ucbpe_app.render.view import PictureView, main_kind
from ucbpe_app.run.described import TABLE, run_rows
from ucbpe_app.run.events import Kind
from ucbpe_app.run.screen import GROUPS, controls_of
from ucbpe_app.run.sentences.reasons import phase_starts
from ucbpe_app.widgets.algorithm import AlgorithmView
from ucbpe_app.widgets.lesson import EndCard, LessonCard
from ucbpe_app.widgets.readout import InputsView
from ucbpe_app.widgets.regret import RegretView
from ucbpe_app.widgets.run_view import SecondView
from ucbpe_app.widgets.tabs import DrawTabs
from ucbpe_app.widgets.timeline import Timeline

if TYPE_CHECKING:
    from ucbpe_app.html import Html
    from ucbpe_app.lessons import Change, Lesson
    from ucbpe_app.run.cache import Bounds
    from ucbpe_app.run.frames import Scene
    from ucbpe_app.run.replay import Replay
    from ucbpe_app.run.screen import Layers

_CSS = """
:host { display: var(--run, block); color: var(--mui-palette-text-primary); }
h2 { margin: 0 0 6px; font-size: 0.9375rem; font-weight: 600; line-height: 1.4; }
table { width: 100%; border-spacing: 0; font-size: 0.8125rem; line-height: 1.5; }
th { padding: 0 12px 0 0; color: var(--mui-palette-text-secondary); font-weight: 400; }
th, td { text-align: left; vertical-align: top; overflow-wrap: anywhere; }
"""

_LIVE_CSS = (Path(engine.__file__).with_name("live.css")).read_text(encoding="utf-8")


class LessonPage:
    """One run on one page; `panel` is all of it.

    `about` brings a caption and a question; links of the caption that lead to a moment of this very
    run stay links. With `live` there is a place for settings, which the file fills. A page of
    `several` runs over as many inputs, one by one, has a place for what any of them shows.
    """

    def __init__(
        self,
        replay: Replay,
        layers: Layers,
        about: Lesson | None,
        bounds: Bounds | None,
        *,
        live: bool = False,
        several: bool = False,
        predict: str = "",
    ) -> None:
        scene = replay.scene
        self._predict = predict
        self.main = PictureView(main_kind(scene).whole)
        self.main.ask(featured=layers.draw)
        self.tabs = DrawTabs(self.main, visible=True) if several and scene.grid else None
        planar = (layers.plane or several) and scene.dimension <= 2
        self.plane = SecondView(PLANE.whole) if planar else None
        self.slices = PictureView(SLICES.whole) if scene.dimension > 2 else None
        self.regret, self.inputs = RegretView(_in_browser, tabbed=False), InputsView()
        self.algorithm, self.run = AlgorithmView(), _markup()
        self.card, self.end = LessonCard(), EndCard()
        self.timeline = Timeline()
        views = (
            self.main, self.slices, self.plane, self.regret, self.algorithm, self.inputs,
        )  # fmt: skip
        self.views = tuple(view for view in views if view is not None)
        self.settings = Markup(stylesheets=[_LIVE_CSS], margin=0, sizing_mode="stretch_width")
        self._live = live
        self.panel = self._layout(scene, captioned=several or about is not None)
        self.open(replay, layers, about, bounds)

    def open(
        self,
        replay: Replay,
        layers: Layers,
        about: Lesson | None = None,
        bounds: Bounds | None = None,
    ) -> None:
        """Draw the first event of another run."""
        self._replay, self._layers = replay, layers
        asking = asking_of(about, replay, self._predict)
        self._questions = Questions(replay, asking if self._live else asking.played, self.main.kind)
        self._last = -1 if about is None else card.last(about, replay)
        if about is not None:
            self.end.param.update(**card.ending(about, replay, self._last), slug=about.slug)
        self.card.param.update(
            slug="" if about is None else about.slug,
            paragraphs=[] if about is None else card.paragraphs(about, self._href),
            questions=[] if about is None else card.asked(about, replay),
        )
        self.run.object = _table(replay)
        if self.plane is not None:
            self.plane.panel.visible = layers.plane
        starts = [i for i, event in enumerate(replay.events) if event.kind is Kind.POSTERIOR]
        phases = [replay.batch_start(t) for t in phase_starts(replay.trace)]
        questions = self._questions.asked(plain=layers.plain)
        self.timeline.param.update(
            total=len(replay.events), starts=starts, phases=phases, asked=questions
        )
        self.algorithm.hide_rules(on=self._questions.hides_rules)
        for view in self.views:
            view.load(replay.scene)
        if bounds is not None:
            self.regret.set_bounds(bounds.printed, bounds.proved)
        for view in self.views:
            view.show(layers)
        self.panel.css_classes = self._classes(layers, about)
        self.show(0)

    @property
    def asking(self) -> dict[str, Any]:
        """What is asked, for the engine."""
        return self._questions.asking.table(self.main.kind)

    def show(self, index: int) -> None:
        """Draw an event."""
        frame, joint = self._replay.frame(index), self._replay.scene.joint
        layers = self._questions.asking.layers(self._layers, self._replay, index)
        if layers.draws and joint is not None:
            joint.make_paths(frame)
        for view in self.views:
            view.show(layers)
            view.update(frame)
        self.timeline.param.update(**self._questions.at(index, layers))
        at = index == self._last
        self.end.visible, self.algorithm.reason.visible = at, not at
        self.main.ask(found=at)

    def _href(self, change: Change) -> str:
        """Of a moment of this very run: another one cannot be opened from a file."""
        own = not change.lesson and not change.settings and change.event in self._replay.events
        return f"#{change.event.text}" if own and change.event else ""

    def _layout(self, scene: Scene, *, captioned: bool) -> pn.Column:
        """The page's areas, as those of the Step page."""
        within = theme.within
        plane = [] if self.plane is None else [self.plane.panel]
        pictures = self.main.panel
        if self.slices is not None:
            pictures = theme.styled("lab-sliced", pictures, self.slices.panel, margin=0)
        return within(
            "lab-screen",
            *([within("lab-side", self.settings)] if self._live else []),
            within("lab-lesson", *([self.card] if captioned else [])),
            within("lab-pictures", pictures),
            Region(
                within("lab-why", self.algorithm.reason, self.end), self.regret.panel, *plane,
                self.inputs.panel, self.run, label="Reason and regret", scrolls=True, margin=0,
                **theme.style("lab-aside", theme.SCREEN),
            ),
            within("lab-timeline", self.timeline),
        )  # fmt: skip

    def _classes(self, layers: Layers, about: Lesson | None) -> list[str]:
        """What the style sheet asks the page's layout by."""
        dimension = self._replay.scene.dimension
        hidden = controls_of(about.hidden if about else ())
        states = {
            "live": self._live, "untold": about is None, "maps": dimension == 2,
            "three": layers.plane or dimension > 2,
            **{f"no-{name}": name in hidden for name in GROUPS["Parts"]},
        }  # fmt: skip
        names = (f"lab-{name}" for name, on in states.items() if on)
        return ["lab-screen", "lab-bare", "lab-file", *names]


def _in_browser(_: int) -> None:
    """In a file the browser alone goes to the batch that is clicked."""


def _markup() -> Markup:
    return Markup(stylesheets=[_CSS], margin=0, sizing_mode="stretch_width")


def _table(replay: Replay) -> Html:
    rows = (TABLE["row"].format(name=name, value=value) for name, value in run_rows(replay))
    return TABLE["run"].format(rows=joined(rows))
