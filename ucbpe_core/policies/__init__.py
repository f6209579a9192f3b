"""Rules that choose what to measure next; one line each in `POLICIES`."""

from ucbpe_core.policies.base import Policy
from ucbpe_core.policies.batched_exploration import BatchedPureExploration
from ucbpe_core.policies.decision import BatchContext, Decision, Eligible, Explored, Pick
from ucbpe_core.policies.expected_improvement import EIPE, Recommended
from ucbpe_core.policies.gp_bucb import (
    GPBUCB,
    ConstantLiar,
    KrigingBeliever,
    RandomizedKrigingBeliever,
    information_bound,
)
from ucbpe_core.policies.gp_ucb_pe import GPUCBPE
from ucbpe_core.policies.local_penalization import LocalPenalization
from ucbpe_core.policies.monte_carlo import QEI, QUCB
from ucbpe_core.policies.picking import (
    before_each,
    explore,
    pick_largest,
    pick_upper,
    then_explore,
    without_pending,
)
from ucbpe_core.policies.simple import (
    GPUCB,
    IRGPUCB,
    GreedyUCB,
    PlainUCB,
    PureExploration,
    RandomSearch,
)
from ucbpe_core.policies.simulation_matching import SimulationMatching
from ucbpe_core.policies.thompson_sampling import PIMS, ThompsonSampling
from ucbpe_core.policies.vizier_ucb_pe import VizierUCBPE
from ucbpe_core.support.plugins import Registry, register

POLICIES: Registry[type[Policy]] = Registry("policy", "ucbpe.policies", Policy)
register(GPUCBPE.name, GPUCBPE)
register(GPUCB.name, GPUCB)
register(GreedyUCB.name, GreedyUCB)
register(GPBUCB.name, GPBUCB)
register(SimulationMatching.name, SimulationMatching)
register(EIPE.name, EIPE)
register(ThompsonSampling.name, ThompsonSampling)
register(LocalPenalization.name, LocalPenalization)
register(PureExploration.name, PureExploration)
register(RandomSearch.name, RandomSearch)
register(VizierUCBPE.name, VizierUCBPE)
register(BatchedPureExploration.name, BatchedPureExploration)
register(IRGPUCB.name, IRGPUCB)
register(PIMS.name, PIMS)
register(KrigingBeliever.name, KrigingBeliever)
register(RandomizedKrigingBeliever.name, RandomizedKrigingBeliever)
register(ConstantLiar.name, ConstantLiar)
register(QUCB.name, QUCB)
register(QEI.name, QEI)
register(PlainUCB.name, PlainUCB)
register(Recommended.name, Recommended)

__all__ = [
    "EIPE",
    "GPBUCB",
    "GPUCB",
    "GPUCBPE",
    "IRGPUCB",
    "PIMS",
    "POLICIES",
    "QEI",
    "QUCB",
    "BatchContext",
    "BatchedPureExploration",
    "ConstantLiar",
    "Decision",
    "Eligible",
    "Explored",
    "GreedyUCB",
    "KrigingBeliever",
    "LocalPenalization",
    "Pick",
    "PlainUCB",
    "Policy",
    "PureExploration",
    "RandomSearch",
    "RandomizedKrigingBeliever",
    "Recommended",
    "SimulationMatching",
    "ThompsonSampling",
    "VizierUCBPE",
    "before_each",
    "explore",
    "information_bound",
    "pick_largest",
    "pick_upper",
    "then_explore",
    "without_pending",
]
