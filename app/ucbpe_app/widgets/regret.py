"""The regret of a run: two charts under tabs, one of them on the page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app.html import Html
from ucbpe_app.pictures.regret import CUMULATIVE, SIMPLE
from ucbpe_app.private.panel import Region
from ucbpe_app.render.bokeh import filling
from ucbpe_app.render.sending import aim
from ucbpe_app.render.view import PictureView, View
from ucbpe_app.widgets.tabs import TITLED, UNTABBED, row, tabs, title, titled

if TYPE_CHECKING:
    from collections.abc import Callable

    from bokeh.plotting import figure as Figure
    from panel.viewable import Viewable

    from ucbpe_app.pictures.picture import RunKind
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_app.run.screen import Layers
    from ucbpe_core.support.validation import Floats

_KINDS = {"per batch": SIMPLE, "cumulative": CUMULATIVE}
_TITLES = {SIMPLE.name: "Regret: how far {}", CUMULATIVE.name: "Sums of regret: how far {}"}
_CSS = """
:host(.regret) {
  --labels: 0px;
  display: var(--regret-display, flex) !important;
  flex-direction: column !important;
  gap: 4px;
}
.regret-simple { display: var(--each, flex) !important; }
.regret-cumulative { display: var(--sums, flex) !important; }
"""


_WIDE: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": 0}


class RegretView(View):
    """The regret of each batch, or under another tab the cumulative one.

    ``on_select`` is called with the batch nearest to where a chart was clicked. Without `tabbed`,
    both are there, one below the other, for a file: with all that they can draw.

    Attributes
    ----------
    shown : the charts on the page
    tabs : chooses the one that is
    """

    def __init__(self, on_select: Callable[[int], None], *, tabbed: bool = True) -> None:
        self._on_select = on_select
        self._scene: Scene | None = None
        self._frame: Frame | None = None
        self._made: dict[str, PictureView] = {}
        kinds = [SIMPLE] if tabbed else [kind.whole for kind in _KINDS.values()]
        self.shown = [self._view(kind) for kind in kinds]
        self._titles = [title() for _ in self.shown]
        self._rows = [row(heading) for heading in self._titles]
        pairs = zip(self._rows, self.shown, strict=True)
        self._columns = [_column(view.kind, heading, view.panel) for heading, view in pairs]
        options = filling(*kinds)
        options["css_classes"].append("regret")
        options["stylesheets"].append(_CSS)
        if not tabbed:  # the column of a file scrolls: a chart that is alone there is no lower
            options["styles"]["--least"] = "var(--alone, 0.65px)"
        self._panel = Region(*self._columns, label="Regret", **_WIDE, **options)
        self.tabs = tabs(_KINDS) if tabbed else None
        if self.tabs is not None:
            self._rows[0].append(self.tabs)
            self.tabs.param.watch(lambda event: self._choose(event.new), "value")
        self._arrange()

    @property
    def panel(self) -> Region:
        """The Panel object to lay out; the same one every time."""
        return self._panel

    @property
    def named(self) -> dict[str, object]:
        """What a run sets here, by the names that a live lesson has for it."""
        named = {name: part for view in self.shown for name, part in view.named.items()}
        if self.tabs is None:
            named |= {"simple.title": self._titles[0], "cumulative.column": self._columns[1]}
        return named

    @property
    def figures(self) -> list[Figure]:
        """Those on the page."""
        return [figure for view in self.shown for figure in view.pointed]

    def load(self, scene: Scene) -> None:
        """Take another run, without bounds; `update` is next."""
        self._scene, self._frame = scene, None
        for view in self.shown:
            view.load(scene)
            view.request = replace(view.request, bounds=None)
        self._tell()

    def update(self, frame: Frame) -> None:
        """Draw what is measured at an event."""
        self._frame = frame
        for view in self.shown:
            view.update(frame)

    def show(self, layers: Layers) -> None:
        """Choose the axis, and whether bounds are shown, which are on the cumulative regret."""
        before = self.shown[0].request.layers
        if layers.secret and self.tabs is not None and self.tabs.value is not SIMPLE:
            self.tabs.value = SIMPLE
        self._ask(layers=layers)
        if layers.secret != before.secret:
            self._tell()
            if self.tabs is None:
                self._columns[1].visible = not layers.secret
            self._arrange()
        if layers.bounds and not before.bounds and self.tabs is not None:
            self.tabs.value = CUMULATIVE

    def _tell(self) -> None:
        """Have titles for what is shown."""
        if self._scene is not None:
            for view, heading in zip(self.shown, self._titles, strict=True):
                secret = view.request.layers.secret
                heading.object = regret_title(view.kind, self._scene, secret=secret)

    def lock_axes(self, *, on: bool) -> None:
        """Keep the axes as they are, or have them follow again."""
        for view in self.shown:
            view.lock_axes(on=on)

    def pin(self, scene: Scene | None, label: str) -> None:
        """Take another run to draw its curves behind, at the next update, or none."""
        for view in self.shown:
            view.request = replace(view.request, pinned_scene=scene, pinned_label=label)

    def set_bounds(self, printed: Floats, proved: Floats) -> None:
        """Give the run's bounds of Theorem 1 on the cumulative regret, shape (T,)."""
        for view in self.shown:
            if view.request.bounds is None:
                view.ask(bounds=(printed, proved))

    def enlarge(self, *, on: bool) -> None:
        """Draw for a room to read, or for one person."""
        self._ask(size="present" if on else "step")

    def turn(self) -> None:
        """Choose the other tab, unless f is secret: sums of regret need it."""
        if self.tabs is not None and not self.shown[0].request.layers.secret:
            self.tabs.value = next(kind for kind in _KINDS.values() if kind is not self.tabs.value)

    def _ask(self, **changes: Any) -> None:
        for view in self.shown:
            view.ask(**changes)

    def _view(self, kind: RunKind) -> PictureView:
        """The view of a kind, built when it is first wanted."""
        if kind.name not in self._made:
            self._made[kind.name] = view = PictureView(kind)
            for figure in view.pointed:
                aim(figure, self._select)
        return self._made[kind.name]

    def _choose(self, kind: RunKind) -> None:
        """Have another chart on the page, as the one before was drawn."""
        (before,) = self.shown
        self.shown = [view] = [self._view(kind)]
        with pn.io.hold():
            if self._scene is not None:
                view.load(self._scene)
                view.request = replace(before.request, locked=None)
                self._tell()
            if self._frame is not None:
                view.update(self._frame)
            self._columns[0][1] = view.panel  # the tabs stay where they are

    def _arrange(self) -> None:
        """Have tabs only once there is something to choose: the sums need f."""
        if self.tabs is not None:
            secret = self.shown[0].request.layers.secret
            # By a class: other objects have Bokeh look for all models of the page.
            self._rows[0].css_classes = [TITLED, UNTABBED] if secret else [TITLED]

    def _select(self, x: float) -> None:
        if self._scene is not None:
            self._on_select(min(max(round(x), 1), self._scene.batches))


def _column(kind: RunKind, *parts: Viewable) -> pn.Column:
    """A chart below its title."""
    options = filling(kind)
    options["css_classes"].append(f"regret-{kind.name}")
    return pn.Column(*parts, **_WIDE, **options)


def regret_title(kind: RunKind, scene: Scene, *, secret: bool) -> Html:
    """What stands above a chart."""
    if secret and kind.name == SIMPLE.name:
        return titled("Best result so far")
    best = "below the top" if scene.sign > 0 else "above the bottom"
    return titled(_TITLES[kind.name].format(best))
