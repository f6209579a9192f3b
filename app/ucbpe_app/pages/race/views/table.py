"""The numbers of a race at one of its places, best first, and what they say."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import panel as pn

from ucbpe_app.links import Moment, encode
from ucbpe_app.pages.comparing import named
from ucbpe_app.pages.layouts import WIDE, Sheet
from ucbpe_app.pages.race.measures import levels, ranked, rows, verdict, where
from ucbpe_app.pages.race.setup import Unit
from ucbpe_app.run.notation import text_of
from ucbpe_app.run.sentences import number
from ucbpe_app.run.sentences.texts import words_of

if TYPE_CHECKING:
    from ucbpe_app.pages.race.measures import Row
    from ucbpe_app.pages.race.race import Race

_SHEET = Sheet(Path(__file__).with_suffix(".css"))


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


def _verdict(race: Race, i: int) -> str:
    spoken, runs = said(race, i), race.runners
    policies = text_of(tuple(dict.fromkeys(one.settings.policy for one in runs)))
    fields = urlencode({"page": "study", "policies": policies}, safe=",")
    study = f"?{fields}&{encode(Moment(runs[0].settings))}"
    return (
        f"<p>{escape(spoken)} One run proves nothing: "
        f'<a href="{escape(study)}">a study of many seeds</a> tells luck from skill.</p>'
    )


def _table(race: Race, i: int) -> str:
    found = rows(race, i)
    counted = i and race.setup.unit is Unit.ITERATIONS
    last = f"batch {race.places[i]}" if counted else "last batch"
    heads = ["best so far", last, "cumulative <i>R</i><sup>K</sup>"]
    heads += [f"below {number(level)} from" for level in levels(race)]
    order = ranked(found)
    least = found[order[0]].best
    body = "".join(
        _row(race, i, found[i], leads=least is not None and found[i].best == least) for i in order
    )
    cells = "".join(f'<th scope="col">{one}</th>' for one in heads)
    return (
        f'<table><thead><tr><th scope="col">configuration</th>{cells}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


def _row(race: Race, place: int, row: Row, *, leads: bool) -> str:
    runner = race.runners[place]
    link = escape(f"?{encode(Moment(runner.settings))}")
    name = f'<a href="{link}" title="Open in Step">{named(race.looks[place], row.name)}</a>'
    best, *numbers = (_number(one) for one in (row.best, row.last, row.cumulative))
    best = f"<b>{best}</b>" if leads else best
    below = ["not yet" if one is None else f"batch {one}" for one in row.below]
    cells = "".join(f"<td>{one}</td>" for one in (best, *numbers, *below))
    return f'<tr><th scope="row">{name}</th>{cells}</tr>'


def _number(value: float | None) -> str:
    return "–" if value is None else number(value)
