"""The store: what goes in comes out, whole or not at all, also damaged, shared or full."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.core.study.studies import SUGGESTED, failures, small
from ucbpe_core import GPUCBPE, RBF, ConstantBeta, FiniteBeta, InputError, Matern, problems
from ucbpe_core.gp.kernels import Kernel, Polynomial
from ucbpe_core.policies.schedules import BetaSchedule, CompactBeta
from ucbpe_core.study import (
    HyperparameterPlan,
    PolicyPlan,
    ProblemPlan,
    Result,
    Store,
    Study,
    Task,
    execute,
)
from ucbpe_core.study.store import StoreError, to_dict


def made_up(task: Task, offset: float = 0.0) -> Result:
    """A result whose numbers tell its task."""
    simple = offset + task.replicate + np.array([-0.0, 1 / 3, 1e-300])
    return Result(*task, None, simple, 2 * simple, [0.5, 1.0, 0.0], 3, 1, '{"a":1}', 2.5)  # type: ignore[arg-type]


def filled(path: Path, study: Study) -> Store:
    """A store with a made-up result for each task."""
    store = Store.create_or_open(path, study)
    for task in reversed(study.tasks()):
        store.add(made_up(task))
    return store


def test_what_goes_in_comes_out(tmp_path: Path) -> None:
    """Every field of every result, to the last bit, sorted, after reopening."""
    with filled(tmp_path / "s.db", small()) as store:
        digest = store.digest()
    with Store.open(tmp_path / "s.db") as store:
        assert store.study == small()
        assert store.digest() == digest
        found = list(store.results())
    assert [(one.problem, one.policy, one.replicate) for one in found] == sorted(small().tasks())
    for one in found:
        expected = made_up(Task(one.problem, one.policy, one.replicate))
        for name in ("simple", "total", "region_share"):
            np.testing.assert_array_equal(getattr(one, name), getattr(expected, name))
        rest = ("error", "batch_size", "initialization", "hyperparameters", "seconds")
        assert all(getattr(one, name) == getattr(expected, name) for name in rest)


def test_missing(tmp_path: Path) -> None:
    """The tasks without a result, in order; failures count as results unless asked for."""
    study = small()
    tasks = list(study.tasks())
    with Store.create_or_open(tmp_path / "s.db", study) as store:
        assert store.missing() == tasks
        store.add(made_up(tasks[3]))
        store.add(Result(*tasks[5], error="ValueError: no"))
        assert store.missing() == [*tasks[:3], tasks[4], *tasks[6:]]
        assert store.missing(retry_failed=True) == [*tasks[:3], *tasks[4:]]
        (failure,) = failures(store)
        assert (failure.error, len(failure.simple)) == ("ValueError: no", 0)
        store.add(made_up(tasks[5]))
        assert failures(store) == []
        assert len(list(store.results())) == 2


def test_the_digest_sees_every_number_but_the_time(tmp_path: Path) -> None:
    """It does not depend on the order either."""
    study = small(replicates=1)
    with filled(tmp_path / "s.db", study) as store:
        digest = store.digest()
        task = study.tasks()[1]
        store.add(replace(made_up(task), seconds=9))
        assert store.digest() == digest
        for change in (
            {"simple": [0.1, 0.2, 0.3]},
            {"total": [0.1, 0.2, 0.3]},
            {"region_share": [0.1, 0.2, 0.3]},
            {"batch_size": 4},
            {"initialization": 2},
            {"hyperparameters": "{}"},
            {"error": "ValueError"},
        ):
            store.add(replace(made_up(task), **change))  # type: ignore[arg-type]
            assert store.digest() != digest, change
            store.add(made_up(task))
            assert store.digest() == digest


@pytest.mark.parametrize("beta", [FiniteBeta(0.2, 0.5), CompactBeta(b=2.0), ConstantBeta(3.0)])
@pytest.mark.parametrize(
    "kernel", [RBF((1.0, 2.0), 3.0), Matern(nu=0.5), Polynomial(3), RBF() + Matern()]
)
def test_the_study_comes_back(tmp_path: Path, beta: BetaSchedule, kernel: Kernel) -> None:
    """Every key, none at its default, and every kind of schedule and kernel."""
    numbers = (100, 2, 1e-3, False, False, 5)  # from points to refit_every
    how = HyperparameterPlan("likelihood", kernel, *numbers)
    planned = ProblemPlan("Draw", "generated_gp", {"noise_variance": 0.5}, how)
    suggested = ProblemPlan("Curve", "multimodal", hyperparameters=SUGGESTED)
    study = small(beta=beta, problems=[planned, suggested], seed=11)
    Store.create_or_open(tmp_path / "s.db", study).close()
    with Store.open(tmp_path / "s.db") as store:
        assert store.study == study


SAME = [
    ("PE", {"name": "other", "replicates": 1}),
    ("PE", {"policies": [PolicyPlan("PE", "GP-UCB-PE", {"batch_size": 3}, batches=4)]}),
    ("UCB", {"batches": 9}),  # it says itself how many
]
OTHER = [
    ("PE", {"batches": 5}),
    ("PE", {"beta": FiniteBeta(0.2)}),
    ("PE", {"seed": 1}),
    ("PE", {"initial": 9}),
    ("PE", {"policies": [PolicyPlan("PE", "GP-UCB-PE", {"batch_size": 2})]}),
    ("PE", {"problems": [ProblemPlan("Curve", "multimodal", hyperparameters=SUGGESTED)]}),
]


def with_one(path: Path, policy: str) -> None:
    """A store with a result of this policy on the curve."""
    with Store.create_or_open(path, small()) as store:
        store.add(made_up(Task("Curve", policy, 0)))


@pytest.mark.parametrize(("policy", "changes"), SAME)
def test_a_study_with_the_same_runs_goes_on(
    tmp_path: Path, policy: str, changes: dict[str, object]
) -> None:
    """Whatever its name, the number of replicates, and how it says the same."""
    with_one(tmp_path / "s.db", policy)
    with Store.create_or_open(tmp_path / "s.db", small(**changes)) as store:
        assert Task("Curve", policy, 0) not in store.missing()


@pytest.mark.parametrize(
    ("policy", "changes", "what"),
    [
        *((*other, "differs in") for other in OTHER),
        ("PE", {"problems": small().problems[1:]}, "lacks"),
    ],
)
def test_another_study_is_refused(
    tmp_path: Path, policy: str, changes: dict[str, object], what: str
) -> None:
    """With the stored one untouched, and a way out."""
    with_one(tmp_path / "s.db", policy)
    wanted = f"{what} Curve with {policy}; restore .* or name another file"
    with pytest.raises(InputError, match=wanted):
        Store.create_or_open(tmp_path / "s.db", small(**changes))
    with Store.open(tmp_path / "s.db") as store:
        assert store.study == small()


def test_what_is_no_store(tmp_path: Path) -> None:
    """Missing files and folders, other files, other databases, other formats."""
    text, database, later = tmp_path / "a.txt", tmp_path / "b.db", tmp_path / "c.db"
    text.write_text("not a database, and long enough to be read as one" * 99, encoding="utf-8")
    Store.create_or_open(later, small()).close()
    for path, script in (
        (database, "CREATE TABLE t (x)"),
        (later, "PRAGMA user_version = 99"),
    ):
        connection = sqlite3.connect(path)
        connection.executescript(script)
        connection.close()
    for path, what in (
        (text, "to be a store"),
        (database, "to be a store; got another database"),
        (later, "a store of format 1; got format 99"),
        (tmp_path, "got a folder"),
        (tmp_path / "no" / "s.db", "a folder .*no; got none"),
    ):
        for attempt in (Store.open, lambda path: Store.create_or_open(path, small())):
            with pytest.raises(InputError, match=what):
                attempt(path)
    with pytest.raises(InputError, match="got none; check the path, or run the study first"):
        Store.open(tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()


def test_an_empty_file_is_a_store_without_a_study(tmp_path: Path) -> None:
    """It can be gone on with, not read; a store that has lost its study is damaged."""
    path = tmp_path / "s.db"
    path.touch()
    with pytest.raises(InputError, match="none yet; run the study first"):
        Store.open(path)
    Store.create_or_open(path, small()).close()
    Store.open(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM study")
    connection.close()
    with pytest.raises(StoreError, match=r"the study in .* as stored; .*restore a copy"):
        Store.open(path)


def plans() -> tuple[ProblemPlan, PolicyPlan]:
    """A problem and a policy as objects; another call makes equal ones."""
    mine = problems.from_callable(lambda x: -float(x[0] ** 2), [(-1, 1)], size=9, name="Mine")
    return ProblemPlan("P", mine), PolicyPlan("K = 2", GPUCBPE(batch_size=2))


def test_a_store_of_objects_has_their_descriptions(tmp_path: Path) -> None:
    """Equal objects continue it, others do not; it is read without them, and not run."""
    problem, policy = plans()
    study = Study("Objects", [problem], [policy], replicates=2, batches=1, initial=3)
    with Store.create_or_open(tmp_path / "s.db", study) as store:
        assert execute(study, store, workers=0).done == 2
    again = replace(study, problems=[plans()[0]], replicates=3)
    with Store.create_or_open(tmp_path / "s.db", again) as store:
        assert len(store.missing()) == 1
    with Store.open(tmp_path / "s.db") as store:
        assert len(store.planned()) == 2
        assert "Mine, SHA-256" in str(store.study.problems[0].problem)
        with pytest.raises(InputError, match="P to be an object; got its description in a store"):
            store.study.problems[0].build(seed=0)
        with pytest.raises(InputError, match="run the study that has this object"):
            store.study.policies[0].build(batch_size=1, seed=0)
    other = problems.from_callable(lambda x: float(x[0]), [(-1, 1)], size=9, name="Mine")
    for change in (
        {"problems": [ProblemPlan("P", other)]},
        {"policies": [PolicyPlan("K = 2", GPUCBPE(batch_size=3))]},
    ):
        with pytest.raises(InputError, match="differs in P with K = 2"):
            Store.create_or_open(tmp_path / "s.db", replace(study, **change))  # type: ignore[arg-type]


def content(path: Path) -> list[Any]:
    """All that a reader gets from a store."""
    with Store.open(path) as store:
        results = [
            (*vars(one).values(), *(one.simple, one.total, one.region_share))
            for one in store.results()
        ]
        return [to_dict(store.study), store.missing(), repr(results)]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with 4 results, one of them a failure, and 2 runs missing."""
    study, path = small(replicates=1), tmp_path / "s.db"
    first, second, third, fourth, *_ = study.tasks()
    with Store.create_or_open(path, study) as opened:
        for task in (first, second, third):
            opened.add(made_up(task))
        opened.add(Result(*fourth, error="ValueError: no"))
    return path


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("content", "'[' || replace(hex(zeroblob(9999)), '0', '[')"),
        ("content", "json_set(content, '$.simple[0]', 'x')"),
        ("content", "json_remove(content, '$.total[0]')"),
        ("content", "replace(content, '\"total\": [', '\"total\": [NaN, ')"),
        ("content", "json_set(content, '$.batch_size', 'x')"),
    ],
)
def test_what_no_result_can_be_is_not_accepted(store: Path, column: str, value: str) -> None:
    connection = sqlite3.connect(store)
    with connection:
        connection.execute(f"UPDATE result SET {column} = {value} WHERE policy = 'PE'")
    connection.close()
    wanted = r"result of .*PE.* as stored.*; restore a copy, or run the study again"
    with Store.open(store) as opened:
        for read in (opened.planned, opened.missing, opened.digest):
            with pytest.raises(StoreError, match=wanted):
                read()


def test_a_damaged_page_is_found_at_opening(store: Path) -> None:
    """By SQLite's own check, though the study itself could still be read."""
    with Store.create_or_open(store, small(replicates=1)) as opened:
        for task in opened.missing():
            opened.add(replace(made_up(task), hyperparameters="x" * 9000))
    pages = bytearray(store.read_bytes())
    pages[-4096:] = bytes([0xFF]) * 4096
    store.write_bytes(pages)
    for attempt in (Store.open, lambda path: Store.create_or_open(path, small(replicates=1))):
        with pytest.raises(StoreError, match="restore a copy, or run the study again"):
            attempt(store)


@pytest.mark.parametrize("change", [{"simple": [np.nan] * 3}, {"replicate": 2**70}])
def test_values_that_no_store_can_hold(store: Path, change: dict[str, Any]) -> None:
    """The store stays as it was, and can be gone on with."""
    study, expected = small(replicates=1), content(store)
    with Store.create_or_open(store, study) as opened:
        with pytest.raises(StoreError):
            opened.add(replace(made_up(study.tasks()[0]), **change))
        assert content(store) == expected
        opened.add(made_up(study.tasks()[4]))
    assert len(content(store)[1]) == len(expected[1]) - 1


def test_a_store_in_use(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a process that holds it for longer than another one waits."""
    monkeypatch.setattr("ucbpe_core.study.store._BUSY_SECONDS", 0.01)
    connection = sqlite3.connect(store)
    connection.execute("BEGIN EXCLUSIVE")
    wait = "database is locked; wait until the other process"
    with pytest.raises(StoreError, match=wait):
        Store.create_or_open(store, small(replicates=1))
    with pytest.raises(StoreError, match=wait):
        Store.open(store)
    connection.close()
