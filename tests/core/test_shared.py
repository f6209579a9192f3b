"""Batches that share a setting: brute force, every policy, partial batches, files and refusals."""

from __future__ import annotations

import io
import math
import warnings
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
import pytest

from tests.core.reference import Booleans, Floats, dense, dense_std
from tests.core.runs import policy_of
from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BoxBandit,
    ConstantBeta,
    Experiment,
    FewerPicksWarning,
    GaussianProcess,
    InputError,
    Matern,
    Trace,
    problems,
    simulate,
)
from ucbpe_core.errors import NothingLeftError
from ucbpe_core.history.workers import Workers
from ucbpe_core.policies import EIPE, POLICIES, GreedyUCB, LocalPenalization, PureExploration
from ucbpe_core.search.experiment import Design, Plan, Table
from ucbpe_core.search.simulation import replay_decisions
from ucbpe_core.spaces import Category, Integer, Real, Space, SumConstraint
from ucbpe_core.study import PolicyPlan, ProblemPlan, Study, run_task
from ucbpe_core.study.store import fingerprint, from_dict, to_dict

BETA = ConstantBeta(1.0)
POLICIES_OF_4 = {name: policy_of(name, 4) for name in POLICIES}
OVEN = {"heat": Real(20, 80), "rate": Real(0.001, 1, log=True), "parts": Integer(1, 5)}
OVEN |= {"acid": Category(("a", "b"))}


@dataclass
class Brute:
    """A table by dense solves: what is told, pending and gone, and a batch of a rule by hand."""

    gp: GaussianProcess
    X: Floats
    rule: str
    K: int
    avoid: bool
    told: list[int] = field(default_factory=list)
    y: list[float] = field(default_factory=list)
    pending: list[int] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)

    def batch(self, candidates: Booleans) -> tuple[list[int], float]:
        """The picks among these candidates, and the sum of their scores."""
        mean = dense(self.gp, self.X[self.told], np.array(self.y), self.X)[0]
        start = self._std([])
        root = math.sqrt(BETA.beta)
        region_plus = mean + 2 * root * start >= (mean - root * start).max()
        picks, total = list[int](), 0.0
        for k in range(self.K):
            std = self._std(picks)
            free = candidates.copy()
            free[self.gone] = False
            if self.avoid:
                free[[*self.told, *self.pending, *picks]] = False
            score = std
            if self.rule == "greedy" or (self.rule == "pe" and k == 0):
                score = mean + root * std
            elif self.rule == "pe" and (free & region_plus).any():
                free &= region_plus
            if not free.any():
                break
            picks.append(int(np.where(free, score, -np.inf).argmax()))
            total += score[picks[-1]]
        return picks, float(total)

    def _std(self, picks: list[int]) -> Floats:
        return dense_std(self.gp, self.X[[*self.told, *self.pending, *picks]], self.X)

    def shared(self, columns: list[int], by: str) -> list[int]:
        """The picks of a batch whose coordinates in these columns are equal."""
        if by == "first":
            picks, _ = self.batch(np.ones(len(self.X), dtype=bool))
            return self.batch((self.X[:, columns] == self.X[picks[0], columns]).all(axis=1))[0]
        best: tuple[list[int], float] = [], -np.inf
        for x in self.X[:, columns]:
            picks, total = self.batch((self.X[:, columns] == x).all(axis=1))
            if (len(picks), total) > (len(best[0]), best[1] + 1e-9):
                best = picks, total
        return best[0]


RULES = {"pe": GPUCBPE, "greedy": GreedyUCB, "std": PureExploration}


def small_table(seed: int) -> tuple[Bandit, Brute, list[int], str]:
    """A bandit over a random table, the same by hand, the columns shared, and how."""
    rng = np.random.default_rng(seed)
    levels = [rng.permutation(9)[: rng.integers(2, 4)] * 10.0 for _ in range(2)]
    X = np.array([(a, b, 0) for a, b in product(*levels) for _ in range(rng.integers(1, 5))])
    X[:, 2] = rng.random(len(X))
    X = rng.permutation(X)
    avoid = bool(rng.integers(2))
    noise = 0.0 if avoid else 0.05
    gp = GaussianProcess(Matern((30.0, 40.0, 0.3)), noise, mean=float(rng.normal()))
    rule, by = str(rng.choice(list(RULES))), str(rng.choice(["first", "sum"]))
    columns, K = [[0], [1], [0, 1]][rng.integers(3)], int(rng.integers(2, 5))
    bandit = Bandit(
        X, gp, RULES[rule](K), BETA,
        repeats="avoid" if avoid else "allow",
        shared=[f"input {j + 1}" for j in columns], shared_by=by,  # type: ignore[arg-type]
    )  # fmt: skip
    told = rng.choice(len(X), 2, replace=False).tolist()
    brute = Brute(gp, X, rule, K, avoid, told, [*rng.normal(size=2)])
    bandit.tell(told, brute.y)
    return bandit, brute, columns, by


def test_groups_and_picks_are_those_of_brute_force() -> None:
    """200 tables, three batches each: told in part, withdrawn and failed, the rest pending."""
    met = Counter[str]()
    for seed in range(200):
        bandit, brute, columns, by = small_table(seed)
        rng = np.random.default_rng([seed, 1])
        bandit.silence()
        for _ in range(3):
            expected = brute.shared(columns, by)
            if not expected:
                with pytest.raises(NothingLeftError):
                    bandit.ask()
                met["nothing left"] += 1
                break
            picks = bandit.ask().indices.tolist()
            assert picks == expected, seed
            met[by] += 1
            met["fewer"] += len(picks) < brute.K
            met["not the first pick's"] += by == "sum" and picks != brute.shared(columns, "first")
            done = {"told": [picks[0]], "withdrawn": picks[1:2], "failed": picks[2:3]}
            y = rng.normal(size=1)
            bandit.tell(done["told"], y)
            bandit.withdraw(done["withdrawn"])
            bandit.fail(done["failed"], "the oven broke")
            brute.told += done["told"]
            brute.y += y.tolist()
            brute.gone += done["withdrawn"] + done["failed"]
            brute.pending += picks[3:]
            assert sorted(bandit.pending) == sorted(brute.pending)
    assert min(met["first"], met["sum"]) > 100
    assert min(met["fewer"], met["not the first pick's"]) > 20
    assert met["nothing left"] > 0


def test_where_r_plus_has_none_of_a_group_it_is_all_of_the_group() -> None:
    """Three deviations of 1 are more than one bound of 2.2, though 0 + 2 does not reach y_dot."""
    X = [[0, 0], [0, 0.1], [50, 0], [50, 9], [50, 18]]
    bandit = Bandit(
        X, GaussianProcess(RBF(1.0), 1e-4), GPUCBPE(3), BETA, shared=["input 1"], shared_by="sum"
    )
    bandit.tell([0, 1], [2.2, 2.2])
    decision = bandit.ask()
    assert decision.region_plus.tolist() == [True, True, False, False, False]
    assert decision.indices.tolist() == [2, 3, 4]
    assert decision.roles == ("ucb", "pe", "pe")
    assert [trial.in_region_plus for trial in bandit.history.outstanding] == [False] * 3


@pytest.mark.parametrize("by", ["first", "sum"])
@pytest.mark.parametrize("name", POLICIES)
def test_all_picks_of_a_batch_agree(name: str, by: str) -> None:
    rng = np.random.default_rng(2)
    X = np.array([[a, b, *rng.random(2)] for a in (20, 40, 60) for b in (1, 2) for _ in range(5)])
    bandit = Bandit(
        rng.permutation(X), GaussianProcess(Matern((20.0, 1.0, 0.5, 0.5)), 0.05),
        POLICIES_OF_4[name], BETA, shared=["input 2", "input 1"], shared_by=by,  # type: ignore[arg-type]
    )  # fmt: skip
    bandit.tell([0, 7, 20], [0.3, 1.2, -0.4])
    seen = set()
    for _ in range(4):
        decision = bandit.ask()
        assert len(decision.indices) == bandit.policy.batch_size
        assert len(set(map(tuple, decision.points[:, :2].tolist()))) == 1
        seen.add(tuple(decision.points[0, :2]))
        bandit.withdraw(decision.indices[3:])
        bandit.tell(decision.indices[:2], rng.normal(size=len(decision.indices[:2])))
    if name == "Random search":
        assert len(seen) > 1


@pytest.mark.parametrize("shared", [("heat",), ("parts", "acid")])
@pytest.mark.parametrize("name", POLICIES)
def test_all_picks_over_a_box_agree(name: str, shared: tuple[str, ...]) -> None:
    space = Space.of(OVEN, feasible=lambda one: one["acid"] == "a" or one["heat"] < 66)
    prior = space.prior([{"heat": 30, "rate": 0.01, "parts": 2, "acid": "a"}], [1.0])
    box = BoxBandit(
        space, prior, POLICIES_OF_4[name], BETA, samples=128, starts=2, fit="never", shared=shared
    )
    rng = np.random.default_rng(3)
    for _ in range(2):
        settings = box.ask().settings
        assert settings is not None
        assert len(settings) == box.policy.batch_size
        assert len({tuple(one[key] for key in shared) for one in settings}) == 1
        assert all(space.feasible(one) for one in settings)  # type: ignore[misc]
        box.withdraw(box.pending[3:])
        box.tell(box.pending[:2], rng.normal(size=len(box.pending[:2])))


@pytest.mark.parametrize("noise", [0.0, 0.01])
@pytest.mark.parametrize("name", ["GP-UCB-PE", "GreedyUCB", "EI-PE", "GP-BUCB", "Pure exploration"])
def test_on_whole_numbers_a_box_picks_as_among_candidates(name: str, noise: float) -> None:
    """Told in part and withdrawn, four batches each."""
    space = Space.of({"n": Integer(0, 5), "acid": Category(("a", "b")), "m": Integer(-3, 3)})
    X = space.points(space.every())
    gp = GaussianProcess(Matern((2.0, 1.0, 1.0, 1.5), nu=2.5), noise)
    policy = policy_of(name, 3) if name != "GP-BUCB" else POLICIES[name](3, initialization=False)
    box = BoxBandit(
        space, gp, policy, BETA, samples=128, starts=2, fit="never", repeats="allow",
        shared=("acid", "n"),
    )  # fmt: skip
    plan = Plan(gp, policy, BETA, fit="never", repeats="allow", shared=("n", "acid"))
    table = Table.of(Design(space.names, space.inputs), rows=X)  # type: ignore[arg-type]
    experiment = Experiment(table, plan)
    y = np.sin(X @ [1.0, 0.3, -0.3, 0.8])
    box.tell(None, y[[3, 40]], points=X[[3, 40]])
    experiment.tell([3, 40], y[[3, 40]])
    box.silence()
    experiment.silence()
    for _ in range(4):
        found, expected = box.ask(), experiment.ask()
        np.testing.assert_array_equal(found.points, expected.points)
        assert found.roles == expected.roles
        box.tell(found.indices[:2], y[expected.indices[:2]])
        experiment.tell(expected.indices[:2], y[expected.indices[:2]])
        box.withdraw()
        experiment.withdraw()


def test_over_a_box_the_rest_explores_r_plus_with_the_setting_of_the_first_pick() -> None:
    gp = GaussianProcess(Matern((0.3, 0.3), nu=2.5), 1e-4)
    options = {"samples": 512, "starts": 4, "fit": "never"}
    free, oven = (
        BoxBandit([(0, 1)] * 2, gp, GPUCBPE(4), BETA, shared=shared, **options)  # type: ignore[arg-type]
        for shared in ((), ("x0",))
    )
    X = np.random.default_rng(4).random((25, 2))
    for box in (free, oven):
        box.tell(None, -((X - 0.6) ** 2).sum(axis=1) * 8, points=X)
    found = oven.ask()
    np.testing.assert_allclose(found.points[0], free.ask().points[0], atol=1e-12)
    assert found.y_dot == free.ask().y_dot
    (x0,) = set(found.points[:, 0])
    line = np.stack([np.full(2001, x0), np.linspace(0, 1, 2001)], axis=1)
    told = oven.process
    there = told.predict(line)
    inside = there.mean + 2 * np.sqrt(found.beta_next) * there.std >= found.y_dot
    assert 0 < inside.sum() < 2001
    for k in range(1, 4):
        given = np.concatenate([told.X, found.points[:k]])
        std = gp.condition(given, np.zeros(len(given))).predict(line).std
        assert found.stds[k] == pytest.approx(std[inside].max(), rel=2e-3)


def test_inputs_of_a_sum_can_be_shared() -> None:
    inputs = {"oil": (0.1, 0.9), "water": (0.0, 0.8), "sand": (0.0, 0.5), "heat": (20, 80)}
    sums = [SumConstraint(("oil", "water", "sand"), 1.0)]
    box = BoxBandit(
        inputs, GaussianProcess(Matern((0.3, 0.3, 0.3, 20.0))), GPUCBPE(4), BETA,
        sums=sums, samples=64, starts=1, shared=("water",), fit="never",
    )  # fmt: skip
    for _ in range(2):
        points = box.ask().points
        assert len(set(points[:, 1])) == 1
        np.testing.assert_allclose(points[:, :3].sum(axis=1), 1.0)
        box.tell(box.pending, np.cos(points[:, 0] * 7))
    one_left = BoxBandit(
        {"oil": (0.1, 0.9), "water": (0.0, 0.9)}, GaussianProcess(RBF(0.3)), GPUCBPE(3), BETA,
        sums=[SumConstraint(("oil", "water"), 1.0)], samples=64, shared=("oil",), fit="never",
    )  # fmt: skip
    with pytest.warns(FewerPicksWarning, match="1 picks and no more: .* same oil"):
        assert len(one_left.ask().indices) == 1


def test_a_smaller_group_gives_fewer_picks_and_says_so() -> None:
    X = [[20, 1], [20, 2], [60, 1], [60, 2], [60, 3]]
    gp = GaussianProcess(Matern((20.0, 1.0)), 0.01)
    bandit = Bandit(X, gp, LocalPenalization(3), shared=["input 1"])
    bandit.tell([3, 4], [-5.0, -5.0])
    with pytest.warns(FewerPicksWarning, match="2 picks and no more"):
        assert sorted(bandit.ask().indices) == [0, 1]
    bandit.shared_by = "sum"  # the largest batches are compared
    bandit.tell([0], [0.0])
    assert sorted(bandit.ask().indices) == [2, 3, 4]
    bandit.shared = ()
    bandit.tell([2], [0.0])
    assert len(bandit.ask().indices) == 3


def test_before_there_is_a_result_a_batch_shares_its_setting_too() -> None:
    rows = Design(("heat", "dose"), (Real(20, 80, step=20), Real(1, 100, log=True)), most=200)
    plan = Plan.recommended(Table.of(rows).domain)
    for shared in ("heat", "dose"):
        experiment = Experiment(Table.of(rows), replace(plan, shared=(shared,)))
        for _ in range(3):
            decision = experiment.ask()
            settings = experiment.table.settings(decision.indices.tolist())
            assert len(settings) == 4
            assert len({one[shared] for one in settings}) == 1
            assert len({tuple(one.values()) for one in settings}) > 1
            experiment.tell(decision.indices, [one["heat"] + one["dose"] for one in settings])


def test_values_equal_but_for_rounding_are_one_setting() -> None:
    assert 0.1 + 0.2 != 0.3
    rows = [[0.1 + 0.2, 0], [0.1 + 0.2, 1], [0.3, 2], [0.3, 3], [0.8, 0], [0.8, 1]]
    bandit = Bandit(rows, GaussianProcess(RBF((1.0, 0.1))), PureExploration(4), shared=["input 1"])
    bandit.tell([4, 5], [0.0, 0.0])
    assert sorted(bandit.ask().indices) == [0, 1, 2, 3]


@pytest.mark.parametrize("by", ["first", "sum"])
def test_files_give_the_next_batch(by: str) -> None:
    rows = Design(("heat", "acid"), (Real(20, 80, step=10), Category(("a", "b"))), most=99)
    table = Table.of(rows)
    gp = GaussianProcess(Matern((20.0, 1.0, 1.0)), 0.01)
    plan = Plan(gp, EIPE(3), BETA, fit="never", shared=("acid",), shared_by=by)  # type: ignore[arg-type]
    bandit = Bandit(table.candidates, gp, EIPE(3), BETA, shared=["input 1"], shared_by=by)  # type: ignore[arg-type]
    box = BoxBandit(OVEN, GaussianProcess(RBF(20.0)), EIPE(3), BETA, shared=("acid",), samples=64)
    for search in (Experiment(table, plan), bandit, box):
        search.tell(search.ask().indices[:2], [0.4, 0.1])
        search.withdraw()
        file = io.StringIO()
        search.save(file)
        again = type(search).load(io.StringIO(file.getvalue()))
        assert again.history == search.history
        assert again.shared == search.shared != ()
        np.testing.assert_array_equal(again.ask().points, search.ask().points)
    experiment = Experiment(table, plan)
    experiment.replan(replace(plan, shared=()))
    experiment.undo()
    assert experiment.plan.shared == ("acid",)


def test_simulated_runs_share_too() -> None:
    problem = problems.himmelblau()
    trace = simulate(problem, GPUCBPE(4), batches=4, initial=5, shared=["x"], shared_by="sum")
    free = simulate(problem, GPUCBPE(4), batches=4, initial=5)
    for made in trace.decisions:
        assert len(set(made.points[:, 0])) == 1
    assert any(len(set(made.points[:, 0])) > 1 for made in free.decisions)
    file = io.StringIO()
    trace.save(file)
    again = Trace.load(io.StringIO(file.getvalue()))
    assert again.digest == trace.digest != free.digest
    assert again.history.plan.shared == ("x",)
    held = replay_decisions(again)
    for made, same in zip(trace.decisions, held.decisions, strict=True):
        np.testing.assert_array_equal(made.indices, same.indices)
    assert "that share x" in trace._repr_html_()


def test_a_study_compares_shared_and_free_batches() -> None:
    policies = [
        PolicyPlan("free", "GP-UCB-PE"),
        PolicyPlan("first", "GP-UCB-PE", shared=["x"]),
        PolicyPlan("sum", "GP-UCB-PE", shared=["x"], shared_by="sum"),
    ]
    given = [ProblemPlan("Himmelblau", "himmelblau")]
    study = Study("Oven", given, policies, replicates=1, batches=2, batch_size=3)
    assert from_dict(to_dict(study)) == study
    assert len({fingerprint(study, "Himmelblau", plan.label) for plan in policies}) == 3
    totals = {task.policy: run_task(study, task).total[1] for task in study.tasks()}
    assert len(set(totals.values())) > 1
    # A study from before has the same results.
    assert "shared" not in str(to_dict(replace(study, policies=policies[:1])))


def test_what_cannot_be_shared_is_refused_and_changes_nothing() -> None:
    X, gp = [[20, 1], [20, 2], [60, 1]], GaussianProcess(Matern((20.0, 1.0)), 0.01)
    bandit = Bandit(X, gp, GPUCBPE(2), shared=["input 1"])
    before = bandit.history
    for shared, message in (
        (["heat"], "names in shared among input 1, input 2; got 'heat'"),
        (["input 2", "input 1"], "an input that a batch does not share; got all of them"),
        (["input 1", "input 1"], "names in shared that differ"),
        ("input 1", "a tuple of names in shared"),
        ([1], "shared to be text"),
    ):
        with pytest.raises(InputError, match=message):
            bandit.shared = shared  # type: ignore[assignment]
        with pytest.raises(InputError, match=message):
            Bandit(X, gp, GPUCBPE(2), shared=shared)  # type: ignore[arg-type]
    with pytest.raises(InputError, match='shared_by "first" or "sum"'):
        bandit.shared_by = "last"  # type: ignore[assignment]
    with pytest.raises(InputError, match="a box has more groups than can be compared"):
        BoxBandit(OVEN, GaussianProcess(RBF()), GPUCBPE(2), shared=("heat",)).shared_by = "sum"
    assert bandit.history is before


def test_results_one_by_one_cannot_share() -> None:
    X, gp = [[20, 1], [20, 2], [60, 1]], GaussianProcess(Matern((20.0, 1.0)), 0.01)
    bandit = Bandit(X, gp, GPUCBPE(2), shared=["input 1"])
    with pytest.raises(InputError, match="batches of 2, whose picks share input 1; got 1 picks"):
        bandit.fill()
    assert len(bandit.fill(2).indices) == 2  # a whole batch, with nothing running
    with pytest.raises(InputError, match="while 2 are running"):
        bandit.fill(2)
    problem = problems.himmelblau()
    with pytest.raises(InputError, match="leave shared out"):
        simulate(problem, GPUCBPE(3), batches=2, shared=["x"], workers=Workers())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulate(problem, GPUCBPE(3), batches=2, shared=["x"], workers=Workers(together=True))


def test_a_simulated_batch_is_never_smaller() -> None:
    problem = problems.from_table([[a, b] for a in range(4) for b in range(2)], np.arange(8.0))
    with pytest.raises(InputError, match="at least 3 candidates for a batch; got 2 with"):
        simulate(problem, LocalPenalization(3), batches=1, initial=1, shared=[problem.axes[0]])


@pytest.mark.parametrize("name", [name for name in POLICIES if name != "GP-BUCB"])
def test_a_box_without_noise_is_searched_to_its_end(name: str) -> None:
    """Each setting is proposed once, in batches of what is left of a group. GP-BUCB needs noise."""
    space = Space.of(
        {"n": Integer(1, 3), "acid": Category(("a", "b")), "m": Integer(1, 3)},
        feasible=lambda one: one["n"] != 2 or one["acid"] != "b",
    )
    box = BoxBandit(
        space, GaussianProcess(Matern((2.0, 1.0, 1.0, 2.0), nu=1.5), 0.0), POLICIES_OF_4[name],
        BETA, samples=64, starts=1, fit="never", shared=("acid", "n"),
    )  # fmt: skip
    asked = list[tuple[object, ...]]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerPicksWarning)
        while len(asked) < 15:
            decision = box.ask()
            settings = space.settings(decision.points)
            assert len({(one["acid"], one["n"]) for one in settings}) == 1
            asked += [tuple(one.values()) for one in settings]
            box.withdraw(decision.indices[1:2])
            kept = [0, *range(2, len(settings))]
            box.tell(decision.indices[kept], np.sin(decision.points[kept].sum(axis=1)))
    assert len(set(asked)) == len(asked) == 15
    with pytest.raises(NothingLeftError):
        box.ask()
