"""What the parts of the page Your problem share: their layout, buttons and tasks."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import panel as pn
import panel_material_ui as pmui

from ucbpe_app import theme
from ucbpe_app.pages.problem.views import texts

_CSS = Path(__file__).with_name("layout.css").read_text(encoding="utf-8")


def styled(name: str, *objects: Any, **options: Any) -> pn.Column:
    """Return a column with one of the classes that layout.css documents."""
    layout = {"css_classes": [name], "stylesheets": [_CSS], "sizing_mode": "stretch_width"}
    return pn.Column(*objects, **{**layout, **options})


def column(*objects: Any, **options: Any) -> pn.Column:
    """Return a plain column."""
    return pn.Column(*objects, sizing_mode="stretch_width", **options)


def actions(status: Any, *buttons: Any) -> pn.Column:
    """Lay out where things stand, and the buttons beside it."""
    status.css_classes = [*status.css_classes, "lab-actions-status"]
    return styled("lab-actions", status, styled("lab-actions-buttons", *buttons))


def working(progress: Any, bar: pn.Column) -> pn.Column:
    """Lay progress, which comes and goes, over a bar of actions, so that it moves nothing."""
    progress.css_classes = [*progress.css_classes, "lab-working-progress"]
    return styled("lab-working", progress, bar)


def button(
    label: str,
    do: Callable[[], Any],
    *,
    main: bool = False,
    relabelled: bool = False,
    **options: Any,
) -> pmui.Button:
    """Return a button of 44 px; a coroutine that `do` returns is run as a task.

    One whose label changes (`relabelled`) keeps its width, so that those beside it stay in place.
    """
    made = pmui.Button(
        label=label,
        variant="contained" if main else "outlined",
        margin=0,
        sx={"minHeight": "44px", "textTransform": "none", "whiteSpace": "nowrap"},
        css_classes=["lab-actions-button", *(["lab-actions-relabelled"] if relabelled else [])],
        **options,
    )
    made.on_click(lambda _: run(do))
    return made


def empty_page(lines: Iterable[str]) -> pn.Column:
    """Return a step that says, until it has content, how it gets some."""
    told = texts.card(text=texts.paragraphs("", lines))
    return column(theme.styled("lab-pictures", told), styles={"height": "100%"})


def heading(text: str) -> pmui.Typography:
    """Return the heading of a part."""
    return pmui.Typography(text, variant="h6", margin=(0, 0, 4, 0), sx={"fontSize": "1.05rem"})


def live() -> Any:
    """Return a line that says where things stand, read out when it changes."""
    return texts.card("status")


def run(do: Callable[[], Coroutine[Any, Any, Any] | None]) -> None:
    """Call, and run what comes back as a task of this session."""
    pn.state.execute(partial(_run, do))


async def _run(do: Callable[[], Coroutine[Any, Any, Any] | None]) -> None:
    task = do()
    if task is not None:
        await task
