"""The legends of the line view: they list what is on screen and never move the figures."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ucbpe_app import theme
from ucbpe_app.figures import legends
from ucbpe_app.figures.curve.figures import BAND_ALPHA, FADED, GHOST, LEFT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_app.markup import Markup

_LATER = ' style="visibility:hidden" aria-hidden="true"'


class Legend:
    """Entries by key, in order, each a swatch (SVG around the origin) and a label.

    `reserved` names those that come and go with the events and so keep their room.
    """

    def __init__(
        self, entries: Mapping[str, tuple[str, str]], reserved: tuple[str, ...] = ()
    ) -> None:
        self._entries, self._reserved = dict(entries), reserved
        self.pane: Markup = legends.text(margin=(4, 8, 4, LEFT))

    def show(self, visible: Mapping[str, str]) -> None:
        """List the entries whose keys are given, with these labels, or their own if empty.

        The reserved others follow unseen: however the legend wraps, it keeps its height and the
        figures their place.
        """
        shown = [key for key in self._entries if key in visible]
        later = [key for key in self._reserved if key not in visible]
        items = [self._item(key, visible[key]) for key in shown]
        items += [self._item(key, "", _LATER) for key in later]
        self.pane.object = f"<ul>{''.join(items)}</ul>"

    def _item(self, key: str, label: str, attributes: str = "") -> str:
        marks, own = self._entries[key]
        return f"<li{attributes}>{legends.swatch(marks)}{escape(label or own)}</li>"


def belief_legend() -> Legend:
    """What the main figure may show, in the order in which a batch brings it."""
    entries = {
        "mean": (line(theme.MEAN, width=2.5), "mean"),
        "band": (area(theme.BAND, BAND_ALPHA), "mean ± √β std"),
        "truth": (line(theme.TRUTH), "truth"),
        "noisy": (edges(theme.BAND), "band of a measurement"),
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
    return Legend(entries, ("ucb", "y_dot", "updated", "pe"))


def deviation_legend() -> Legend:
    """What the figure of the deviation may show."""
    entries = {
        "now": (line(theme.MEAN, width=2.5), "std now"),
        "faded": (line(theme.MEAN, opacity=FADED), "outside R⁺"),
        "before": (line(GHOST), "before this pick"),
    }
    return Legend(entries)


def line(mark: theme.Mark, *, width: float = 2, opacity: float = 1) -> str:
    """SVG of a piece of line."""
    return legends.stroke(mark.color, mark.dash, width, opacity=opacity)


def area(mark: theme.Mark, opacity: float) -> str:
    """SVG of a piece of a translucent area."""
    return f'<path d="M-13-7H13V7H-13Z" fill="{mark.color}" opacity="{opacity}"/>'


def edges(mark: theme.Mark) -> str:
    """SVG of an area drawn by its two edges."""
    return f'<path d="M-13-6H13M-13 6H13" fill="none" stroke="{mark.color}"/>'


def point(mark: theme.Mark, *, ring: bool = False) -> str:
    """SVG of a marker; a ring goes around what is new."""
    around = f'<circle r="8" fill="none" stroke="{mark.color}" stroke-width="1.5"/>'
    marker = legends.point(mark.marker, mark.color, line=mark.color, width=2)
    return marker + (around if ring else "")
