"""Two processes on one file, and disks that take nothing: no recorded result is lost."""

from __future__ import annotations

import copy
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.core.records.test_files import full_disk, names
from tests.core.runs import assert_equal, assert_same_belief, fresh, rich, truth
from tests.core.study.studies import small
from ucbpe_core import UCBPEError
from ucbpe_core.search.experiment import Experiment
from ucbpe_core.study import Store, execute
from ucbpe_core.study.store import StoreError

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


def test_an_experiment_goes_on_after_a_full_disk(tmp_path: Path) -> None:
    """The file is as it was, and from it or from memory the next batch is the same."""
    path = tmp_path / "experiment.json"
    before = rich()
    before.save(path)
    after = copy.copy(before)
    after.tell([2], truth([2]))
    saved = path.read_bytes()
    with full_disk(), pytest.raises(UCBPEError, match=r"expected .*; got .*; "):
        after.save(path)
    assert path.read_bytes() == saved
    assert names(tmp_path) == ["experiment.json"]
    again = Experiment.load(path)
    assert_equal(again, before)
    again.tell([2], truth([2]))
    again.save(path)
    for one in (again, after):
        one.ask()
    assert_same_belief(again, after)
    assert len(Experiment.load(path).history.measured) == len(before.history.measured) + 1


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
