"""The steps of a page, as links between its parts."""

from __future__ import annotations

from typing import ClassVar

import param

from ucbpe_app.pages.problem.views.parts import source
from ucbpe_app.private.panel import Component


class Steps(Component):
    """Groups of named steps, one of which is on screen."""

    groups = param.List([], item_type=dict, doc="Dicts with `title` and `steps`: name and label.")
    active = param.String("", doc="Name of the step on screen.")

    _esm = source("dom.js", "steps.js")
    _stylesheets: ClassVar[list[str]] = [source("controls.css", "steps.css")]
