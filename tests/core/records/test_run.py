"""Runs in files: what comes back, and what the files say."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from tests.core.reference import examples
from tests.core.runs import (
    GUIDE,
    assert_equal_decisions,
    assert_equal_problems,
    assert_equal_runs,
    checksum,
    document_of,
    guide_table,
    read,
    small_run,
    text_of,
)
from tests.core.strategies import Instance, instances
from tests.core.tables import abalone_file
from ucbpe_core import (
    GPUCBPE,
    RBF,
    ConstantBeta,
    FiniteBeta,
    GaussianProcess,
    InputError,
    Policy,
    Trace,
    problems,
    simulate,
)
from ucbpe_core.policies import POLICIES, RandomSearch
from ucbpe_core.problems import PROBLEMS
from ucbpe_core.schedules import CompactBeta


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_comes_back(name: str, tmp_path: Path) -> None:
    """Equal to the last bit; it writes the same file, and runs on as the original would."""
    policy = POLICIES[name]() if name == "GP-UCB" else POLICIES[name](batch_size=3)
    run = small_run(policy)
    run.save(tmp_path / "run.json")
    again = Trace.load(str(tmp_path / "run.json"))
    assert_equal_runs(run, again)
    assert text_of(again) == (tmp_path / "run.json").read_text(encoding="ascii")
    rerun = simulate(
        again.problem, again.policy, again.gp, again.schedule, batches=3, initial=6, seed=again.seed
    )
    assert rerun.digest == run.digest
    # The belief of every batch start is in it: stepping through gives the same decisions.
    for iteration in again.iterations:
        made = iteration.decision
        anew = again.policy.decide(again.posterior.at(made.n), made.t, again.schedule)
        np.testing.assert_array_equal(anew.indices, made.indices)
        np.testing.assert_array_equal(anew.region_plus, made.region_plus)


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_problem_comes_back(name: str) -> None:
    """With its axes, grid, citation, own observations and suggested prior."""
    problem = problems.abalone(abalone_file()) if name == "abalone" else PROBLEMS[name]()
    run = simulate(problem, GPUCBPE(2), batches=2, initial=3, seed=1)
    again = Trace.load(io.StringIO(text_of(run)))
    assert_equal_runs(run, again)
    assert again.problem.optimum_index == problem.optimum_index


@given(instances(dimension=3, size=25, observations=0))
@examples(25)
def test_any_kernel_and_any_candidates_come_back(instance: Instance) -> None:
    """Sums, products, a lengthscale per dimension; repeated candidates, no grid."""
    values = instance.rng.standard_normal(len(instance.candidates))
    table = problems.from_table(instance.candidates, values, noise_variance=0.1)
    batch_size = min(2, len(values))
    run = simulate(table, GPUCBPE(batch_size), instance.gp, batches=2, initial=1, seed=2)
    assert_equal_runs(run, Trace.load(io.StringIO(text_of(run))))


@pytest.mark.parametrize("beta", [FiniteBeta(0.2, 0.5), CompactBeta(b=2.0, r=3), ConstantBeta(3)])
def test_any_schedule_comes_back(beta: Any) -> None:
    """Whole numbers as whole numbers."""
    run = simulate(problems.figure1(), GPUCBPE(2), beta=beta, batches=2, initial=0)
    assert_equal_runs(run, Trace.load(io.StringIO(text_of(run))))


def test_parameters_of_numpy() -> None:
    """A loop over an array hands them over; a file has plain numbers."""
    policy = RandomSearch(2, seed=np.int64(3))  # type: ignore[arg-type]
    beta = ConstantBeta(np.float64(2.5))
    run = simulate(problems.figure1(), policy, beta=beta, batches=1, seed=np.int64(4))  # type: ignore[arg-type]
    document = document_of(run)
    assert (document["policy"]["seed"], document["beta"]["beta"], document["seed"]) == (3, 2.5, 4)
    assert read(document).digest == run.digest


def test_a_grid_is_told_by_its_axes_only_if_it_is_one(run: Trace) -> None:
    """A claim of a grid that the points do not keep costs bytes, not the points."""
    candidates = run.problem.candidates.copy()
    candidates[3, 0] += 1e-12
    bent = replace(run.problem, candidates=candidates)
    for problem, key in ((run.problem, "axes"), (bent, "points")):
        saved = simulate(problem, GPUCBPE(2), batches=1, initial=3)
        assert [*document_of(saved)["problem"]["candidates"]] == [key]
        assert_equal_problems(read(document_of(saved)).problem, problem)


def test_a_policy_of_ones_own_comes_back_once_it_is_registered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A file names no code to import: the program that opens it says what a name means."""
    run = small_run(Own(2))
    with pytest.raises(InputError, match=r"policy of kind GP-UCB-PE, .*got Own"):
        text_of(run)
    monkeypatch.setattr(POLICIES, "_items", {**POLICIES._items})
    POLICIES.register("Own", Own)
    text = text_of(run)
    assert_equal_runs(run, Trace.load(io.StringIO(text)))
    monkeypatch.undo()
    with pytest.raises(InputError, match=r"policy with a kind among GP-UCB-PE, .*got 'Own'"):
        Trace.load(io.StringIO(text))


@dataclass(frozen=True)
class Own(RandomSearch):
    """A policy that this package does not have."""


def test_the_size_that_the_guide_states() -> None:
    """30 batches of 10 on a grid of 10,000 candidates."""
    run = simulate(problems.generated_gp(), RandomSearch(10), batches=30, initial=20)
    stated = re.search(r"take ([\d.]+) MB", GUIDE.read_text(encoding="utf-8"))
    assert stated is not None
    assert len(text_of(run)) / 1e6 == pytest.approx(float(stated[1]), rel=0.03)


def test_other_languages_can_draw_it(run: Trace, document: Any) -> None:
    """By the guide's words alone: plain JSON, integer arithmetic and Base64."""
    axes = document["problem"]["candidates"]["axes"]
    size = len(document["problem"]["values"])
    for j in range(size):
        x = [axes[0][j // len(axes[1])], axes[1][j % len(axes[1])]]
        assert x == run.problem.candidates[j].tolist()
    for batch, iteration in zip(document["batches"], run.iterations, strict=True):
        for name in ("region", "region_plus"):
            content = base64.b64decode(batch[name]["mask"])
            mask = [bool((content[j >> 3] >> (j & 7)) & 1) for j in range(size)]
            assert mask == getattr(iteration.decision, name).tolist()
            assert batch[name]["size"] == sum(mask)


TYPES: dict[str, Callable[[Any], bool]] = {
    "text": lambda value: isinstance(value, str),
    "true or false": lambda value: isinstance(value, bool),
    "whole number": lambda value: type(value) is int,
    "number": lambda value: type(value) in (int, float),
    "number or null": lambda value: value is None or type(value) in (int, float),
    "table": lambda value: isinstance(value, dict),
    "true": lambda value: value is True,
    "list of text": lambda value: all(isinstance(one, str) for one in value),
    "list of numbers": lambda value: all(type(one) in (int, float) for one in value),
    "list of whole numbers": lambda value: all(type(one) is int for one in value),
}


def leaves(value: Any, path: str, known: dict[str, str]) -> Iterator[tuple[str, Any]]:
    """Every field that the guide has a line for, or should have."""
    if path in known or not isinstance(value, (dict, list)):
        yield path, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, f"{path}.{name}".lstrip("."), known)
    else:
        for inner in value:
            yield from leaves(inner, f"{path}[]", known)


@pytest.mark.parametrize("policy", [GPUCBPE(2), RandomSearch(2)])
def test_the_guide_has_every_field_with_its_type(policy: Policy) -> None:
    """No more and no fewer."""
    known = guide_table("JSON, version 1")
    problem = problems.from_table(np.arange(3.0)[:, None], [0.1, 0.5, 0.2])
    gp = GaussianProcess(RBF(), noise_variance=0.0)
    exhausted = simulate(problem, GPUCBPE(2), gp, batches=2, initial=3)
    made = [small_run(policy), exhausted]
    found = [leaf for trace in made for leaf in leaves(document_of(trace), "", known)]
    assert {path for path, _ in found} == set(known)
    for path, value in found:
        assert TYPES[known[path]](value), path


def test_the_code_of_the_guide_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Trace, document: Any
) -> None:
    """Each block of Python."""
    monkeypatch.chdir(tmp_path)
    save, mask, summed = re.findall(
        r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL
    )
    names: dict[str, Any] = {}
    exec(save, names)
    assert_equal_runs(names["trace"], names["again"])
    assert (tmp_path / "run.csv").stat().st_size > 1000
    exec(summed, {})  # it asserts that the checksum is that of the file
    names = {"text": document["batches"][0]["region_plus"]["mask"], "M": len(run.problem.values)}
    exec(mask, names)
    np.testing.assert_array_equal(names["mask"], run.iterations[0].decision.region_plus)


def test_a_run_that_minimises_comes_back() -> None:
    """With y_dot and values in the units of f, and a prior that was fitted again."""
    problem = problems.generated_gp(2, noise_variance=0.04, resolution=5)
    problem = replace(problem, direction="minimize")
    trace = simulate(problem, GPUCBPE(3), batches=4, initial=4, seed=8, refit_every=2)
    again = read(document_of(trace))
    assert document_of(trace)["problem"]["direction"] == "minimize"
    assert_equal_decisions(trace, again)
    assert again.refits == trace.refits
    np.testing.assert_array_equal(again.simple_regret, trace.simple_regret)


def test_noise_variances_of_measurements_come_back(run: Trace, document: Any) -> None:
    """Here each is that of the prior, so that the posterior is the same."""
    fixed = [run.gp.noise_variance] * len(run.y)
    given = {**document, "noise_variances": fixed}
    again = read(given)
    assert again.posterior.known_noise == tuple(fixed)
    assert document_of(again) == given | {"checksum": checksum(given)}
    with pytest.raises(InputError, match="noise_variance of shape"):
        read({**given, "noise_variances": fixed[1:]})
