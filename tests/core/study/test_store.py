"""The store: what goes in comes out, whole or not at all, and only for one study."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.core.study.studies import failures, small
from ucbpe_core import GPUCBPE, InputError, problems
from ucbpe_core.study import PolicyPlan, ProblemPlan, Result, Store, Study, Task, execute
from ucbpe_core.study.store import StoreError


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


@pytest.mark.parametrize(
    ("study", "what"),
    [
        (small(seed=1), "differs in Curve with PE"),
        (small(problems=small().problems[:1]), "lacks Draw with PE"),
    ],
)
def test_another_study_is_refused(tmp_path: Path, study: Study, what: str) -> None:
    """With the stored one untouched, and a way out."""
    filled(tmp_path / "s.db", small()).close()
    with pytest.raises(InputError, match=f"{what}.*; restore .* or name another file"):
        Store.create_or_open(tmp_path / "s.db", study)
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
