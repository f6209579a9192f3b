"""The results of one study in one SQLite file, one transaction each.

Only one process, the client, writes. A result is there whole or not at all, whenever that process
dies: what is missing is the study's tasks less those with a row in `result`. The journal is
SQLite's default one, so between transactions the study is a single file that can be copied.

`timing` stands apart because it alone differs from run to run: two stores of one study agree in
every other table.
"""

from __future__ import annotations

import hashlib
import json
from itertools import groupby
from typing import TYPE_CHECKING, Self

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.experiments import config
from ucbpe_core.experiments.database import connect
from ucbpe_core.experiments.plan import Study, Task
from ucbpe_core.experiments.run import Result

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

_ROW = "problem = ? AND policy = ? AND replicate = ?"
_DETERMINISTIC = ("result", "regret")


class Store:
    """A study and those of its results that are known; a context manager that closes the file."""

    def __init__(self, connection: sqlite3.Connection, study: Study) -> None:
        self._connection = connection
        self.study = study

    @classmethod
    def create_or_open(cls, path: str | Path, study: Study) -> Self:
        """The store of `study` at `path`, made if there is none.

        The study may have more or fewer replicates than the stored one, and problems and policies
        that are new to it: what a stored result depends on must be the same.

        Raises
        ------
        InputError
            For a file that is no store, or that holds results of a different study.
        """
        connection = connect(path, create=True)
        try:
            _check_same(connection, study, path)
            with connection:
                connection.execute(
                    "INSERT OR REPLACE INTO study VALUES ('plan', ?)", [config.to_json(study)]
                )
        except BaseException:
            connection.close()
            raise
        return cls(connection, study)

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """The store at `path`, for reading.

        Raises
        ------
        InputError
            For a file that does not exist or is no store.
        """
        connection = connect(path, create=False)
        connection.execute("PRAGMA query_only = ON")
        row = connection.execute("SELECT value FROM study WHERE key = 'plan'").fetchone()
        if row is None:  # its client died between making the tables and naming the study
            connection.close()
            raise InputError(f"a study in {path}", "none yet", "run the study first")
        return cls(connection, config.from_dict(json.loads(row[0])))

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def missing(self, *, retry_failed: bool = False) -> list[Task]:
        """The tasks without a result, in the study's order; on request those that failed, too."""
        wanted = "WHERE status = 'done'" if retry_failed else ""
        rows = self._connection.execute(f"SELECT problem, policy, replicate FROM result {wanted}")
        known = {Task(*row) for row in rows}
        return [task for task in self.study.tasks() if task not in known]

    def add(self, result: Result) -> None:
        """Store a result, in the place of an earlier one of the same task, in one transaction."""
        task = (result.problem, result.policy, result.replicate)
        fingerprint = config.fingerprint(self.study, result.problem, result.policy)
        status = "done" if result.error is None else "failed"
        curves = zip(result.simple, result.total, result.region_share, strict=True)
        numbers = (result.batch_size, result.initialization, result.hyperparameters)
        with self._connection as connection:
            for table in (*_DETERMINISTIC, "timing"):
                connection.execute(f"DELETE FROM {table} WHERE {_ROW}", task)
            connection.execute(
                "INSERT INTO result VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*task, fingerprint, status, result.error, *numbers),
            )
            connection.executemany(
                "INSERT INTO regret VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(*task, t, *map(float, row)) for t, row in enumerate(curves, start=1)],
            )
            connection.execute("INSERT INTO timing VALUES (?, ?, ?, ?)", (*task, result.seconds))

    def results(self) -> Iterator[Result]:
        """Every result, failures too, sorted by problem, policy and replicate."""
        rows = self._connection.execute(
            "SELECT problem, policy, replicate, error, batch_size, initialization,"
            " hyperparameters, seconds FROM result NATURAL JOIN timing"
            " ORDER BY problem, policy, replicate"
        ).fetchall()
        curves = self._curves()
        for row in rows:
            task = Task(*row[:3])
            error, batch_size, initialization, hyperparameters, seconds = row[3:]
            simple, total, share = curves.get(task, np.empty((3, 0)))
            yield Result(
                *task,
                error=error,
                simple=simple,
                total=total,
                region_share=share,
                batch_size=batch_size,
                initialization=initialization,
                hyperparameters=hyperparameters,
                seconds=seconds,
            )

    def planned(self) -> list[Result]:
        """The results of the study's own tasks, cell by cell in the order of the study.

        A store can hold more: replicates and cells of an earlier, larger plan.
        """
        known = {Task(one.problem, one.policy, one.replicate): one for one in self.results()}
        order = (
            Task(problem.label, policy.label, replicate)
            for problem in self.study.problems
            for policy in self.study.policies
            for replicate in range(self.study.replicates)
        )
        return [known[task] for task in order if task in known]

    def failures(self) -> list[Result]:
        """The results that are errors, sorted as `results`."""
        return [result for result in self.results() if result.error is not None]

    def digest(self) -> str:
        """SHA-256 of all that does not depend on time: equal for equal tables."""
        digest = hashlib.sha256()
        for table in _DETERMINISTIC:
            for row in self._connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4"):
                digest.update(json.dumps([table, *row]).encode())
        return digest.hexdigest()

    def _curves(self) -> dict[Task, np.ndarray]:
        rows = self._connection.execute(
            "SELECT problem, policy, replicate, simple, total, region_share FROM regret"
            " ORDER BY problem, policy, replicate, t"
        )
        return {
            Task(*task): np.array([row[3:] for row in group]).T
            for task, group in groupby(rows, key=lambda row: row[:3])
        }


def _check_same(connection: sqlite3.Connection, study: Study, path: str | Path) -> None:
    """Refuse a study that its file contradicts."""
    stored = connection.execute("SELECT DISTINCT problem, policy, fingerprint FROM result")
    problems = {plan.label for plan in study.problems}
    policies = {plan.label for plan in study.policies}
    for problem, policy, fingerprint in stored:
        here = problem in problems and policy in policies
        if not here or config.fingerprint(study, problem, policy) != fingerprint:
            raise InputError(
                f"the study whose results {path} holds",
                f"one that {'differs in' if here else 'lacks'} {problem} with {policy}",
                "restore that part of the study, or name another file for the results",
            )
