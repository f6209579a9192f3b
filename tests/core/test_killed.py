"""Killed at any moment: what was confirmed is there, and what follows is as it would have been."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.core.runs import fresh, truth
from tests.core.study.studies import small
from ucbpe_core.search.experiment import Experiment
from ucbpe_core.study import Store, execute

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
