"""The pictures of a race: its configurations, one map of each, the regret of all, and a table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlencode

import numpy as np
import panel as pn
import param

from ucbpe_app import theme
from ucbpe_app.html import EMPTY, Html, table
from ucbpe_app.links import Moment, encode
from ucbpe_app.pictures.chart import Values, batches
from ucbpe_app.pictures.compared import Job, Line, compared, over_time, workers
from ucbpe_app.pictures.picture import Axis
from ucbpe_app.pictures.plane import SMALL_PLANE
from ucbpe_app.pictures.small import SMALL_CURVE, SMALL_FIELD, share_axis
from ucbpe_app.private.panel import Component
from ucbpe_app.race.measures import leaders, levels, ranked, rows, verdict, where
from ucbpe_app.race.setup import TICKS, Unit
from ucbpe_app.render.view import PictureView
from ucbpe_app.run.notation import text_of
from ucbpe_app.run.screen import Layers
from ucbpe_app.run.sentences import number, percentage
from ucbpe_app.run.sentences.texts import words_of
from ucbpe_app.widgets.comparing import REGRETS, Measure, named
from ucbpe_app.widgets.layouts import WIDE, Sheet
from ucbpe_app.widgets.parts import script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ucbpe_app.pictures.looks import PolicyLook
    from ucbpe_app.pictures.picture import Picture
    from ucbpe_app.race.measures import Row
    from ucbpe_app.race.race import Race, RaceRun, RunState
    from ucbpe_app.render.markup import Markup


class Cards(Component):
    """A card per configuration, in order, and a button for another.

    ``on_press`` is called with the place of the card, or None for another configuration.
    """

    cards = param.List(default=[], item_type=dict, doc="Dicts of `letter`, `name` and `summary`.")
    chosen = param.Integer(default=-1, doc="The one being edited, or -1.")
    most = param.Integer(default=8, doc="With so many none can be added.")

    _esm = script("fragment.js", "focused.js", "cards.js", folder=Path(__file__).parent)
    _stylesheets: ClassVar[list[str]] = [
        Path(__file__).with_name("cards.css").read_text(encoding="utf-8")
    ]

    def __init__(self, on_press: Callable[[int | None], None], **params: Any) -> None:
        """Take any parameter above; as wide as its cards."""
        self._on_press = on_press
        super().__init__(css_classes=["wide-wide"], margin=0, **params)

    def load(self, configurations: Iterable[tuple[str, str, str, PolicyLook]]) -> None:
        """Show these, each a letter, a name, a summary and how it is drawn."""
        self.cards = [
            {"letter": letter, "name": named(look, label), "summary": summary}
            for letter, label, summary, look in configurations
        ]

    def receive(self, data: Any) -> None:
        """Do what a button asks for, if there still is such a card."""
        place = data["place"]
        if place is None or 0 <= int(place) < len(self.cards):
            self._on_press(None if place is None else int(place))


_MAPS_SHEET = Sheet(Path(__file__).with_name("multiples.css"))
_TITLE = Html('<div class="row"><h2>{}</h2>{}</div>')
_SCALE = Html('<span>mean μ {}<i style="background:linear-gradient(to right, {})"></i>{}</span>')
_HEADING = Html(
    '<h3><a href="?{query}" title="Open in Step" aria-label="Open in Step: {label}">{name}</a>'
    "{note}</h3>"
)
_NOTE = Html("<span>{}</span>")
_KINDS = (SMALL_CURVE, SMALL_FIELD, SMALL_PLANE)  # of problems with 1, 2 and more inputs


class MultiplesView:
    """The pictures of a race, in the order of its configurations; lay out `panel`.

    They are built when a race needs others than the last: of another kind, or of another number.
    A step changes sources and properties only.
    """

    def __init__(self) -> None:
        self.pictures: tuple[PictureView, ...] = ()
        self.headings: tuple[Markup, ...] = ()
        self._race: Race | None = None
        self._layers = Layers()
        self.title, self._grid = _MAPS_SHEET.text("race-title"), _MAPS_SHEET.column("race-grid")
        self.panel = _MAPS_SHEET.column("race-multiples", self.title, self._grid)

    def show(self, race: Race, index: int) -> None:
        """Draw a race at one of its places."""
        if race is not self._race:
            self._load(race)
        states = race.states(index)
        others = tuple(
            (runner.scene, state.frame) for runner, state in zip(race.runners, states, strict=True)
        )
        for i, (runner, state) in enumerate(zip(race.runners, states, strict=True)):
            picture = self.pictures[i]
            picture.request = replace(picture.request, others=others, decision=state.decision)
            picture.update(state.frame)
            own = picture.kind is SMALL_CURVE and not all(
                share_axis(state.frame, other.frame)
                or other.frame.sqrt_beta > state.frame.sqrt_beta
                for other in states
            )
            self.headings[i].object = _heading(race.looks[i], runner.label, state, own=own)
        self.title.object = _title(race, index)

    def choose(self, layers: Layers) -> None:
        """Show these layers."""
        self._layers = layers
        for picture in self.pictures:
            picture.show(layers)

    def _load(self, race: Race) -> None:
        self._race = race
        scenes = [runner.scene for runner in race.runners]
        kind = _KINDS[min(scenes[0].dimension, len(_KINDS)) - 1]
        if len(scenes) != len(self.pictures) or kind is not self.pictures[0].kind:
            self._build(kind, len(scenes))
        for picture, runner, look in zip(self.pictures, race.runners, race.looks, strict=True):
            picture.request = replace(picture.request, color=look.mark.color)
            picture.load(runner.scene)
            for name, plot in picture.rendered.plots.items():  # landmarks, named by their run
                label = f"{runner.label}: {picture.kind.plots[name].name}"
                plot.figure.html_attributes = theme.region(label)

    def _build(self, kind: Any, count: int) -> None:
        """Other pictures, with ranges of their own; those of before leave the page."""
        self.pictures = tuple(PictureView(kind) for _ in range(count))
        self.headings = tuple(_MAPS_SHEET.text("race-heading") for _ in range(count))
        for picture in self.pictures:
            if kind is SMALL_FIELD and picture is not self.pictures[0]:
                picture.rendered.follow(self.pictures[0].rendered)  # they pan and zoom together
            picture.show(self._layers)
        self.panel.css_classes = ["race-multiples", f"race-{count}"]
        self._grid.css_classes = ["race-grid", f"race-{kind.name}", f"race-{count}"]
        self._grid.objects = [
            _MAPS_SHEET.column("race-cell", heading, picture.panel)
            for heading, picture in zip(self.headings, self.pictures, strict=True)
        ]


def _title(race: Race, i: int) -> Html:
    """What the pictures show, and the colours of a map from the lowest to the highest mean."""
    when = where(race, i) if i else "before the first batch"
    scenes = [runner.scene for runner in race.runners]
    region = "; R⁺ inside the line" if any(scene.uses_region for scene in scenes) else ""
    if scenes[0].dimension != 2:
        region = "; R⁺ along the lower edge" if region and scenes[0].dimension == 1 else ""
        return _TITLE.format(f"Each run {when}{region}", EMPTY)
    if region and not scenes[0].grid:
        region = "; R⁺ in clear dots"
    low, high = zip(*(scene.means for scene in scenes), strict=True)
    colors = ", ".join(theme.FIELD[:: len(theme.FIELD) // 8])
    scale = _SCALE.format(number(min(low)), colors, number(max(high)))
    return _TITLE.format(f"Where they measure, {when}{region}", scale)


def _heading(look: PolicyLook, label: str, state: RunState, *, own: bool) -> Html:
    """HTML of the name of a configuration, which leads to this moment in Step, and its R+."""
    plus = state.decision.region_plus
    notes = [*(["own axis"] if own else []), *([] if plus is None else [f"R⁺ {percentage(plus)}"])]
    note = _NOTE.format(", ".join(notes)) if notes else EMPTY
    return _HEADING.format(query=state.query, label=label, name=named(look, label), note=note)


_LONGEST = 14  # letters of a name that fits next to the chart


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
        done, steps = race.done(runner, index), measure is Measure.BEST
        lines.append(
            Line(
                runner.label,
                race.looks[i],
                x[:done].astype(float),
                y[:done],
                steps=steps,
                until=float(place) if steps else None,
                faint=each[i][:done] if steps else None,
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


_TABLE_SHEET = Sheet(Path(__file__).with_name("table.css"))
_VERDICT = Html(
    '<p>{} One run proves nothing: <a href="?{}">a study of many seeds</a> shows what is chance.'
    "</p>"
)
_OPEN, _BEST = Html('<a href="?{}" title="Open in Step">{}</a>'), Html("<b>{}</b>")


class TableView:
    """A row per configuration, best first, and below them who leads; lay out `panel`."""

    def __init__(self) -> None:
        self.numbers, self.verdict = _TABLE_SHEET.text("race-table"), WIDE.text("wide-says")
        self.panel = pn.Column(self.numbers, self.verdict, sizing_mode="stretch_width", margin=0)

    def show(self, race: Race, index: int) -> None:
        """Show a race at one of its places."""
        self.numbers.object = _table(race, index)
        self.verdict.object = _verdict(race, index)


def said(race: Race, i: int) -> str:
    """The verdict of a race at one of its places, as a sentence."""
    scene, words = race.runners[0].scene, words_of(race.runners[0].replay.trace)
    return verdict(rows(race, i), where(race, i), scene.start, words.short_of, words.extreme)


def _verdict(race: Race, i: int) -> Html:
    spoken, runs = said(race, i), race.runners
    policies = text_of(tuple(dict.fromkeys(run.settings.policy for run in runs)))
    fields = urlencode({"page": "study", "policies": policies}, safe=",")
    return _VERDICT.format(spoken, f"{fields}&{encode(Moment(runs[0].settings))}")


def _table(race: Race, i: int) -> Html:
    found = rows(race, i)
    counted = i and race.setup.unit is Unit.ITERATIONS
    last = f"batch {race.places[i]}" if counted else "last batch"
    head = ["configuration", "best so far", last, Html("cumulative <i>R</i><sup>K</sup>")]
    head += [f"below {number(level)} from" for level in levels(race)]
    order = ranked(found)
    least = found[order[0]].best
    return table(
        [
            _row(race, i, found[i], leads=least is not None and found[i].best == least)
            for i in order
        ],
        head,
    )


def _row(race: Race, place: int, row: Row, *, leads: bool) -> list[str]:
    query = encode(Moment(race.runners[place].settings))
    best, *numbers = (_number(value) for value in (row.best, row.last, row.cumulative))
    best = _BEST.format(best) if leads else best
    below = ["not yet" if t is None else f"batch {t}" for t in row.below]
    return [_OPEN.format(query, named(race.looks[place], row.name)), best, *numbers, *below]


def _number(value: float | None) -> str:
    return "–" if value is None else number(value)


__all__ = ["Cards", "MultiplesView", "TableView", "regrets"]
