"""Studies as text: what a file says, and what identifies a result."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.core.study.studies import SUGGESTED, small
from ucbpe_core import RBF, ConstantBeta, FiniteBeta, InputError, Matern
from ucbpe_core.kernels import Polynomial
from ucbpe_core.schedules import CompactBeta
from ucbpe_core.study import HyperparameterPlan, PolicyPlan, ProblemPlan, Study, config, load_study

EVERYTHING = """
name = "Two problems"
replicates = 5
batches = 7
batch_size = 3
initial = 9
seed = 11
beta = { kind = "finite", delta = 0.05, scale = 0.2 }

[[problems]]
label = "Himmelblau"
problem = "himmelblau"
options = { noise_variance = 0.5 }

[problems.hyperparameters]
method = "likelihood"
kernel = { kind = "matern", nu = 2.5, lengthscale = [1.0, 2.0] }
points = 100
starts = 2
least_noise = 1e-3
fit_noise = true
fit_mean = false
refit_every = 5

[[problems]]
label = "Draw"
problem = "generated_gp"
hyperparameters = { method = "suggested" }

[[policies]]
label = "GP-UCB-PE"
policy = "GP-UCB-PE"

[[policies]]
label = "one by one"
policy = "GP-UCB-PE"
options = { batch_size = 1 }
batches = 70
"""
LEAST = """
name = "least"
problems = [{ label = "Curve", problem = "multimodal" }]
policies = [{ label = "PE", policy = "GP-UCB-PE" }]
"""


def read(folder: Path, text: str) -> Study:
    path = folder / "study.toml"
    path.write_text(text, encoding="utf-8")
    return load_study(path)


def test_a_file_says_all_that_a_study_has(tmp_path: Path) -> None:
    """Every key there is."""
    kernel = Matern(nu=2.5, lengthscale=(1.0, 2.0))
    how = HyperparameterPlan(
        "likelihood", kernel, 100, 2, 1e-3, fit_noise=True, fit_mean=False, refit_every=5
    )
    assert read(tmp_path, EVERYTHING) == Study(
        "Two problems",
        [
            ProblemPlan("Himmelblau", "himmelblau", {"noise_variance": 0.5}, how),
            ProblemPlan("Draw", "generated_gp", hyperparameters=SUGGESTED),
        ],
        [
            PolicyPlan("GP-UCB-PE", "GP-UCB-PE"),
            PolicyPlan("one by one", "GP-UCB-PE", {"batch_size": 1}, batches=70),
        ],
        replicates=5,
        batches=7,
        batch_size=3,
        initial=9,
        beta=FiniteBeta(delta=0.05, scale=0.2),
        seed=11,
    )


def test_the_documented_format_is_read(tmp_path: Path) -> None:
    """The example of the docstring is a study, and its values are the defaults it claims."""
    block = str(config.__doc__).split("::\n", 1)[1]
    study = read(tmp_path, block)
    usual = Study("Two problems", study.problems, study.policies)
    assert study == usual
    assert study.problems[0].hyperparameters == HyperparameterPlan()


@pytest.mark.parametrize("beta", [FiniteBeta(0.2, 0.5), CompactBeta(b=2.0), ConstantBeta(3.0)])
@pytest.mark.parametrize(
    "kernel", [RBF((1.0, 2.0), 3.0), Matern(nu=0.5), Polynomial(3), RBF() + Matern()]
)
def test_json_comes_back(beta: object, kernel: object) -> None:
    """Every kind of schedule and kernel, by way of text."""
    how = HyperparameterPlan(kernel=kernel)  # type: ignore[arg-type]
    study = small(beta=beta, problems=[ProblemPlan("Curve", "multimodal", {}, how)])
    assert config.from_dict(json.loads(json.dumps(config.to_dict(study)))) == study


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('name = "least"', "", "keys of a study; got .*'name'"),
        ('name = "least"', 'name = "least"\nworkers = 2', "among name, problems, .*got workers"),
        ('label = "Curve", ', "", "keys of a problem; got .*'label'"),
        ('label = "Curve"', 'label = "Curve", size = 3', "keys of a problem among.*got size"),
        ('label = "PE"', 'label = "PE", K = 3', "keys of a policy among label, .*got K"),
        ('"multimodal"', '"multimodal", hyperparameters = {n = 3}', "method, kernel, .*got n"),
        (
            '"multimodal"',
            '"multimodal", hyperparameters = {kernel = {kind = "cubic"}}',
            "kernel with a kind among rbf, matern, polynomial, .*product, active; got 'cubic'",
        ),
        (
            '"multimodal"',
            '"multimodal", hyperparameters = {kernel = {kind = "rbf", nu = 1}}',
            "kernel of kind rbf among lengthscale, variance; got nu",
        ),
        ('"multimodal"', '"multimodal", hyperparameters = 3', "hyperparameters as a table; got 3"),
        (
            '"multimodal"',
            '"multimodal", hyperparameters = {fit_mean = 0}',
            "fit_mean true or false; got 0",
        ),
        ('name = "least"', 'name = "x"\nbeta = {delta = 1}', "beta with a kind .*got None"),
        ('name = "least"', 'name = "x"\nbeta = 4', "beta as a table; got 4"),
        ("policies = [", "policies = [3, ", "policies as a list of tables"),
        ('label = "Curve"', "label = 3", "labels of problems that are text; got 3"),
        ('label = "Curve"', 'label = "Curve", options = 3', "options of Curve as a table; got 3"),
        ("]", "", "study.toml to be TOML"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, old: str, new: str, what: str) -> None:
    """Keys that are missing or unknown, and values of the wrong kind."""
    assert old in LEAST
    with pytest.raises(InputError, match=what):
        read(tmp_path, LEAST.replace(old, new))


SAME = [
    {"name": "other"},
    {"replicates": 99},
    {"policies": [PolicyPlan("PE", "GP-UCB-PE", {"batch_size": 3}, batches=4)]},
    {"problems": [ProblemPlan("Curve", "multimodal")]},
]
DIFFERENT = [
    {"batches": 5},
    {"batch_size": 4},
    {"initial": 9},
    {"beta": FiniteBeta(0.2)},
    {"seed": 1},
    {"policies": [PolicyPlan("PE", "GreedyUCB")]},
    {"policies": [PolicyPlan("PE", "GP-UCB-PE", {"batch_size": 2})]},
    {"problems": [ProblemPlan("Curve", "thin_peak")]},
    {"problems": [ProblemPlan("Curve", "multimodal", hyperparameters=SUGGESTED)]},
]


@pytest.mark.parametrize("changes", SAME)
def test_what_a_result_does_not_depend_on(changes: dict[str, object]) -> None:
    """Names, counts of replicates, and what else is in the study."""
    changed = config.fingerprint(small(**changes), "Curve", "PE")
    assert changed == config.fingerprint(small(), "Curve", "PE")


@pytest.mark.parametrize("changes", DIFFERENT)
def test_what_a_result_depends_on(changes: dict[str, object]) -> None:
    """All the rest."""
    changed = config.fingerprint(small(**changes), "Curve", "PE")
    assert changed != config.fingerprint(small(), "Curve", "PE")


def test_batches_of_a_policy_are_its_own() -> None:
    """A policy that says how many is not touched by the study's number."""
    study = small()
    assert config.fingerprint(replace(study, batches=9), "Curve", "UCB") == config.fingerprint(
        study, "Curve", "UCB"
    )
