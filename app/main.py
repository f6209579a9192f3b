"""Where `panel serve app` and `ucbpe app` end: one page tree per session."""

from __future__ import annotations

from urllib.parse import urlencode

import panel as pn
import panel_material_ui as pmui
import param

from app import theme
from app.pages.step import StepPage
from app.presets import PRESETS

_BAR = {
    # Page keeps an invisible progress bar that screen readers would announce.
    ".header .MuiLinearProgress-root": {"display": "none"},
    # The pictures need the height more than the title does.
    ".header .MuiToolbar-root": {"minHeight": "48px", "height": "48px"},
    ".header .title": {"fontSize": "1.15rem"},
}


def page() -> pmui.Page:
    """The laboratory for one visitor."""
    pn.extension(notifications=True)
    step = _step_page()
    laboratory = pmui.Page(
        title="GP-UCB-PE laboratory",
        main=[step.panel],
        header=[step.links.copy],
        theme_config=theme.THEME_CONFIG,
        theme_toggle=True,
        busy_indicator=None,
        sx=_BAR,
    )
    # Page follows the server's busy flag, twice per click, and walks every model of the page each
    # time: ten times the cost of a step. The timeline shows what is being computed instead.
    with param.parameterized.edit_constant(laboratory):
        laboratory.busy = False
    return laboratory


def _step_page() -> StepPage:
    """What the address names: a moment, a preset alone as in `/?preset=figure-2`, or the start."""
    fields = [
        (name, text.decode("utf-8", "replace"))
        for name, texts in pn.state.session_args.items()
        for text in texts
    ]
    alone = next((preset for preset in PRESETS if fields == [("preset", preset.slug)]), None)
    return StepPage(alone) if alone else StepPage(query=urlencode(fields))


if __name__.startswith("bokeh_app"):
    page().servable()
