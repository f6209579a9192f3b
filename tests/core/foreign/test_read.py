"""Files of runs: real ones agree with the tools themselves, broken ones say what is wrong."""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from ucbpe_core import InputError, retrace
from ucbpe_core.foreign import Run, read_run
from ucbpe_core.spaces import Category, Integer, Real
from ucbpe_core.tables.dialect import UndecidedError

RUNS = Path(__file__).parents[2] / "data" / "runs"
BRANIN = (Real(-5, 10), Real(0, 15))
MIXED = (Real(1e-5, 0.1, log=True), Integer(1, 6), Category(("adam", "sgd", "lion")))


def content(name: str) -> bytes:
    packed = RUNS / f"{name}.gz"
    return gzip.decompress(packed.read_bytes()) if packed.exists() else (RUNS / name).read_bytes()


def same(one: Run, other: Run) -> None:
    """Two files of one run: the same trials; a table has no ranges, and values of fewer digits."""
    assert [trial.number for trial in one.trials] == [trial.number for trial in other.trials]
    assert [trial.state for trial in one.trials] == [trial.state for trial in other.trials]
    np.testing.assert_allclose(one.y, other.y, rtol=1e-8)
    for mine, theirs in zip(one.trials, other.trials, strict=True):
        assert mine.setting == pytest.approx(theirs.setting)


@pytest.mark.parametrize(
    ("study", "direction"), [("tpe", "maximize"), ("gp", "minimize"), ("cmaes", "minimize")]
)
def test_a_database_of_optuna_has_the_trials_that_optuna_reads(
    study: str, direction: str, tmp_path: Path
) -> None:
    optuna = pytest.importorskip("optuna")
    path = tmp_path / "optuna.db"
    path.write_bytes(content("optuna.db"))
    run = read_run(path, study=study)
    theirs = optuna.load_study(study_name=study, storage=f"sqlite:///{path}")
    assert run.direction == direction == theirs.direction.name.lower()
    assert run.space.inputs == (MIXED if study == "tpe" else BRANIN)
    states = {"COMPLETE": "done", "FAIL": "failed", "PRUNED": "pruned"}
    for mine, their in zip(run.trials, theirs.get_trials(), strict=True):
        assert mine.number == their.number
        assert mine.state == states[their.state.name]
        assert mine.y == (their.value if mine.state == "done" else None)
        assert mine.setting == {name: their.params[name] for name in run.space.names}
        seconds = (their.datetime_complete - their.datetime_start).total_seconds()
        assert mine.end - mine.start == pytest.approx(seconds, abs=1e-5)


def test_a_state_that_is_not_known_leaves_its_trial_out(tmp_path: Path) -> None:
    path = tmp_path / "optuna.db"
    path.write_bytes(content("optuna.db"))
    before = read_run(path, study="tpe")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE trials SET state = 'PAUSED' WHERE number = 3")
    numbers = [trial.number for trial in read_run(path, study="tpe").trials]
    assert numbers == [trial.number for trial in before.trials if trial.number != 3]


def test_what_is_conditional_is_said() -> None:
    run = read_run(content("optuna.db"), study="tpe")
    assert any("momentum is left out: only 12 of 33" in remark for remark in run.remarks)
    assert {trial.state for trial in run.trials} == {"done", "failed", "pruned"}


@pytest.mark.parametrize("study", ["tpe", "gp", "cmaes"])
def test_a_table_of_optuna_is_the_same_run(study: str) -> None:
    run = read_run(content("optuna.db"), study=study)
    table = read_run(RUNS / f"optuna_{study}.csv", direction=run.direction)
    assert set(table.space.names) == set(run.space.names)
    same(table, run)


def test_a_journal_of_eight_workers_overlaps_as_its_table() -> None:
    run = read_run(RUNS / "optuna_journal.log")
    assert (run.tool, run.direction, run.space.inputs) == (
        "Optuna, eight workers",
        "minimize",
        BRANIN,
    )
    table = read_run(RUNS / "optuna_workers.csv", direction="minimize")
    same(run, table)
    n = len(run.trials)
    assert n == 32
    assert max(len(run.pending(i)) for i in range(n)) == 7
    assert [run.pending(i) for i in range(n)] == [table.pending(i) for i in range(n)]
    assert len(retrace(run).choices) == n


def test_a_snapshot_of_ax_is_the_same_run_as_its_summary() -> None:
    run = read_run(content("ax.json"))
    assert (run.output, run.direction, run.space.inputs) == ("quality", "maximize", MIXED)
    table = read_run(RUNS / "ax.csv", direction="maximize", output="quality")
    assert [trial.setting for trial in run.trials] == [
        pytest.approx({**trial.setting}) for trial in table.trials
    ]
    np.testing.assert_allclose(run.y, table.y, rtol=1e-8)
    assert [trial.state for trial in run.trials].count("failed") == 1
    # Three are given out at once.
    assert max(len(run.pending(i)) for i in range(len(run.trials))) == 2
    with pytest.raises(UndecidedError) as asked:
        read_run(RUNS / "ax.csv")
    assert asked.value.field == "output"
    assert "quality" in asked.value.answers


def test_bayesian_optimization_saves_and_logs_the_same_run() -> None:
    run = read_run(RUNS / "bayesian_optimization.json")
    assert run.space.inputs == BRANIN
    same(run, read_run(RUNS / "bayesian_optimization.log"))


def test_arrays_of_botorch() -> None:
    with np.load(RUNS / "botorch.npz") as arrays:
        X, y, batches = arrays["X"], arrays["y"], arrays["batches"]
        found = retrace(X, y, batches, arrays["bounds"])
    assert [len(choice.pending) for choice in found.choices[6:9]] == [0, 1, 2]
    # Its rule, expected improvement, chose the first of each batch: ours agrees with it.
    ranks = [found.choices[i].ranks["improvement"] for i in range(6, 24, 3)]
    assert np.median(ranks) <= 10


@pytest.mark.parametrize(
    ("name", "direction", "trials", "inputs"),
    [
        ("bayesian_optimization.json", None, 17, 2),
        ("mitsunobu.csv", "maximize", 40, 7),
        ("predpreygrass.csv", "maximize", 10, 4),
        ("resmlp.csv", "maximize", 11, 4),
        ("tourism.csv", "maximize", 15, 14),
    ],
)
def test_published_runs(name: str, direction: str | None, trials: int, inputs: int) -> None:
    output = "yield" if name == "mitsunobu.csv" else None
    run = read_run(RUNS / "published" / name, direction=direction, output=output)
    assert (len(run.trials), len(run.space.names)) == (trials, inputs)
    found = retrace(run)
    assert sum(found.counts.values()) == trials
    assert found.counts["no model"] < trials / 2


def test_a_published_campaign_of_reactions_is_pending_batch_by_batch() -> None:
    """Four batches of ten; the last three were chosen by expected improvement."""
    file = RUNS / "published" / "mitsunobu.csv"
    run = read_run(file, direction="maximize", output="yield")
    found = retrace(run)
    assert [len(choice.pending) for choice in found.choices] == [*range(10)] * 4
    assert [choice.known for choice in found.choices] == [
        n for n in (0, 10, 20, 30) for _ in range(10)
    ]
    assert found.counts["exploited"] > 20


def test_times_that_a_spreadsheet_has_cut_are_not_used() -> None:
    run = read_run(RUNS / "published" / "resmlp.csv", direction="maximize")
    assert any("datetime_start cannot be read" in remark for remark in run.remarks)
    assert run.known(5) == (0, 1, 2, 3, 4)
    assert run.space.inputs[2] == Real(1.09e-05, 0.009484534, log=True)


def test_measurements_of_baybe() -> None:
    """A column for each parameter and target, and the number of the batch."""
    text = b"solvent,heat,yield,BatchNr,FitNr\nTHF,20,1,1,\nDMF,30,2,1,\nTHF,40,3,2,1\nDMF,50,4,2,1"
    run = read_run(text, direction="maximize", output="yield")
    assert run.space.names == ("solvent", "heat")
    assert [run.known(i) for i in range(4)] == [(), (), (0, 1), (0, 1)]
    assert run.pending(3) == (2,)


def test_a_table_of_people_is_asked_for_what_it_does_not_say() -> None:
    with pytest.raises(UndecidedError) as asked:
        read_run(b"x,value\n1,2\n2,3")
    assert (asked.value.field, list(asked.value.answers)) == ("direction", ["maximize", "minimize"])


def test_several_studies_are_a_choice() -> None:
    with pytest.raises(UndecidedError) as asked:
        read_run(content("optuna.db"))
    assert asked.value.answers["tpe"] == "tpe (40 trials)"


def test_a_trial_that_waits_has_not_begun() -> None:
    assert (
        len(read_run(b"x,value,state\n1,2,done\n2,3,done\n3,,waiting", direction="minimize").trials)
        == 2
    )


def test_a_result_that_is_not_finite_is_a_failure() -> None:
    run = read_run(b"x,value\n1,2\n2,inf\n3,4", direction="minimize")
    assert [trial.state for trial in run.trials] == ["done", "failed", "done"]
    assert "result of trial 1 is not finite" in " ".join(run.remarks)


def test_a_torn_last_line_of_a_journal_is_left_out() -> None:
    journal = (RUNS / "optuna_journal.log").read_bytes()
    assert len(read_run(journal + b'{"op_code":4,"wor').trials) == 32


def database(table: str) -> bytes:
    """A database with a table that is empty."""
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE {table}")
    return connection.serialize()


DATABASE, GP = content("optuna.db"), {"study": "gp"}


def changed(table: str, values: str) -> bytes:
    """The database with other values in a table."""
    connection = sqlite3.connect(":memory:")
    connection.deserialize(DATABASE)
    connection.execute(f"UPDATE {table} SET {values}")
    connection.commit()
    return connection.serialize()


def ax(**fields: object) -> bytes:
    """The snapshot with other fields."""
    snapshot = json.loads(content("ax.json"))
    snapshot["experiment"].update(fields)
    return json.dumps(snapshot).encode()


def table(names: list[str], rows: int) -> bytes:
    """A table whose numbers all differ."""
    lines = [",".join(str(i + j) for j in range(len(names))) for i in range(rows)]
    return "\n".join([",".join(names), *lines]).encode()


JOURNAL = b'{"op_code":0,"study_name":"s","directions":[1]}\n'
MULTI = {"objective": {"__type": "MultiObjective", "expression": "a, b"}}
Source = bytes | str | tuple[bytes, dict[str, str]]
BROKEN: dict[str, tuple[Source, str, str]] = {
    "no file": (b"", "a table", "nothing"),
    "not there": ("missing.db", "a run", "No such file"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a table as text", "another kind"),
    "a workbook": (b"PK\x03\x04aaaa", "a table", "Excel"),
    "half a database": (DATABASE[:30000], "SQLite storage", "cannot be read"),
    "damaged database": (
        DATABASE[:100] + b"\xff" * 4000 + DATABASE[4100:], "SQLite storage", "cannot be read"
    ),
    "another database": (database("a (b)"), "storage of Optuna", "table studies"),
    "an old storage": (database("trials (a)"), "Optuna 3 or later", "without"),
    "no such study": ((DATABASE, {"study": "x"}), "a study x", "tpe"),
    "an empty study": ((changed("trials", "study_id = 1"), GP), "a study gp", "tpe"),
    "distribution": (
        (changed("trial_params", "distribution_json = '{}'"), GP), "a run", "as the tool writes it"
    ),
    "two objectives": (
        (changed("study_directions", "study_id = 2, objective = study_direction_id"), GP),
        "one objective", "3 of study gp",
    ),
    "a journal without trials": (JOURNAL, "a study with trials", "none"),
    "a torn journal": (JOURNAL + b'{"op_code":4,\n{"op_code":4}', "a run", "line 2"),
    "a journal of nothing": (b'{"op_code":4,"study_id":3}', "a run", "as the tool writes it"),
    "other JSON": (b'{"lessons": []}', "a run", "lessons"),
    "a list": (b"[1, 2]", "a run", "a list"),
    "nested": (b"[" * 100_000, "a run", "nested too deeply"),
    "half a snapshot": (content("ax.json")[:5000], "a run", "error in line 1"),
    "objectives of Ax": (ax(optimization_config=MULTI), "one objective", "a, b"),
    "no objective of Ax": (ax(optimization_config=None), "one objective", "none"),
    "no data of Ax": (ax(data_by_trial={}), "a trial with a result", "13 trials"),
    "no trials of Ax": (ax(trials=7), "a run", "as the tool writes it"),
    "uneven lists": (
        b'{"pbounds": {"x": [0, 1]}, "keys": ["x"], "params": [[0.5]], "target": [1, 2]}',
        "a run", "as the tool writes it",
    ),
    "columns of objectives": (
        b"number,values_0,values_1,params_x\n0,1,2,3\n1,2,3,4", "one objective", "values_1"
    ),
    "no results": (b"x,value\n1,\n2,", "a trial with a result", "2 trials"),
    "a word": (b"x,value\n1,high\n2,3\n3,4\n4,5\n5,6", "number as value in line 2", "high"),
    "an unknown state": (b"x,value,state\n1,2,done\n2,3,lost", "state in line 3", "lost"),
    "no such column": ((b"x,value\n1,2\n2,3", {"output": "z"}), "a column z", "x, value"),
    "only names": (b"x,value\n", "rows under the names", "none"),
    "one setting": (b"x,value\n1,2\n1,3", "parameters that vary", "0"),
    "too wide": (table([*(f"x{i}" for i in range(21)), "value"], 2), "1 to 20 parameters", "21"),
    "too long": (table(["x", "value"], 2001), "trials", "2.001"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_says_what_was_expected_and_what_was_found(name: str) -> None:
    source, expected, got = BROKEN[name]
    source, options = source if isinstance(source, tuple) else (source, {})
    with pytest.raises(InputError) as error:
        read_run(source, **{"direction": "maximize", **options})
    assert not isinstance(error.value, UndecidedError)
    assert expected in error.value.expected
    assert re.search(got, error.value.got)
    assert error.value.remedy
