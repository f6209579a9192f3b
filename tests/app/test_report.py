"""The report: what it writes of a study, how it draws, and what it says when it cannot."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import holoviews as hv
import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from markdown_it import MarkdownIt
from matplotlib import pyplot as plt

from ucbpe_app.cli import main
from ucbpe_app.plots.prints import style
from ucbpe_app.report.figures import TIME, Drawing, Key, caption, file_names, study_figure
from ucbpe_app.report.means import Means, drawn
from ucbpe_app.report.records import Curve, Statistic, curves_of, statistics_of
from ucbpe_app.report.write import Report, page_of, report
from ucbpe_core import problems, use_plugin
from ucbpe_core.history.workers import Workers
from ucbpe_core.study import (
    HyperparameterPlan,
    PolicyPlan,
    ProblemPlan,
    Result,
    Store,
    Study,
    execute,
)
from ucbpe_core.study.summarise import curves, differences, read_table

POLICIES = ("GP-UCB-PE", "Random", "GP-BUCB")
KEY = Key.of(POLICIES, (), None)


def broken() -> problems.Problem:
    """A problem of a study that fails."""
    raise RuntimeError("no tide today")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real study, small: two problems, of which one always fails; four of six runs done."""
    use_plugin(__name__)
    path = tmp_path_factory.mktemp("study") / "small.db"
    suggested = HyperparameterPlan(method="suggested")
    study = Study(
        name="Small",
        problems=[
            ProblemPlan("Thin | peak", "thin_peak", hyperparameters=suggested),
            ProblemPlan("Tide", f"{__name__}:broken"),
        ],
        # Not the order of the alphabet, in which a store returns them.
        policies=[PolicyPlan("UCB-PE", "GP-UCB-PE"), PolicyPlan("Random", "Random search")],
        replicates=3,
        batches=6,
        batch_size=2,
        initial=3,
    )
    with Store.create_or_open(path, study) as opened:
        execute(study, opened, workers=0)
    return path


@pytest.fixture(scope="module")
def written(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    return report(store, tmp_path_factory.mktemp("out") / "deep" / "report", level=0.9)


def curve(policy: str, mean: object, n: int = 8, quantity: str = "simple_regret") -> Curve:
    mean = np.asarray(mean, dtype=float)
    half = np.full_like(mean, np.nan) if n == 1 else 0.3 * mean
    t = np.arange(1, len(mean) + 1)
    return Curve("Hills", policy, quantity, t, mean, mean - half, mean + half, n, 0, 0.95)


# --- the folder -----------------------------------------------------------------------------


def test_files(written: Report) -> None:
    """Figures as SVG and PNG under names that say what they show; tables; the page."""
    names = {path.name for path in written.folder.iterdir()}
    quantities = ("simple-regret", "running-minimum")
    quantities += ("batch-cumulative-regret", "full-cumulative-regret")
    stems = {"overview", *(f"thin-peak-{what}" for what in (*quantities, "differences"))}
    tables = {"curves.csv", "differences.csv", "statistics.csv", "failures.csv"}
    images = {f"{stem}.{kind}" for stem in stems for kind in ("svg", "png")}
    assert names == images | tables | {"report.md"}
    assert {path.name for path in written.tables} == tables
    for drawing in written.drawings:
        assert ElementTree.parse(drawing.svg).getroot().tag.endswith("svg")
        assert drawing.png.read_bytes().startswith(b"\x89PNG")
        width, height = plt.imread(drawing.png).shape[1::-1]
        assert width == 1400  # 7 inches at 200 dots
        assert 600 < height < 1400


def test_tables_are_the_summaries_of_the_store(store: Path, written: Report) -> None:
    """In the order of the study, at the level that was asked for."""
    with Store.open(store) as opened:
        results = [one for one in opened.results() if one.problem == "Thin | peak"]
    results.sort(key=lambda one: one.policy, reverse=True)
    for name, expected in (
        ("curves", curves(results, 0.9)),
        ("differences", differences(results, "UCB-PE", 0.9)),
    ):
        read = read_table(written.folder / f"{name}.csv")
        pd.testing.assert_frame_equal(read, expected, check_exact=True)
    numbers = read_table(written.folder / "statistics.csv")
    assert set(numbers["reference"]) == {"", "UCB-PE"}


def test_results_one_by_one_are_shown_against_time_as_well(tmp_path: Path) -> None:
    suggested = HyperparameterPlan(method="suggested")
    policies = [
        PolicyPlan("In batches", "Plain UCB"),
        PolicyPlan("One by one", "Plain UCB", workers=Workers()),
    ]
    problem = ProblemPlan("Curve", "multimodal", hyperparameters=suggested)
    study = Study("Time", [problem], policies, replicates=2, batches=3, batch_size=2, initial=3)
    with Store.create_or_open(tmp_path / "time.db", study) as opened:
        execute(study, opened, workers=0)
        results = list(opened.results())
    found = report(tmp_path / "time.db", tmp_path / "out")
    expected = curves(results, over_time=True)
    for name, table in (
        ("curves", expected),
        ("differences", differences(results, "In batches", over_time=True)),
    ):
        read = read_table(found.folder / f"{name}-over-time.csv")
        pd.testing.assert_frame_equal(read, table, check_exact=True)
    quantities = [one.what for one in found.drawings if one.problem]
    of_both = ("simple regret", "running minimum", "differences")
    assert quantities[5:] == [f"{what} over time" for what in of_both]
    assert quantities[:5] == [
        *of_both[:2],
        "batch cumulative regret",
        "full cumulative regret",
        of_both[2],
    ]
    with style():
        own = [one for one in curves_of(expected) if one.quantity == "running_minimum"]
        (axes,) = study_figure(own, Key.of(["In batches", "One by one"], (), None)).axes
    assert axes.get_xlabel() == TIME
    assert axes.get_xlim()[1] >= own[0].t[-1] > 3


def test_failures_are_told_everywhere(written: Report) -> None:
    """In the summary, on the page and in a table, each with its error."""
    told = "failed: Random on Tide, replicate 2: RuntimeError: no tide today"
    assert "Small: 6 of 12 runs finished, 6 failed" in written.summary
    assert told in written.summary.splitlines()
    assert "wrote 6 figures (SVG and PNG), 4 tables" in written.summary
    page = written.page.read_text(encoding="utf-8")
    assert "- UCB-PE on Tide, replicate 0: RuntimeError: no tide today" in page
    rows = (written.folder / "failures.csv").read_text(encoding="utf-8")
    assert rows.count("no tide today") == 6


def test_page_shows_every_figure_and_number(written: Report) -> None:
    page = written.page.read_text(encoding="utf-8")
    for drawing in written.drawings:
        assert f"]({drawing.svg.name})" in page
    numbers = {
        (one.policy, one.statistic, one.reference): one
        for one in statistics_of(read_table(written.tables[2]))
    }
    mean = numbers["Random", "mean_simple_regret", ""]
    ratio = numbers["Random", "mean_simple_regret", "UCB-PE"]
    row = next(line for line in page.splitlines() if line.startswith("| Random |"))
    assert f"| {mean.mean:.3g} [{mean.low:.3g}, {mean.high:.3g}] |" in row
    assert f"| {ratio.mean:.3g} [{ratio.low:.3g}, {ratio.high:.3g}] |" in row
    head = page.splitlines().index(next(x for x in page.splitlines() if x.startswith("| policy")))
    table = page.splitlines()[head : head + 4]
    assert len({line.count(" | ") for line in table}) == 1
    assert "ratio to UCB-PE" in table[0]
    assert "90 % Student t" in page


@pytest.mark.slow
def test_the_command_writes_the_same_again(
    store: Path, written: Report, capsys: pytest.CaptureFixture[str]
) -> None:
    """To the last byte, figures too; and nothing global has a say in it, or is changed by it."""
    before = {path: path.read_bytes() for path in written.folder.iterdir()}
    backend = hv.Store.current_backend
    hv.renderer("bokeh")
    hv.Store.set_current_backend("bokeh")
    try:
        with mpl.rc_context({"font.size": 23, "axes.grid": False, "svg.hashsalt": "mine"}):
            settings = dict(mpl.rcParams)
            assert run(str(store), "--out", str(written.folder), "--level", "0.9") == 0
            assert dict(mpl.rcParams) == settings
        assert hv.Store.current_backend == "bokeh"
    finally:
        hv.Store.set_current_backend(backend)
    assert plt.get_fignums() == []
    assert {path: path.read_bytes() for path in written.folder.iterdir()} == before
    assert capsys.readouterr() == (written.summary + "\n", "")


def test_an_unfinished_study(store: Path, tmp_path: Path) -> None:
    """One policy, one replicate so far: no intervals, no comparison, and it says what is left."""
    with Store.open(store) as opened:
        study, results = opened.study, list(opened.results())
    path = tmp_path / "begun.db"
    with Store.create_or_open(path, study) as begun:
        begun.add(next(one for one in results if one.policy == "Random" and one.error is None))
    written = report(path, tmp_path / "out")
    assert "1 of 12 runs finished, 0 failed, 11 not run yet" in written.summary
    assert read_table(written.folder / "differences.csv").empty
    assert {drawing.what for drawing in written.drawings} >= {"overview", "simple regret"}
    assert "differences" not in {drawing.what for drawing in written.drawings}
    assert "ratio" not in next(
        line for line in written.page.read_text().splitlines() if line.startswith("| policy")
    )


# --- the command ----------------------------------------------------------------------------


def run(*arguments: str) -> int:
    return main(["report", *arguments])


def test_command_writes_beside_the_study(store: Path, tmp_path: Path) -> None:
    """Unless told otherwise; the study here has nothing to draw yet."""
    with Store.open(store) as opened:
        study = opened.study
    Store.create_or_open(tmp_path / "new.study.db", study).close()
    assert run(str(tmp_path / "new.study.db")) == 0
    page = (tmp_path / "new.study-report" / "report.md").read_text()
    assert "0 of 12 runs finished" in page
    assert "](" not in page


def test_command_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is missing or something else is one line, and 2, and leaves nothing behind."""
    text, foreign = tmp_path / "notes.db", tmp_path / "foreign.db"
    text.write_text("no database, but long enough to look at" * 40)
    with sqlite3.connect(foreign) as database:
        database.execute("CREATE TABLE songs (name TEXT)")
    database.close()
    for path in (tmp_path / "none.db", text, foreign, tmp_path):
        assert run(str(path), "--out", str(tmp_path / "out")) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("ucbpe report: ")
        assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("level", ["1", "nan"])
def test_command_refuses_a_level(level: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run("study.db", "--level", level)
    assert f"got '{level}'" in capsys.readouterr().err


# --- how it is drawn ------------------------------------------------------------------------


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


def test_nothing_overlaps_and_nothing_is_cut(written: Report, store: Path) -> None:
    """Legend, title, caption and axes keep apart, inside the page."""
    means = curves_of(read_table(written.folder / "curves.csv"))
    paired = curves_of(read_table(written.folder / "differences.csv"))
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


@pytest.mark.parametrize(
    "name",
    [
        "<img src=x onerror=alert(1)>", "</td><script>", "&lt;b&gt; & c", "![i](http://e/x.png)",
        "[a](javascript:x)", "<http://e>", "`c` *e* _f_ **g** ~~h~~", "# h #", "1. j", "\\| c",
    ],
)  # fmt: skip
def test_names_are_words_on_the_page(name: str) -> None:
    """Neither HTML, nor a picture or link to elsewhere, nor another table: the name itself."""
    study = Study(
        name=name,
        problems=[ProblemPlan(name, "thin_peak")],
        policies=[PolicyPlan(name, "GP-UCB-PE")],
        replicates=1,
        batches=1,
    )
    numbers = ("mean_simple_regret", "final_running_minimum", "mean_regret", "seconds_per_batch")
    statistics = [Statistic(name, name, one, 1.0, 0.5, 2.0, 1, 0, 0.95) for one in numbers]
    ratio = replace(statistics[0], reference=name)
    drawings = [Drawing(name, "simple regret", Path("a.svg"), Path("a.png"))]
    page = page_of(study, [Result(name, name, 0, error=name)], statistics, [ratio], drawings)
    blocks = MarkdownIt("commonmark").enable("table").parse(page)
    within = [child for block in blocks for child in block.children or []]
    allowed = {
        f"{one}_{end}"
        for one in (
            "heading", "paragraph", "table", "thead", "tbody", "tr", "th", "td", "bullet_list",
            "list_item",
        )
        for end in ("open", "close")
    }  # fmt: skip
    assert {one.type for one in blocks} == {"inline"} | allowed
    # As text, with what was escaped and entities.
    assert {one.type for one in within} <= {"text", "text_special", "image"}
    assert [one.attrs["src"] for one in within if one.type == "image"] == ["a.svg"]
    shown = ["".join(part.content for part in one.children or []) for one in blocks if one.children]
    assert shown[:2] == [name, f"{name}: 0 of 1 runs finished, 1 failed."]
    assert shown.count(name) == 3  # the study, the problem and the policy
    assert f"ratio to {name}" in shown
    assert shown[-1] == f"{name} on {name}, replicate 0: {name}"


def test_captions_say_what_is_shown() -> None:
    two = [curve("a", [1.0, 2.0], n=64), curve("b", [1.0, 2.0], n=62)]
    assert caption(two[:1], []) == "Mean of 64 replicates with pointwise 95 % Student t intervals."
    object.__setattr__(two[1], "failed", 2)
    text = caption(two, [Means.of(two, {"b": 1.0})])
    assert "Mean of 62 to 64 replicates" in text
    assert "Failed replicates, left out: b 2." in text
    assert "initialisation" in text
    assert "no interval" in caption([curve("a", [1.0], n=1)], [])


def test_file_names() -> None:
    """Plain on every system, and never the same twice."""
    assert file_names(["Mackey-Glass", "mackey glass!", "Mackey-Glass", "β/γ", "α"]) == {
        "Mackey-Glass": "mackey-glass",
        "mackey glass!": "mackey-glass-2",
        "β/γ": "problem",
        "α": "problem-2",
    }
