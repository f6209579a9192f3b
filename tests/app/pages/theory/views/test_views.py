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
from ucbpe_app.pictures.picture import Picture


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


def columns(picture: Picture | None) -> dict[str, dict[str, np.ndarray]]:
    """What is drawn, by role."""
    assert picture is not None
    (plot,) = picture.plots.values()
    return {one.role: dict(one.columns) for one in plot.marks}


def names(picture: Picture | None) -> str:
    assert picture is not None
    (plot,) = picture.plots.values()
    return ", ".join(one.text for one in plot.labels)


def test_the_charts_hold_the_numbers(charts: ChartsView, run_theory: RunTheory) -> None:
    gain = run_theory.gain
    assert gain is not None
    batch, full = vars(run_theory.batch), vars(run_theory.full)
    bounds = ("printed", "proved", "trivial")
    expected = {
        "√β": {"regret": run_theory.sqrt_beta, "every": run_theory.wide},
        "information": {"regret": gain.run, "greedy": gain.greedy, "proved": gain.bound},
        "regret": {"regret": batch["own"], **{one: batch[one] for one in bounds}},
        "all picks": {"every": full["own"], **{one: full[one] for one in bounds}},
    }
    assert set(charts.tabs.options) == set(expected)
    for tab, curves in expected.items():
        charts.tabs.value = tab
        drawn, decades = columns(charts.chart.picture), tab in ("regret", "all picks")
        for role, known in curves.items():
            np.testing.assert_array_equal(drawn[role]["x"], np.arange(1, 6))
            y = drawn[role]["y"]
            np.testing.assert_allclose(10**y if decades else y, known, err_msg=f"{tab} {role}")
        assert set(drawn) == {"now", *curves, *(f"{one}_dots" for one in curves if one in _DOTTED)}


_DOTTED = ("regret", "every")


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
    view = CoverageView()
    view.load(run_theory)
    drawn = columns(view.chart.picture)
    np.testing.assert_allclose(drawn["delta"]["y"], 10)
    np.testing.assert_allclose(drawn["promised"]["y"], 100 * run_theory.allowed)
    assert not {"regret", "every"} & set(drawn)
    assert "–" in str(view.table.object)
    tally = Tally(share_of([0, 2, 0, 0], 5), share_of([1, 1, 0], 5), "Others & more", 9)
    view.update(tally)
    drawn, y = columns(view.chart.picture), view.chart.picture.plots["coverage"].y
    for role, share in (("regret", tally.prior), ("every", tally.own)):
        np.testing.assert_allclose(drawn[role]["y"], 100 * share.share)
        limits = drawn[f"{role}_limits"]
        np.testing.assert_allclose(limits["lower"], 100 * share.low)
        np.testing.assert_allclose(limits["upper"], 100 * share.high)
        assert (y.low < limits["lower"]).all()
        assert (limits["upper"] < y.high).all()
    table = str(view.table.object)
    for text in ("1 of 4", "25 %", "2 of 3", "67 %", "Others &amp; more", "δ = 10 %"):
        assert text in table
    view.mark(3)
    assert columns(view.chart.picture)["now"]["left"].tolist() == [2.5]
    view.update(None)
    assert "every" not in columns(view.chart.picture)


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
