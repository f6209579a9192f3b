"""The row above a chart: its title, and tabs of which one is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.markup import Markup

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from panel.viewable import Viewable

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
:host(.lab-title) {
  color: var(--mui-palette-text-secondary, #5f6368);
  font: 400 0.8125rem/1.5 var(--bokeh-base-font, system-ui, sans-serif);
}
h3 { margin: 0; font-size: 0.8125rem; font-weight: 700; }
i { margin-right: 1px; font-family: Georgia, "Times New Roman", serif; font-weight: 400; }
p { margin: 0; }
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


def title(html: str = "") -> Markup:
    """The title of a chart; `titled` is what to set its object to."""
    return Markup(titled(html), margin=0, **_layout("lab-title"))


def titled(html: str) -> str:
    """HTML of a title."""
    return f"<h3>{html}</h3>"


def row(*parts: Viewable) -> pn.Column:
    """A title and what stands at its right."""
    return pn.Column(*parts, margin=0, **_layout("lab-titled"))


def _layout(name: str) -> dict[str, Any]:
    return {"css_classes": [name], "stylesheets": [_CSS], "sizing_mode": "stretch_width"}
