"""The studies are those that the paper describes."""

from __future__ import annotations

import pytest

from tools.reproduction import paper
from ucbpe_core.study.store import from_dict, to_dict


@pytest.mark.parametrize("name", paper.STUDIES)
def test_every_study_can_be_written_down_and_read_again(name):
    study = paper.STUDIES[name]()
    assert from_dict(to_dict(study)) == study


def test_section_5_has_the_settings_of_the_paper():
    study = paper.section5()
    assert (study.batch_size, study.initial, study.replicates) == (10, 20, 64)
    assert study.batches >= 60
    assert {plan.hyperparameters.kernel.parameter_names for plan in study.problems} == {
        ("lengthscale", "variance")
    }
    assert study.policies[0].label == paper.REFERENCE
    labels = [plan.label for plan in study.problems]
    assert labels == [
        "Generated GP", "Gaussian mixture", "Himmelblau", "Mackey-Glass", "Tsunamis", "Abalone"
    ]  # fmt: skip
