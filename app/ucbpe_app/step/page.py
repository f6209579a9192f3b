"""The Step page: every decision of a run, forward and back.

The page connects; it computes nothing. A move of the timeline picks a frame and hands it to the
view; a change of settings asks the session for another run.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING

import panel as pn

from ucbpe_app import theme
from ucbpe_app.lessons import find, offered
from ucbpe_app.links import OFF, ON
from ucbpe_app.pictures.asked import asking_of
from ucbpe_app.render.view import drawn_once
from ucbpe_app.run.cache import load
from ucbpe_app.run.screen import GROUPS, controls_of
from ucbpe_app.step.atlas import AtlasPanel
from ucbpe_app.step.classroom import Classroom
from ucbpe_app.step.explore import Explore
from ucbpe_app.step.export import ExportMenu
from ucbpe_app.step.kernel_sketch import KernelSketch
from ucbpe_app.step.lesson import LessonGuide
from ucbpe_app.widgets.algorithm import glossary
from ucbpe_app.widgets.bar_buttons import FACTORS, DrawerButton, Present
from ucbpe_app.widgets.controls import BetaChart, Controls
from ucbpe_app.widgets.layouts import Menu, Page
from ucbpe_app.widgets.link_bar import LayerChoice, Links
from ucbpe_app.widgets.run_view import RunView
from ucbpe_app.widgets.session import Session
from ucbpe_app.widgets.slider_field import LogSliderField
from ucbpe_app.widgets.strip import SettingsStrip
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    import param
    from panel.viewable import Viewable

    from ucbpe_app.lessons import Lesson
    from ucbpe_app.links import Moment
    from ucbpe_app.run.frames import Frame
    from ucbpe_app.run.joint import Joint
    from ucbpe_app.run.settings import RunSpec
    from ucbpe_app.step.lesson import Opening
    from ucbpe_app.widgets.address import Navigation


_PRESENTED = "lab-presented"
_PLACES = 21  # of a slider: a tenth of a decade from one to the next


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
        betas = BetaChart(self.session)
        self.controls = Controls(self.session, self.strip, [self.sketch.panel], [betas.panel])
        self.controls.panel.param.watch(betas.open, "objects")
        self.view = RunView(on_move=self.session.go)
        self.layers = LayerChoice(lesson.layers, plain=lesson.plain)
        self.links = Links(self.session, self.layers, lesson, navigation, presents=True)
        self.guide = LessonGuide(
            self.session, self.controls, self.view, self.layers, self.links, self.visit
        )
        fields = self.controls.fields.values()
        self.explore = Explore(self.session, self.view, self.layers, fields)
        self.export_menu = ExportMenu(self.session, self.links, lambda: self.guide.lesson)
        self.present = Present(self._ask)
        self.classroom = Classroom(
            self.session, self.view, lambda: self.guide.lesson, self._scale_of, self._show_class
        )
        self._warned = ""
        self._drawer_waits = False  # for the link that is being opened
        self.links.opening = bool(query and not alone)
        show = Menu("Show", [self.layers.panel], offered=self.layers.param.offered)
        self.atlas = AtlasPanel(self.session)
        self.menus = show, self.atlas.menu, self.explore.menu.menu
        tools = theme.within("lab-tools", *(menu.button for menu in self.menus), self.explore.bar)
        settings = DrawerButton(self._open_drawer, sheet=True)
        self._strip = theme.within("lab-strip", settings, self.strip, tools)
        self._opened = (self.links.notice.panel,)
        self._drawer = theme.within("lab-drawer")
        self.panel = self._layout()
        self._hide(lesson.hidden)
        self.guide.lesson = lesson
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
        return [
            DrawerButton(in_bar=True, sheet=True, visible=self.controls.panel.param.visible),
            self.links.copy,
            self.export_menu.dialog.button,
            self.present,
            self.explore.live,
        ]

    @cached_property
    def _of_class(self) -> tuple[Viewable, ...]:
        """What is laid out when the page is first presented to a class."""
        keys, panel = self.classroom.keys, self.classroom.panel
        return theme.within("lab-keys", keys), theme.placed("lab-class", panel)

    def _connect(self) -> None:
        session = self.session
        session.param.watch(self._draw, ["replay", "index", "data"])
        session.param.watch(lambda event: self.view.timeline.param.update(busy=event.new), "busy")
        session.settings.param.watch(self._request, list(Session.setting_names()))
        self.explore.menu.param.watch(self._keep_pin, "pinned")
        self.explore.on_predict = self._switch_predict
        self.layers.param.watch(self._show_layers, ["chosen", "plain"])
        self.present.param.watch(self._present, "presented")
        for part in self._opened:
            part.param.watch(self._lay_over, "visible")

    def _draw(self, *events: param.parameterized.Event) -> None:
        """One event of the session, drawn as one message to the browser."""
        with pn.io.hold():
            if any(event.name in ("replay", "data") for event in events):
                self._load()
            else:
                with drawn_once():
                    self.view.show(self.session.index)
                    self.sketch.update(self.session.replay, self.view.frame)
                    self.guide.update()
            self.classroom.follow()
        self._ask_draws()

    def _load(self) -> None:
        session = self.session
        self.explore.load()
        self.export_menu.load()
        self._expect()
        layers, pinned = self.layers.layers, self.explore.pinned
        self.view.load(session.replay, session.index, layers, pinned)
        self.explore.live.load()
        self._arrange(opening=self.links.opening)
        self.sketch.update(session.replay, self.view.frame)
        self.layers.offer(inputs=session.replay.scene.dimension)
        self.guide.load()
        self.links.update()
        self._warn()
        self._ask_bounds()

    def _request(self, *_: param.parameterized.Event) -> None:
        pn.state.execute(partial(self.session.refresh, self.explore.live.rest))

    async def visit(self, query: str, opening: Opening | None = None) -> None:
        """Open the moment of a link's query, and say what could not be as it has it.

        A link of a lesson says by `opening` what of the screen is kept. Within the lesson on screen
        it can be undone; with another one, that would leave its card over a run which is not its.
        """
        undoable = opening is not None and opening.lesson == self.guide.lesson
        try:
            visited = await self.session.visit(query, undoable=undoable)
            if opening is None:
                await self._pin(visited[0].pinned if visited else None)
        except Exception:  # not if the visitor has left: the models of the page are void
            self._show_visited(None, opening)
            raise
        self._show_visited(visited, opening)

    async def _pin(self, spec: RunSpec | None) -> None:
        """Draw the run of these settings behind the one of a link, or none."""
        run = None
        if spec is not None:
            with suppress(UCBPEError):  # which the link's own run says, where it is the same one
                run = await self.session.work(load, spec, key=("pinned", spec)), spec
        self.explore.pin(run)
        self.links.pinned = self.explore.pinned_spec

    def _show_visited(
        self, visited: tuple[Moment, tuple[UCBPEError, ...]] | None, opening: Opening | None
    ) -> None:
        with pn.io.hold():
            if self.view.replay is None:  # the run is that of the session's lesson
                self._load()
            if visited is not None:
                moment, errors = visited
                lesson = opening.lesson if opening else find(moment.preset)
                self._arrive(opening.applied(moment) if opening else moment, lesson, errors)
            self.guide.resync()
            self._opening(False)
            self._expect()

    def _arrive(
        self, moment: Moment, lesson: Lesson | None, errors: tuple[UCBPEError, ...]
    ) -> None:
        plain = lesson is not None and lesson.plain
        self.layers.param.update(chosen=moment.layers, plain=plain)
        self._hide(moment.hidden)
        self.explore.load()  # where the run is the same, nothing has drawn it
        self.controls.say_of_fit("")
        self.links.predict = moment.predict
        self.links.begin(moment)
        self.links.show_errors(errors)
        self.guide.arrive(lesson)
        self.controls.resync()

    def _lay_over(self, *_: param.parameterized.Event) -> None:
        """Lay out what opens over the page, each part when it is first seen."""
        before = self._over.objects
        new = [part for part in self._opened if part.visible and part not in before]
        if new:
            self._over.objects = [*before, *new]

    def _hide(self, names: frozenset[str]) -> None:
        self._hidden = controls_of(names)
        self.layers.hide(names)
        self.controls.hide(names)
        self.explore.hide(names)
        self.atlas.hide(names, plain=self.layers.plain)

    def _open_drawer(self) -> None:
        # Settings that change while React first draws their fields are not seen by them.
        self._drawer_waits = self.links.opening
        if not self._drawer_waits:
            self._fill_drawer()

    def _fill_drawer(self) -> None:
        self.controls.open()
        if not self._drawer.objects:
            self._drawer.objects = [self.guide.others, self.controls.panel, glossary()]

    def _opening(self, under_way: bool) -> None:
        """While a link is opened, no other run is shown in its place."""
        self._arrange(opening=under_way)
        self.links.opening = under_way
        if under_way:
            self.view.timeline.status = "Opening the link."
        else:
            self.view.timeline.status = self.session.frame.tell(*self.view.layers.words).status
            self.links.follow()
            if self._drawer_waits:
                self._fill_drawer()

    def _arrange(self, *, opening: bool = False) -> None:
        """Show the parts of the page that there is something in, as large as they are to be."""
        presented = self.present.presented
        bare = presented or not self.controls.panel.visible
        if presented:
            for menu in self.menus:
                menu.close()
        self._strip.visible = self._drawer.visible = not bare
        states = {
            "bare": bare, "presented": presented, "opening": opening, **self.view.states,
            "own-region": self.session.replay.scene.own_region,
            "untold": self.guide.lesson is None,
            "classed": presented and self.classroom.is_open,
            **{f"no-{name}": name in self._hidden for name in GROUPS["Parts"]},
        }  # fmt: skip
        names = (f"lab-{name}" for name, on in states.items() if on)
        self.panel.css_classes = ["lab-screen", *names]
        for part in (self.guide.card, self.view.why):
            others = [name for name in part.css_classes if name != _PRESENTED]
            part.css_classes = [*others, _PRESENTED] if presented else others

    def _present(self, *_: param.parameterized.Event) -> None:
        with pn.io.hold():
            if self.present.presented and self._of_class[0] not in self.panel.objects:
                self.panel.extend(self._of_class)
            self.classroom.panel.presented = self.present.presented
            self._arrange()
            self.view.enlarge(self.present.presented)

    def _ask(self, what: str) -> None:
        """Do what a key of Present asks for."""
        with pn.io.hold():
            if what == "predict":
                self.explore.switch_predict()
            elif what == "truth":
                self.layers.toggle(what)
            elif what == "regret":
                self.view.regret.turn()
            elif what in FACTORS:
                self.explore.multiply(*FACTORS[what])

    def _show_layers(self, *_: param.parameterized.Event) -> None:
        with pn.io.hold():
            self.view.choose(self.layers.layers)
            self._arrange()
            self.links.follow()
            self.classroom.follow()
        self._ask_bounds()
        self._ask_draws()

    def _expect(self) -> None:
        """Have those picks asked first that the lesson says, or all where that is switched on."""
        if self.guide.coming or self.links.opening:  # the run is not yet, or no more, the lesson's
            return
        asking = asking_of(self.guide.lesson, self.session.replay, self.links.predict)
        self.view.ask(self.classroom.asking(asking))
        self.explore.menu.predicted = bool(asking.events)

    def _switch_predict(self) -> None:
        """Have nothing asked, or again what the lesson asks, or else all."""
        own = bool(self.guide.lesson and self.guide.lesson.predict)
        asks = self.explore.menu.predicted
        self.links.predict = (OFF if asks else "") if own else ("" if asks else ON)
        self._expect()
        self.links.follow()

    def _show_class(self) -> None:
        """Ask what the class is asked, with the place of its panel."""
        self._expect()
        self._arrange(opening=self.links.opening)

    def _scale_of(self, name: str) -> tuple[float, ...]:
        """What a class may set a setting to: the places of its slider, if it has one."""
        field = self.controls.fields.get(name)
        return field.along(_PLACES) if isinstance(field, LogSliderField) else ()

    def _keep_pin(self, _: param.parameterized.Event) -> None:
        self.links.pinned = self.explore.pinned_spec
        self.links.follow()

    def _ask_draws(self) -> None:
        frame, joint = self.view.frame, self.session.replay.scene.joint
        if self.layers.layers.draws and frame and frame.picks and joint and joint.waits(frame):
            pn.state.execute(partial(self._bring_draws, joint, frame))

    async def _bring_draws(self, joint: Joint, frame: Frame) -> None:
        await self.session.work(joint.make_paths, frame, key=("paths", id(joint), frame.event.t))
        if joint is self.session.replay.scene.joint and frame is self.view.frame:
            self.view.show(frame.index)

    def _warn(self) -> None:
        """Say what the results contradict, once and not at each change of another setting."""
        words = self.session.replay.contradicted
        if words and words != self._warned and pn.state.notifications is not None:
            pn.state.notifications.warning(words, duration=12_000)
        self._warned = words

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
            self.view.set_bounds(bounds)

    def _layout(self) -> pn.Column:
        """The areas in the order in which they are read."""
        view, placed = self.view, theme.placed
        self._over = theme.within("lab-over", *(menu.panel for menu in self.menus))
        self._lay_over()
        return theme.within(
            "lab-screen",
            theme.within("lab-sheet", self._strip, self._over, self._drawer),
            theme.within("lab-lesson", self.guide.card),
            view.pictures,
            view.reasons,
            placed("lab-candidate", view.readout),
            placed("lab-timeline", view.timeline),
            self.export_menu.dialog.panel,
        )
