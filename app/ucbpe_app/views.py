"""Which picture stands for a function: by the number of its inputs."""

from __future__ import annotations

from ucbpe_app.pictures.curve import CURVE
from ucbpe_app.pictures.field import FIELD
from ucbpe_app.pictures.plane import LARGE_PLANE
from ucbpe_app.render.view import PictureView


def main_view(inputs: int) -> PictureView:
    """A new view of functions of so many inputs: a curve, maps, or else the decision plane."""
    return PictureView((CURVE, FIELD, LARGE_PLANE)[min(inputs, 3) - 1])
