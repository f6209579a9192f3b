"""Which picture stands for a function: by the number of its inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.figures.plane import LargePlaneView
from ucbpe_app.pictures.curve import CURVE
from ucbpe_app.pictures.field import FIELD
from ucbpe_app.render.view import PictureView

if TYPE_CHECKING:
    from ucbpe_app.figures.view import MainFigure


def main_view(inputs: int) -> MainFigure:
    """A new view of functions of so many inputs: a curve, maps, or else the decision plane."""
    if inputs == 1:
        return PictureView(CURVE)
    return PictureView(FIELD) if inputs == 2 else LargePlaneView()
