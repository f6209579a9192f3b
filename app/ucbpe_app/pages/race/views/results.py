"""How a race stands at one of its places: the regret in one chart, and the numbers, best first."""

from __future__ import annotations

from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import numpy as np
import panel as pn

from ucbpe_app.html import Html, joined
from ucbpe_app.links import Moment, encode
from ucbpe_app.pages.comparing import REGRETS, Measure, named
from ucbpe_app.pages.layouts import WIDE, Sheet
from ucbpe_app.pages.race.measures import leaders, levels, ranked, rows, verdict, where
from ucbpe_app.pages.race.setup import TICKS, Unit
from ucbpe_app.pictures.chart import Values, batches
from ucbpe_app.pictures.compared import Line, compared
from ucbpe_app.pictures.picture import Axis
from ucbpe_app.pictures.workers import Job, over_time, workers
from ucbpe_app.run.notation import text_of
from ucbpe_app.run.sentences import number
from ucbpe_app.run.sentences.texts import words_of

if TYPE_CHECKING:
    from ucbpe_app.pages.race.measures import Row
    from ucbpe_app.pages.race.race import Race, RaceRun
    from ucbpe_app.pictures.picture import Picture

_LONGEST = 14  # letters of a name that has room beside the chart


def regrets(race: Race, index: int, measure: Measure) -> Picture:
    """The picture of a race at one of its places."""
    place, first = race.places[index], leaders(race, index, measure)
    curves = [race.curve(runner, measure) for runner in race.runners]
    each = [race.curve(runner, Measure.BATCH)[1] for runner in race.runners]
    every = [y for _, y in curves] + (each if measure is Measure.BEST else [])
    # Of sums the slope matters, which an axis of decades would bend.
    log = measure in (Measure.BEST, Measure.BATCH)
    values = Values.of(np.concatenate(every), log=log)
    lines = []
    for i, (runner, (x, y)) in enumerate(zip(race.runners, curves, strict=True)):
        done, held = race.done(runner, index), measure is Measure.BEST
        lines.append(
            Line(
                runner.label,
                race.looks[i],
                x[:done].astype(float),
                y[:done],
                held=held,
                until=float(place) if held else None,
                faint=each[i][:done] if held else None,
                text=f"{_name(race, runner)} {number(float(y[done - 1]))}" if done else "",
                strong=runner in first,
            )
        )
    step = race.step
    message = ", ".join(line.text for line in lines if line.text) or "Before the first batch"
    return compared(
        lines,
        _across(race),
        values,
        values.axis(max(float(curve.max()) for curve in every)),
        f"Regret, {REGRETS[measure].name}: {message}.",
        now=(place - step / 2, place + step / 2),
    )


def busy(race: Race, index: int) -> Picture | None:
    """The workers of the runs whose results arrive one by one; None without such a run."""
    runs = [run for run in race.runners if run.replay.trace.one_by_one]
    if not runs:
        return None
    end = max(float(runner.replay.trace.timetable.arrivals[-1]) for runner in race.runners)
    now = race.time(index)
    return workers([Job.of(_name(race, run), run.replay.trace) for run in runs], now, end)


def _across(race: Race) -> Axis:
    """The axis of batches or of evaluations."""
    end = race.places[-1]
    if race.setup.unit is Unit.ITERATIONS:
        return batches(end)
    if race.setup.unit is Unit.TIME:
        return over_time(end / TICKS, TICKS)
    return Axis(race.step / 2, end + race.step / 2)


def _name(race: Race, runner: RaceRun) -> str:
    """Its name, its first words where all do not fit, or its letter where these are another's."""
    first = shorten(runner.label, _LONGEST, placeholder="…")
    alike = [run for run in race.runners if shorten(run.label, _LONGEST, placeholder="…") == first]
    return runner.letter if len(alike) > 1 or first == "…" else first


_SHEET = Sheet(Path(__file__).with_name("table.css"))
_VERDICT = Html(
    '<p>{} One run proves nothing: <a href="?{}">a study of many seeds</a> shows what is chance.'
    "</p>"
)
_TABLE = Html(
    '<table><thead><tr><th scope="col">configuration</th>{}</tr></thead><tbody>{}</tbody></table>'
)
_HEAD, _CELL, _BEST = Html('<th scope="col">{}</th>'), Html("<td>{}</td>"), Html("<b>{}</b>")
_ROW = Html('<tr><th scope="row"><a href="?{}" title="Open in Step">{}</a></th>{}</tr>')


class TableView:
    """A row per configuration, best first, and below them who leads; lay out `panel`."""

    def __init__(self) -> None:
        self.numbers, self.verdict = _SHEET.text("race-table"), WIDE.text("wide-says")
        self.panel = pn.Column(self.numbers, self.verdict, sizing_mode="stretch_width", margin=0)

    def show(self, race: Race, index: int) -> None:
        """Show a race at one of its places."""
        self.numbers.object = _table(race, index)
        self.verdict.object = _verdict(race, index)


def said(race: Race, i: int) -> str:
    """The verdict of a race at one of its places, as a sentence."""
    words = words_of(race.runners[0].replay.trace)
    return verdict(rows(race, i), where(race, i), words.short_of, words.extreme)


def _verdict(race: Race, i: int) -> Html:
    spoken, runs = said(race, i), race.runners
    policies = text_of(tuple(dict.fromkeys(run.settings.policy for run in runs)))
    fields = urlencode({"page": "study", "policies": policies}, safe=",")
    return _VERDICT.format(spoken, f"{fields}&{encode(Moment(runs[0].settings))}")


def _table(race: Race, i: int) -> Html:
    table = rows(race, i)
    counted = i and race.setup.unit is Unit.ITERATIONS
    last = f"batch {race.places[i]}" if counted else "last batch"
    heads = ["best so far", last, Html("cumulative <i>R</i><sup>K</sup>")]
    heads += [f"below {number(level)} from" for level in levels(race)]
    order = ranked(table)
    least = table[order[0]].best
    body = joined(
        _row(race, i, table[i], leads=least is not None and table[i].best == least) for i in order
    )
    return _TABLE.format(joined(_HEAD.format(head) for head in heads), body)


def _row(race: Race, place: int, row: Row, *, leads: bool) -> Html:
    query = encode(Moment(race.runners[place].settings))
    best, *numbers = (_number(value) for value in (row.best, row.last, row.cumulative))
    best = _BEST.format(best) if leads else best
    below = ["not yet" if t is None else f"batch {t}" for t in row.below]
    cells = joined(_CELL.format(cell) for cell in (best, *numbers, *below))
    return _ROW.format(query, named(race.looks[place], row.name), cells)


def _number(value: float | None) -> str:
    return "–" if value is None else number(value)
