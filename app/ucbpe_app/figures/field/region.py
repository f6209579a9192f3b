"""R and R+ over printed maps: outlines, and what veils where no pick can be made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app import theme
from ucbpe_app.figures.field.outline import outline

if TYPE_CHECKING:
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_core.validation import Floats

    Lines = tuple[list[Floats], list[Floats]]

PLUS_DASH, REGION_DASH = "solid", "dashed"
VEIL = f"{theme.INK}A8"  # two thirds opaque: the field still shows through


def outlines(scene: Scene, frame: Frame) -> tuple[Lines, Lines]:
    """Around R+ and around R on a grid: the zeros of their margins, by the std at batch start."""
    if frame.region is None or frame.region_plus is None or frame.y_dot is None:
        return ([], []), ([], [])
    ny = scene.grid[1]
    grid = scene.candidates[::ny, 0], scene.candidates[:ny, 1]
    above, wide = scene.sign * (frame.mean - frame.y_dot), 2 * np.sqrt(frame.beta_next)
    plus = outline(frame.region_plus, above + wide * frame.std, *grid)
    return plus, outline(frame.region, above + frame.sqrt_beta * frame.std, *grid)


def dot_size(count: int) -> float:
    """Diameter in px of one of `count` dots, which together fill much of a square."""
    return float(np.clip(240 / np.sqrt(count), 4, 14))
