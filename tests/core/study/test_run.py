"""One replicate: common random numbers, what is kept of a run, and whose code it may be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.core.study.studies import HERE, POLICIES, SUGGESTED, small
from ucbpe_core import InputError, Matern, Trace, problems, simulate, use_plugin
from ucbpe_core.gp.fitting import log_marginal_likelihood
from ucbpe_core.study import (
    HyperparameterPlan,
    PolicyPlan,
    ProblemPlan,
    Store,
    Study,
    Task,
    load_study,
    run_task,
)
from ucbpe_core.study import task as run
from ucbpe_core.study.task import attempt, prior_of_replicate
from ucbpe_core.support import plugins
from ucbpe_core.support.streams import study_seeds


def with_plan(how: HyperparameterPlan, **options: object) -> Study:
    """`small`, on one problem with hyperparameters as planned."""
    return small(problems=[ProblemPlan("Draw", "generated_gp", {"resolution": 12, **options}, how)])


@pytest.mark.parametrize("plan", [POLICIES[0], POLICIES[2]], ids=lambda plan: plan.label)
def test_it_is_a_simulation(plan: PolicyPlan) -> None:
    """The result of a run made by hand with the replicate's own seeds, whatever the policy."""
    study = with_plan(SUGGESTED)
    seeds = study_seeds(0, "Draw", 2)
    problem = problems.generated_gp(seeds["function"], resolution=12)
    policy = plan.build(3, seeds["policy"])
    trace = simulate(problem, policy, batches=4, initial=8, seed=seeds["run"])
    result = run_task(study, Task("Draw", plan.label, 2))
    np.testing.assert_array_equal(result.simple, trace.simple_regret)
    np.testing.assert_allclose(result.total.cumsum(), trace.full_cumulative_regret)
    shares = [np.mean(one.region_plus) for one in trace.decisions]
    np.testing.assert_array_equal(result.region_share, shares)
    assert (result.batch_size, result.error) == (policy.batch_size, None)
    assert 0 < result.seconds < 60
    assert not result.simple.flags.writeable


def test_least_noise() -> None:
    """Measurements without noise: the fit stops at the bound, and is the best one there."""
    study = with_plan(HyperparameterPlan(points=60, least_noise=0.05), noise_variance=0.0)
    seeds = study_seeds(0, "Draw", 0)
    problem = problems.generated_gp(seeds["function"], resolution=12, noise_variance=0.0)
    members = np.random.default_rng(seeds["hyperparameters"]).permutation(144)[:60]
    X, y = problem.candidates[members], problem.values[members]
    gp = prior_of_replicate(study, "Draw", 0)
    assert gp.noise_variance == 0.05 * np.var(y)
    best = log_marginal_likelihood(gp, X, y)
    theta = gp.kernel.log_parameters
    for step in (0.1, -0.1):
        for i in range(len(theta)):
            kernel = gp.kernel.with_log_parameters(theta + step * (np.arange(len(theta)) == i))
            assert log_marginal_likelihood(replace(gp, kernel=kernel), X, y) < best
        assert log_marginal_likelihood(replace(gp, mean=gp.mean + step), X, y) < best
    free = prior_of_replicate(
        with_plan(HyperparameterPlan(points=60, least_noise=0.0), noise_variance=0.0), "Draw", 0
    )
    assert free.noise_variance < gp.noise_variance


@pytest.mark.parametrize(("starts", "counted"), [(2, 2), (0, 0), (4, 4), (9, 4)])
def test_initialization_counts_leading_batches(starts: int, counted: int) -> None:
    """Only those before the first other pick: 4 batches, of which `starts` and one more."""
    policy = PolicyPlan("S", f"{HERE}:Starter", {"starts": starts})
    study = small(policies=[policy])
    assert run_task(study, Task("Curve", "S", 0)).initialization == counted


def test_a_factory_that_makes_no_problem() -> None:
    """Is told from a study that runs."""
    study = small(problems=[ProblemPlan("x", f"{HERE}:no_problem")])
    with pytest.raises(InputError, match="to return a Problem; got 3"):
        run_task(study, Task("x", "PE", 0))


def test_a_policy_fits_again_what_it_has_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """One search from the prior in use, the bound on the noise kept; the result says the first."""
    how = HyperparameterPlan(kernel=Matern(nu=2.5), refit_every=1, least_noise=0.3)
    study = with_plan(how, nu=2.5, noise_variance=0.0)
    made: list[Trace] = []

    def keep(*arguments: object, **options: object) -> Trace:
        made.append(simulate(*arguments, **options))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr(run, "simulate", keep)
    run_task(study, Task("Draw", "PE", 0))
    (trace,) = made
    assert [t for t, _ in trace.refits] == list(range(2, len(trace.decisions) + 1))
    assert trace.gp == prior_of_replicate(study, "Draw", 0)
    t, gp = trace.refits[-1]
    told = trace.y[: trace.initial + (t - 1) * trace.policy.batch_size]
    assert gp.noise_variance >= 0.3 * np.var(told) * (1 - 1e-12)
    assert gp != trace.gp


STUDY = """
name = "plugin"
replicates = 2
batches = 2
initial = 3
problems = [{{ label = "P", problem = "{problem}", options = {options} }}]
policies = [{{ label = "R", policy = "Random search" }}]
"""
PLUGIN = """
from ucbpe_core import problems

def mine(seed=0, size=30):
    return problems.generated_gp(seed, resolution=size)
"""


def written(folder: Path, problem: str, options: str = "{}") -> Path:
    path = folder / "study.toml"
    path.write_text(STUDY.format(problem=problem, options=options), encoding="utf-8")
    return path


def run_first(path: Path) -> None:
    """The first run of a study."""
    study = load_study(path)
    attempt(study, study.tasks()[0])


def test_a_study_runs_no_function_that_it_names(folder: Path) -> None:
    """Of the standard library, as a problem whose options are the arguments."""
    trace = folder / "it-ran"
    path = written(folder, "subprocess:getoutput", f'{{ cmd = "touch {trace}" }}')
    with pytest.raises(InputError, match=r"plugin; got none named subprocess; name .*--plugin"):
        run_first(path)
    assert not trace.exists()


def test_a_study_imports_no_module_that_it_names(folder: Path) -> None:
    """Importing one runs it; neither a study nor a store does."""
    (folder / "named_by_a_study.py").write_text("raise SystemExit('it ran')", encoding="utf-8")
    with pytest.raises(InputError, match="none named named_by_a_study"):
        load_study(written(folder, "named_by_a_study:x"))
    (folder / "mine_once.py").write_text(PLUGIN, encoding="utf-8")
    use_plugin("mine_once")
    Store.create_or_open(
        folder / "s.db", small(problems=[ProblemPlan("P", "mine_once:mine")])
    ).close()
    del plugins._modules["mine_once"]
    with pytest.raises(InputError, match="none named mine_once"):
        Store.open(folder / "s.db")


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("random.py", PLUGIN, "an unused module name .* module random; rename the file"),
        ("two words.py", PLUGIN, "two words, not an identifier; rename the file"),
        ("broken_one.py", "1 / 0", "importable; got ZeroDivisionError: division by zero"),
    ],
)
def test_bad_files(folder: Path, name: str, text: str, what: str) -> None:
    before = plugins.plugins()
    (folder / "inner").mkdir()
    file = folder / "inner" / name
    file.write_text(text, encoding="utf-8")
    for _ in range(2):
        with pytest.raises(InputError, match=what):
            use_plugin(str(file))
    assert plugins.plugins() == before
