"""Killed at any moment, two at once, no disk: what was confirmed is there, and it goes on."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.core.records.test_files import full_disk, names
from tests.core.runs import fresh, truth
from tests.core.study.studies import small
from ucbpe_core.search.experiment import Experiment
from ucbpe_core.study import Store, execute
from ucbpe_core.study.store import StoreError

ROUNDS = 6


def killed(act: Callable[[int], None], seed: int, longest: float) -> int:
    """How many bytes `act` wrote to the descriptor that it is given, before it was killed.

    That is at most `longest` seconds after it began.
    """
    reading, writing = os.pipe()
    begun, beginning = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            os.write(beginning, b".")
            act(writing)
        finally:
            os._exit(0)
    for descriptor in (writing, beginning):
        os.close(descriptor)
    os.read(begun, 1)
    os.close(begun)
    time.sleep(random.Random(seed).uniform(0.0, longest))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with open(reading, "rb") as confirmed:  # noqa: PTH123 - a descriptor
        return len(confirmed.read())


def kill_experiments(folder: Path, rounds: int) -> int:
    """Kill a process that asks, measures and saves; return how many results were confirmed."""
    path, confirmed = folder / "experiment.json", 0
    unharmed = fresh()
    fresh().save(path)
    start = time.monotonic()
    timed = Experiment.load(path)
    measure_one(timed)
    timed.save(folder / "timed.tmp")
    longest = 4 * (time.monotonic() - start)  # slow machines get as far

    def measure(descriptor: int) -> None:
        while True:
            experiment = Experiment.load(path)
            measure_one(experiment)
            experiment.save(path)
            os.write(descriptor, b".")

    for seed in range(rounds):
        confirmed += killed(measure, seed, longest)
        kept = Experiment.load(path)
        told = len(kept.history.measured) - len(fresh().history.measured)
        assert confirmed <= told <= confirmed + 1  # one may be saved and not yet confirmed
        confirmed = told
        while len(unharmed.history.measured) < len(kept.history.measured):
            measure_one(unharmed)
        data = [one.datum for one in kept.history.measured]
        assert data == [one.datum for one in unharmed.history.measured]
        assert kept.pending == unharmed.pending
    assert [one.name for one in folder.iterdir() if one.suffix != ".tmp"] == [path.name]
    return confirmed


def measure_one(experiment: Experiment) -> None:
    """Another measurement, of the next batch where this one is complete."""
    if not experiment.pending:
        experiment.ask()
    first = list(experiment.pending)[:1]
    experiment.tell(first, truth(first))


def kill_studies(folder: Path, rounds: int) -> int:
    """Kill processes that run studies; return how many studies were finished so."""
    path, study, finished = folder / "0.db", small(), 0
    with Store.create_or_open(folder / "unharmed.db", study) as store:
        whole = execute(study, store, workers=0).seconds  # with imports, which are not killed
        expected = store.digest()
    Store.create_or_open(path, study).close()

    def go_on(_: int) -> None:
        with Store.create_or_open(path, study) as store:
            execute(study, store, workers=0)

    for seed in range(rounds):
        with Store.open(path) as store:
            before = len(store.missing())
        killed(go_on, seed, whole / 4)
        with Store.open(path) as store:
            assert len(store.missing()) <= before
            if not store.missing():
                assert store.digest() == expected
                finished += 1
                path = folder / f"{finished}.db"
                Store.create_or_open(path, study).close()
    with Store.create_or_open(path, study) as store:  # the last one ends unharmed
        execute(study, store, workers=0)
        assert store.digest() == expected
    return finished


def alone(kind: str, folder: Path, rounds: int) -> int:
    """In a process of its own: it is forked, and pytest's has threads."""
    code = f"import tests.core.test_killed as t; from pathlib import Path; print(t.{kind}"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}(Path({str(folder)!r}), {rounds}))"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.parametrize("rounds", [ROUNDS, pytest.param(200, marks=pytest.mark.slow)])
def test_no_confirmed_measurement_is_lost(tmp_path: Path, rounds: int) -> None:
    assert alone("kill_experiments", tmp_path, rounds) > rounds / 4


@pytest.mark.parametrize("rounds", [ROUNDS, pytest.param(200, marks=pytest.mark.slow)])
def test_a_study_goes_on_as_if_nothing_had_been(tmp_path: Path, rounds: int) -> None:
    assert alone("kill_studies", tmp_path, rounds) >= rounds // 100


ROOT = Path(__file__).parents[2]
# Measures candidate after candidate; where somebody else saved meanwhile, the step is taken again.
MEASURE = """
import sys
from tests.core.runs import truth
from ucbpe_core import Experiment, InputError
path, first, refused = sys.argv[1], int(sys.argv[2]), 0
for j in range(first, first + 12):
    while True:
        experiment = Experiment.load(path)
        experiment.tell([j], truth([j]))
        try:
            experiment.save(path)
            break
        except InputError as error:
            assert "steps in" in str(error), error
            refused += 1
print(refused)
"""
STUDY = """
import sys
from tests.core.study.studies import small
from ucbpe_core.study import Store, execute
with Store.create_or_open(sys.argv[1], small()) as store:
    execute(small(), store, workers=0)
"""


def together(code: str, *arguments: list[Any]) -> list[str]:
    """What processes print that run the code at once, each with its arguments."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code, *map(str, given)],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for given in arguments
    ]  # fmt: skip
    ended = [process.communicate() for process in started]
    for process, (_, errors) in zip(started, ended, strict=True):
        assert process.returncode == 0, errors
    return [output for output, _ in ended]


def test_results_of_two_processes_are_all_in_the_experiment(tmp_path: Path) -> None:
    path = tmp_path / "experiment.json"
    fresh().save(path)
    together(MEASURE, [path, 0], [path, 12])
    kept = Experiment.load(path)
    data = kept.history.data
    expected = Counter([*(one.index for one in fresh().history.data), *range(24)])
    assert Counter(one.index for one in data) == expected
    assert all(one.y == pytest.approx(truth([one.index])[0], rel=1e-12) for one in data)
    assert names(tmp_path) == ["experiment.json"]


@pytest.mark.slow
def test_two_processes_run_one_study(tmp_path: Path) -> None:
    """Some tasks are run twice, and the results are those of one process."""
    with Store.create_or_open(tmp_path / "one.db", small()) as store:
        execute(small(), store, workers=0)
        expected = store.digest()
    together(STUDY, [tmp_path / "both.db"], [tmp_path / "both.db"])
    with Store.open(tmp_path / "both.db") as store:
        assert store.missing() == []
        assert store.digest() == expected


def test_a_study_goes_on_after_its_store_could_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk, then a file without permission: it ends as if nothing had been."""
    path, study = tmp_path / "study.db", small(replicates=2)
    with Store.create_or_open(tmp_path / "whole.db", study) as store:
        execute(study, store, workers=0)
        expected = store.digest()
    with (
        Store.create_or_open(path, study) as store,
        full_disk(200),
        pytest.raises(StoreError, match="stored results are kept"),
    ):
        execute(study, store, workers=0)
    connect = sqlite3.connect
    with monkeypatch.context() as patch:  # the superuser may write to any file
        patch.setattr(
            sqlite3, "connect", lambda path, **how: connect(f"file:{path}?mode=ro", uri=True, **how)
        )
        with pytest.raises(StoreError, match="readonly database; open it for writing"):
            Store.create_or_open(path, study)
        with Store.open(path) as store:
            before = store.missing()
    with Store.create_or_open(path, study) as store:
        assert store.missing() == before
        execute(study, store, workers=0)
        assert store.digest() == expected
