"""The transport of a race: that of a run, whose stops are batches or evaluations."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import param

from ucbpe_app.components.timeline import Timeline


class RaceTimeline(Timeline):
    """A `Timeline` over the places of a race.

    ``index`` and ``total`` count places; ``starts`` are those where the largest batch is complete.
    Set ``values`` and ``unit`` with them. It has no items: what happens inside a batch is for the
    Step page.
    """

    values = param.List(default=[0], item_type=int, doc="Batches or evaluations at each place.")
    unit = param.String(default="batches", doc="What the values count.")

    # The browser's module has all of a run's transport, of which a race draws its own: a module's
    # default export comes before its `render`.
    _esm = "\n".join([Timeline._esm, Path(__file__).with_suffix(".js").read_text(encoding="utf-8")])
    _stylesheets: ClassVar[list[str]] = [
        *Timeline._stylesheets,
        Path(__file__).with_suffix(".css").read_text(encoding="utf-8"),
    ]
