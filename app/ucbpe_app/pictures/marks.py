"""Marks that several kinds of picture share: picks by role, and the candidate pointed at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app import theme
from ucbpe_app.pictures.picture import Label, Mark, mark
from ucbpe_app.run.sentences.texts import pick_label, place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.run.frames import PickMark, Scene

MARKS = {"ucb": theme.UCB_PICK, "pe": theme.PE_PICK, "init": theme.PE_PICK}
_SIZES = {"star": (15, 21), "diamond": (13, 18)}  # earlier, current
_OTHER = (11, 15)
# A dark casing below a light line reads over any field and on both themes.
_CASING = ((theme.OVER_FIELD_CASING, 3.6), (theme.OVER_FIELD, 1.4))


def mark_of(role: str) -> theme.Mark:
    """How picks of a role are drawn."""
    return MARKS.get(role, theme.OTHER_PICK)


def sizes_of(look: theme.Mark) -> tuple[int, int]:
    """Px across a pick that was made earlier, and the current one."""
    return _SIZES.get(look.marker, _OTHER)


def picks(made: Sequence[PickMark], x: Sequence[float], y: Sequence[float]) -> Mark:
    """Picks at (x, y); the current one is larger and filled. NaN draws none."""
    looks = [mark_of(pick.role) for pick in made]
    sizes = [sizes_of(one) for one in looks]
    return mark(
        "picks",
        x=np.array(x, float),
        y=np.array(y, float),
        marker=[one.marker for one in looks],
        color=[one.color for one in looks],
        size=[size[pick.current] for size, pick in zip(sizes, made, strict=True)],
        alpha=[float(pick.current) for pick in made],
    )


def pick_labels(
    scene: Scene, made: Sequence[PickMark], x: Sequence[float], y: Sequence[float]
) -> tuple[Label, ...]:
    """The names of picks beside their marks; those of one place share a label.

    The current one says where it is, as well.
    """
    groups: dict[tuple[float, int], list[int]] = {}
    for k, pick in enumerate(made):
        if np.isfinite(y[k]):
            groups.setdefault((float(x[k]), pick.index), []).append(k)
    labels = []
    for (across, index), group in groups.items():
        text = ", ".join(pick_label(made[k].number) for k in group)
        strong = any(made[k].current for k in group)
        if strong:
            text = f"{text} = {place(scene.candidates, index)}"
        height = max(float(y[k]) for k in group)
        labels.append(Label(text, made[group[-1]].role, across, height, "point", strong))
    return tuple(labels)


def pointed(x: float, y: float) -> Mark:
    """The candidate that a person points at."""
    colors, widths = [color for color, _ in _CASING], [width for _, width in _CASING]
    return mark("pointed", x=[x] * 2, y=[y] * 2, color=colors, width=widths)
