"""Names and units: tables and problems from frames of pandas, and runs as tables."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    Experiment,
    GaussianProcess,
    InputError,
    Table,
    Trace,
    problems,
    simulate,
)
from ucbpe_core.history.plan import Plan
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
    with pytest.raises(InputError, match="a frame for the name of a column; got ndarray"):
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


TEXTS = pd.DataFrame({
    "T (K)": [300.0, 310.25, 320.0, 330.0, 340.1, 350.0],
    "dose": [1, 3, 10, 30, 100, 300],
    "catalyst": ["Pd", "Ni", "Pd", "Cu", "Ni", "Cu"],
    "yield (%)": [41.5, None, 52.0, None, None, 60.25],
})  # fmt: skip


def same(table: Table, other: Table) -> bool:
    """Whether two tables have the same content."""
    X = np.array_equal(table.candidates, other.candidates)
    y = np.array_equal(table.y, other.y, equal_nan=True) if table.y is not None else other.y is None
    names = [(one.inputs, one.output, one.labels, one.design) for one in (table, other)]
    return X and y and names[0] == names[1]


def test_a_frame_with_text_is_a_table_with_categories() -> None:
    """Coded as pandas codes it, in the order of the texts; what is known can be told."""
    table = Table.from_frame(TEXTS)
    coded = pd.get_dummies(TEXTS["catalyst"], dtype=float)[["Pd", "Ni", "Cu"]]
    expected = pd.concat([TEXTS[["T (K)", "dose"]], coded], axis=1)
    np.testing.assert_array_equal(table.candidates, expected)
    assert table.inputs == ("T (K)", "dose", *(f"catalyst = {one}" for one in coded))
    assert (table.names, table.output) == (("T (K)", "dose", "catalyst"), "yield (%)")
    assert table.settings([3]) == [{"T (K)": 330.0, "dose": 30.0, "catalyst": "Cu"}]
    indices, y = table.known
    assert (indices.tolist(), y.tolist()) == ([0, 2, 5], [41.5, 52.0, 60.25])
    log = Table.from_frame(TEXTS, "T (K)", {"dose": "logarithmic", "catalyst": "unused"})
    assert (log.inputs, log.output, log.complete) == (("log10 dose",), "T (K)", True)
    np.testing.assert_allclose(log.candidates[:, 0], np.log10(TEXTS["dose"]), rtol=1e-15)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_frame_and_the_file_that_it_is_written_to_are_the_same_table(separator: str) -> None:
    for frame in (TEXTS, TEXTS.set_index(pd.Index([f"S{i}" for i in range(6)], name="sample"))):
        counted = list(frame.index) == list(range(6))
        text = frame.to_csv(sep=separator, index=not counted)
        read = Table.read(io.BytesIO(text.encode()))
        assert same(Table.from_frame(frame), read)
        assert read.labels[0][0] == ("catalyst" if counted else "sample")


def test_a_table_is_searched_and_kept_with_its_categories(tmp_path: Path) -> None:
    table = Table.from_frame(TEXTS)
    plan = Plan.recommended(table.domain, batch_size=2)
    bandit = Bandit(table, plan.gp, plan.policy, plan.beta, repeats="avoid", fit="each batch")
    experiment = Experiment(table, plan)
    for search in (bandit, experiment):
        search.tell(*table.known)
    decision = bandit.ask()
    assert decision.indices.tolist() == experiment.ask().indices.tolist()
    assert "catalyst = Cu" in decision.to_frame().columns
    bandit.save(tmp_path / "bandit.json")
    again = Bandit.load(tmp_path / "bandit.json")
    assert again.ask().indices.tolist() == decision.indices.tolist()
    again.save(tmp_path / "bandit.json")  # the same search: it may be replaced
    oven = Bandit(table, plan.gp, GPUCBPE(2), shared=("catalyst",), fit="never")
    first, second = (TEXTS["catalyst"][j] for j in oven.ask().indices)
    assert first == second


def test_a_table_whose_values_are_all_known_is_a_problem() -> None:
    whole = Table.from_frame(TEXTS.assign(**{"yield (%)": range(6)}), "yield (%)")
    problem = problems.from_table(whole)
    np.testing.assert_array_equal(problem.candidates, whole.candidates)
    assert (problem.axes, problem.optimum_index) == ((*whole.inputs, "yield (%)"), 5)
    with pytest.raises(InputError, match="the value of every row, to simulate; got 3 of 6"):
        problems.from_table(Table.from_frame(TEXTS))


def test_what_a_table_cannot_be_made_of_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"numbers in 'catalyst'.* or Table.from_frame\(frame\)"):
        Bandit(TEXTS[["T (K)", "catalyst"]], GaussianProcess(RBF()), GPUCBPE(2))
    with pytest.raises(InputError, match=r"a Table; got DataFrame; pass Table.from_frame\(frame\)"):
        Experiment(TEXTS)
    for given, words in (
        ({"output": "mass"}, r"a column among T \(K\), dose, .*; got mass; name one"),
        ({"roles": {"dose": "x"}}, "role of dose \"input\" or .*; got 'x'"),
        ({"roles": {"T (K)": "value"}, "output": "dose"}, r"one value column at most; got T"),
    ):
        with pytest.raises(InputError, match=words):
            Table.from_frame(TEXTS, **given)
    for what in ([[1, 2]], TEXTS["dose"]):
        with pytest.raises(InputError, match="a frame of pandas; got"):
            Table.from_frame(what)
    with pytest.raises(InputError, match=r"rows and columns; got shape \(0, 4\)"):
        Table.from_frame(TEXTS[:0])
    file = tmp_path / "a.csv"
    for text, words, answer in (
        ("a;b\n1,050;2\n1,060;3\n", r"pass decimal='\.' or decimal=','", {"decimal": ","}),
        ("a,b\n0:05:00,2\n0:07:00,4\n", "pass minutes=True or minutes", {"minutes": True}),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=words):
            Table.read(file)
        assert len(Table.read(file, roles={"b": "input"}, **answer)) == 2
    with pytest.raises(InputError, match=r"a CSV or Excel file; got .*No such file"):
        Table.read(tmp_path / "none.csv")
    with pytest.raises(InputError, match='one of text; open it with "rb"'):
        Table.read(io.StringIO("a,b"))
    with pytest.raises(InputError, match="at most 64 MB; got more"):
        Table.read("/dev/zero")


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
