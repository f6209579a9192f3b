"""What a pick maximised: the pick itself is first by it, for every policy that gives values."""

from __future__ import annotations

import numpy as np
import pytest

from tests.app.run.sentences.test_claims import far
from ucbpe_app.run.criterion import Criterion, criterion, read, rows
from ucbpe_app.run.events import Kind
from ucbpe_app.run.replay import Replay
from ucbpe_core import GPUCBPE, RBF, ConstantBeta, GaussianProcess, problems, simulate
from ucbpe_core.gp.ties import TIE
from ucbpe_core.policies import EIPE, GPBUCB, GPUCB, POLICIES, PlainUCB, Policy, SimulationMatching
from ucbpe_core.problems import Problem

CASES: dict[str, Policy] = {
    **{
        name: kind() if kind is GPUCB else kind(batch_size=4)  # type: ignore[call-arg]
        for name, kind in POLICIES.items()
    },
    "GP-BUCB, no initialisation": GPBUCB(4, initialization=False),
    "SM-UCB, few points visited": SimulationMatching(6, trajectories=1),
}
WITHOUT_VALUES = {"ts", "lp", "match", "random", "phase pe"}
WITHOUT_VALUES |= {"pims", "believer", "randomised", "upper", "liar", "qucb", "qei"}


@pytest.fixture(scope="module", params=[*CASES, "shared, first", "shared, sum"], ids=str)
def replay(request: pytest.FixtureRequest) -> Replay:
    if (by := request.param.removeprefix("shared, ")) != request.param:
        problem, options = far("minimize"), {"beta": ConstantBeta(0.25), "shared": ["x1"]}
        return Replay(simulate(problem, GPUCBPE(4), shared_by=by, batches=3, initial=2, **options))
    trace = simulate(problems.multimodal(), CASES[request.param], batches=3, initial=3, seed=1)
    return Replay(trace)


def at(replay: Replay, i: int) -> Criterion | None:
    return criterion(replay, replay.frame(i))


def test_the_pick_is_the_best_eligible_candidate_by_its_criterion(replay: Replay) -> None:
    for i, event in enumerate(replay.events):
        if event.kind is not Kind.PICK:
            continue
        rule, decision = at(replay, i), replay.trace.decisions[event.t - 1]
        assert rule is not None
        assert (rule.k, rule.role) == (event.k, decision.roles[event.k])
        pick = int(decision.indices[event.k])
        assert rule.eligible[pick]
        assert (rule.values is None) == (rule.role in WITHOUT_VALUES)
        if rule.values is None:
            assert rule.rank(pick) is rule.share(pick) is None
            assert np.isnan(rule.largest)
            continue
        assert rule.values[pick] == rule.largest
        assert rule.largest == pytest.approx(decision.scores[event.k], rel=1e-12)
        assert np.flatnonzero(rule.eligible & (rule.values == rule.largest))[0] == pick
        assert rule.rank(pick) == (1, rule.eligible.sum())
        assert rule.share(pick) == 1


def test_the_rank_of_a_candidate_that_does_not_share() -> None:
    trace = simulate(
        far(), GPUCBPE(3), beta=ConstantBeta(0.25), batches=1, initial=2, shared=["x1"]
    )
    replay, pick = Replay(trace), trace.decisions[0].points[0, 0]
    frame = replay.frame(3)
    names = {j: rows(replay.scene, read(replay, frame, j), truth=False)[-2] for j in range(18)}
    for j, row in names.items():
        where = f"in R⁺ where x1 = {pick:.3g}"
        shares = trace.problem.candidates[j, 0] == pick and trace.decisions[0].region_plus[j]
        assert (f" {where} by std σ" in row.value) == shares
        assert (row.value == f"none: not {where}") == (not shares)


def test_an_upper_bound_ties_within_the_ties_of_the_mean_and_of_its_stds() -> None:
    """So the tolerance grows as sqrt(beta) does, at the same data."""
    found = []
    for beta in (1.0, 4.0, 9.0):
        options = {"beta": ConstantBeta(beta), "batches": 1, "initial": 3, "seed": 1}
        rule = at(Replay(simulate(problems.multimodal(), PlainUCB(2), **options)), 1)
        assert rule is not None
        found.append(rule.tolerance)
    assert found[2] - found[1] == pytest.approx(found[1] - found[0], rel=1e-3)
    assert found[0] < found[1]


def test_only_picks_inside_the_region_are_bounded_by_it(replay: Replay) -> None:
    uses = replay.trace.policy.uses_region
    for i, event in enumerate(replay.events):
        rule = at(replay, i)
        if rule is None:
            assert event.kind is Kind.OBSERVE
            continue
        decision = replay.trace.decisions[event.t - 1]
        bounded = uses and event.kind is Kind.PICK and event.k > 0
        everywhere, x = np.ones(len(rule.eligible), dtype=bool), replay.scene.candidates[:, 0]
        shared, by = replay.trace.history.plan.shared, replay.trace.history.plan.shared_by
        if shared and (by == "sum" or rule.k):
            everywhere = x == x[decision.indices[0]]
        inside = everywhere & decision.region_plus if bounded else everywhere
        np.testing.assert_array_equal(rule.eligible, inside if inside.any() else everywhere)
        assert rule.where.startswith(" in R⁺") == (bounded and inside.any())
        assert ("where x1 =" in rule.where) == (not everywhere.all())


def test_before_the_first_pick_counts_its_criterion_is_in_force(replay: Replay) -> None:
    for t in (1, 2, 3):
        start = replay.batch_start(t)
        first = at(replay, start + 1)
        assert first is not None
        before = [start]
        if replay.events[start + 2].kind is Kind.REGION:
            before.append(start + 2)
        for i in before:
            rule = at(replay, i)
            assert rule is not None
            assert (rule.k, rule.role, rule.name) == (0, first.role, first.name)
            if first.values is not None:
                np.testing.assert_array_equal(rule.values, first.values)


def test_expected_improvement_is_an_expectation() -> None:
    """By simulation of f at each candidate."""
    replay = Replay(simulate(problems.multimodal(), EIPE(3), batches=2, initial=3, seed=1))
    frame = replay.frame(replay.batch_start(2) + 1)
    rule = criterion(replay, frame)
    assert rule is not None
    assert rule.values is not None
    best = frame.mean[frame.observed].max()
    draws = np.random.default_rng(0).standard_normal(200_000)
    for j in (frame.picks[0].index, 100, 300):
        gains = np.maximum(frame.mean[j] + frame.std[j] * draws - best, 0)
        error = 5 * gains.std() / np.sqrt(len(draws))
        assert rule.values[j] == pytest.approx(gains.mean(), abs=error + 1e-12)


def test_ranks_are_places_in_the_sorted_order() -> None:
    replay = Replay(simulate(problems.multimodal(), GPUCBPE(4), batches=3, initial=3, seed=1))
    i = next(i for i, e in enumerate(replay.events) if (e.t, e.kind, e.k) == (3, Kind.PICK, 2))
    rule = at(replay, i)
    assert rule is not None
    assert rule.values is not None
    assert 0 < rule.eligible.sum() < len(rule.eligible)
    members = np.flatnonzero(rule.eligible)
    order = members[np.argsort(-rule.values[members], kind="stable")]
    for place in (0, 1, 7, len(order) - 1):
        assert rule.rank(int(order[place])) == (place + 1, len(members))
    outside = int(np.flatnonzero(~rule.eligible)[0])
    assert rule.rank(outside) is None
    assert rule.share(outside) == 0
    least, largest = rule.values[members].min(), rule.values[members].max()
    middle = int(order[len(order) // 2])
    assert rule.share(int(order[-1])) == 0
    assert rule.share(middle) == pytest.approx((rule.values[middle] - least) / (largest - least))


def test_equal_values_share_the_first_rank() -> None:
    values, everywhere = np.array([2.0, 1.0, 2.0]), np.ones(3, dtype=bool)
    rule = Criterion(0, "ucb", "upper bound", values, everywhere)
    assert [rule.rank(j) for j in range(3)] == [(1, 3), (3, 3), (1, 3)]
    flat = Criterion(0, "pe", "std", np.ones(3), everywhere)
    assert [flat.share(j) for j in range(3)] == [1, 1, 1]


@pytest.mark.parametrize("policy", [GPUCBPE(4), EIPE(4)])
def test_a_pick_that_ties_for_the_best_is_first(policy: Policy) -> None:
    """On symmetric data values differ in their last digits; the lowest index is picked."""
    x = np.linspace(-1.0, 1.0, 101)[:, None]
    flat = np.zeros(101)
    gp = GaussianProcess(RBF(0.3), 1e-4)
    problem = Problem("Flat", x, flat, 0.0, gp, "", observed=[30, 50, 70], observed_y=flat[:3])
    trace = simulate(problem, policy, batches=2, initial=0, seed=0)
    replay, tied = Replay(trace), 0
    for i, event in enumerate(replay.events):
        rule = at(replay, i)
        if rule is None or rule.values is None or event.kind is not Kind.PICK:
            continue
        pick = int(trace.decisions[event.t - 1].indices[event.k])
        rank, _ = rule.rank(pick) or (0, 0)
        assert rank == 1
        tied += (rule.rank(100 - pick) or (0, 0))[0] == 1 and pick != 50
    assert tied


def test_the_tolerance_of_an_improvement_is_in_units_of_the_improvement() -> None:
    """Above rounding at the candidate with the largest, where mean and std have tolerances."""
    replay = Replay(simulate(problems.multimodal(), EIPE(2), batches=2, initial=3, seed=1))
    at_picks = [i for i, event in enumerate(replay.events) if event.kind is Kind.PICK]
    tolerances = [
        found.tolerance / found.values.max()
        for found in (criterion(replay, replay.frame(i)) for i in at_picks)
        if found is not None and found.name == "expected improvement" and found.values is not None
    ]
    assert len(tolerances) == 2
    assert all(TIE < share < 1e-3 for share in tolerances)


def test_the_shares_of_all_candidates_are_those_of_each(replay: Replay) -> None:
    for i, event in enumerate(replay.events):
        rule = at(replay, i)
        if event.kind is not Kind.PICK or rule is None:
            continue
        shares, M = rule.shares, len(rule.eligible)
        if rule.values is None:
            assert shares is None
            continue
        assert shares is not None
        assert shares.shape == (M,)
        assert shares.min() == 0 or rule.eligible.all()
        assert not shares[~rule.eligible].any()
        values = rule.values[rule.eligible]
        expected = (values - values.min()) / np.ptp(values) if np.ptp(values) else 1.0
        np.testing.assert_allclose(shares[rule.eligible], expected, rtol=1e-12)
