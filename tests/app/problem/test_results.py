"""Files of results: part by part, again and longer, and never into the wrong row."""

from __future__ import annotations

import io
import re

import pytest

from tests.app.problem.tables import ask, begun, read, told
from tests.app.waiting import run
from ucbpe_app.problem.experiment import ExperimentState
from ucbpe_app.problem.results import read_results
from ucbpe_core import GPUCBPE, RBF, ConstantBeta, Experiment, GaussianProcess, InputError
from ucbpe_core.search.experiment import Design, Plan, Table
from ucbpe_core.spaces import Category, Real
from ucbpe_core.tables.dialect import UndecidedError


@pytest.fixture
def experiment() -> ExperimentState:
    experiment = begun()
    run(ask(experiment))
    return experiment


def picks(experiment: ExperimentState) -> list[int]:
    return list(experiment.current.pending)


def test_rows_are_known_by_candidate_label_or_inputs(experiment: ExperimentState) -> None:
    first, second, third = picks(experiment)
    X = experiment.current.table.candidates
    texts = [
        f"candidate,y\n{second},1.5\n{third},2\n",
        f"sample;y\nS{second};1,5\nS{third};2\n",
        f"y\tin 1\tin 0\n1.5\t{X[second, 1]}\t{X[second, 0]}\n2\t{X[third, 1]}\t{X[third, 0]}\n",
    ]
    for text in texts:
        found = read(experiment, text)
        assert (found.candidates, found.y) == ((second, third), (1.5, 2.0))
        assert (found.answers, found.again, found.empty) == (2, 0, 0)
    found = read(experiment, f"candidate,y\n20,3\n{first},\n{first},4\n")
    assert (found.candidates, found.y, found.answers, found.empty) == ((20, first), (3, 4), 1, 1)


def test_the_same_file_again_adds_nothing(experiment: ExperimentState) -> None:
    """Somebody goes on writing into one file and brings it each evening."""
    first, second, _ = picks(experiment)
    evening = f"candidate,y\n{first},1.25\n"
    found = read(experiment, evening)
    run(experiment.step(lambda one: one.tell(found.candidates, found.y)))
    again = read(experiment, evening + f"{second},0.5\n{first},1.25\n")
    # Once told; the second time in the file is another measurement of the same value.
    assert (again.candidates, again.y, again.again) == ((second, first), (0.5, 1.25), 1)


def test_what_was_exported_comes_back_as_nothing_new(experiment: ExperimentState) -> None:
    first, second, _ = picks(experiment)
    run(experiment.step(lambda one: one.tell([second, first, 20], [0.1 + 0.2, -1e-9, 3.0])))
    found = read(experiment, experiment.csv())
    assert (found.candidates, found.again) == ((), 6)
    # In an experiment on the same table it is everything, in the same order.
    other = begun(known=0)
    found = read(other, experiment.csv())
    assert list(zip(found.candidates, found.y, strict=True)) == list(told(experiment.current))


def test_a_spreadsheet_may_round_inputs_and_nothing_else() -> None:
    """What Excel saves: up to 15 digits of a number, often fewer, and numbers where texts were."""
    x, labels = [i / 3 for i in range(12)], (("dose", [f"{i:03}" for i in range(12)]),)
    plan = Plan(GaussianProcess(RBF(1.0)), GPUCBPE(2), ConstantBeta(4.0), fit="never")
    experiment = Experiment(Table(("x",), x, labels=labels), plan)
    rows = [f"{j},{x[j]:.7g},{j:03},{j / 10}" for j in range(12)]
    found = read_results("\n".join(["candidate,x,dose,y", *rows]), experiment)
    assert found.candidates == tuple(range(12))
    # Another number is another setting, and another text another label.
    with pytest.raises(InputError, match=r"got 1, 0\.333"):
        read_results("candidate,x,y\n1,0.333,2\n", experiment)
    with pytest.raises(InputError, match=r"got 7; .* leave out a column that a spreadsheet has"):
        read_results("dose,y\n7,2\n", experiment)


def test_results_go_on_in_a_table_whose_category_has_more_values() -> None:
    """What a person does who has a third solvent in the middle."""

    def over(*solvents: str) -> Experiment:
        design = Design(("heat", "acid"), (Real(20, 80, step=20), Category(solvents)), most=100)
        plan = Plan(GaussianProcess(RBF(20.0)), GPUCBPE(2), ConstantBeta(4.0), fit="never")
        return Experiment(Table.of(design, "yield"), plan)

    first, file = over("acetic", "citric"), io.StringIO()
    with pytest.raises(InputError, match="begin with a category that has it"):
        first.widen("acid", ["formic"])
    picks = first.ask().indices
    first.tell(picks, [1.5, 2.5])
    first.ask()
    first.to_csv(file)
    lines = [",".join(line.split(",")[3:]) for line in file.getvalue().splitlines()]
    second = over("acetic", "citric", "formic")
    found = read_results("\n".join(lines), second)
    found.record(second)
    now = second.history.data
    assert second.table.settings([one.index for one in now]) == first.table.settings(picks)
    assert [one.y for one in now] == [1.5, 2.5]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("candidate,z\n1,2\n", "a column y, or y, with the values; got candidate, z"),
        ("candidate,Y\n1,2\n", "a column y, or y, with the values; got candidate, Y"),
        ("candidate,y (g)\n1,2\n", "a column y, or y, with the values; got candidate, y (g)"),
        ("Sample,y\nS1,2\n", "a label of the table, or all its inputs; got Sample, y"),
        ("q,y\n1,2\n", "a column candidate, a label of the table, or all its inputs; got q, y"),
        ("candidate,y\n24,2\n", "a row of the table with candidate as in line 2; got 24"),
        ("candidate,y\n,2\n", "a row of the table with candidate as in line 2; got "),
        ("candidate,y\n1,2\n2,high\n", "a number in line 3, column y; got 'high'"),
        ("sample,y\nS99,2\n", "a row of the table with sample as in line 2; got S99"),
        (
            "candidate,sample,y\n1,S2,2\n",
            "a row of the table with candidate, sample as in line 2; got 1, S2",
        ),
        ("candidate,in 0,in 1,y\n1,9,9,2\n", "candidate, in 0, in 1 as in line 2; got 1, 9.0, 9.0"),
        ("in 0,in 1,y\n9,9,2\n", "a row of the table with in 0, in 1 as in line 2"),
        ("candidate,y\n1,2,3\n", "2 cells in line 2"),
    ],
)
def test_other_files_are_refused(experiment: ExperimentState, text: str, what: str) -> None:
    before = experiment.current
    with pytest.raises(InputError, match=re.escape(what)):
        read(experiment, text)
    assert experiment.current is before


def test_a_number_that_can_be_read_in_two_ways_is_asked_about(experiment: ExperimentState) -> None:
    first, second, _ = picks(experiment)
    text = f"candidate;y\n{first};950\n{second};1.050\n"
    with pytest.raises(UndecidedError, match=r"1\.050 in line 3, column y, which is 1050"):
        read(experiment, text)
    assert read(experiment, text, ",").y == (950, 1050)
    assert read(experiment, text, ".").y == (950, 1.05)
    found = read(experiment, f'candidate,y\n{first},"1,050"\n{second},2.5\n')
    assert found.y == (1050, 2.5)
    assert found.remarks == ("Thousands are grouped: 1,050 is read as 1050.",)
    assert read(experiment, f"candidate;y\n{first};5%\n").remarks
