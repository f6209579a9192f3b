"""The Step page: every decision of a run, forward and back.

The page connects; it computes nothing. A move of the timeline picks a frame and hands it to the
stage; a change of settings asks the session for another run.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import panel as pn

from ucbpe_app import theme
from ucbpe_app.components.drawer import DrawerButton
from ucbpe_app.components.kernel_sketch import KernelSketch
from ucbpe_app.components.present import Present
from ucbpe_app.lessons import find, offered
from ucbpe_app.pages.base import Page
from ucbpe_app.pages.controls import Controls
from ucbpe_app.pages.layers import LayerChoice
from ucbpe_app.pages.link_bar import Links
from ucbpe_app.pages.menus import Menu
from ucbpe_app.pages.session import Session
from ucbpe_app.pages.step.explore import Explore
from ucbpe_app.pages.step.export import ExportMenu
from ucbpe_app.pages.step.lesson import LessonGuide
from ucbpe_app.pages.step.predict import Predict
from ucbpe_app.pages.strip import SettingsStrip
from ucbpe_app.run_view import RunView
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    import param
    from panel.viewable import Viewable

    from ucbpe_app.components.navigation import Navigation
    from ucbpe_app.lessons import Lesson
    from ucbpe_app.links import Moment
    from ucbpe_app.pages.step.lesson import Opening


_FACTORS = {"wider": 2.0, "narrower": 0.5}  # on beta's multiplier


class StepPage(Page):
    """A session with its view and its controls.

    It shows the lesson that `query` alone names, as in `preset=figure-2`, or the first one. The
    moment of any other query is opened once the browser has the page, which has no pictures before.
    """

    def __init__(self, query: str = "", navigation: Navigation | None = None) -> None:
        super().__init__()
        alone = find(query.removeprefix("preset=")) if query.startswith("preset=") else None
        lesson = alone or offered()[0]
        self.session = Session(lesson)
        self.sketch = KernelSketch()
        self.strip = SettingsStrip(self.session.settings)
        self.controls = Controls(self.session, lesson, self.strip, [self.sketch.panel])
        self.stage = RunView(on_move=self.session.go, one_screen=True)
        self.layers = LayerChoice(lesson.layers)
        self.links = Links(self.session, self.layers, lesson, navigation)
        self.guide = LessonGuide(self.session, self.controls, self.layers, self.links, self.visit)
        fields = self.controls.fields.values()
        self.explore = Explore(self.session, self.stage, self.layers, fields)
        self.predict = Predict(self.session, self.stage, self.layers)
        self.export_menu = ExportMenu(self.session, self.links, lambda: self.guide.lesson)
        self.present = Present(self._ask)
        self._lesson_shown = False  # while presented
        self._drawer_waits = False  # for the link that is being opened
        self.links.opening = bool(query and not alone)
        show = Menu("Show", lambda: [self.layers.panel], offered=self.layers.param.offered)
        self.menus = show, self.explore.menu.menu
        self.panel = self._layout()
        self._hide(lesson.hidden)
        if not self.links.opening:
            self._load()
        self.guide.arrive(lesson)
        self._connect()
        self._present()
        if self.links.opening:
            self._opening(True)
            pn.state.onload(partial(self.visit, query))

    @property
    def header(self) -> list[Viewable]:
        """What the page adds to the bar."""
        return [DrawerButton(in_bar=True), self.links.copy, self.export_menu.panel, self.present]

    def _connect(self) -> None:
        session = self.session
        session.param.watch(self._draw, ["replay", "index", "data"])
        session.param.watch(lambda event: self.stage.timeline.param.update(busy=event.new), "busy")
        session.settings.param.watch(self._request, list(Session.setting_names()))
        self.layers.param.watch(self._show_layers, "chosen")
        self.present.param.watch(self._present, "presented")

    def _draw(self, *events: param.parameterized.Event) -> None:
        """One event of the session, drawn as one message to the browser."""
        with pn.io.hold():
            if any(event.name in ("replay", "data") for event in events):
                self._load()
            else:
                self.predict.update()
                self.stage.show(self.session.index)
                self.sketch.update(self.session.replay, self.stage.frame)
                self.guide.update()

    def _load(self) -> None:
        session = self.session
        self.explore.load()
        self.predict.update()
        self.export_menu.load()
        layers, pinned = self.layers.layers, self.explore.pinned
        self.stage.load(session.replay, session.index, layers, pinned)
        self.sketch.update(session.replay, self.stage.frame)
        self.present.drawn += 1
        self.layers.offer(inputs=session.replay.scene.dimension)
        self.guide.load()
        self.links.update()
        self._ask_bounds()

    def _request(self, *_: param.parameterized.Event) -> None:
        pn.state.execute(partial(self.session.refresh, self.explore.live.rest))

    async def visit(self, query: str, opening: Opening | None = None) -> None:
        """Open the moment of a link's query, and say what could not be as it has it.

        A link of the lesson's own says by `opening` what of the screen is kept.
        """
        visited = None
        try:
            await self.links.bring()
            visited = await self.session.visit(query)
        finally:
            with pn.io.hold():
                if self.stage.replay is None:  # the run is that of the session's lesson
                    self._load()
                if visited is not None:
                    moment, errors = visited
                    lesson = opening.lesson if opening else find(moment.preset)
                    self._arrive(opening.applied(moment) if opening else moment, lesson, errors)
                self.guide.resync()
                self._opening(False)

    def _arrive(
        self, moment: Moment, lesson: Lesson | None, errors: tuple[UCBPEError, ...]
    ) -> None:
        self.layers.chosen = moment.layers
        self._hide(moment.hidden)
        self.controls.say_of_fit("")
        self.links.begin(moment)
        self.links.show_errors(errors)
        self.guide.arrive(lesson)
        self.controls.resync()

    def _hide(self, names: frozenset[str]) -> None:
        self.layers.hide(names)
        self.controls.hide(names)
        self.explore.hide(names)

    def _open_drawer(self) -> None:
        # Settings that change while React first draws their fields are not seen by them.
        self._drawer_waits = self.links.opening
        if not self._drawer_waits:
            self.controls.open()

    def _opening(self, under_way: bool) -> None:
        """While a link is opened, no other run is shown in its place."""
        self._arrange(opening=under_way)
        self.links.opening = under_way
        if under_way:
            self.stage.timeline.status = "Opening the link."
        else:
            self.stage.timeline.status = self.session.frame.status
            self.links.follow()
            if self._drawer_waits:
                self.controls.open()

    def _arrange(self, *, opening: bool = False) -> None:
        """Give the columns their room: settings that are hidden leave theirs to the pictures."""
        bare = self.present.presented or not self.controls.panel.visible
        presented = self.present.presented
        if presented:
            for menu in self.menus:
                menu.close()
        strip, settings, tools, *_ = self.panel
        strip.visible = settings.visible = not bare
        tools.visible = not presented
        caption = ["lab-caption"] if presented else []
        self.stage.reasons.css_classes = ["lab-reasons", *caption]
        states = {
            "lab-bare": bare, "lab-presented": presented, "lab-opening": opening,
            "lab-told": presented and self._lesson_shown,
        }  # fmt: skip
        names = (name for name, on in states.items() if on)
        self.panel.css_classes = ["lab-grid", "lab-one-screen", *names]

    def _present(self, *_: param.parameterized.Event) -> None:
        with pn.io.hold():
            self._arrange()
            self.stage.enlarge(self.present.presented)

    def _ask(self, what: str) -> None:
        """Do what a key of Present asks for."""
        with pn.io.hold():
            if what == "predict":
                self.layers.toggle(what)
            elif what == "lesson":
                self._lesson_shown = not self._lesson_shown
                self._arrange()
            elif what == "regret":
                self.stage.regret.turn()
            elif what in _FACTORS:
                self.explore.scale_by(_FACTORS[what])

    def _show_layers(self, *_: param.parameterized.Event) -> None:
        with pn.io.hold():
            self.explore.menu.predicted = self.layers.layers.predict
            self.predict.switch()
            self.stage.choose(self.layers.layers)
            self.links.follow()
        self._ask_bounds()

    def _ask_bounds(self) -> None:
        if self.layers.layers.bounds:
            pn.state.execute(self._bring_bounds)

    async def _bring_bounds(self) -> None:
        replay = self.session.replay
        try:
            bounds = await self.session.bounds()
        except UCBPEError as error:
            pn.state.notifications.warning(f"No bound for this run: {error}", duration=8000)
            return
        if replay is self.session.replay:
            self.stage.set_bounds(bounds)

    def _layout(self) -> pn.Column:
        explore, stage = self.explore, self.stage
        buttons = (menu.button for menu in self.menus)
        tools = pn.Row(*buttons, explore.bar, margin=0, styles={"gap": "8px"})
        strip = theme.styled("lab-strip-row", DrawerButton(self._open_drawer), self.strip, margin=0)
        over = *(menu.panel for menu in self.menus), self.links.notice.panel, self.predict.bar
        pictures = explore.live, stage.pictures
        return theme.columns(
            self.controls, pictures, stage.timeline, stage.reasons,
            strip=strip, tools=tools, lesson=self.guide.card, over=over,
        )  # fmt: skip
