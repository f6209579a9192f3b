"""The views of the Theory page: whose numbers they draw, and that they build nothing later."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from tests.app.pages.theory.conftest import run_of
from ucbpe_app.pages.theory.count import Tally, share_of
from ucbpe_app.pages.theory.state import RunTheory, gather
from ucbpe_app.pages.theory.views.charts import ChartsView
from ucbpe_app.pages.theory.views.coverage import CoverageView
from ucbpe_app.pages.theory.views.grid import StatementGrid
from ucbpe_app.pages.theory.views.reasons import ReasonsView


@pytest.fixture(scope="module")
def run_theory() -> RunTheory:
    return gather(run_of(batches=5))


@pytest.fixture(scope="module")
def noiseless() -> RunTheory:
    return gather(run_of(batches=3, noise_variance=0.0))


@pytest.fixture
def charts(run_theory: RunTheory) -> ChartsView:
    view = ChartsView(on_select=lambda t: None)
    view.load(run_theory)
    return view


def test_the_charts_hold_the_numbers(charts: ChartsView, run_theory: RunTheory) -> None:
    gain = run_theory.gain
    assert gain is not None
    expected = {
        charts.band: {"sqrt_beta": run_theory.sqrt_beta, "wide": run_theory.wide},
        charts.gain: {"run": gain.run, "greedy": gain.greedy, "bound": gain.bound},
        charts.batch: vars(run_theory.batch),
        charts.full: vars(run_theory.full),
    }
    for chart, columns in expected.items():
        np.testing.assert_array_equal(chart.source.data["t"], np.arange(1, 6))
        for name, column in columns.items():
            if name != "sentence":
                drawn = chart.source.data[name]
                if chart in (charts.batch, charts.full):  # on an axis of decades
                    drawn = 10**drawn
                np.testing.assert_allclose(drawn, column, err_msg=name)


def test_the_grid_has_a_row_for_each_statement(run_theory: RunTheory) -> None:
    grid = StatementGrid()
    grid.load(run_theory.statements)
    assert [row["title"] for row in grid.rows] == [one.title for one in run_theory.statements]
    letters = {"holds": "h", "fails": "f", "silent": "s"}
    for row, statement in zip(grid.rows, run_theory.statements, strict=True):
        assert row["states"] == "".join(letters[cell.state] for cell in statement.cells)
        assert row["numbers"] == [cell.numbers for cell in statement.cells]
        assert row["sentence"] == statement.sentence
        assert row["formula"].count("<math") == 2


def test_the_grid_takes_the_cell_that_the_browser_asks_for(run_theory: RunTheory) -> None:
    grid = StatementGrid()
    grid.load(run_theory.statements)
    grid._handle_msg({"row": 2, "t": 4})
    assert grid.selected == {"row": 2, "t": 4}
    for bad in ({"row": 12, "t": 1}, {"row": -1, "t": 1}, {"row": 0, "t": 0}, {"row": 0, "t": 6}):
        grid._handle_msg(bad)
        assert grid.selected == {"row": 2, "t": 4}
    grid.choose(5)  # from a chart: the row stays
    assert grid.selected == {"row": 2, "t": 5}
    grid.address = "?x"
    grid.load(run_theory.statements)
    assert (grid.selected, grid.address) == ({}, "")
    grid.choose(1)
    assert grid.selected == {"row": 0, "t": 1}


def test_coverage_draws_the_count(run_theory: RunTheory) -> None:
    view = CoverageView(ChartsView(on_select=lambda t: None).x_range)
    view.load(run_theory)
    assert view.delta.visible
    assert view.delta.location == 10
    np.testing.assert_allclose(view.allowed.data["allowed"], 100 * run_theory.allowed)
    assert all(len(source.data["t"]) == 0 for source in view.shares.values())
    assert "–" in str(view.table.object)
    tally = Tally(share_of([0, 2, 0, 0], 5), share_of([1, 1, 0], 5), "Others & more", 9)
    view.update(tally)
    for name, share in (("prior", tally.prior), ("own", tally.own)):
        for column in ("share", "low", "high"):
            drawn = view.shares[name].data[column]
            np.testing.assert_allclose(drawn, 100 * getattr(share, column))
            assert (drawn < view.chart.figure.y_range.end).all()
            assert (drawn > view.chart.figure.y_range.start).all()
    table = str(view.table.object)
    for text in ("1 of 4", "25 %", "2 of 3", "67 %", "Others &amp; more", "δ = 10 %"):
        assert text in table
    view.update(None)
    assert len(view.shares["own"].data["t"]) == 0


def test_reasons_tell_the_run(run_theory: RunTheory, noiseless: RunTheory) -> None:
    view = ReasonsView()
    view.load(run_theory)
    assert all(text in unescape(str(view.about.object)) for text in run_theory.about)
    assert all(text in unescape(str(view.band.object)) for text in run_theory.band)
    theorem = unescape(str(view.theorem.object))
    assert run_theory.batch.sentence in theorem
    assert run_theory.full.sentence in theorem
    assert run_theory.units in theorem
    numbers = re.findall(r"<mfrac><mrow><mn>(\d+)</mn></mrow>", theorem)
    assert numbers == ["4", "8", "36", "72"]
    assert "π" in str(view.why.object)
    view.load(noiseless)
    assert "infinite information" in str(view.information.object)
    compact = gather(run_of(batches=2, schedule="Compact cube"))
    view.load(compact)
    assert unescape(str(view.theorem.object)).count("<mi>π</mi>") == 4
    made = gather(run_of(batches=2))
    view.load(replace(made, schedule=""))  # of a schedule that a user has made
    assert "<math" not in str(view.band.object)
