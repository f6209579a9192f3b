"""The answers of docs/syllabus.md, computed."""

from __future__ import annotations

import numpy as np

from ucbpe_core import GPUCBPE, ConstantBeta, FiniteBeta, problems, simulate
from ucbpe_core.policies import GreedyUCB


def test_exercises_1_and_2() -> None:
    """Bounds, regions and the batch of five independent candidates."""
    mean = np.array([0.2, 1.0, 0.9, -1.5, 0.05])
    std = np.array([1.0, 0.35, 0.5, 0.4, 0.1])
    noise, root_beta = 0.1, 2.0

    upper, lower = mean + root_beta * std, mean - root_beta * std
    region = upper >= lower.max()
    region_plus = mean + 2 * root_beta * std >= lower.max()
    picks = [int(np.argmax(upper))]
    for _ in range(2):
        std[picks[-1]] = np.sqrt(1 / (1 / std[picks[-1]] ** 2 + 1 / noise))
        picks.append(int(np.argmax(np.where(region_plus, std, -np.inf))))

    assert round(lower.max(), 2) == 0.3
    assert "".join(np.array(list("ABCDE"))[region]) == "ABC"
    assert "".join(np.array(list("ABCDE"))[region_plus]) == "ABCE"
    assert "".join("ABCDE"[j] for j in picks) == "ACB"
    assert std[:3].round(2).tolist() == [0.30, 0.35, 0.27]


def test_exercise_3() -> None:
    """The std of a candidate, and what the mean moves by."""
    covariance = np.array([[1.0, 0.6], [0.6, 1.0]])
    variance = 1.0 - covariance[0, 1] ** 2 / (1.0 + 0.25)
    assert round(variance, 3) == 0.712
    assert round(variance**0.5, 2) == 0.84
    assert round(covariance[0, 1] / 1.25, 2) == 0.48


def test_exercise_4() -> None:
    """How far below the maximum a search with a small and a large beta ends."""
    problem = problems.generated_gp_1d(seed=3)

    def shortfall(beta):
        trace = simulate(problem, GPUCBPE(3), beta=beta, batches=8, initial=3, seed=4)
        return trace.running_minimum[-1]

    assert round(shortfall(ConstantBeta(0.25)), 2) == 0.48
    assert shortfall(ConstantBeta(9.0)) < 0.01
    assert FiniteBeta(delta=0.1)(t=8, size=len(problem.candidates), dimension=1) > 9


def test_exercise_5() -> None:
    """Who loses less on the way, and who misses the peak, over 16 seeds."""

    def runs(problem, policy):
        return [simulate(problem, policy, batches=10, initial=4, seed=seed) for seed in range(16)]

    def lost(traces):
        return np.mean([trace.batch_cumulative_regret[-1] for trace in traces])

    def missed(traces):
        return sum(trace.running_minimum[-1] > 0.1 for trace in traces)

    hills, peak = problems.multimodal(), problems.thin_peak()
    careful, greedy = runs(hills, GPUCBPE(5)), runs(hills, GreedyUCB(5))
    assert missed(careful) == missed(greedy) == 0
    assert 0.4 < lost(greedy) / lost(careful) < 0.6
    assert (missed(runs(peak, GPUCBPE(5))), missed(runs(peak, GreedyUCB(5)))) == (4, 15)
