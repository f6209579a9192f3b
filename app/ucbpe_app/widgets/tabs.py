"""Tabs: charts under a title, of which one is chosen; and over a map with draws of f."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import panel_material_ui as pmui
import param

from ucbpe_app.html import EMPTY, Html
from ucbpe_app.private.panel import Component
from ucbpe_app.render.bokeh import BokehPicture, filling
from ucbpe_app.render.markup import Markup
from ucbpe_app.render.sending import aim
from ucbpe_app.widgets.parts import script

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from panel.viewable import Viewable

    from ucbpe_app.pictures.picture import Kind, Picture
    from ucbpe_app.render.view import PictureView
    from ucbpe_app.run.screen import Layers


TITLED, UNTABBED = "lab-titled", "lab-untabbed"  # the classes of a row, and of one without tabs
_CSS = """
:host(.lab-untabbed) { --tabs: none; }
:host(.lab-titled) {
  display: flex !important;
  flex-flow: row wrap;
  gap: 0 12px;
  align-items: center;
}
.scroll-button { display: none !important; }  /* Panel's own, which would take room */
.lab-title { flex: 1 1 auto !important; width: auto !important; }
.lab-title ~ * { flex: none !important; width: auto !important; }
.lab-title ~ * { display: var(--tabs, inline-block); }
:host(.lab-title) {
  color: var(--mui-palette-text-secondary, #5f6368);
  font: 400 0.8125rem/1.5 var(--bokeh-base-font, system-ui, sans-serif);
}
h2 { margin: 0; font-size: 0.8125rem; font-weight: 700; }
i { margin-right: 1px; font-family: Georgia, "Times New Roman", serif; font-weight: 400; }
p { margin: 0; }
.quiet { margin-left: 4px; font-weight: 400; }
sub, sup { font-weight: 400; line-height: 0; }
"""
# A line below the one that is chosen. Each is larger for a finger than what is seen of it.
_LOOK = {
    "& .MuiToggleButton-root": {
        "position": "relative", "padding": "3px 10px", "border": 0, "borderRadius": 0,
        "fontSize": "0.8125rem", "lineHeight": 1.5, "textTransform": "none",
        "whiteSpace": "nowrap",
    },
    # Twice the class outweighs the filled look that buttons have from the library.
    "&& .MuiToggleButton-root.Mui-selected, && .MuiToggleButton-root.Mui-selected:hover": {
        "color": "primary.main", "fontWeight": 700, "backgroundColor": "transparent",
        "boxShadow": "inset 0 -2px",
    },
    "& .MuiToggleButton-root::after": {"content": '""', "position": "absolute", "inset": "-9px 0"},
}  # fmt: skip


def tabs(options: Mapping[str, Any] | Sequence[str], value: Any = None) -> pmui.RadioButtonGroup:
    """Tabs by name, the first of them chosen unless another is given."""
    offered = list(options.values()) if hasattr(options, "values") else list(options)
    chosen = value if value is not None else next(iter(offered), None)
    return pmui.RadioButtonGroup(options=options, value=chosen, size="small", margin=0, sx=_LOOK)


def title(text: str = "") -> Markup:
    """The title of a chart; `titled` is what to set its object to."""
    return Markup(titled(text), margin=0, **_layout("lab-title"))


def titled(text: str, remark: str = "") -> Html:
    """HTML of a title, and of a remark under it."""
    return Html("<h2>{}</h2>{}").format(text, Html("<p>{}</p>").format(remark) if remark else EMPTY)


def row(*parts: Viewable) -> pn.Column:
    """A title, and parts next to it."""
    return pn.Column(*parts, margin=0, **_layout(TITLED))


class TabbedChart:
    """A chart of a kind, whose picture depends on the tab; `panel` is to be laid out.

    `names` is CSS, the room right of it for names; `on_select` is called with the x of a click.
    """

    def __init__(
        self,
        kind: Kind,
        options: Mapping[str, Any] | Sequence[str],
        *,
        names: str = "8.5rem",
        on_select: Callable[[float], None] | None = None,
    ) -> None:
        self._chart = BokehPicture(kind)
        self.figure, self.tabs, self._title = self._chart.figures[0], tabs(options), title()
        if on_select is not None:
            aim(self.figure, on_select)
        self.panel = pn.Column(
            row(self._title, self.tabs),
            self._chart.panel,
            sizing_mode="stretch_width",
            margin=0,
            **filling(kind),
        )
        self.panel.styles = {**self.panel.styles, "--labels": names}

    @property
    def picture(self) -> Picture | None:
        """What is on screen."""
        return self._chart.picture

    def draw(self, name: str, picture: Picture, remark: str = "") -> None:
        """Show a picture under a title."""
        self._title.object = titled(name, remark)
        self._chart.draw(picture)


def _layout(name: str) -> dict[str, Any]:
    return {"css_classes": [name], "stylesheets": [_CSS], "sizing_mode": "stretch_width"}


LARGE = {"": "Map", "draws": "Draw", "prior": "Prior"}


class DrawTabs(Component):
    """The tabs over the first plot of a view of maps."""

    tabs = param.List([], item_type=str, doc="Names of what can be large; empty for no tabs.")
    chosen = param.Integer(0, doc="The number of the tab.")

    _esm = script("draws.js")
    _stylesheets: ClassVar[list[str]] = [script("draws.css")]

    def __init__(self, view: PictureView, *, visible: bool = False) -> None:
        super().__init__(margin=0, css_classes=["lab-draws"], visible=visible)
        self._view = view
        self._names: list[str] = []
        next(iter(view.rendered.plots.values())).panel.append(self)
        view.pressed = self.follow

    def receive(self, data: Any) -> None:
        """A person chose a tab."""
        self._view.ask(featured=self._names[min(max(int(data), 0), len(self._names) - 1)])
        self.follow()

    def show(self, layers: Layers) -> None:
        """Have a tab for each of these layers that is of draws; a new one is chosen."""
        before, on = self._names, [name for name in ("draws", "prior") if getattr(layers, name)]
        self._names = ["", *on] if on else []
        new = [name for name in self._names if name and name not in before]
        if new or self._view.request.featured in {"draws", "prior"}.difference(self._names):
            self._view.ask(featured=new[0] if new else "")
        self.visible = bool(on)
        self.follow()

    def follow(self) -> None:
        """Say which tab is chosen in what is drawn now."""
        featured = self._view.request.featured
        self.param.update(
            tabs=[LARGE[name] for name in self._names],
            chosen=self._names.index(featured) if featured in self._names else 0,
        )
