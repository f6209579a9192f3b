"""How far a study is: all of it as a bar, each policy as a count, and one line of words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import param

from ucbpe_app.component import Component

if TYPE_CHECKING:
    from ucbpe_app.pages.study.jobs.job import Progress


class ProgressView(Component):
    """A bar, counts, and a status line that a screen reader reads when it changes.

    The status says what has begun or ended, the rest how far it is: read aloud twice a second, that
    would be noise.
    """

    status = param.String(default="", doc="What has begun or ended.")
    detail = param.String(default="", doc="More of it, which may change often.")
    counts = param.List(default=[], doc="(policy, runs done) of each policy.")
    replicates = param.Integer(default=1, doc="Runs of each policy in all.")

    _esm = Path(__file__).with_suffix(".js")
    _stylesheets: ClassVar[list[str]] = [
        Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
    ]

    def __init__(self, **params: Any) -> None:
        """Take any parameter above."""
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, **params})

    def load(self, status: str, detail: str, progress: Progress) -> None:
        """Show where a study is, in words and in numbers."""
        self.param.update(
            status=status,
            detail=detail,
            counts=[list(pair) for pair in progress.done.items()],
            replicates=progress.replicates,
        )
