"""The results of one study in one SQLite file, one transaction each.

Only one process, the client, writes. A result is stored completely or not at all, whenever that
process dies: the missing tasks are those without a row in `result`. The journal is SQLite's default
one, so between transactions the study is a single file that can be copied.

`timing` is separate because only it differs from run to run: two stores of one study agree in every
other table.

Every result is stored with its SHA-256, the study and the set of results have theirs, and all are
checked on reading: a damaged file is an error, not other results. Files of format 1 have no
digests. They are read unchecked, and get digests when the study is continued.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Self

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.study import config, seals
from ucbpe_core.study.database import (
    FORMAT,
    StoreError,
    bring_up_to_date,
    connect,
    transaction,
    version,
)
from ucbpe_core.study.plan import Study, Task
from ucbpe_core.study.run import Result

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path


class Store:
    """A study and the results so far; a context manager that closes the file.

    Examples
    --------
    >>> from ucbpe_core.study import execute, PolicyPlan, ProblemPlan, Store, Study
    >>> problems = [ProblemPlan("Curve", "multimodal")]
    >>> policies = [PolicyPlan("PE", "GP-UCB-PE")]
    >>> study = Study("Curve", problems, policies, replicates=2, batches=3)
    >>> with Store.create_or_open("curve.db", study) as store:
    ...     outcome = execute(study, store, workers=0)
    >>> with Store.open("curve.db") as store:
    ...     len(store.missing()), [result.replicate for result in store.results()]
    (0, [0, 1])
    """

    def __init__(
        self, connection: sqlite3.Connection, study: Study, path: str | Path, known: int
    ) -> None:
        self._connection, self._path, self._format = connection, path, known
        self.study = study

    @classmethod
    def create_or_open(cls, path: str | Path, study: Study) -> Self:
        """The store of `study` at `path`, made if there is none.

        The study may have more or fewer replicates than the stored one, and problems and policies
        that are new to it: what a stored result depends on must be the same. All is done in one
        transaction: of two processes that make the same store, one waits for the other.

        Raises
        ------
        InputError
            For a file that is not a store, or that holds results of a different study.
        StoreError
            For a file that is damaged, or cannot be written.
        """
        connection = connect(path, create=True)
        try:
            with transaction(connection, path):
                known = version(connection, path)
                if known < FORMAT:
                    bring_up_to_date(connection, known)
                seals.begin(connection)
                for task in seals.load(connection, path, 1) if known == 1 else ():
                    seals.seal(connection, path, task)
                _check_same(connection, study, path)
                plan = config.to_json(study)
                seals.put(connection, "plan", plan)
                seals.put(connection, "digest", seals.digest_of(plan))
        except BaseException:
            connection.close()
            raise
        return cls(connection, study, path, FORMAT)

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """The store at `path`, for reading.

        Raises
        ------
        InputError
            For a file that does not exist or is not a store.
        StoreError
            For a file that is damaged.
        """
        connection = connect(path, create=False)
        try:
            with transaction(connection, path, "DEFERRED"):
                connection.execute("PRAGMA query_only = ON")
                known = version(connection, path)
                study = _stored_study(connection, path, known)
        except BaseException:
            connection.close()
            raise
        return cls(connection, study, path, known)

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def missing(self, *, retry_failed: bool = False) -> list[Task]:
        """The tasks without a result, in the study's order; on request also those that failed.

        Raises
        ------
        StoreError
            As `results`.
        """
        known = {
            result.task
            for result in self.results()
            if not (retry_failed and result.error is not None)
        }
        return [task for task in self.study.tasks() if task not in known]

    def add(self, result: Result) -> None:
        """Store a result, replacing an earlier one of the same task, in one transaction.

        Raises
        ------
        StoreError
            If it cannot be written. The store is then unchanged.
        """
        task = result.task
        fingerprint = config.fingerprint(self.study, result.problem, result.policy)
        status = "done" if result.error is None else "failed"
        numbers = (result.batch_size, result.initialization, result.hyperparameters)
        curves = np.array([result.simple, result.total, result.region_share]).T.tolist()
        with transaction(self._connection, self._path):
            execute = self._connection.execute
            for (known,) in execute(f"SELECT digest FROM result {seals.THIS}", task).fetchall():
                seals.count(self._connection, self._path, known, -1)
            for table in ("result", "regret", "timing"):
                execute(f"DELETE FROM {table} {seals.THIS}", task)
            execute(
                "INSERT INTO result VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '')",
                (*task, fingerprint, status, result.error, *numbers),
            )
            self._connection.executemany(
                "INSERT INTO regret VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(*task, t, *row) for t, row in enumerate(curves, start=1)],
            )
            execute("INSERT INTO timing VALUES (?, ?, ?, ?, '')", (*task, result.seconds))
            seals.seal(self._connection, self._path, task)

    def results(self) -> Iterator[Result]:
        """Every result, failures too, sorted by problem, policy and replicate.

        Raises
        ------
        StoreError
            For a result that is not as it was stored, or results that are missing or too many.
        """
        with transaction(self._connection, self._path, "DEFERRED"):
            found = seals.load(self._connection, self._path, self._format)
            if self._format == FORMAT:
                seals.check(self._connection, self._path, found)
        yield from (stored.result for stored in found.values())

    def planned(self) -> list[Result]:
        """The results of the study's own tasks, cell by cell in the order of the study.

        A store can hold more: replicates and cells of an earlier, larger plan.
        """
        known = {result.task: result for result in self.results()}
        order = (
            Task(problem.label, policy.label, replicate)
            for problem in self.study.problems
            for policy in self.study.policies
            for replicate in range(self.study.replicates)
        )
        return [known[task] for task in order if task in known]

    def digest(self) -> str:
        """SHA-256 of everything except timing: equal for equal tables.

        Raises
        ------
        StoreError
            For a value that is no number or text, which was not stored.
        """
        digest = hashlib.sha256()
        with transaction(self._connection, self._path, "DEFERRED"):
            for table, columns in (("result", seals.RESULT), ("regret", seals.REGRET)):
                query = f"SELECT {columns} FROM {table} ORDER BY 1, 2, 3, 4"
                try:
                    for row in self._connection.execute(query):
                        digest.update(json.dumps([table, *row]).encode())
                except TypeError as error:  # bytes
                    raise StoreError.damaged(f"table {table}", self._path, str(error)) from None
        return digest.hexdigest()


def _stored_study(connection: sqlite3.Connection, path: str | Path, known: int) -> Study:
    """The study stored in a file; `StoreError` if it was altered."""
    plan = seals.value(connection, "plan") if known else None
    if plan is None:  # a client of format 1 died between making the tables and naming the study
        raise InputError(f"a study in {path}", "none yet", "run the study first")
    if known == FORMAT and seals.value(connection, "digest") != seals.digest_of(plan):
        raise StoreError.damaged("the study", path, "another")
    try:
        table = json.loads(plan)
    except (TypeError, ValueError) as error:
        raise StoreError.damaged("the study", path, str(error)) from None
    return config.from_dict(table)


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
