"""Readers take time in proportion to what they read, not to its square."""

from __future__ import annotations

import contextlib
import io
import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.core.runs import document_of, fresh
from ucbpe_app import lessons
from ucbpe_app.lessons import lesson as files
from ucbpe_app.links import decode as decode_link
from ucbpe_app.problem.results import read_results
from ucbpe_app.problem.sheets.draft import read_lines
from ucbpe_app.race.link import decode_race
from ucbpe_core import Bandit, Trace, UCBPEError
from ucbpe_core.files import history as file
from ucbpe_core.search.experiment import Experiment
from ucbpe_core.study import load_study
from ucbpe_core.tables.dialect import escape
from ucbpe_core.tables.parse import parse

TIME = "2024-05-31T14:05:00+00:00"
SHEET = parse("a,b\n1,2\n3,4\n")


def study(text: str) -> object:
    return load_study(io.StringIO(text))


def text(document: Any) -> io.StringIO:
    return io.StringIO(json.dumps(document))


def unread(n: int) -> object:
    """An unknown field in each of n steps: all are looked at."""
    document = document_of(fresh())
    document["history"]["steps"] = [{"kind": "undo", "time": TIME}] * n + [{"unknown": "x"}]
    return Experiment.load(text(document))


def journal(n: int) -> object:
    """n steps to undo and redo."""
    document = document_of(fresh())
    document["history"]["steps"] += [{"kind": "undo"}, {"kind": "redo"}] * (n // 2)
    del document["history"]["checksum"]
    experiment = Experiment.load(text(document))
    assert len(experiment.journal) > n
    return experiment


def batches(n: int) -> object:
    """n batches of three picks, each answered before the next is asked, then undone."""
    asking = fresh()
    asking.ask()
    document = document_of(asking)
    *_, asked = document["history"]["steps"]
    for t in range(1, n):
        picks = [{**pick, "t": t} for pick in asked["added"]]
        told = [
            {"number": number, "trial": {**pick, "y": 0.5, "state": "done", "place": number}}
            for number, pick in enumerate(picks, start=3 * t - 1)
        ]
        later = [{**pick, "t": t + 1} for pick in picks]
        batch = {**asked["batches"][0], "t": t + 1, "n": 3 * t + 2}
        document["history"]["steps"] += [{"changed": told}, {"batches": [batch], "added": later}]
    document["history"]["steps"] += [{"kind": "undo"}] * n
    del document["history"]["checksum"]
    history = file.read(text(document)).history
    assert len(history.trials) == 3 * (n // 2) + 2
    return history


# What each reads has a length of about n.
READERS: dict[str, tuple[int, Callable[[int], object]]] = {
    "a dotted key of TOML": (500, lambda n: study("a" + ".a" * n + "=1")),
    "a table header of TOML": (500, lambda n: study("[a" + ".a" * n + "]")),
    "quotes of TOML": (2000, lambda n: study("'\"" * n)),
    "spaces in numbers of lines": (2000, lambda n: read_lines("1" + " " * n + "2", SHEET)),
    "a table with quotes": (500, lambda n: parse('"a","b"\n' + '"1","x\ny"\n' * n)),
    "a table with names twice": (500, lambda n: parse("a," * 50 + ("\n" + "1," * 50) * (n // 50))),
    "a quote that does not close": (3000, lambda n: parse('"' + "a\n" * n)),
    "results": (300, lambda n: read_results("candidate,y\n" + "1,2\n" * n, fresh())),
    "a formula of apostrophes": (5000, lambda n: escape("'" * n + "=")),
    "a link with many values": (200, lambda n: decode_link("hide=" + "x," * n)),
    "a link with many fields": (2000, lambda n: decode_race("a=1&" * n)),
    "deep JSON": (4000, lambda n: Trace.load(io.StringIO("[" * n))),
    "long numbers of JSON": (4000, lambda n: Trace.load(io.StringIO("9" * n))),
    "many fields of JSON": (2000, lambda n: Bandit.load(text({f"k{i}": 1 for i in range(n)}))),
    "a journal that is not read": (200, unread),
    "a journal": (200, journal),
    "a journal of batches": (25, batches),
}  # fmt: skip


def seconds(read: Callable[[int], object], n: int) -> float:
    """The least of three, of this process alone."""
    least = float("inf")
    for _ in range(3):
        start = time.process_time()
        _ignoring(read, n)
        least = min(least, time.process_time() - start)
    return least


@pytest.mark.parametrize("what", READERS)
def test_time_grows_as_the_input_does(what: str) -> None:
    """Sixteen times the input would take 256 times as long if time grew with its square.

    What takes less than a twentieth of a second, the most of what could be measured, is fast.
    """
    n, read = READERS[what]
    once, many = seconds(read, n), seconds(read, 16 * n)
    assert many < max(0.05, 80 * once), f"{once:.4f} s and {many:.4f} s"


def _ignoring(read: Callable[[int], object], n: int) -> None:
    with contextlib.suppress(UCBPEError):
        read(n)


def test_a_lesson_of_the_largest_size() -> None:
    """It is refused by its size before it is read, as other uploads are."""
    with pytest.raises(files.LessonError, match="at most 64 kB"):
        lessons.read("#" * (files.LARGEST + 1), "lesson")
