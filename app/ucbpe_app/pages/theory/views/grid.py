"""The statements at every batch: which hold, which fail, and their numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import param

from ucbpe_app import theme
from ucbpe_app.components.parts import script
from ucbpe_app.pages.theory.proof import Status
from ucbpe_app.pages.theory.sentences import summary
from ucbpe_app.pages.theory.views.formulas import STATEMENTS, math
from ucbpe_app.private.panel import Component

if TYPE_CHECKING:
    from ucbpe_app.pages.theory.proof import Statement

_LETTERS = {Status.HOLDS: "h", Status.FAILS: "f", Status.SILENT: "s"}
_SCOPES = {
    "band": "for every x in X",
    "picks_in_region_plus": "for k = 1 … K − 1",
    "lemma2": "for k = 1 … K − 1",
    "lemma4": "v = max k(x, x)",
    "exploring_regret": "for k = 1 … K − 1",
}
_COLORS = f":host {{ --holds: {theme.GREEN}; --fails: {theme.VERMILLION}; }}"


class StatementGrid(Component):
    """A row for each statement and a column for each t, in two tables side by side.

    Moved in by mouse or arrow keys, from one table to the other as if they were one.
    Pointing at a cell shows its numbers; a click or Enter selects it. Watch `selected`, and give
    the `address` of where its batch can be stepped.
    """

    rows = param.List([], item_type=dict, doc="Words, formula, states and numbers of each row.")
    summary = param.String("", doc="Which statements hold, as the title.")
    selected = param.Dict({}, doc="Keys `row` and `t`, both counted as on screen; or empty.")
    address = param.String("", doc="Address of the selected batch on the Step page.")

    _esm = script("fragment.js", "grid.js", folder=Path(__file__).parent)
    _stylesheets: ClassVar[list[str]] = [
        _COLORS,
        Path(__file__).with_suffix(".css").read_text(encoding="utf-8"),
    ]

    def __init__(self, **params: Any) -> None:
        """Take any parameter above."""
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, **params})

    def load(self, statements: tuple[Statement, ...]) -> None:
        """Show another run, nothing selected."""
        rows = [_row(statement) for statement in statements]
        self.param.update(summary=summary(statements), rows=rows, selected={}, address="")

    def choose(self, t: int) -> None:
        """Select a batch, in the row that is selected or else the first."""
        self.selected = {"row": self.selected.get("row", 0), "t": t}

    def receive(self, data: Any) -> None:
        """Select the cell that was clicked; what follows from it is sent in the same message."""
        row, t = int(data["row"]), int(data["t"])
        if 0 <= row < len(self.rows) and 1 <= t <= len(self.rows[row]["states"]):
            with pn.io.hold():
                self.selected = {"row": row, "t": t}


def _row(statement: Statement) -> dict[str, Any]:
    left, right = STATEMENTS[statement.name]
    return {
        "title": statement.title,
        "because": statement.because,
        "grounds": statement.grounds,
        "formula": math(rf"{left} \le") + math(right),
        "scope": _SCOPES.get(statement.name, ""),
        "states": "".join(_LETTERS[cell.state] for cell in statement.cells),
        "numbers": [cell.numbers for cell in statement.cells],
    }
