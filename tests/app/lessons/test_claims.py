"""Whatever a lesson says is true of the run that it opens, by the numbers of that run.

Each test is named after its lesson; the last one sees that none is without.
"""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import import_module
from itertools import pairwise

import numpy as np
import pytest

from tests.app.lessons.texts import asked, sentences
from ucbpe_app.lessons import Lesson, check, find, offered, plain
from ucbpe_app.links import decode, query_of, restore
from ucbpe_app.run.cache import RunCache, load
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.frames import Frame
from ucbpe_app.run.notation import event_of
from ucbpe_app.run.replay import Replay
from ucbpe_app.widgets.session import Session
from ucbpe_core import fit_hyperparameters, simulate, theory
from ucbpe_core.history.workers import Workers
from ucbpe_core.policies.schedules import ConstantBeta
from ucbpe_core.problems import printed_figure1
from ucbpe_core.study import HyperparameterPlan, PolicyPlan, ProblemPlan, Study, run_task, summarise

RUNS = RunCache(60)
Array = np.ndarray


def lesson(slug: str) -> Lesson:
    found = find(slug)
    assert found is not None
    return found


def answer(slug: str) -> str:
    return " ".join(one.answer for one in lesson(slug).questions)


def run(slug: str, **changes: object) -> Replay:
    """The run of a lesson, or of the link in its caption that changes these settings."""
    own = lesson(slug)
    if not changes:
        return load(own.spec(), cache=RUNS)
    (change,) = {
        tuple(link.settings.items()): link for link in own.links if dict(link.settings) == changes
    }.values()
    return load(own.changed(change), cache=RUNS)


def at(replay: Replay, event: str) -> Frame:
    return replay.frame(replay.events.index(event_of(event)))


def says(slug: str, *parts: str) -> None:
    """The caption or the answer has these words, which the test goes on to prove."""
    words = f"{plain(lesson(slug).caption)} {answer(slug)}".replace("\u00a0", " ")
    assert all(part in words for part in parts), (parts, words)


def leads(slug: str, words: str) -> tuple[dict[str, object], Event]:
    """Where the link of these words leads."""
    own = lesson(slug)
    (change,) = (
        span.change
        for spans in own.caption
        for span in spans
        if span.change and span.words.replace("\u00a0", " ") == words
    )
    return dict(change.settings), change.event or own.event


def outside(replay: Replay, frame: Frame, std: Array | None = None) -> float:
    """The share of X on which f is outside the band, of the std on screen or of `std`."""
    width = frame.sqrt_beta * (frame.std if std is None else std)
    return float(np.mean(np.abs(replay.trace.problem.values - frame.mean) > width))


def keeps_optimum(replay: Replay, t: int) -> tuple[bool, bool]:
    """Whether the maximum is in R, and in R+, of batch t."""
    decision = replay.trace.decisions[t - 1]
    index = replay.trace.problem.optimum_index
    assert decision.region is not None
    assert decision.region_plus is not None
    return bool(decision.region[index]), bool(decision.region_plus[index])


def share(replay: Replay, t: int) -> float:
    """R+ of batch t, in percent of X, as it is printed."""
    region = replay.trace.decisions[t - 1].region_plus
    assert region is not None
    return round(100 * float(region.mean()))


def test_start() -> None:
    says(
        "start",
        "measured at three places",
        "of four points, the first",
        "Batch 2 finds the top, to within 0.004",
    )
    replay = run("start")
    assert len(replay.trace.decisions[0].indices) == 4
    assert len(at(replay, "1.posterior").observed) == 3
    first, *others = replay.trace.decisions[0].indices
    frame = at(replay, "1.pick.0")
    assert first == np.argmax(frame.upper)
    for k, other in enumerate(others, start=1):
        std = at(replay, f"1.pick.{k}").std_now
        assert std[other] == std[replay.trace.decisions[0].region_plus].max()
    assert np.flatnonzero(replay.trace.simple_regret < 0.004)[0] == 2 - 1
    assert frame.sqrt_beta == 2  # the band of the picture and of the caption's regret
    # The answer: after the first pick the band around it is narrower than elsewhere.
    shrunk = at(replay, "1.pick.1").std_now
    assert shrunk[first] < 0.1 * frame.std[first]
    assert shrunk[others[0]] > 5 * shrunk[first]


def test_figure_1() -> None:
    printed = printed_figure1()
    assert printed.shape == (51, 3)
    session = Session(lesson("figure-1"))
    frame, trace = session.frame, session.replay.trace
    rows = [int(np.argmin(np.abs(trace.problem.candidates[:, 0] - x))) for x in printed[:, 0]]
    np.testing.assert_allclose(trace.problem.candidates[rows, 0], printed[:, 0], atol=1e-12)
    np.testing.assert_allclose(frame.mean[rows], printed[:, 1], atol=1e-10)
    band = frame.mean + frame.sqrt_beta * np.sqrt(frame.std**2 + trace.gp.noise_variance)
    np.testing.assert_allclose(band[rows], printed[:, 2], atol=1e-10)
    assert "noisy" in lesson("figure-1").layers
    says("figure-1", "narrow near the four measurements", "μ ± 2", "all this is narrower")
    assert frame.sqrt_beta == 2
    far = np.abs(trace.problem.candidates - trace.problem.candidates[frame.observed].T).min(axis=1)
    assert frame.std[frame.observed].max() < 0.11
    assert frame.std[far > 0.3].min() > 0.2
    assert np.all(at(session.replay, "2.posterior").std <= frame.std)
    assert trace.gp.noise_variance == 0.01


def test_figure_2() -> None:
    session = Session(lesson("figure-2"))
    frame = session.frame
    assert (frame.event.kind, frame.event.k) == (Kind.PICK, 1)
    assert [pick.role for pick in frame.picks] == ["ucb", "pe"]
    assert frame.y_dot == frame.lower.max()
    assert frame.region is not None
    assert frame.region_plus is not None
    assert 0 < frame.region.sum() <= frame.region_plus.sum() < len(frame.mean)
    x0, x1 = (pick.index for pick in frame.picks)
    assert x0 == int(np.argmax(frame.upper))
    # The dashed bounds: narrower around x0, before any value is seen, and widest in R+ at x1.
    assert frame.std_now[x0] < 0.5 * frame.std[x0]
    assert np.all(frame.std_now <= frame.std)
    assert frame.std_now[x1] == frame.std_now[frame.region_plus].max()
    # "x1 is far from the top of the band."
    assert frame.upper[x1] < frame.upper.max() - 0.5


def test_regions() -> None:
    says("regions", "R now is 33 % of X", "the next R 19 %")
    replay = run("regions")
    now, following = at(replay, "5.region"), at(replay, "6.region")
    assert lesson("regions").event == now.event
    for frame, words, percent in ((now, "R now", 33), (following, "the next R", 19)):
        assert leads("regions", words) == ({}, frame.event)
        assert frame.region is not None
        assert round(100 * frame.region.mean()) == percent
        np.testing.assert_array_equal(frame.region, frame.upper >= frame.y_dot)
    decisions = replay.trace.decisions
    for before, after in pairwise(decisions):
        assert not np.any(after.region & ~before.region_plus)
    # The answer: outside R+ twice the band, that of t + 1, stays below y•.
    doubled = now.mean + 2 * np.sqrt(now.beta_next) * now.std
    assert np.all(doubled[~now.region_plus] < now.y_dot)
    assert now.y_dot <= replay.trace.problem.optimum


def test_batch_size() -> None:
    says("batch-size", "within 0.01", "batch 2, after 20 measurements", "it takes 10")
    ten, one = run("batch-size"), run("batch-size", batch_size=1, batches=20)
    for replay, K, t in ((ten, 10, 2), (one, 1, 10)):
        assert replay.trace.policy.batch_size == K
        near = replay.trace.running_minimum < 0.01
        assert list(near).index(True) == t - 1
    assert leads("batch-size", "batch 2")[1].t == 2
    assert leads("batch-size", "One at a time")[1].t == 5 * 2


def test_lengthscale_long() -> None:
    slug = "lengthscale-long"
    says(slug, "lengthscale 3", "After 11 measurements", "is outside the band on 80 % of X")
    replay, right = run(slug), run(slug, lengthscale=0.65)
    frame = at(replay, "3.posterior")
    assert len(frame.observed) == 11
    assert round(100 * outside(replay, frame)) == 80
    for t in range(1, 9):
        assert outside(right, at(right, f"{t}.posterior")) == 0
    # The answer: most crosses are outside, and the fit finds a much shorter one.
    at_crosses = np.abs(frame.observed_y - frame.mean[frame.observed])
    assert np.mean(at_crosses > frame.sqrt_beta * frame.std[frame.observed]) > 0.5
    every, y = replay.trace.problem.candidates, frame.observed_y
    fit = fit_hyperparameters(replay.trace.gp, every[frame.observed], y, domain=every)
    assert fit.gp.kernel.lengthscale < 1  # type: ignore[attr-defined]


def test_one_by_one() -> None:
    slug = "one-by-one"
    says(
        slug, "one point four times", "add up to 16.8", "with GP-UCB-PE to 17.3", "14 points are",
        "and 8 in batches",
    )  # fmt: skip
    says(slug, "27.1 against 12.3", "Four workers", "the 32 results")
    plain_ucb, pe = run(slug).trace, run(slug, policy="GP-UCB-PE").trace
    batches = run(slug, results="in batches").trace
    pe_batches = replace(lesson(slug).spec(), policy="GP-UCB-PE", results="in batches").simulate()
    runs = (plain_ucb, pe, batches, pe_batches)
    assert [len(trace.y) - trace.initial for trace in runs] == [32] * 4
    sums = [round(float(trace.full_cumulative_regret[-1]), 1) for trace in runs]
    assert sums == [16.8, 17.3, 27.1, 12.3]
    points = [{one.index for one in trace.history.trials if one.t > 0} for trace in runs]
    assert (len(points[0]), len(points[2])) == (14, 8)
    assert all(len(set(made.indices.tolist())) == 1 for made in batches.decisions)
    assert all(len(made.indices) == 1 for made in plain_ucb.decisions[1:])


@pytest.mark.slow
def test_one_by_one_over_64_seeds() -> None:
    """A study of both rules in both ways, on the lesson's curve with its beta."""
    slug = "one-by-one"
    says(slug, "Over 64 seeds, exploring gains about 3 one by one and 11 in batches")
    spec = lesson(slug).spec()
    ways = {"one by one": Workers(), "in batches": Workers(together=True)}
    study = Study(
        slug,
        [ProblemPlan("Curve", spec.problem, hyperparameters=HyperparameterPlan("suggested"))],
        [
            PolicyPlan(f"{name}, {way}", name, workers=workers)
            for name in ("Plain UCB", "GP-UCB-PE")
            for way, workers in ways.items()
        ],
        batches=spec.batches, batch_size=spec.batch_size, initial=spec.initial,
        beta=ConstantBeta(spec.beta),
    )  # fmt: skip
    results = [run_task(study, task) for task in study.tasks()]
    numbers = summarise.statistics(results).set_index(["policy", "statistic"])["mean"]
    sums = {policy.label: 32 * numbers[policy.label, "mean_regret"] for policy in study.policies}
    gains = [sums[f"Plain UCB, {way}"] - sums[f"GP-UCB-PE, {way}"] for way in ways]
    assert [round(gain) for gain in gains] == [3, 11]


def test_beta_small() -> None:
    says(
        "beta-small",
        "β = 0.25, half a σ",
        "near 0.8",
        "batch 2",
        "batch 3",
        "0.48 short",
        "it is found",
    )
    replay, bold = run("beta-small"), run("beta-small", beta=9.0)
    trace = replay.trace
    assert {decision.sqrt_beta for decision in trace.decisions} == {0.5}
    assert trace.problem.candidates[trace.problem.optimum_index] == pytest.approx(0.8, abs=0.01)
    assert [keeps_optimum(replay, t)[1] for t in range(1, 9)] == [True, True, *[False] * 6]
    assert lesson("beta-small").event == Event(3, Kind.REGION)
    assert round(trace.running_minimum[-1], 2) == 0.48
    assert bold.trace.running_minimum[-1] < 0.001
    # The answer: 60 batches.
    spec = lesson("beta-small").spec()
    long = simulate(
        trace.problem, trace.policy, trace.gp, trace.beta,
        batches=60, initial=spec.initial, seed=spec.seed,
    )  # fmt: skip
    index = trace.problem.optimum_index
    assert not any(one.region_plus[index] for one in long.decisions[2:])


def test_thin_peak() -> None:
    says("thin-peak", "In batch 5 it allows for the thin peak", "batch 7 finds")
    says("thin-peak", "In a tighter band it says 0.152, but the peak is 0.241 higher")
    replay, tight = run("thin-peak"), run("thin-peak", scale=0.2)
    wide, narrow = theory.certificates(replay.trace)[4], theory.certificates(tight.trace)[4]
    assert wide[0].extreme > replay.trace.problem.optimum > narrow[0].extreme
    assert [f"{one:.3f}" for one in (narrow[0].regret, narrow[1])] == ["0.152", "0.241"]
    assert at(tight, "5.region").certificate == narrow[0]
    says("thin-peak", "the peak is outside R in batch 5, but inside R⁺")
    says("thin-peak", "with the tighter band, R⁺ loses it in batch 3")
    assert keeps_optimum(replay, 4) == (True, True)
    assert keeps_optimum(replay, 5) == (False, True)
    (settings, event), top = leads("thin-peak", "batch 7"), replay.trace.problem.optimum_index
    assert not settings
    decision = replay.trace.decisions[event.t - 1]
    assert decision.roles[event.k] == "pe"
    assert decision.indices[event.k] == top
    assert not any(top in one.indices for one in replay.trace.decisions[: event.t - 1])
    assert [keeps_optimum(tight, t)[1] for t in range(1, 9)] == [True, True, *[False] * 6]
    assert tight.trace.running_minimum[-1] > 0.2


def test_greedy() -> None:
    says("greedy", "all its picks is 9.0, that of GP-UCB-PE 30.4", "on 27 % of X")
    greedy, ours = run("greedy"), run("greedy", policy="GP-UCB-PE")
    assert round(greedy.trace.full_cumulative_regret[-1], 1) == 9.0
    assert round(ours.trace.full_cumulative_regret[-1], 1) == 30.4
    frame = at(greedy, "1.pick.4")
    assert lesson("greedy").event == frame.event
    assert round(100 * outside(greedy, frame, frame.std_now)) == 27
    assert outside(greedy, frame) == 0  # before it was shrunk
    peak = {"problem": "thin_peak", "initial": 3, "seed": 0, "batches": 8}
    assert leads("greedy", "thin peak")[0] == peak
    stuck = run("greedy", **peak)
    assert stuck.trace.policy.name == "GreedyUCB"
    assert stuck.trace.running_minimum[-1] > 0.2
    # What GP-UCB-PE finds, from the same initial points.
    assert run("thin-peak").trace.running_minimum[-1] == 0
    np.testing.assert_array_equal(
        at(stuck, "1.posterior").observed, at(run("thin-peak"), "1.posterior").observed
    )


def test_himmelblau() -> None:
    replay, problem = run("himmelblau"), run("himmelblau").trace.problem
    for words, t in (("97 %", 1), ("81 %", 3), ("15 %", 6)):
        assert leads("himmelblau", words) == ({}, Event(t, Kind.REGION))
        assert f"{share(replay, t):.0f} %" == words
    peaks = [(3, 2), (-2.8, 3.1), (-3.8, -3.3), (3.6, -1.8)]
    indices = [int(np.argmin(((problem.candidates - peak) ** 2).sum(axis=1))) for peak in peaks]
    heights = problem.values[indices]
    assert int(np.argmax(heights)) == 0
    assert problem.optimum_index == indices[0]
    lowest = int(np.argmin(heights))
    says("himmelblau", "the one at (3, 2)", "The lowest, at (−3.8, −3.3)", "only in batch 12")
    says("himmelblau", "97 % of X in batch 1, 81 % in 3, 15 % in 6")
    assert peaks[lowest] == (-3.8, -3.3)
    kept = np.array([decision.region_plus[indices] for decision in replay.trace.decisions])
    assert kept[:-1].all()
    assert kept[-1].tolist() == [i != lowest for i in range(4)]
    # Each is a peak of the grid: as high as every neighbour.
    grid = problem.values.reshape(problem.grid)
    for index in indices:
        i, j = np.unravel_index(index, problem.grid)
        assert grid[i, j] == grid[i - 1 : i + 2, j - 1 : j + 2].max()
    assert "by at most 7.4, while f varies by about 900" in answer("himmelblau")
    assert np.ptp(heights) == pytest.approx(7.4, abs=0.35)
    assert np.ptp(problem.values) == pytest.approx(900, abs=30)


def test_mixture() -> None:
    says("mixture", "(0.6, 0.1): it is the highest", "a fifth of β", "within 0.02", "in batch 6")
    says("mixture", "for 12 batches, and the best point is 0.29 short")
    replay, whole = run("mixture"), run("mixture", scale=1.0)
    problem = replay.trace.problem
    np.testing.assert_allclose(problem.candidates[problem.optimum_index], (0.6, 0.1), atol=1e-9)
    for less, all_of_it in zip(replay.trace.decisions, whole.trace.decisions, strict=True):
        assert less.beta == pytest.approx(all_of_it.beta / 5)
    near = replay.trace.running_minimum < 0.02
    assert list(near).index(True) == 6 - 1
    assert leads("mixture", "batch 6") == ({}, Event(6, Kind.OBSERVE))
    assert all(decision.region_plus.all() for decision in whole.trace.decisions)
    assert f"{whole.trace.running_minimum[-1]:.2f}" == "0.29"


def test_noise() -> None:
    says("noise", "every batch", "closer than 0.16, more than twice what random picks")
    replay = run("noise")
    problem = replay.trace.problem
    assert problem.noise_variance == 1
    assert problem.noise_variance > problem.values.var()
    decisions = replay.trace.decisions
    assert all(decision.region_plus.all() for decision in decisions)
    nearest = _nearest(problem.candidates[decisions[1].indices])
    assert round(nearest, 2) == 0.16
    rng = np.random.default_rng(0)
    chance = np.mean([_nearest(rng.random((10, 2))) for _ in range(2000)])
    assert nearest > 2 * chance
    # The question: some picks repeat a point.
    picked = [int(index) for decision in decisions for index in decision.indices]
    assert len(set(picked)) < len(picked)


def _nearest(X: Array) -> float:
    """The least distance between two of the points."""
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    return float(distances[~np.eye(len(X), dtype=bool)].min())


def test_mackey_glass() -> None:
    says("mackey-glass", "six inputs", "first pick", "the dot of R⁺ that is farthest right")
    replay = run("mackey-glass")
    assert replay.trace.problem.candidates.shape[1] == 6
    first, second = at(replay, "3.pick.0"), at(replay, "3.pick.1")
    assert first.subject is not None
    assert second.subject is not None
    assert first.subject.index == int(np.argmax(first.mean + first.sqrt_beta * first.std))
    assert second.std_now[second.subject.index] == second.std_now[second.region_plus].max()
    assert np.all(second.std_now <= first.std_now)
    assert second.mean is first.mean


def test_every_lesson_has_its_test_and_twelve_are_asked_for() -> None:
    slugs = [one.slug for one in offered()]
    assert len(slugs) >= 12
    later = import_module("tests.app.lessons.test_claims_after_2013")
    proved = {*globals(), *vars(later)}
    assert all(f"test_{slug.replace('-', '_')}" in proved for slug in slugs)


@pytest.mark.parametrize("slug", [one.slug for one in offered()])
def test_every_lesson_opens_at_its_event_and_so_do_its_links(slug: str) -> None:
    own = lesson(slug)
    assert Session(own).frame.event == own.event
    check(own, [one.slug for one in offered()])
    for change in own.links:
        moment, errors = decode(query_of(own, change, known=True))
        assert errors == ()
        other = find(change.lesson) or own
        assert moment.settings == other.changed(change)
        assert moment.event == (change.event or other.event)
        shown, replay, differences = restore(moment, cache=RUNS)
        assert (shown, differences) == (moment, ())
        assert moment.event in replay.events


@pytest.mark.parametrize("slug", [one.slug for one in offered()])
def test_captions_are_short_and_plain(slug: str) -> None:
    own = lesson(slug)
    assert plain(own.caption).startswith("Look at ")
    assert len(own.title) <= 40
    assert all(one.text.endswith("?") for one in own.questions)
    assert all(text.endswith(".") for text in sentences(own))
    assert not re.search(r"\s{2}|--", " ".join((plain(own.caption), *asked(own))))
    # Only a caption has markup: elsewhere a reader sees its signs.
    assert not re.search(r"\]\(|\*\*|\$", " ".join(asked(own)))
