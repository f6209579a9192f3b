"""CSV that a spreadsheet does not run and that reads back as it was; records as plain tables."""

from __future__ import annotations

import csv
import io

import hypothesis.strategies as st
import pandas as pd
import pytest
from hypothesis import given

from ucbpe_core import GPUCBPE, RBF, FiniteBeta, GaussianProcess, InputError, Matern
from ucbpe_core.files import sheets
from ucbpe_core.files.tables import from_table, to_table
from ucbpe_core.gp.kernels import KERNELS
from ucbpe_core.search.experiment import Experiment, Plan, Table
from ucbpe_core.study.summarise import STATISTIC_COLUMNS, read_table, write_table
from ucbpe_core.tables.dialect import escape, unescape

FORMULAS = (
    "=cmd|' /C calc'!A0",
    "+cmd",
    "-1+1",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "＝1+1",
    "'=1",
    "''=1",
    "'-5",
)
PLAIN = ("GP-UCB-PE", "'quoted'", "'", "''", "", " a", "a=b", "-1.5", "+3", "-1e-05", "-inf")


def test_only_what_a_spreadsheet_would_evaluate_is_escaped() -> None:
    assert [escape(text) for text in FORMULAS] == [f"'{text}" for text in FORMULAS]
    assert [escape(text) for text in PLAIN] == list(PLAIN)
    assert [unescape(text) for text in PLAIN] == list(PLAIN)


@given(st.text(st.sampled_from("'=+-@\t\r\n1.ea ＝\",\x00"), max_size=6))
def test_every_text_reads_back(text: str) -> None:
    assert unescape(escape(text)) == text
    text = text.replace("\x00", "")  # csv cannot read it
    cells = list(csv.reader(io.StringIO(sheets.dumps([[text, -1.5, None]]), newline="")))
    assert [[unescape(cell) for cell in row] for row in cells] == [[text, "-1.5", ""]]


def test_labels_of_an_experiment() -> None:
    """No cell begins like a formula, numbers are as they were, and the labels read back."""
    labels, X = FORMULAS[:5], [-1.0, 2.0, -3.0, 4.0, 5.0]
    table = Table(("x",), X, "y", (("=name", labels),))
    experiment = Experiment(
        table, Plan(GaussianProcess(RBF(), 0.1), GPUCBPE(2), FiniteBeta(), fit="never")
    )
    experiment.tell(range(5), [-0.5] * 5)
    experiment.to_csv(stream := io.StringIO())
    rows = list(csv.DictReader(io.StringIO(stream.getvalue(), newline="")))
    cells = [[row[name] for name in ("label 1: =name", "input 1: x", "y")] for row in rows]
    assert cells == [[f"'{label}", str(x), "-0.5"] for label, x in zip(labels, X, strict=True)]


def test_labels_of_a_study(tmp_path) -> None:
    row = ["@policy", "=reference", "mean", -1.0, float("-inf"), 1.5, 3, 0, 0.95]
    statistics = pd.DataFrame([[one, *row] for one in FORMULAS], columns=STATISTIC_COLUMNS)
    write_table(tmp_path / "s.csv", statistics)
    pd.testing.assert_frame_equal(read_table(tmp_path / "s.csv"), statistics)
    with (tmp_path / "s.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            assert row["problem"][0] == row["policy"][0] == row["reference"][0] == "'"
            assert (row["mean"], row["low"]) == ("-1.0", "-inf")


def test_defaults_fill_in_unless_the_table_has_to_be_complete() -> None:
    """A study leaves out what is usual; the record of a run must not."""
    assert from_table(KERNELS, {"kind": "matern", "nu": 0.5}, "kernel") == Matern(nu=0.5)
    with pytest.raises(InputError, match="got none of lengthscale, variance;"):
        from_table(KERNELS, {"kind": "matern", "nu": 0.5}, "kernel", complete=True)


@pytest.mark.parametrize(
    ("table", "what"),
    [
        (3, "kernel as a table; got 3"),
        ({}, "kernel with a kind among rbf, .*got None"),
        ({"kind": "rbf", "nu": 1, "mu": 2}, "of kind rbf among lengthscale, variance; got mu, nu"),
        ({"kind": "rbf", "variance": True}, "kernel.variance to be a number; got True"),
        ({"kind": "rbf", "lengthscale": [[1], [2, 3]]}, "lengthscale of one shape; got a ragged"),
        ({"kind": "sum", "left": {"kind": "rbf"}, "right": 3}, "a Kernel; got int"),
        ({"kind": "sum", "left": {"kind": "no"}, "right": {}}, "kernel.left with a kind.*'no'"),
    ],
)
def test_bad_tables_are_refused(table: object, what: str) -> None:
    """Each with what was expected there."""
    with pytest.raises(InputError, match=what):
        from_table(KERNELS, table, "kernel")


def test_a_class_of_ones_own_has_no_table() -> None:
    """Nor has a subclass, which may mean something else."""

    class Rough(RBF):
        pass

    with pytest.raises(InputError, match=r"kernel\.left of kind rbf, matern.*got .*Rough"):
        to_table(KERNELS, Rough() + RBF(), "kernel")
