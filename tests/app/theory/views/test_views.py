"""The views of the Theory page: whose numbers they draw."""

from __future__ import annotations

import re
from html import unescape
from itertools import pairwise

import numpy as np
import pytest

from tests.app.theory.conftest import run_of
from ucbpe_app.pictures.picture import Picture
from ucbpe_app.run.sentences import number
from ucbpe_app.theory import sentences as words
from ucbpe_app.theory.count import Tally, share_of
from ucbpe_app.theory.state import RunTheory, gather
from ucbpe_app.theory.views import LEFT, ChartsView, statements


@pytest.fixture(scope="module")
def run_theory() -> RunTheory:
    return gather(run_of(batches=5))


@pytest.fixture
def charts(run_theory: RunTheory) -> ChartsView:
    view = ChartsView()
    view.load(run_theory)
    return view


def columns(picture: Picture | None) -> dict[str, dict[str, np.ndarray]]:
    """What is drawn, by role."""
    assert picture is not None
    (plot,) = picture.plots.values()
    return {one.role: dict(one.columns) for one in plot.marks}


def test_the_charts_hold_the_numbers(charts: ChartsView, run_theory: RunTheory) -> None:
    gain = run_theory.gain
    assert gain is not None
    batch, full = vars(run_theory.batch), vars(run_theory.full)
    bounds = ("printed", "proved", "trivial")
    expected = {
        "√β": {"regret": run_theory.sqrt_beta, "every": run_theory.wide},
        "gain": {"regret": gain.run, "greedy": gain.greedy, "proved": gain.bound},
        "regret": {"regret": batch["own"], **{one: batch[one] for one in bounds}},
        "all picks": {"every": full["own"], **{one: full[one] for one in bounds}},
    }
    assert set(charts.tabs.options) == {*expected, LEFT}
    for tab, curves in expected.items():
        charts.tabs.value = tab
        drawn, decades = columns(charts.chart.picture), tab in ("regret", "all picks")
        axis = charts.chart.picture.plots["proved"].y
        for role, known in curves.items():
            np.testing.assert_array_equal(drawn[role]["x"], np.arange(1, 6))
            y = drawn[role]["y"]
            assert axis.low < y.min() <= y.max() < axis.high
            np.testing.assert_allclose(10**y if decades else y, known, err_msg=f"{tab} {role}")


def test_the_length_of_a_bar_is_what_its_step_costs(
    charts: ChartsView, run_theory: RunTheory
) -> None:
    drawn, values = columns(charts.proof.picture), [one.value for one in run_theory.steps]
    bars = {
        -round((top + bottom) / 2): (left, right)
        for role in ("own_bar", "bars", "largest_bar")
        for left, right, bottom, top in zip(*drawn[role].values(), strict=True)
    }
    assert sorted(bars) == list(range(len(values)))
    for i in range(1, len(values)):
        left, right = bars[i]
        assert 10**left == pytest.approx(min(values[i - 1 : i + 1]))
        assert 10 ** (right - left) == pytest.approx(
            max(values[i] / values[i - 1], values[i - 1] / values[i])
        )
    (largest,) = drawn["largest_bar"]["right"] - drawn["largest_bar"]["left"]
    assert largest == max(right - left for i, (left, right) in bars.items() if i)
    assert drawn["trivial"]["x"][0] == pytest.approx(np.log10(run_theory.batch.trivial[-1]))
    (plot,) = charts.proof.picture.plots.values()
    assert [name for _, name in plot.y.ticks] == [one.name for one in run_theory.steps]
    drawn_bars = [one for role, one in drawn.items() if "bar" in role]
    ends = np.concatenate([one[side] for one in drawn_bars for side in ("bottom", "top")])
    below, above = ends.min() - plot.y.low, plot.y.high - ends.max()
    assert below == pytest.approx(above)  # as much room below the last bar as above the first
    factors = [one.text for one in plot.labels if one.place == "inside"]
    assert factors[0] == number(values[0])
    assert all(text.startswith("× ") for text in factors[1:])


def test_the_steps_follow_the_marked_batch(charts: ChartsView, run_theory: RunTheory) -> None:
    """So does what is read out: each factor, and the value after it."""
    charts.batch.value = 2
    values = [one.values[1] for one in run_theory.steps]
    assert charts.proof.picture is not None
    said, _, most = charts.proof.picture.text.partition(". Any choice stays below ")
    assert most == f"{number(2 * run_theory.batch.trivial[0])}."
    pairs = zip(run_theory.steps[1:], pairwise(values), strict=True)
    wanted = [f"regret of this run {number(values[0])}"] + [
        f"{one.name} × {number(float(f'{after / before:.2g}'))} to {number(after)}"
        for one, (before, after) in pairs
    ]
    assert said == ", ".join(wanted)
    charts.batch.value = run_theory.batches
    last = columns(charts.proof.picture)["trivial"]["x"][0]
    assert last == pytest.approx(np.log10(run_theory.batch.trivial[-1]))


def test_what_does_not_hold_is_a_table(run_theory: RunTheory) -> None:
    text = unescape(statements(run_theory))
    assert words.summary(run_theory) in text
    cells = re.findall(r"<tr><th scope=\"row\">(.*?)</th><td>(.*?)</td><td>(.*?)</td></tr>", text)
    failures = run_theory.verdicts.failures
    assert cells == [(one.title, words.spans(one.batches), one.numbers) for one in failures] != []


def test_where_all_holds_a_sentence_says_so() -> None:
    run = gather(run_of(batches=1, batch_size=1))
    assert run.verdicts.failures == ()
    text = statements(run)
    assert f"all {run.verdicts.checked} hold." in text
    assert "<table" not in text


def test_the_count_has_a_tab_of_its_own(charts: ChartsView, run_theory: RunTheory) -> None:
    tally = Tally(share_of([0, 2, 0, 0], 5), share_of([1, 1, 0], 5), "Others", 9)
    charts.count(tally)
    assert charts.tabs.value == LEFT
    drawn, y = columns(charts.chart.picture), charts.chart.picture.plots["proved"].y
    np.testing.assert_allclose(drawn["delta"]["y"], 10)
    np.testing.assert_allclose(drawn["promised"]["y"], 100 * run_theory.allowed)
    for role, share in (("regret", tally.prior), ("every", tally.own)):
        np.testing.assert_allclose(drawn[role]["y"], 100 * share.share)
        limits = drawn[f"{role}_limits"]
        np.testing.assert_allclose(limits["lower"], 100 * share.low)
        np.testing.assert_allclose(limits["upper"], 100 * share.high)
        assert (y.low < limits["lower"]).all()
        assert (limits["upper"] < y.high).all()
    charts.batch.value = 3
    assert columns(charts.chart.picture)["now"]["left"].tolist() == [2.5]
    charts.load(run_theory)
    assert "every" not in columns(charts.chart.picture)
