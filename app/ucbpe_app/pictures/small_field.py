"""Two inputs, small: the mean of a run after a batch, in colours that hold those of all others."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from ucbpe_app.pictures import marks
from ucbpe_app.pictures.maps import Maps, position
from ucbpe_app.pictures.picture import Picture, Plot, PlotKind, RunKind, shown

if TYPE_CHECKING:
    from ucbpe_app.pictures.picture import Request
    from ucbpe_app.run.frames import Frame, Scene


def small_field(scene: Scene, frame: Frame, request: Request) -> Picture:
    """The mean, in colours that hold those of all other runs."""
    one = Maps(scene, frame, request)
    lows, highs = zip(*(other.means for other in one.scenes), strict=True)
    colors = one.colors("viridis", min(lows), max(highs))
    plot = Plot(
        one.x,
        one.y,
        shown(
            [
                one.values(frame.mean),
                one.region("outline_small"),
                one.optimum if request.layers.truth else None,
                marks.data_over(scene, frame),
                marks.picks(frame.picks, *one.places, "picks_small", color=request.color),
            ]
        ),
        colors=colors,
    )
    return Picture(SMALL_FIELD, MappingProxyType({"small": plot}), one.text, request.size)


SMALL_FIELD = RunKind(
    "small-field",
    MappingProxyType(
        {
            "small": PlotKind(
                name="Mean",
                roles=("values", "dots", "outline_small", "data_over", "optimum", "picks_small"),
                height=220,
                borders=(30, 4, 4, 22),
                x_ticks=3,
                y_ticks=3,
                grid=False,
                zoom=True,
            )
        }
    ),
    draw=small_field,
    position=position,
)
