"""What is queried next: one file per policy, one line per policy in `POLICIES`."""

from ucbpe_core.plugins import Registry
from ucbpe_core.policies.base import BatchContext, Policy
from ucbpe_core.policies.decision import Decision, Pick
from ucbpe_core.policies.ei_pe import EIPE
from ucbpe_core.policies.gp_bucb import GPBUCB, information_bound
from ucbpe_core.policies.gp_ucb import GPUCB
from ucbpe_core.policies.gp_ucb_pe import GPUCBPE
from ucbpe_core.policies.greedy_ucb import GreedyUCB
from ucbpe_core.policies.local_penalization import LocalPenalization
from ucbpe_core.policies.pure_exploration import PureExploration
from ucbpe_core.policies.random_search import RandomSearch
from ucbpe_core.policies.simulation_matching import SimulationMatching
from ucbpe_core.policies.thompson_sampling import ThompsonSampling

POLICIES: Registry[type[Policy]] = Registry("policy", "ucbpe.policies", Policy)
POLICIES.register(GPUCBPE.name, GPUCBPE)
POLICIES.register(GPUCB.name, GPUCB)
POLICIES.register(GreedyUCB.name, GreedyUCB)
POLICIES.register(GPBUCB.name, GPBUCB)
POLICIES.register(SimulationMatching.name, SimulationMatching)
POLICIES.register(EIPE.name, EIPE)
POLICIES.register(ThompsonSampling.name, ThompsonSampling)
POLICIES.register(LocalPenalization.name, LocalPenalization)
POLICIES.register(PureExploration.name, PureExploration)
POLICIES.register(RandomSearch.name, RandomSearch)

__all__ = [
    "EIPE",
    "GPBUCB",
    "GPUCB",
    "GPUCBPE",
    "POLICIES",
    "BatchContext",
    "Decision",
    "GreedyUCB",
    "LocalPenalization",
    "Pick",
    "Policy",
    "PureExploration",
    "RandomSearch",
    "SimulationMatching",
    "ThompsonSampling",
    "information_bound",
]
