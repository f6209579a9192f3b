"""Marks that several kinds of picture share, and how much room pictures keep for them and names."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ucbpe_app import theme
from ucbpe_app.pictures.picture import Label, Mark, mark
from ucbpe_app.run.sentences.reasons import look_of
from ucbpe_app.run.sentences.texts import pick_label, place, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.pictures.picture import Axis
    from ucbpe_app.run.frames import Frame, PickMark, Scene
    from ucbpe_core.support.validation import Floats


class Geometry(NamedTuple):
    """Shares of a range, or of the width or height of a frame; or px."""

    # Of a range, kept free at each end, so that no mark there is cut; of the std's, half below 0.
    x_pad: float = 0.02
    y_pad: float = 0.06
    std_pad: float = 0.12
    map_pad: float = 0.06
    plane_pad: float = 0.06

    # Names of picks. Of two numbers the second is of the current pick.
    most_named: int = 50  # in a batch: names of more would hide everything
    most_listed: int = 2  # that a label lists one by one
    name_edges: tuple[float, float] = (0.9, 0.7)  # beyond it a name goes to the left of its mark
    name_gaps: tuple[float, float] = (12, 24)  # px
    name_rim: float = 0.1  # of a map's height: nearer to its rim an outline would strike them out

    # The function of one input: crosses, old and fresh, in px; the strips, from below.
    crosses: tuple[float, float] = (11, 13)
    handle: float = 0.06  # of the height, from a cross to the arrows that say it can be dragged
    bracket: tuple[float, float] = (0.2, 0.8)  # of the room right of the last candidate
    lower_strip: tuple[float, float] = (0.12, 0.88)
    upper_strip: tuple[float, float] = (1.12, 1.88)

    # A map of two inputs: px across crosses, old and fresh, and across candidates off a grid.
    map_crosses: tuple[float, float] = (7, 11)
    row_of_dots: float = 240  # px of all dots in a row; of one, at least and at most
    dot: tuple[float, float] = (4, 14)
    small_dot: float = 0.4  # of those of the large map, in a small one
    bracket_gap: float = 14  # px from the middle of a mark to its name

    # The decision plane.
    plane_cells: tuple[int, int] = (120, 50)  # across and up, of many dots one in each; 3 to 4 px
    plane_many: int = 2_000  # dots
    plane_places: int = 8  # per length, where a range of means may begin
    # Of the length of a line: where its name is.
    plane_along: Mapping[str, float] = MappingProxyType(
        {"equal_upper": 0.6, "equal_lower": 0.35, "plus_edge": 0.35, "compared_edge": 0.6}
    )

    # Charts of regret; the first two in decades.
    below: float = 0.5  # between the least positive value and the place of zero
    margin: float = 0.15  # kept free at either end
    most_decades: int = 5  # with a tick; what fits in 100 px
    foot: float = 0.05  # of a linear axis, kept free at its ends
    head: float = 0.12
    now: Mapping[str, float] = MappingProxyType({"simple": 0.92, "cumulative": 0.08})

    def table(self) -> dict[str, Any]:
        """All of it, by name, as JSON can have it."""
        items = self._asdict().items()
        return {name: dict(value) if isinstance(value, Mapping) else value for name, value in items}


GEOMETRY = Geometry()


PICKS = {  # by their look
    "ucb": theme.UCB_PICK,
    "pe": theme.PE_PICK,
    "theirs": theme.THEIR_PICK,
    "other": theme.OTHER_PICK,
}
_SMALL = 0.75  # times the size, in small maps


def mark_of(role: str) -> theme.Mark:
    """How picks of a role are drawn."""
    return PICKS[look_of(role)]


def sizes_of(look: theme.Mark) -> dict[str, tuple[float, float]]:
    """Px across a pick that was made earlier, and the current one, by the role of their marks."""
    shape = look.shape
    small = _SMALL * shape.over[0]
    return {"picks": shape.sizes, "picks_over": shape.over, "picks_small": (small, small)}


def picks(
    made: Sequence[PickMark], x: Floats, y: Floats, role: str = "picks", *, color: str = ""
) -> Mark:
    """Picks at (x, y), shape (K,) each; the current one is larger. NaN draws none."""
    looks = [mark_of(pick.role) for pick in made]
    sizes = [sizes_of(look)[role][pick.current] for look, pick in zip(looks, made, strict=True)]
    return mark(
        role,
        x=x,
        y=y,
        marker=[look.marker for look in looks],
        fill=[color or look.color for look in looks],
        size=np.array(sizes, float),
    )


def pending(frame: Frame, x: Floats, y: Floats, role: str = "pending") -> Mark | None:
    """Picks whose results are still to come, at (x, y): their marks, empty."""
    if not frame.pending:
        return None
    looks = [mark_of(pick.role) for pick in frame.pending]
    over = role == "pending_over"
    sizes = [sizes_of(look)["picks_over" if over else "picks"][0] for look in looks]
    colors = {} if over else {"color": [look.color for look in looks]}
    markers = [look.marker for look in looks]
    return mark(role, x=x, y=y, marker=markers, **colors, size=np.array(sizes, float))


def pending_labels(frame: Frame, x: Floats, y: Floats) -> list[Label]:
    """The text "running" next to each pending pick."""
    text = say("label.pending")
    return [
        Label(text, look_of(pick.role), float(x[i]), float(y[i]), "point")
        for i, pick in enumerate(frame.pending)
    ]


def pick_labels(scene: Scene, made: Sequence[PickMark], x: Floats, y: Floats) -> tuple[Label, ...]:
    """The names of picks next to their marks; picks at one place share a label.

    The current one says where it is, as well; of more than `most_named` it alone has a name.
    """
    groups: dict[tuple[float, int], list[int]] = {}
    for k, pick in enumerate(made):
        if np.isfinite(y[k]):
            groups.setdefault((float(x[k]), pick.index), []).append(k)
    labels = []
    for (across, index), group in groups.items():
        text = ", ".join(name_of(made[k]) for k in group)
        strong = any(made[k].current for k in group)
        if not strong and len(made) > GEOMETRY.most_named:
            continue
        if strong and not made[group[-1]].name:
            text = f"{text} = {place(scene.candidates, index, scene.extents)}"
        height = max(float(y[k]) for k in group)
        labels.append(Label(text, look_of(made[group[-1]].role), across, height, "point", strong))
    return tuple(labels)


def pointed(x: float, y: float) -> Mark:
    """The candidate that a person points at."""
    return mark("pointed", x=[x], y=[y])


def ring(made: Sequence[PickMark], x: Floats, y: Floats) -> Mark:
    """The ring around the pick that this event makes."""
    current = np.array([pick.current for pick in made], bool)
    return mark("ring", x=x[current], y=y[current])


def numbers(labels: Sequence[Label], across: Axis, upwards: Axis) -> Mark:
    """The names of picks as marks, which move with a field: right of them, or else left.

    At the upper and the lower rim they stand farther inside.
    """
    rim = GEOMETRY.name_rim * (upwards.high - upwards.low)
    heights = np.array([label.y for label in labels], float)
    offsets = []
    for label in labels:
        gap, edge = GEOMETRY.name_gaps[label.strong], GEOMETRY.name_edges[label.strong]
        offsets.append(-gap if across.fraction(label.x) > edge else gap)
    return mark(
        "numbers",
        x=np.array([label.x for label in labels]),
        y=np.clip(heights, upwards.low + rim, upwards.high - rim),
        text=[label.text for label in labels],
        align=["left" if offset > 0 else "right" for offset in offsets],
        offset=offsets,
    )


def places_measured(scene: Scene, frame: Frame) -> Floats:
    """Where results are, (n, d)."""
    own = frame.observed_x
    return scene.candidates[frame.observed] if own is None else own


def name_of(pick: PickMark) -> str:
    """What a pick is called: x⁰, or its own name."""
    return pick.name or pick_label(pick.number)


def data_over(scene: Scene, frame: Frame) -> Mark:
    """Candidates of two inputs that are measured; those just measured are larger."""
    x, y = places_measured(scene, frame).T
    size = np.repeat(GEOMETRY.map_crosses, [len(x) - frame.fresh, frame.fresh])
    return mark("data_over", x=x, y=y, size=size)


def optimum(x: float, y: float) -> Mark:
    """Where f is best."""
    return mark("optimum", x=[x], y=[y])
