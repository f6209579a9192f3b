"""Files that are damaged, cut short, foreign or meant badly: each is refused, and says why."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.core.runs import changed, read, signed, told_with
from ucbpe_core import GaussianProcess, InputError, Matern, Trace

STEP, STEPS = "history.steps.0", "history.steps[0]"
KERNEL = f"{STEP}.plans.0.gp.kernel"
PICK = f"{STEP}.added.6"
PROBLEM = "run.problem"


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        ("name", "mine", "the fields of a trace, and no others"),
        ("run.seed", -1, "$.run.seed of at least 0; got -1"),
        (f"{PROBLEM}.axes", [], "a name for each input and the output at $.run.problem.axes"),
        (f"{PROBLEM}.grid", [49, 2], "a grid of 49 points; got (49, 2)"),
        (f"{PROBLEM}.grid", [-7, -7], "a length at $.run.problem.grid of at least 1; got -7"),
        (f"{PROBLEM}.candidates.points.1", [0.5], "candidates"),
        (
            KERNEL,
            {"kind": "polynomial", "degree": 10**400, "offset": 1.0, "variance": 1.0},
            "a prior within the range of numbers; got int too large to convert to float",
        ),
        (
            KERNEL,
            {"kind": "polynomial", "degree": 10**6, "offset": 9.0, "variance": 1.0},
            "a posterior within the range of double precision; got a prior variance that overflows",
        ),
        (
            f"{STEP}.plans.0.repeats",
            "avoid",
            f"expected 'allow' at $.{STEPS}.plans[0].repeats",
        ),
        (f"{STEP}.batches.1.n", 8, "expected 9 at $.history.steps[0].batches[1].n; got 8"),
        (
            f"{STEP}.batches.1.beta_next",
            -1.0,
            f"at least 0 at $.{STEPS}.batches[1].beta_next",
        ),
        (f"{PICK}.y", ..., "a measurement at each pick at $.history.steps[0]"),
    ],
)
def test_a_bad_field_is_refused(document: Any, path: str, value: Any, what: str) -> None:
    """Named, with what was expected there and what was found."""
    with pytest.raises(InputError, match=re.escape(what)) as caught:
        read(changed(document, path, value))
    assert caught.value.expected
    assert caught.value.got
    assert caught.value.remedy


def told_late(history: Any) -> None:
    """A measurement that was not asked for, after the picks."""
    trials = history["added"]
    trials.append(trials.pop(0))
    for place, trial in enumerate(trials):
        trial["place"] = place


def planned(**changes: Any) -> Callable[[Any], None]:
    """One more plan."""
    return lambda history: history["plans"].append({**history["plans"][0], "since": 1, **changes})


@pytest.mark.parametrize(
    "damage",
    [
        lambda history: history["added"].insert(0, history["added"].pop(1)),
        told_late,
        planned(since=0),
        planned(since=3),
        planned(beta={"kind": "constant", "beta": 4.0, "scale": 1.0}),
        lambda history: history["batches"].clear(),
    ],
)
def test_a_history_that_no_run_can_have_is_refused(
    document: Any, damage: Callable[[Any], None]
) -> None:
    damaged = json.loads(json.dumps(document))
    damage(damaged["history"]["steps"][0])
    with pytest.raises(InputError, match=r"at \$\.history"):
        read(damaged)


def test_an_altered_file_is_refused(document: Any) -> None:
    """Whatever was altered: a value, a name, or what the rest of the file would contradict."""
    assert document == signed(document)
    for path, value in (
        ("run.problem.name", "another"), ("run.problem.values.7", 0.25), ("id", "0123"),
        (f"{KERNEL}.left.variance", 0.2), (f"{STEP}.batches.1.y_dot", 0.5), (f"{PICK}.y", 1.0),
        ("checksum", "0"), ("history.checksum", "0"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=r"checksum .*; .* an unchanged copy"):
            Trace.load(io.StringIO(json.dumps(changed(document, path, value))))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (
            lambda run: {
                "history": replace(run.history, plans=(replace(run.history.plan, gp=STRANGE),))
            },
            "kernel of kind rbf, .*Strange",
        ),
        (lambda run: {"history": told_with(run, _9={"y": None}).history}, "at each pick at"),
        (lambda run: {"history": told_with(run, _9={"score": np.inf}).history}, "range of floats"),
        (lambda run: {"seed": float("nan")}, "seed to be a whole number; got nan"),
        (lambda run: {"problem": replace(run.problem, grid=(-7, -7))}, "of at least 1; got -7"),
    ],
)
def test_what_cannot_be_read_back_is_not_written(
    run: Trace, tmp_path: Path, change: Callable[[Trace], Any], what: str
) -> None:
    """And an earlier file of that name stays what it was."""
    path = tmp_path / "run.json"
    path.write_text("kept", encoding="ascii")
    with pytest.raises(InputError, match=what):
        replace(run, **change(run)).save(path)
    assert path.read_text(encoding="ascii") == "kept"


class Strange(Matern):
    """A kernel that this package does not have."""


STRANGE = GaussianProcess(Strange())
