"""Names and units: problems from frames of pandas, and runs as tables."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.metadata import entry_points
from xml.etree import ElementTree

import numpy as np
import pytest

from ucbpe_core import GPUCBPE, InputError, Trace, problems, simulate
from ucbpe_core.problems import Problem
from ucbpe_core.search.simulation import replay_decisions
from ucbpe_core.support.optional import install
from ucbpe_core.tables.units import named

pd = pytest.importorskip("pandas", reason="pandas, of the extra study, is not installed")


@pytest.fixture(scope="module")
def problem() -> Problem:
    def f(x: np.ndarray) -> float:
        return float(np.sin(3 * x[0]) * x[1])

    axes = ("angle (rad)", "length [m]", "height")
    return problems.from_callable(f, [(0, 1), (2, 5)], size=9, axes=axes, noise_variance=0.01)


@pytest.fixture(scope="module")
def trace(problem: Problem) -> Trace:
    return simulate(problem, GPUCBPE(batch_size=3), batches=4, initial=5, seed=2)


def test_a_frame_is_a_table_with_names(problem: Problem) -> None:
    X, names = problem.candidates, list(problem.axes)
    frame = pd.DataFrame(np.column_stack([X, problem.values]), columns=names)
    made = problems.from_table(frame.assign(note="text"), "height")
    np.testing.assert_array_equal(made.candidates, problem.candidates)
    np.testing.assert_array_equal(made.values, problem.values)
    assert (made.axes, made.direction, made.unique) == (problem.axes, "maximize", True)
    least = problems.from_table(frame, "height", direction="minimize", name="Least")
    assert (least.direction, least.name, least.optimum) == ("minimize", "Least", frame.height.min())
    assert not least.unique  # sin(0) x is 0 at each x: nine candidates attain the minimum
    chosen = problems.from_table(frame[["length [m]", "height"]], "height", axes=("x", "y"))
    assert (chosen.dimension, chosen.axes) == (1, ("x", "y"))
    with pytest.raises(InputError, match=r"a column among angle \(rad\), .*; got depth"):
        problems.from_table(frame, "depth")
    with pytest.raises(InputError, match="a frame beside the name of a column; got ndarray"):
        problems.from_table(X, "height")
    with pytest.raises(InputError, match=r"candidates of shape \(n, d\)"):
        problems.from_table(frame[["height"]], "height")
    frame.loc[3, "height"] = np.nan
    with pytest.raises(InputError, match="values"):
        problems.from_table(frame, "height")


@pytest.mark.parametrize("dtype", ["float32", "Int64", "int8"])
def test_numbers_of_any_type_are_taken(dtype: str) -> None:
    frame = pd.DataFrame({"T": pd.Series([0, 1, 1], dtype=dtype), "y": [4.0, 6.0, 5.0]})
    problem = problems.from_table(frame, "y")
    np.testing.assert_array_equal(problem.candidates, [[0], [1], [1]])
    assert problem.candidates.dtype == np.float64
    with pytest.raises(InputError, match=r"values of shape \(3,\); got shape \(3, 2\)"):
        problems.from_table(pd.concat([frame, frame[["y"]]], axis=1), "y")
    frame["T"] = frame["T"].astype("Float64").where([True, True, False])
    with pytest.raises(InputError, match="candidates to be finite; got nan"):
        problems.from_table(frame, "y")


def test_a_frame_says_what_was_run(trace: Trace) -> None:
    frame = trace.to_frame()
    assert (len(frame), frame.attrs["digest"]) == (5 + 4 * 3, trace.digest)
    assert frame.attrs["inputs"] == ["angle (rad)", "length [m]"]
    with pytest.raises(InputError, match="a run measured at its own picks"):
        replay_decisions(trace, trace.gp, trace.beta).to_frame()


def test_units_are_in_brackets_at_the_end() -> None:
    assert named("flow (m/s)") == {"long_name": "flow", "units": "m/s"}
    assert named("log10 rate [1/s]") == {"long_name": "log10 rate", "units": "1/s"}
    for bare in ("f(x)", "x1", "(K)", "a (b) c"):
        assert named(bare) == {"long_name": bare}


def test_a_notebook_shows_what_was_run(trace: Trace) -> None:
    """As well-formed HTML, whatever the names have in them."""
    odd = replace(trace, problem=replace(trace.problem, name="<b>A & B"))
    text = odd._repr_html_()
    assert "&lt;b&gt;A &amp; B, 81 candidates" in text
    assert trace.digest[:8] in text
    assert "4 of 3, after 5 initial points, seed 2" in text
    ElementTree.fromstring(text)  # each tag is closed


def test_a_run_is_drawn_by_what_is_installed(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    if not entry_points(group="ucbpe.plots"):
        pytest.skip("the dashboard, which draws, is not installed")
    hv = pytest.importorskip("holoviews", reason="HoloViews, of the extra app, is not installed")
    overlay = trace.plot()
    assert isinstance(overlay, hv.Overlay)
    simple, least = overlay.values()
    np.testing.assert_array_equal(simple.dimension_values(1), trace.simple_regret)
    np.testing.assert_array_equal(least.dimension_values(1), trace.running_minimum)
    monkeypatch.setattr("ucbpe_core.history.trace.entry_points", lambda **_: ())
    with pytest.raises(InputError, match=re.escape(install("app"))):
        trace.plot()
