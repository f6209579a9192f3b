"""Which picture stands for a function: by the number of its inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.pictures.curve import CURVE
from ucbpe_app.pictures.field import FIELD, SCATTERED
from ucbpe_app.pictures.plane import LARGE_PLANE

if TYPE_CHECKING:
    from ucbpe_app.pictures.picture import RunKind
    from ucbpe_app.run.frames import Scene


def main_kind(scene: Scene) -> RunKind:
    """The picture of a function: a curve, maps, or else the decision plane."""
    maps = FIELD if scene.grid else SCATTERED
    return (CURVE, maps, LARGE_PLANE)[min(scene.dimension, 3) - 1]
