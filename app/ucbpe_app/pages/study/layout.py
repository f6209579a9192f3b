"""What the parts of the Study page share in their layout."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app import theme
from ucbpe_app.markup import Markup

if TYPE_CHECKING:
    from ucbpe_app.pages.study.results import StudyResults

_CSS = Path(__file__).with_name("layout.css").read_text(encoding="utf-8")

COMPACT = {"size": "small", "margin": 0}  # of what is chosen above the results

_TEXT = (
    ":host { color: var(--mui-palette-text-secondary, #5f6368);"
    " font: 400 0.8125rem/1.5 var(--bokeh-base-font, system-ui, sans-serif); }"
    " p { margin: 4px 0; } [role=alert] { color: var(--mui-palette-error-main, #d32f2f); }"
)


def page(settings: Any, results: Any, strip: Any) -> pn.Column:
    """Settings beside the results, with a strip always in sight below those."""
    main = theme.styled("lab-main", theme.styled("lab-pictures", results), strip)
    grid = theme.styled("lab-grid", theme.styled("lab-settings", settings), main)
    grid.param.update(stylesheets=[*grid.stylesheets, _CSS], css_classes=["lab-grid", "study-grid"])
    return grid


def title(results: StudyResults) -> str:
    """What is on screen, as HTML."""
    name, problem = escape(results.study), escape(results.problem)
    return f"<h2>{name}: {problem}</h2><p>{escape(results.words)}.</p>"


def row(name: str, *objects: Any) -> pn.Row:
    """Objects side by side, in one of the classes of layout.css."""
    layout = {"css_classes": [name], "stylesheets": [_CSS], "margin": 0}
    return pn.Row(*objects, sizing_mode="stretch_width", **layout)


def column(*objects: Any) -> pn.Column:
    """Objects below each other."""
    return pn.Column(*objects, sizing_mode="stretch_width", margin=0)


def text(name: str, html: str) -> Markup:
    """Words in one of the classes of layout.css."""
    layout = {"css_classes": [name], "stylesheets": [_CSS], "margin": 0}
    return Markup(html, sizing_mode="stretch_width", **layout)


def words(said: str = "") -> Markup:
    """A paragraph in the settings column."""
    html = f"<p>{said}</p>" if said else ""
    return Markup(html, stylesheets=[_TEXT], margin=0, sizing_mode="stretch_width")
