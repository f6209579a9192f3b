"""Studies as text: what a file says, and what identifies a result."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.core.study.studies import SUGGESTED, small
from ucbpe_core import RBF, ConstantBeta, FiniteBeta, InputError, Matern
from ucbpe_core.kernels import Polynomial
from ucbpe_core.schedules import CompactBeta
from ucbpe_core.study import HyperparameterPlan, PolicyPlan, ProblemPlan, Study, load_study, store

LEAST = """
name = "least"
problems = [{ label = "Curve", problem = "multimodal" }]
policies = [{ label = "PE", policy = "GP-UCB-PE" }]
"""


def read(folder: Path, text: str) -> Study:
    path = folder / "study.toml"
    path.write_text(text, encoding="utf-8")
    return load_study(path)


def test_the_documented_format_is_read(tmp_path: Path) -> None:
    """The example of the docstring is a study, and its values are the defaults it claims."""
    block = str(load_study.__doc__).split("::\n", 1)[1].split("Raises\n", 1)[0]
    study = read(tmp_path, block)
    usual = Study("Two problems", study.problems, study.policies)
    assert study == usual
    assert study.problems[0].hyperparameters == HyperparameterPlan()


@pytest.mark.parametrize("beta", [FiniteBeta(0.2, 0.5), CompactBeta(b=2.0), ConstantBeta(3.0)])
@pytest.mark.parametrize(
    "kernel", [RBF((1.0, 2.0), 3.0), Matern(nu=0.5), Polynomial(3), RBF() + Matern()]
)
def test_json_comes_back(beta: object, kernel: object) -> None:
    """Every key, none at its default, and every kind of schedule and kernel, by way of text."""
    numbers = (100, 2, 1e-3, False, False, 5)  # from points to refit_every
    how = HyperparameterPlan("likelihood", kernel, *numbers)  # type: ignore[arg-type]
    planned = ProblemPlan("Draw", "generated_gp", {"noise_variance": 0.5}, how)
    suggested = ProblemPlan("Curve", "multimodal", hyperparameters=SUGGESTED)
    study = small(beta=beta, problems=[planned, suggested], seed=11)
    assert store.from_dict(json.loads(json.dumps(store.to_dict(study)))) == study


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('name = "least"', "", "keys of a study; got .*'name'"),
        ('label = "PE"', 'label = "PE", K = 3', "keys of a policy among label, .*got K"),
        (
            '"multimodal"',
            '"multimodal", hyperparameters = {fit_mean = 0}',
            "fit_mean true or false; got 0",
        ),
        ('name = "least"', 'name = "x"\nbeta = 4', "beta as a table; got 4"),
        ("policies = [", "policies = [3, ", "policies as a list of tables"),
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
    ("PE", {"name": "other"}),
    ("PE", {"policies": [PolicyPlan("PE", "GP-UCB-PE", {"batch_size": 3}, batches=4)]}),
    ("UCB", {"batches": 9}),  # it says itself how many
]
DIFFERENT = [
    ("PE", {"batches": 5}),
    ("PE", {"beta": FiniteBeta(0.2)}),
    ("PE", {"seed": 1}),
    ("PE", {"policies": [PolicyPlan("PE", "GP-UCB-PE", {"batch_size": 2})]}),
    ("PE", {"problems": [ProblemPlan("Curve", "multimodal", hyperparameters=SUGGESTED)]}),
]


@pytest.mark.parametrize(
    ("policy", "changes", "same"),
    [*((*one, True) for one in SAME), *((*one, False) for one in DIFFERENT)],
)
def test_what_a_result_depends_on(policy: str, changes: dict[str, object], same: bool) -> None:
    """All but names, counts of replicates, and what else is in the study."""
    usual = store.fingerprint(small(), "Curve", policy)
    assert (store.fingerprint(small(**changes), "Curve", policy) == usual) == same
