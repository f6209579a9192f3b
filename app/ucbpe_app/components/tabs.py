"""Charts under a title and tabs, of which one is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.html import EMPTY, Html
from ucbpe_app.markup import Markup
from ucbpe_app.render.bokeh import BokehPicture
from ucbpe_app.render.pointing import aim

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from panel.viewable import Viewable

    from ucbpe_app.pictures.picture import Kind, Picture

_CSS = """
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
h3 { margin: 0; font-size: 0.8125rem; font-weight: 700; }
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
    return Html("<h3>{}</h3>{}").format(text, Html("<p>{}</p>").format(remark) if remark else EMPTY)


def row(*parts: Viewable) -> pn.Column:
    """A title and what stands at its right."""
    return pn.Column(*parts, margin=0, **_layout("lab-titled"))


class TabbedChart:
    """A chart of a kind, whose picture depends on the tab; `panel` is to be laid out.

    `height` is CSS, and so is `names`, the room beside it for names; `on_select` is called with the
    x of a click.
    """

    def __init__(
        self,
        kind: Kind,
        options: Mapping[str, Any] | Sequence[str],
        *,
        height: str = "",
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
            styles={"--labels": names} | ({f"--{kind.name}-height": height} if height else {}),
        )

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
