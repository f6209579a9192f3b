"""The results of a study so far, in one SQLite file with their plan.

A store has a row for each result, whose numbers are one JSON text. A result is stored completely or
not at all, whenever the process that writes it dies: the missing tasks are those without a row. The
journal is SQLite's default one, so between two results the study is a single file that can be
copied. A digest of all that a result depends on (`fingerprint`) identifies the results in it.

A plan is written as nested tables and as TOML.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ucbpe_core.errors import InputError, UCBPEError
from ucbpe_core.files import tables
from ucbpe_core.files import text as files
from ucbpe_core.gp.kernels import KERNELS, Kernel
from ucbpe_core.history.workers import Workers
from ucbpe_core.policies import Policy
from ucbpe_core.policies.schedules import SCHEDULES, BetaSchedule
from ucbpe_core.problems.base import Problem
from ucbpe_core.study.plan import (
    HyperparameterPlan,
    PolicyPlan,
    ProblemPlan,
    Study,
    Task,
    described,
)
from ucbpe_core.study.task import Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ucbpe_core.files.text import PathOrFile


def load_study(path: PathOrFile) -> Study:
    """The study that a TOML file describes; `path` may be a text file open for reading.

    A file runs only code of this package and of plugins: modules or Python files that the person
    who runs the study names with ``ucbpe study --plugin`` or `use_plugin`.

    The format, with the defaults where there are any::

        name = "Two problems"              # required
        replicates = 64
        batches = 60                       # T
        batch_size = 10                    # K
        initial = 20                       # random initial observations
        seed = 0
        beta = { kind = "finite", delta = 0.1, scale = 1.0 }    # or "compact", "constant"
        # workers = { durations = "exponential" }  # results one by one; default in batches

        [[problems]]                       # at least one
        label = "Himmelblau"               # required
        problem = "himmelblau"             # required: a registered name, or "plugin:factory"
        options = { noise_variance = 0.5 } # arguments of the factory

        [problems.hyperparameters]         # of the problem above
        method = "likelihood"              # or "suggested": the problem's own prior
        kernel = { kind = "rbf" }          # or "matern", .. (`KERNELS`), with their parameters;
                                           # "sum", "product" of kernels left, right; "active" of
                                           # inner, dims
        points = 0                         # 0: the initial observations; else this many others
        starts = 5
        least_noise = 1e-4                 # of the fitted noise variance, relative to var(y)
        fit_noise = true
        fit_mean = true
        # refit_every = 10                 # fitted again after every so many batches; default never

        [[policies]]                       # at least one
        label = "GP-UCB-PE"                # required
        policy = "GP-UCB-PE"               # required: a registered name, or "plugin:Class"
        options = { batch_size = 5 }       # its parameters
        batches = 120                      # default: the study's
        # workers = { durations = "exponential" }  # default: the study's
        # shared = ["x"]                   # inputs that a batch shares; shared_by = "sum"

    Raises
    ------
    InputError
        For a file that cannot be read or is not TOML, for a key that is missing or unknown, and
        as `Study`.

    Examples
    --------
    >>> from io import StringIO
    >>> from ucbpe_core.study import load_study
    >>> text = '''
    ... name = "Curve"
    ... problems = [{ label = "Curve", problem = "multimodal" }]
    ... policies = [{ label = "PE", policy = "GP-UCB-PE" }]
    ... '''
    >>> load_study(StringIO(text)).replicates
    64
    """
    content = files.read(path, "a study")
    try:
        table = tables.parse_toml(content)
    except ValueError as error:
        raise InputError(f"{files.name_of(path)} to be TOML", str(error), "correct it") from None
    return from_dict(table)


def from_dict(table: Mapping[str, Any]) -> Study:
    """The study that nested tables describe, as `to_dict` writes them."""
    study: Study = _read(Study, table, "a study")
    return study


def to_dict(study: Study) -> dict[str, Any]:
    """The study as nested tables of plain values; `from_dict` reads it back.

    A problem or policy given as an object becomes a description, which can be read but not run.
    """
    table: dict[str, Any] = _plain(study)
    return table


def fingerprint(study: Study, problem: str, policy: str) -> str:
    """SHA-256 of all that a result of this problem with this policy depends on.

    It does not include the number of replicates, the study's name, its other problems and policies,
    or any code: neither this package's version nor a plugin's.
    """
    plan = study.policy(policy)
    options = {"batch_size": study.batch_size, **plan.options}
    identity = {
        "seed": study.seed,
        "initial": study.initial,
        "beta": _plain(study.beta),
        "workers": _plain(study.workers_of(plan)),
        "problem": _plain(study.problem(problem)),
        "policy": {
            "policy": _plain(plan.policy),
            "options": options,
            "batches": study.batches_of(plan),
            **({"shared": [*plan.shared, plan.shared_by or "first"]} if plan.shared else {}),
        },
    }
    canonical = json.dumps(identity, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _read(cls: type[Any], value: Any, what: str) -> Any:
    """A record from a table and the tables in it; unknown and missing keys raise."""
    given, where = tables.as_table(value, what), f"keys of {what}"
    tables.check_keys(given, [field.name for field in fields(cls)], where)
    for key in given:
        if key in _READERS:
            given[key] = _READERS[key](given[key])
    try:
        return cls(**given)
    except TypeError as error:
        raise InputError(where, str(error), "add or correct the key named there") from None


def _read_each(cls: type[Any], value: Any, key: str, what: str) -> list[Any]:
    if not isinstance(value, list) or not all(isinstance(table, dict) for table in value):
        raise InputError(f"{key} as a list of tables", repr(value), f"write [[{key}]]")
    return [_read(cls, table, what) for table in value]


# Fields of records of a study that are records themselves.
_READERS: dict[str, Callable[[Any], Any]] = {
    "beta": lambda table: tables.from_table(SCHEDULES, table, "beta"),
    "kernel": lambda table: tables.from_table(KERNELS, table, "kernel"),
    "hyperparameters": lambda table: _read(HyperparameterPlan, table, "hyperparameters"),
    "workers": lambda table: _read(Workers, table, "workers"),
    "problems": lambda value: _read_each(ProblemPlan, value, "problems", "a problem"),
    "policies": lambda value: _read_each(PolicyPlan, value, "policies", "a policy"),
}


def _plain(value: Any) -> Any:
    """A record as a table without the fields that are None, recursively."""
    if isinstance(value, BetaSchedule):
        return tables.to_table(SCHEDULES, value, "beta")
    if isinstance(value, Kernel):
        return tables.to_table(KERNELS, value, "kernel")
    if isinstance(value, Problem | Policy):
        return described(value)
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if not is_dataclass(value):
        return value
    named = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return {name: part for name, part in named.items() if part is not None}


FORMAT = 1
_APPLICATION = 0x75637062  # "ucpb" in the file header: marks a database as a study
_BUSY_SECONDS = 60.0  # how long another process may hold up a write
_SCHEMA = f"""
CREATE TABLE study (plan TEXT NOT NULL);
CREATE TABLE result (
    problem TEXT, policy TEXT, replicate INTEGER, content TEXT NOT NULL,
    PRIMARY KEY (problem, policy, replicate)
) WITHOUT ROWID;
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {FORMAT};
"""
_DAMAGED = "restore a copy, or run the study again into another file"
_REMEDIES = {
    sqlite3.SQLITE_BUSY: "wait until the other process that uses it has ended",
    sqlite3.SQLITE_FULL: "make room on the disk; stored results are kept",
    sqlite3.SQLITE_IOERR: "check the disk; stored results are kept",
    sqlite3.SQLITE_READONLY: "open it for writing, with the permission to",
    sqlite3.SQLITE_CANTOPEN: "check the path and the permissions",
}


class StoreError(UCBPEError):
    """A store that is damaged, in use, or cannot be read or written."""


class Store:
    """A study and the results so far; a context manager that closes the file.

    Raises
    ------
    StoreError
        By every method, for a file that is damaged, or cannot be read or written. The file is then
        unchanged.

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

    def __init__(self, connection: sqlite3.Connection, study: Study, path: str | Path) -> None:
        self._connection, self._path = connection, path
        self.study = study

    @classmethod
    def create_or_open(cls, path: str | Path, study: Study) -> Self:
        """The store of `study` at `path`, made if there is none.

        The study may have more or fewer replicates than the stored one, and problems and policies
        that are new to it: what a stored result depends on must be the same.

        Raises
        ------
        InputError
            For a file that is not a store, or that holds results of a different study.
        """
        with _opened(path, create=True) as connection:
            stored = _stored_study(connection, path)
            if stored is None:
                for statement in _SCHEMA.split(";"):
                    connection.execute(statement)
            else:
                _check_same(connection, stored, study, path)
            connection.execute("DELETE FROM study")
            plan = json.dumps(to_dict(study), allow_nan=False)
            connection.execute("INSERT INTO study VALUES (?)", [plan])
        return cls(connection, study, path)

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """The store at `path`, for reading.

        Raises
        ------
        InputError
            For a file that does not exist or is not a store.
        """
        with _opened(path, create=False) as connection:
            study = _stored_study(connection, path)
            if study is None:
                raise InputError(f"a study in {path}", "none yet", "run the study first")
        return cls(connection, study, path)

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def missing(self, *, retry_failed: bool = False) -> list[Task]:
        """The tasks without a result, in the study's order; on request also the failed ones."""
        done = {run.task for run in self.results() if run.error is None or not retry_failed}
        return [task for task in self.study.tasks() if task not in done]

    def add(self, result: Result) -> None:
        """Store a result, replacing an earlier one of the same task."""
        with _explained(self._path):
            row = (*result.task, result.to_json())
            self._connection.execute("INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?)", row)

    def results(self) -> Iterator[Result]:
        """Every result, failures too, sorted by problem, policy and replicate."""
        with _explained(self._path):
            query = "SELECT * FROM result ORDER BY problem, policy, replicate"
            rows = self._connection.execute(query).fetchall()
        for *labels, text in rows:
            task = Task(*labels)
            try:
                yield Result.from_json(task, text)
            except (TypeError, ValueError) as error:
                what = f"the result of {task.policy} on {task.problem}, replicate {task.replicate},"
                raise _damaged(what, self._path, error) from None

    def planned(self) -> list[Result]:
        """The results of the study's own tasks, cell by cell in the order of the study.

        A store can hold more: replicates and cells of an earlier, larger plan.
        """
        known, tasks = {result.task: result for result in self.results()}, self.study.tasks()
        cells = {task[:2]: cell for cell, task in enumerate(tasks) if task.replicate == 0}
        order = sorted(tasks, key=lambda task: cells[task[:2]])
        return [known[task] for task in order if task in known]

    def digest(self) -> str:
        """SHA-256 of all results without their times: equal for equal results."""
        digest = hashlib.sha256()
        for result in self.results():
            content = replace(result, seconds=0.0, picks=0, arrivals=np.empty(0)).to_json()
            digest.update(json.dumps([*result.task, content]).encode())
        return digest.hexdigest()


@contextmanager
def _opened(path: str | Path, *, create: bool) -> Iterator[sqlite3.Connection]:
    """A connection that stays open, in a transaction until the end of the context.

    It is opened for writing even if only reading follows: after a crash the first to open the file
    rolls the unfinished transaction back.
    """
    if "\0" in str(path):
        raise InputError("a path of a store", f"{str(path)!r}, with NUL", "check it")
    path = Path(path)
    if not path.parent.is_dir():
        raise InputError(f"a folder {path.parent}", "none", "make it, or write elsewhere")
    if path.is_dir() or not (create or path.is_file()):
        what = "a folder" if path.is_dir() else "none"
        raise InputError(f"a store at {path}", what, "check the path, or run the study first")
    with _explained(path):
        connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            connection.execute(f"BEGIN {'IMMEDIATE' if create else 'DEFERRED'}")
            yield connection
            connection.commit()
            connection.execute(f"PRAGMA query_only = {'OFF' if create else 'ON'}")
        except BaseException:
            connection.close()
            raise


def _stored_study(connection: sqlite3.Connection, path: str | Path) -> Study | None:
    """The study in a store; None for an empty file.

    Raises
    ------
    InputError
        For another database, or another format.
    StoreError
        For a store that SQLite finds damaged.
    """
    (entries,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if not entries and not application:
        return None
    if application != _APPLICATION:
        raise InputError(f"{path} to be a store", "another database", "name another file")
    if version != FORMAT:
        remedy = "use the version of this package that wrote it, or name another file"
        raise InputError(f"a store of format {FORMAT}", f"format {version}", remedy)
    (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise _damaged("the store", path, found)
    try:
        ((plan,),) = connection.execute("SELECT plan FROM study")
        table = json.loads(plan)
    except (RecursionError, TypeError, ValueError) as error:
        raise _damaged("the study", path, error) from None
    return from_dict(table)


def _check_same(
    connection: sqlite3.Connection, stored: Study, study: Study, path: str | Path
) -> None:
    """Refuse a study that the results in its file contradict."""
    cells = {task[:2] for task in study.tasks()}
    for cell in connection.execute("SELECT DISTINCT problem, policy FROM result"):
        here = cell in cells
        if not here or fingerprint(study, *cell) != fingerprint(stored, *cell):
            problem, policy = cell
            raise InputError(
                f"the study whose results {path} holds",
                f"one that {'differs in' if here else 'lacks'} {problem} with {policy}",
                "restore that part of the study, or name another file for the results",
            )


@contextmanager
def _explained(path: str | Path) -> Iterator[None]:
    """Turn errors of SQLite, and of values that it cannot hold, into errors of this package."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest is where it occurred
        if code == sqlite3.SQLITE_NOTADB:
            raise InputError(f"{path} to be a store", str(error), "name another file") from error
        remedy = _REMEDIES.get(code, _DAMAGED)
        raise StoreError(f"{path} to be read or written", str(error), remedy) from error
    except UCBPEError:
        raise
    except (OverflowError, TypeError, ValueError) as error:
        remedy = "use finite numbers, and text that UTF-8 can encode"
        raise StoreError(f"values that {path} can hold", str(error), remedy) from error


def _damaged(what: str, path: str | Path, got: object) -> StoreError:
    return StoreError(f"{what} in {path} as stored", str(got), _DAMAGED)
