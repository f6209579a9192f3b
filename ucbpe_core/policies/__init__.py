"""What is queried next: one file per policy, one line per policy in `POLICIES`."""

from ucbpe_core.policies.base import Decision, Pick, Policy, Situation
from ucbpe_core.policies.gp_ucb import GPUCB
from ucbpe_core.policies.gp_ucb_pe import GPUCBPE
from ucbpe_core.policies.greedy_ucb import GreedyUCB
from ucbpe_core.policies.pure_exploration import PureExploration
from ucbpe_core.policies.random_search import RandomSearch

POLICIES: dict[str, type[Policy]] = {
    policy.name: policy for policy in (GPUCBPE, GPUCB, GreedyUCB, PureExploration, RandomSearch)
}

__all__ = [
    "GPUCB",
    "GPUCBPE",
    "POLICIES",
    "Decision",
    "GreedyUCB",
    "Pick",
    "Policy",
    "PureExploration",
    "RandomSearch",
    "Situation",
]
