"""Which beta? An atlas of the problem: results of runs with other lengthscales and scales c."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import panel as pn
import param

from ucbpe_app import theme
from ucbpe_app.engine.parts import modules
from ucbpe_app.engine.tables import RANDOM, plain, problem_tables, run_settings
from ucbpe_app.html import EMPTY, Html, joined
from ucbpe_app.pictures.atlas import ATLAS, TABS, atlas
from ucbpe_app.private.panel import Component
from ucbpe_app.render.bokeh import BokehPicture
from ucbpe_app.render.markup import Markup
from ucbpe_app.run.atlas import REGRET, SEEDS, SIDE, Atlas, likelihood, require_lengthscale
from ucbpe_app.run.notation import sentences
from ucbpe_app.run.screen import controls_of
from ucbpe_app.run.sentences.texts import TEXTS, number, say
from ucbpe_app.run.settings import problem_of
from ucbpe_app.widgets.layouts import Menu
from ucbpe_app.widgets.tabs import row, tabs, title, titled
from ucbpe_core.errors import InputError, UCBPEError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ucbpe_app.run.atlas import Cell, Likelihood
    from ucbpe_app.run.settings import RunSpec
    from ucbpe_app.widgets.session import Session

_HERE = Path(__file__)
_REMEDY = "choose another, or compare settings on the page Race"
_TEXT_CSS = """
:host { color: var(--mui-palette-text-primary, #1a1a1a); }
.markup {
  height: 5.2em;
  overflow: hidden;
  font: 400 0.875rem/1.3 var(--bokeh-base-font, system-ui, sans-serif);
}
p { margin: 0; }
@media (max-width: 999px) { .markup { height: auto; } }
strong.warning { color: color-mix(in srgb, #d55e00 70%, var(--mui-palette-text-primary, #000)); }
"""
_FILLED = Html('<p class="quiet">A cell without a run has the colour of the nearest one.</p>')
_WARNING = Html('<p><strong class="warning">{}</strong></p>')


class AtlasMap(Component):
    """Over the map: has the runs computed in a worker, and says which cell a person means.

    `on_cells` is called with an answer of the worker: the column, the seed and the rows, and
    the cells or the error. `on_point` with the place of the pointer, shares of the frame's width
    and height, or None; `on_move` with a step right and up; `on_go` with none.
    """

    engine = param.Dict({}, doc="Texts of the engine's modules.")
    problem = param.String("", doc="JSON: the tables of the problem, and the texts of errors.")
    job = param.Dict({}, doc="The runs to compute, in order; changed, the ones before are dropped.")
    message = param.String("", doc="The cell that is meant, read out.")

    _esm = modules("loader.js")["loader.js"] + _HERE.with_suffix(".js").read_text(encoding="utf-8")
    _stylesheets: ClassVar[list[str]] = [_HERE.with_suffix(".css").read_text(encoding="utf-8")]

    def __init__(self, owner: AtlasPanel) -> None:
        super().__init__(css_classes=["lab-atlas-cells"], margin=0)
        self._owner = owner

    def receive(self, data: Any) -> None:
        """What a person does, or what the worker has computed."""
        with pn.io.hold():
            match data:
                case {"cells": [*answers], "job": int(job)}:
                    self._owner.fill(answers, job)
                case {"at": [float() | int() as x, float() | int() as y]}:
                    self._owner.point(x, y)
                case {"move": [int(right), int(up)]}:
                    self._owner.move(right, up)
                case {"do": "go"}:
                    self._owner.go()
                case {"do": "leave"}:
                    self._owner.leave()


class AtlasPanel:
    """`menu` has the button, and the panel, which is made when it is first opened."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.menu = Menu("Atlas", self._parts)
        self.cells: Atlas | None = None
        self._cell: Cell | None = None  # the one pointed at
        self._job = 0
        self._refused = ""  # why this run has no atlas
        self._failed = ""  # what of it cannot be had
        self._curve: tuple[object, Likelihood | None] = None, None
        self.menu.button.param.watch(self._open, "value")
        session.param.watch(self._follow, ["replay", "index"])

    def hide(self, names: Iterable[str], *, plain: bool) -> None:
        """Not offered where the settings that it changes are hidden, or its words not explained."""
        self.menu.button.visible = not (plain or {"lengthscale", "scale"} & controls_of(names))
        if not self.menu.button.visible:
            self.menu.close()

    def _parts(self) -> list[Any]:
        self._tabs, self._title = tabs(dict(TABS)), title("Which beta?")
        self._tabs.param.watch(lambda _: self._draw(), "value")
        self._text = Markup(margin=(0, 0, 4, 0), stylesheets=[_TEXT_CSS])
        self.picture, self.map = BokehPicture(ATLAS), AtlasMap(self)
        self.picture.plots["atlas"].panel.append(self.map)
        heading = row(self._title, self._tabs)
        return [theme.within("lab-filled", heading, self._text, self.picture.panel)]

    @property
    def _shown(self) -> bool:
        return bool(self.menu.button.value)

    def _open(self, event: param.parameterized.Event) -> None:
        with pn.io.hold():
            if event.new:
                self._follow()
            else:
                self._stop()

    def _follow(self, *_: param.parameterized.Event) -> None:
        """Show the atlas of the run on screen; have the runs computed that are missing."""
        if not self._shown:
            return
        session = self._session
        try:
            if self.cells is None or self._refused or not self.cells.covers(session.spec):
                self._cell, self.cells = None, Atlas.of(session.spec)
                self._refused = self._failed = ""
                self._stop()
                self._ask()
            elif not self.map.job:
                self._ask()
        except UCBPEError as error:
            self._refused = sentences(error)
            self._stop()
        self._draw()

    def _ask(self) -> None:
        """Have the worker compute what is missing."""
        assert self.cells is not None
        cells, replay = self.cells, self._session.replay
        trace = replay.trace
        trace.require_measured("draw an atlas of its settings")
        trace.require_batches("draw an atlas of its settings")
        try:
            settings = run_settings(trace)
        except InputError as error:
            raise InputError("a run that a browser computes", error.got, _REMEDY) from error
        require_lengthscale(cells.spec)
        tables = [tables_of(cells.spec, seed) for seed in cells.seeds]
        texts = {name: text for name, text in TEXTS.items() if name.startswith("error.")}
        problem = {"tables": plain(tables[0]), "lexicon": {"texts": texts}}
        self._job += 1
        job = {
            "number": self._job,
            "settings": settings,
            "lengthscales": cells.lengthscales.tolist(),
            "scales": cells.scales.tolist(),
            "random": [plain({name: table[name] for name in RANDOM}) for table in tables],
            "missing": [list(part) for part in cells.missing],
        }
        self.map.param.update(engine=modules(), problem=json.dumps(problem), job=job)

    def _stop(self) -> None:
        self.map.job = {}

    def fill(self, answers: list[Any], job: int) -> None:
        """Take up what was computed, if it is of the runs asked for last."""
        if job != self._job or self.cells is None:
            return
        for column, seed, rows, runs in answers:
            if isinstance(runs, str):
                self._failed = f"Not all can be computed: {runs}."
            else:
                self.cells = self.cells.filled((int(column), int(seed), tuple(rows)), runs)
        self._draw()

    def point(self, x: float, y: float) -> None:
        """A person points at a place of the map: shares of its width and height."""
        column, up = (min(max(int(fraction * SIDE), 0), SIDE - 1) for fraction in (x, y))
        self._mean((up, column))

    def move(self, right: int, up: int) -> None:
        """Go from the cell that is meant to the next one."""
        row, column = self._cell or self._own
        place = (min(max(index, 0), SIDE - 1) for index in (row + up, column + right))
        self._mean((next(place), next(place)))

    def leave(self) -> None:
        """No cell is meant."""
        self._mean(None)

    def go(self) -> None:
        """Take the settings of the cell that is meant."""
        if self.cells is None or self._cell is None:
            return
        spec = self.cells.at(self._cell)
        try:
            self._session.settings.accept(lengthscale=spec.lengthscale, scale=spec.scale)
        except UCBPEError as error:
            self._failed = sentences(error)
        self._mean(None)

    @property
    def _own(self) -> Cell:
        """The cell of the run on screen."""
        assert self.cells is not None
        spec = self._session.spec
        return self.cells.cell_of(spec.lengthscale, spec.scale)

    def _mean(self, cell: Cell | None) -> None:
        if cell != self._cell and self.cells is not None:
            self._cell = cell
            self._draw()

    def _draw(self) -> None:
        cells = self.cells
        if cells is None or not self._shown:
            return
        self.picture.panel.visible = not self._refused
        runs, left = SIDE * SIDE * SEEDS, cells.left
        done = f"{runs - left} of {runs} runs" if left else f"{SIDE} × {SIDE} settings"
        quiet = EMPTY if self._refused else Html(' <span class="quiet">{}</span>').format(done)
        self._title.object = titled(Html("Which beta?{}").format(quiet))
        self._text.object = self._words(cells)
        if not self.picture.panel.visible:
            return
        spec = self._session.spec
        here = spec.lengthscale, spec.scale
        drawn = atlas(cells, self._tabs.value, here, self._likelihood(cells), self._cell)
        self.picture.draw(drawn)
        self.map.message = self._named(cells, self._cell) if self._cell else drawn.text

    def _likelihood(self, cells: Atlas) -> Likelihood | None:
        """That of the results on screen, kept until they change."""
        frame, replay = self._session.frame, self._session.replay
        # It depends neither on c nor on the lengthscale of the run.
        key = replay, len(frame.observed), cells.lengthscales.tobytes()
        if self._curve[0] != key:
            X = replay.trace.problem.candidates[frame.observed]
            self._curve = key, likelihood(cells, X, frame.observed_y)
        return self._curve[1]

    def _named(self, cells: Atlas, cell: Cell) -> str:
        return f"{_settings(cells.at(cell))}: {cells.said(cell)}"

    def _words(self, cells: Atlas) -> Html:
        """The text above the map."""
        if self._refused:
            return Html("<p><strong>No atlas of this run.</strong> {}</p>").format(self._refused)
        spec = self._session.spec
        name, cell = "This run", f"{_settings(spec)}. Its cell: {cells.said(self._own)}"
        if self._cell is not None:
            name, cell = "Enter or a click takes these settings", self._named(cells, self._cell)
        parts = [Html("<p><strong>{}</strong>: {}</p>").format(name, cell)]
        if 0 < np.count_nonzero(np.isnan(cells.mean(REGRET))) < SIDE * SIDE:
            parts.append(_FILLED)
        parts += map(_WARNING.format, filter(None, (cells.warning, self._failed)))
        return joined(parts)


def _settings(spec: RunSpec) -> str:
    return say("atlas.at", lengthscale=number(spec.lengthscale), scale=number(spec.scale))


def tables_of(spec: RunSpec, seed: int) -> dict[str, Any]:
    """The problem of the runs of a seed, for the engine."""
    problem = problem_of(spec)
    tables = problem_tables(
        problem, initial=spec.initial, seed=seed, batches=spec.batches, most_picks=spec.batch_size
    )
    return {**tables, "grid": list(problem.grid)}
