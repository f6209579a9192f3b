"""The legends of the line view: they list what is on screen and never move the figures."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ucbpe_app import theme
from ucbpe_app.figures import legends
from ucbpe_app.figures.curve.figures import BAND_ALPHA, FADED, GHOST, LEFT
from ucbpe_app.figures.curve.geometry import FAMILIES, family, is_updated
from ucbpe_app.run.sentences import number, role_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_app.markup import Markup
    from ucbpe_app.run.frames import Frame
    from ucbpe_app.run.screen import Layers

_LATER = ' style="visibility:hidden" aria-hidden="true"'


class Legend:
    """Entries by key, in order.

    `reserved` names those that come and go with the events and so keep their room.
    """

    def __init__(
        self, entries: Mapping[str, legends.Entry], reserved: tuple[str, ...] = ()
    ) -> None:
        self._entries, self._reserved = entries, reserved
        self.pane: Markup = legends.text("", legends.OWN, margin=(4, 8, 4, LEFT))

    def show(self, visible: Mapping[str, str]) -> None:
        """List the entries whose keys are given, with these labels, or their own if empty.

        The other reserved entries follow, invisible: however the legend wraps, it keeps its
        height, and the figures keep their place.
        """
        items = [_item(entry) for entry in listed(self._entries, visible)]
        later = [key for key in self._reserved if key not in visible]
        items += [_item(self._entries[key], _LATER) for key in later]
        self.pane.object = f"<ul>{''.join(items)}</ul>"


def _item(entry: legends.Entry, attributes: str = "") -> str:
    shapes, label = entry
    return f"{legends.item(label, attributes)}{legends.swatch(shapes)}{escape(label)}</li>"


def listed(entries: Mapping[str, legends.Entry], visible: Mapping[str, str]) -> list[legends.Entry]:
    """The entries whose keys are given, in their order, with these labels or their own."""
    return [
        (shapes, visible[key] or label)
        for key, (shapes, label) in entries.items()
        if key in visible
    ]


def posterior_labels(frame: Frame, layers: Layers, sign: float, pinned: str = "") -> dict[str, str]:
    """What of `POSTERIOR` a frame shows, and its labels; `pinned` names the run behind, if any."""
    multiplier, updated = number(frame.sqrt_beta), is_updated(frame)
    roles: dict[str, dict[str, None]] = {name: {} for name in FAMILIES}
    for pick in frame.picks:
        roles[family(pick)][role_name(pick.role)] = None
    labels = {
        "mean": "",
        "band": f"band: mean ± {multiplier} std (β = {number(frame.beta)})",
        "updated": f"updated bounds: ± {multiplier} std now" if updated else None,
        "noisy": f"band of a measurement: ± {multiplier} √(std² + noise)" if layers.noisy else None,
        "truth": "" if layers.truth else None,
        "data": "" if len(frame.observed) > frame.fresh else None,
        "fresh": "" if frame.fresh else None,
        "pinned": pinned or None,
        **{name: ", ".join(names) or None for name, names in roles.items()},
    }
    if frame.y_dot is not None:
        labels["y_dot"] = "y•, least upper bound" if sign < 0 else ""
    return {key: label for key, label in labels.items() if label is not None}


def std_labels(frame: Frame) -> dict[str, str]:
    """What of `STD` a frame shows."""
    shown = {"now": ""}
    if frame.region_plus is not None and not frame.region_plus.all():
        shown["faded"] = ""
    if frame.std_before is not None:
        shown["before"] = ""
    return shown


def line(mark: theme.Mark, *, width: float = 2, opacity: float = 1) -> legends.Shapes:
    """A piece of line."""
    return legends.stroke(mark.color, mark.dash, width, opacity=opacity)


def point(mark: theme.Mark, *, ring: bool = False) -> legends.Shapes:
    """A marker; a ring goes around what is new."""
    around = legends.Shape(radius=8, line=mark.color, width=1.5)
    marker = legends.point(mark.marker, mark.color, line=mark.color, width=2)
    return (*marker, around) if ring else marker


def _edges(color: str) -> legends.Shapes:
    """An area drawn by its two edges."""
    upper, lower = (((-13, y), (13, y)) for y in (-6, 6))
    return legends.polyline(color, upper, width=1) + legends.polyline(color, lower, width=1)


# What the main figure may show, in the order in which a batch brings it.
POSTERIOR: dict[str, legends.Entry] = {
    "mean": (line(theme.MEAN, width=2.5), "mean"),
    "band": (legends.area(theme.BAND.color, BAND_ALPHA), "mean ± √β std"),
    "truth": (line(theme.TRUTH), "truth"),
    "noisy": (_edges(theme.BAND.color), "band of a measurement"),
    "data": (point(theme.DATA), "data"),
    "fresh": (point(theme.DATA, ring=True), "new data"),
    "ucb": (point(theme.UCB_PICK), "UCB pick"),
    "y_dot": (line(theme.Y_DOT), "y•, greatest lower bound"),
    "updated": (line(theme.UPDATED_BAND), "updated bounds"),
    "pe": (point(theme.PE_PICK), "PE pick"),
    "other": (point(theme.OTHER_PICK), "pick"),
    "pinned": (line(theme.PINNED, width=1.2), "pinned"),
}
# New data need no room of their own: when they come, the picks have gone.
RESERVED = ("ucb", "y_dot", "updated", "pe")
# What the figure of the standard deviation may show.
STD: dict[str, legends.Entry] = {
    "now": (line(theme.MEAN, width=2.5), "std now"),
    "faded": (line(theme.MEAN, opacity=FADED), "outside R⁺"),
    "before": (line(GHOST), "before this pick"),
}
