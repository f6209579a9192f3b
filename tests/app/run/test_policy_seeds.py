"""Runs of links made before `simulate` seeded policies: their picks stay."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from ucbpe_app.run.cache import RunCache, load
from ucbpe_app.run.prior import suggested
from ucbpe_app.run.settings import RunSpec, Settings
from ucbpe_core import GPUCBPE
from ucbpe_core.policies import GPUCB, POLICIES

# Computed by the release before; Thompson sampling's by the first that breaks ties by the index.
PICKS = {
    "Random search": [[251, 427, 477], [471, 38, 138]],
    "Thompson sampling": [[85, 211, 0], [87, 242, 237]],
    "SM-UCB": [[188, 0, 480], [131, 247, 52]],
}


def spec_of(policy: str) -> RunSpec:
    spec = RunSpec(**{**asdict(Settings().spec()), **suggested("multimodal")})
    return replace(spec, policy=policy, batches=2, initial=3, batch_size=3, seed=7)


@pytest.mark.parametrize("policy", PICKS)
def test_a_link_is_still_the_run_that_it_was(policy: str) -> None:
    trace = load(spec_of(policy), cache=RunCache(1)).trace
    assert trace.policy == POLICIES[policy](batch_size=3, seed=0)
    assert [one.indices.tolist() for one in trace.decisions] == PICKS[policy]


def test_only_policies_that_draw_are_given_a_seed() -> None:
    assert spec_of("GP-UCB-PE").build_policy() == GPUCBPE(batch_size=3)
    assert spec_of("GP-UCB").build_policy() == GPUCB()
