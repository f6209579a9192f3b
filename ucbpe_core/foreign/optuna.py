"""Optuna's storages, an SQLite database or a journal, read without Optuna and without trust."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import InputError
from ucbpe_core.foreign.run import STATES, ForeignTrial, Kind, Run, merged
from ucbpe_core.spaces.inputs import Category, Integer, Real
from ucbpe_core.tables.dialect import UndecidedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ucbpe_core.support.validation import Direction

SQLITE = b"SQLite format 3\0"
_NUMBERED = ("RUNNING", "COMPLETE", "PRUNED", "FAIL", "WAITING")  # in a journal
_DIRECTIONS = ("NOT_SET", "MINIMIZE", "MAXIMIZE")
_TABLES = {"studies", "study_directions", "trials", "trial_params", "trial_values"}
_MOST_STEPS = 200_000_000  # of SQLite's machine: a hundred times what the largest run takes
_UPGRADE = "upgrade it: optuna storage upgrade --storage sqlite:///FILE"


class _Study:
    """A study as it is read: trials by their id, with parameters and results."""

    def __init__(self, name: str, directions: Sequence[str]) -> None:
        self.name, self.directions = name, directions
        self.trials, self.kinds = dict[int, dict[str, Any]](), dict[str, Kind]()

    def set(self, trial: int, name: str, value: float, distribution: str) -> None:
        """A parameter of a trial, from its number in the storage and the JSON of its distribution.

        Older versions have UniformDistribution, IntUniformDistribution and so on.
        """
        form = json.loads(distribution)
        given = form.get("attributes", form)
        kind = str(form.get("name", form.get("type"))).lower()
        if "choices" in given:
            choices = list(map(str, given["choices"]))
            self.trials[trial]["setting"][name] = choices[int(value)]
            if len(set(choices)) > 1:
                self.kinds[name] = Category(tuple(dict.fromkeys(choices)))
            return
        whole = kind.startswith("int")
        self.trials[trial]["setting"][name] = int(value) if whole else float(value)
        low, high = given["low"], given["high"]
        if low < high:
            log = bool(given.get("log", "log" in kind))
            step = None if log else given.get("step", given.get("q"))
            found = Integer(low, high, log, step or 1) if whole else Real(low, high, log, step)
            self.kinds[name] = merged(self.kinds.get(name), found)

    def run(self) -> Run:
        """What it did; `InputError` for several objectives."""
        if len(self.directions) != 1:
            got = f"{len(self.directions)} of study {self.name}"
            raise InputError("one objective", got, "open a study of one")
        trials = [ForeignTrial(**one) for one in self.trials.values() if one["state"]]
        direction: Direction = "maximize" if self.directions[0] == "MAXIMIZE" else "minimize"
        return Run.of(trials, direction, self.kinds, tool=f"Optuna, {self.name}")


def read_database(content: bytes, study: str | None = None) -> Run:
    """The run of a study in an SQLite storage.

    Raises
    ------
    InputError
        For a database that is damaged, or no storage of Optuna 3 or later; `UndecidedError` for
        several studies, and no name of one.
    """
    # A database with a log of its own is read without it: the bytes say so (SQLite's format, 1.3).
    content = content[:18] + b"\1\1" + content[20:]
    try:
        with closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(content)
            database.execute("PRAGMA trusted_schema = OFF")
            database.set_progress_handler(lambda: 1, _MOST_STEPS)
            return _chosen(_studies_of(database), study)
    except (sqlite3.Error, OverflowError) as error:
        got, remedy = f"one that cannot be read: {error}", "copy the file again, once no trial runs"
        raise InputError("an SQLite storage of Optuna", got, remedy) from None


def _studies_of(database: sqlite3.Connection) -> list[_Study]:
    tables = {
        name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type='table'")
    }
    if missing := _TABLES - tables:
        got = f"a database without the table {min(missing)}"
        remedy = _UPGRADE if "trials" in tables else "choose the file that Optuna wrote"
        raise InputError("an SQLite storage of Optuna 3 or later", got, remedy)
    columns = {row[1] for row in database.execute("PRAGMA table_info(trial_values)")}
    if "objective" not in columns:
        raise InputError("a storage of Optuna 3 or later", "one of an earlier version", _UPGRADE)
    studies = dict[int, _Study]()
    for key, name in database.execute("SELECT study_id, study_name FROM studies"):
        query = "SELECT direction FROM study_directions WHERE study_id = ? ORDER BY objective"
        studies[key] = _Study(name, [row[0] for row in database.execute(query, (key,))])
    owner = dict[int, _Study]()
    query = (
        "SELECT trial_id, study_id, number, state, datetime_start, datetime_complete FROM trials"
    )
    for trial, key, number, state, start, end in database.execute(query):
        owner[trial] = studies[key]
        owner[trial].trials[trial] = _begun(number, state, start, end)
    query = "SELECT trial_id, param_name, param_value, distribution_json FROM trial_params"
    for trial, name, value, distribution in database.execute(query):
        owner[trial].set(trial, name, value, distribution)
    for trial, value in database.execute("SELECT trial_id, value FROM trial_values"):
        owner[trial].trials[trial]["y"] = value
    return list(studies.values())


def read_journal(lines: Sequence[Mapping[str, Any]], study: str | None = None) -> Run:
    """The run of a study in a journal, the lines of which are JSON; errors as `read_database`."""
    studies, owner = list[_Study | None](), list[_Study | None]()
    for one in lines:
        code = one["op_code"]
        if code == 0:  # another worker may try to make the same study
            if all(old is None or old.name != one["study_name"] for old in studies):
                names = [_DIRECTIONS[number] for number in one["directions"]]
                studies.append(_Study(one["study_name"], names))
        elif code == 1:
            studies[one["study_id"]] = None
        elif code == 4 and (made := studies[one["study_id"]]) is not None:
            state = _NUMBERED[one.get("state", 0)]
            times = one.get("datetime_start"), one.get("datetime_complete")
            key = len(owner)
            made.trials[key] = _begun(len(made.trials), state, *times) | {"y": _value(one)}
            owner.append(made)
            for name, value in (one.get("params") or {}).items():
                made.set(key, name, value, one["distributions"][name])
        elif code in (5, 6) and (made := owner[key := one["trial_id"]]) is not None:
            if code == 5:
                made.set(key, one["param_name"], one["param_value_internal"], one["distribution"])
            else:
                _ended(made.trials[key], one)
    return _chosen([one for one in studies if one is not None], study)


def _begun(number: int, state: str, start: str | None, end: str | None) -> dict[str, Any]:
    """A trial without parameters; one that waits, or of an unknown state, will be left out."""
    own = {"number": number, "setting": {}, "y": None, "state": STATES.get(state.lower())}
    return own | {"start": seconds(start), "end": seconds(end)}


def _ended(trial: dict[str, Any], line: Mapping[str, Any]) -> None:
    """Its state changes, once: a second worker that says so is not heard."""
    if trial["state"] in ("running", None):
        trial.update(state=STATES.get(_NUMBERED[line["state"]].lower()), y=_value(line))
        for key, name in (("start", "datetime_start"), ("end", "datetime_complete")):
            if line.get(name):
                trial[key] = seconds(line[name])


def _value(line: Mapping[str, Any]) -> float | None:
    values = line.get("values")
    return values[0] if values else line.get("value")


def seconds(text: str | None) -> float | None:
    """A time in ISO 8601 in seconds; without a zone, as those of one file have the same."""
    return datetime.fromisoformat(text).timestamp() if text else None


def _chosen(studies: Sequence[_Study], name: str | None) -> Run:
    """The study with that name, or the only one."""
    having = {one.name: one for one in studies if one.trials}
    if name is None and len(having) > 1:
        answers = {one: f"{one} ({len(having[one].trials)} trials)" for one in having}
        raise UndecidedError(
            "study", "Which study?", ", ".join(having), answers,
            wanted="one study", remedy="choose one of them",
        )  # fmt: skip
    found = next(iter(having.values()), None) if name is None else having.get(name)
    if found is None:
        wanted = "a study with trials" if name is None else f"a study {name}"
        raise InputError(wanted, ", ".join(having) or "none", "choose another file, or name")
    return found.run()
