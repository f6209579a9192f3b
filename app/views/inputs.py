"""The inputs of the pick that an event is about, for points that no picture has axes for."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from app.narrative import pick_label
from app.views.marks import mark_of
from app.views.markup import Markup

if TYPE_CHECKING:
    from app.frames import Frame, PickMark, Scene
    from app.screen import Layers
    from ucbpe_core.validation import Floats

_CSS = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
_DRAWN = 2  # inputs that a picture can have axes for


class InputsView:
    """A row per input: its name, its value, and where all picks of the batch lie in its range.

    Empty for problems of one or two inputs, whose pictures have axes to read them from.
    """

    def __init__(self) -> None:
        self._panel = Markup(
            css_classes=["inputs"], stylesheets=[_CSS], margin=0, sizing_mode="stretch_width"
        )
        self._names: tuple[str, ...] = ()
        self._low = self._span = np.empty(0)

    @property
    def panel(self) -> Markup:
        """The Panel object to lay out; the same one every time."""
        return self._panel

    def load(self, scene: Scene) -> None:
        """Take the inputs of another run, and their ranges over the candidates."""
        self._names = scene.axes[:-1] if scene.dimension > _DRAWN else ()
        self._low = scene.candidates.min(axis=0)
        span = np.ptp(scene.candidates, axis=0)
        self._span = np.where(span > 0, span, 1.0)

    def update(self, frame: Frame) -> None:
        """Tell the pick; without one the names stay, so that nothing moves."""
        self._panel.object = self._table(frame) if self._names else ""

    def show(self, layers: Layers) -> None:
        """Inputs have no layers."""

    def _table(self, frame: Frame) -> str:
        pick = frame.subject
        lit = None if pick is None else pick.index
        shares = [(one, (one.x - self._low) / self._span) for one in frame.picks]
        # The subject comes last, on top of the others.
        shares.sort(key=lambda placed: placed[0].index == lit)
        rows = (
            f'<tr><th scope="row">{escape(name)}</th>'
            f"<td>{'' if pick is None else written(pick.x[i])}</td>"
            f"<td>{_strip([(one, share[i]) for one, share in shares], lit)}</td></tr>"
            for i, name in enumerate(self._names)
        )
        return f"<table><caption>{_caption(pick)}</caption>{''.join(rows)}</table>"


def written(value: float) -> str:
    """An input as it is told: four significant digits; a true minus sign."""
    return f"{value:.4g}".replace("-", "−")


def _caption(pick: PickMark | None) -> str:
    if pick is None:
        return "No pick yet in this batch"
    return f"{pick_label(pick.number)} = candidate {pick.index}"


def _strip(placed: list[tuple[PickMark, Floats]], lit: int | None) -> str:
    """SVG of an input's range, least to greatest, with a tick per pick; the subject's stands out.

    Where a tick lies says it all: colour repeats the role.
    """
    ticks = "".join(
        f'<rect x="{100 * float(share):.4g}%" class="{"lit" if pick.index == lit else "tick"}" '
        f'fill="{mark_of(pick.role).color}"/>'
        for pick, share in placed
    )
    return f'<svg aria-hidden="true"><rect class="range"/>{ticks}</svg>'
