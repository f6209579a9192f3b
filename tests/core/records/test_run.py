"""Runs in files: what comes back, and what the files say."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.core.runs import (
    GUIDE,
    assert_equal_fields,
    assert_equal_runs,
    document_of,
    guide_table,
    read,
    small_run,
    text_of,
)
from tests.core.tables import abalone_file
from ucbpe_core import GPUCBPE, Trace, problems, simulate
from ucbpe_core.policies import POLICIES, RandomSearch
from ucbpe_core.problems import PROBLEMS


def refitted(**more: Any) -> Trace:
    """A run whose prior was fitted again before batches 3 and 5."""
    problem = problems.generated_gp(5, nu=2.5, noise_variance=0.1, lengthscale=0.3, resolution=9)
    usual = {"batches": 6, "initial": 5, "seed": 2, "refit_every": 2}
    return simulate(replace(problem, **more), GPUCBPE(3), **usual)


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_comes_back(name: str, tmp_path: Path) -> None:
    """Equal to the last bit; it writes the same file, and runs on as the original would."""
    policy = POLICIES[name]() if name == "GP-UCB" else POLICIES[name](batch_size=3)
    run = small_run(policy)
    run.save(tmp_path / "run.json")
    again = Trace.load(str(tmp_path / "run.json"))
    assert_equal_runs(run, again)
    assert text_of(again) == (tmp_path / "run.json").read_text(encoding="ascii")
    options = {"batches": 3, "initial": 6, "seed": again.seed}
    rerun = simulate(again.problem, again.policy, again.gp, again.beta, **options)
    assert text_of(rerun) == text_of(run)  # whenever it was run


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_problem_comes_back(name: str) -> None:
    """With its axes, grid, citation, own observations and suggested prior."""
    problem = problems.abalone(abalone_file()) if name == "abalone" else PROBLEMS[name]()
    run = simulate(problem, GPUCBPE(2), batches=2, initial=3, seed=1)
    assert_equal_runs(run, Trace.load(io.StringIO(text_of(run))))


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_a_refitted_run_comes_back(direction: str) -> None:
    """Each batch with the posterior of its own prior, from which it decides again as it did."""
    run = refitted(direction=direction)
    again = read(document_of(run))
    assert [t for t, _ in again.refits] == [3, 5]
    assert_equal_runs(run, again)
    sign = 1.0 if direction == "maximize" else -1.0
    for made in again.decisions:
        start = again.posterior_of(made.t).at(made.n)
        anew = again.policy.decide(start.signed(sign), made.t, again.beta)
        np.testing.assert_array_equal(anew.indices, made.indices)
        np.testing.assert_array_equal(anew.region_plus, made.region_plus)
        np.testing.assert_allclose(anew.stds, made.stds, atol=1e-9)


def test_a_grid_is_told_by_its_axes_only_if_it_is_one(run: Trace) -> None:
    """A claim of a grid that the points do not keep costs bytes, not the points."""
    candidates = run.problem.candidates.copy()
    candidates[3, 0] += 1e-12
    bent = replace(run.problem, candidates=candidates)
    for problem, key in ((run.problem, "axes"), (bent, "points")):
        document = document_of(simulate(problem, GPUCBPE(2), batches=1, initial=3))
        written = document["run"]["problem"]["candidates"]
        assert [*written] == [key]
        assert_equal_fields(problem, read(document).problem)
        if key == "axes":  # by the guide's words alone
            first, second = written["axes"]
            for j, x in enumerate(problem.candidates.tolist()):
                assert x == [first[j // len(second)], second[j % len(second)]]


def test_the_size_that_the_guide_states() -> None:
    """30 batches of 10 on a grid of 10,000 candidates."""
    run = simulate(problems.generated_gp(), RandomSearch(10), batches=30, initial=20)
    stated = re.search(r"take ([\d.]+) MB", GUIDE.read_text(encoding="utf-8"))
    assert stated is not None
    assert len(text_of(run)) / 1e6 == pytest.approx(float(stated[1]), rel=0.03)


def leaves(value: Any, path: str, known: dict[str, str]) -> Iterator[str]:
    """Every field that the guide has a line for, or should have."""
    if path in known or not isinstance(value, dict):
        yield path
    else:
        for name, inner in value.items():
            yield from leaves(inner, f"{path}.{name}".lstrip("."), known)


def test_the_guide_has_every_field(document: Any) -> None:
    """No more and no fewer, but for a run that minimises."""
    known = guide_table("JSON, version 1")
    assert set(leaves(document, "", known)) == set(known)
