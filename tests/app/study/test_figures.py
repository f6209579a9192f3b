"""The figure of a study: its axes, its words, and that nothing in it overlaps."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import holoviews as hv
import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

from ucbpe_app.plots.prints import file_of, style
from ucbpe_app.study.figures import TIME, Key, caption, study_figure
from ucbpe_app.study.records import Curve, Means, curves_of, drawn
from ucbpe_core.history.workers import Workers
from ucbpe_core.study import (
    HyperparameterPlan,
    PolicyPlan,
    ProblemPlan,
    Result,
    Study,
    run_task,
)
from ucbpe_core.study.summarise import curves, differences

POLICIES = ("GP-UCB-PE", "Random", "GP-BUCB")
KEY = Key.of(POLICIES, (), None)
KNOWN = HyperparameterPlan(method="suggested")


def results_of(*policies: PolicyPlan) -> list[Result]:
    """Of a real study, small."""
    problem = ProblemPlan("Curve", "multimodal", hyperparameters=KNOWN)
    study = Study("Small", [problem], policies, replicates=2, batches=3, batch_size=2, initial=3)
    return [run_task(study, task) for task in study.tasks()]


@pytest.fixture(scope="module")
def results() -> list[Result]:
    return results_of(PolicyPlan("UCB-PE", "GP-UCB-PE"), PolicyPlan("Random", "Random search"))


def curve(policy: str, mean: object, n: int = 8, quantity: str = "simple_regret") -> Curve:
    mean = np.asarray(mean, dtype=float)
    half = np.full_like(mean, np.nan) if n == 1 else 0.3 * mean
    t = np.arange(1, len(mean) + 1)
    return Curve("Hills", policy, quantity, t, mean, mean - half, mean + half, n, 0, 0.95)


def test_results_one_by_one_are_shown_against_time() -> None:
    one_by_one = PolicyPlan("One by one", "Plain UCB", workers=Workers())
    found = results_of(PolicyPlan("In batches", "Plain UCB"), one_by_one)
    means = curves_of(curves(found, over_time=True))
    own = [one for one in means if one.quantity == "running_minimum"]
    with style():
        (axes,) = study_figure(own, Key.of(["In batches", "One by one"], (), None)).axes
    assert axes.get_xlabel() == TIME
    assert axes.get_xlim()[1] >= own[0].t[-1] > 3


def test_equal_results_give_equal_files(results: list[Result]) -> None:
    """To the last byte; and nothing global changes them, or is changed by them."""

    def files() -> list[bytes]:
        with style():
            figure = study_figure(curves_of(curves(results)), Key.of(["UCB-PE", "Random"], (), 2))
            return [file_of(figure, kind) for kind in ("svg", "png")]

    before = files()
    backend = hv.Store.current_backend
    hv.renderer("bokeh")
    hv.Store.set_current_backend("bokeh")
    try:
        with mpl.rc_context({"font.size": 23, "axes.grid": False, "svg.hashsalt": "mine"}):
            settings = dict(mpl.rcParams)
            assert files() == before
            assert dict(mpl.rcParams) == settings
        assert hv.Store.current_backend == "bokeh"
    finally:
        hv.Store.set_current_backend(backend)
    assert plt.get_fignums() == []


@pytest.mark.parametrize(
    ("mean", "log", "zeros"),
    [
        ([3.0, 1.0, 0.05], False, False),
        ([3.0, 1.0, 0.02], True, False),
        ([3.0, 0.5, 0.0], False, False),
        ([3.0, 0.02, 0.0], True, True),
        ([3.0, 0.02, 1e-12], True, True),  # rounding, not regret
        ([0.0, 0.0, 0.0], False, False),
    ],
)
def test_axis_of_regrets(mean: list[float], log: bool, zeros: bool) -> None:
    means = Means.of([curve("Random", mean), curve("GP-BUCB", [2.0, 1.5, 1.2])], {})
    ticks = [text for _, text in drawn(means, KEY.looks).plots["compared"].y.ticks]
    assert (means.log, "0" in ticks) == (log, zeros)


def columns(members: list[Curve], key: Key = KEY) -> dict[str, dict[str, np.ndarray]]:
    """What is drawn, by role."""
    plot = drawn(key.means(members), key.looks).plots["compared"]
    return {one.role: dict(one.columns) for one in plot.marks}


def test_differences_are_around_the_reference() -> None:
    gap = np.array([-0.5, 0.25, -1.5])
    member = replace(curve("Random", gap), reference="GP-UCB-PE", low=gap - 1, high=gap + 1)
    found, axis = columns([member]), drawn(KEY.means([member]), KEY.looks).plots["compared"].y
    assert [list(one) for one in found["lines"]["ys"]] == [[0.0, 0.0], gap.tolist()]
    np.testing.assert_array_equal(found["whiskers"]["bottom"], gap - 1)
    assert axis.low < -2.5
    assert axis.high > 1.25


def test_nothing_overlaps_and_nothing_is_cut(results: list[Result]) -> None:
    """Legend, title, caption and axes keep apart, inside the page."""
    means = curves_of(curves(results))
    paired = curves_of(differences(results, "UCB-PE"))
    policies = ("UCB-PE", "Random", "A policy with quite a long name, K = 10")
    key = Key.of(policies, (), 2)
    for members in (means[:1], paired, means):
        with style():
            figure = study_figure(members, key)
            figure.draw_without_rendering()
        boxes = [axes.get_tightbbox() for axes in figure.axes] + [
            figure.legends[0].get_window_extent()
        ]
        boxes += [text.get_window_extent() for text in figure.texts if text.get_text()]
        for one, two in combinations(boxes, 2):
            assert (
                one.x1 <= two.x0 + 1
                or two.x1 <= one.x0 + 1
                or one.y1 <= two.y0 + 1
                or two.y1 <= one.y0 + 1
            )
        for box in boxes:
            assert box.x0 >= 0
            assert box.y0 >= 0
            assert box.x1 <= figure.bbox.x1
            assert box.y1 <= figure.bbox.y1


def test_captions_say_what_is_shown() -> None:
    two = [curve("a", [1.0, 2.0], n=64), curve("b", [1.0, 2.0], n=62)]
    assert caption(two[:1], []) == "Mean of 64 replicates with pointwise 95 % Student t intervals."
    object.__setattr__(two[1], "failed", 2)
    text = caption(two, [Means.of(two, {"b": 1.0})])
    assert "Mean of 62 to 64 replicates" in text
    assert "Failed replicates, left out: b 2." in text
    assert "initialisation" in text
    assert "no interval" in caption([curve("a", [1.0], n=1)], [])
