"""The final numbers of a race, least ones marked where they compare."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from ucbpe_app.markup import Markup
from ucbpe_app.pages.race.measures import WORDS, Measure, leaders, regret
from ucbpe_app.pages.race.views.base import RaceView
from ucbpe_app.pages.race.views.marks import SYMBOLS, swatch
from ucbpe_app.run.sentences import number

if TYPE_CHECKING:
    from ucbpe_app.pages.race.race import Race, RaceRun

_CSS = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
_COLUMNS = (Measure.BEST, Measure.CUMULATIVE, Measure.EVERY)


class TableView(RaceView):
    """A row per configuration, with what it spent and what regret was left at the end."""

    def __init__(self) -> None:
        super().__init__()
        self._panel = Markup(
            "", css_classes=["race-table"], stylesheets=[_CSS], margin=0,
            sizing_mode="stretch_width",
        )  # fmt: skip

    def load(self, race: Race) -> None:
        last = len(race.places) - 1
        best = {measure: leaders(race, last, measure) for measure in _COLUMNS}
        heads = "".join(
            f'<th scope="col" title="{WORDS[one].sentence}">{SYMBOLS[one] or "best"}</th>'
            for one in _COLUMNS
        )
        rows = "".join(
            self._row(place, race, runner, best) for place, runner in enumerate(race.runners)
        )
        self._panel.object = (
            "<table><caption>At the end: regret in units of f, ★ least</caption>"
            '<thead><tr><th scope="col">Configuration</th><th scope="col">T × K</th>'
            f"{heads}</tr></thead><tbody>{rows}</tbody></table>"
        )

    def _row(
        self,
        place: int,
        race: Race,
        runner: RaceRun,
        best: dict[Measure, tuple[RaceRun, ...]],
    ) -> str:
        done = race.done(runner, len(race.places) - 1)
        cells = "".join(
            _cell(float(regret(runner.scene, measure)[done - 1]), least=runner in first)
            for measure, first in best.items()
        )
        name = f"{swatch(place)}<b>{runner.letter}</b> {escape(runner.label)}"
        spent = f"{done} × {runner.batch_size} = {done * runner.batch_size}"
        return f'<tr><th scope="row">{name}</th><td>{spent}</td>{cells}</tr>'


def _cell(value: float, *, least: bool) -> str:
    if least:
        return f'<td class="least"><span aria-label="least">★</span> {number(value)}</td>'
    return f"<td>{number(value)}</td>"
