"""Every number in a lesson of *The method* is that of its run.

A lesson's claims are phrases computed here; once they are taken out, no digit is left in its words.
Its function also asserts what is said without a number, and that no wrong choice is true.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.app.lessons.test_claims import at, keeps_optimum, leads, lesson, outside, run
from tests.app.lessons.texts import asked
from ucbpe_app.lessons import offered, plain
from ucbpe_app.run.cache import load
from ucbpe_core import fit_hyperparameters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ucbpe_app.run.replay import Replay

Array = np.ndarray
METHOD = tuple(one.slug for one in offered() if one.shelf == "method")


def spot(replay: Replay, *x: float) -> int:
    """The candidate at x."""
    return int(np.argmin(np.linalg.norm(replay.trace.problem.candidates - x, axis=1)))


def share(replay: Replay, t: int) -> float:
    """R+ of batch t, in percent of X."""
    region = replay.trace.decisions[t - 1].region_plus
    assert region is not None
    return 100 * float(region.mean())


def moved(replay: Replay, event: str, x: float, by: float) -> tuple[Array, Array]:
    """Mean and std at an event, had the measurement at x come out higher by so much."""
    frame, X = at(replay, event), replay.trace.problem.candidates
    y = frame.observed_y + by * (frame.observed == spot(replay, x))
    made = replay.trace.gp.condition(X[frame.observed], y).predict(X)
    return made.mean, made.std


def changed(slug: str, **settings: object) -> Replay:
    return load(replace(lesson(slug).spec(), **settings))  # type: ignore[arg-type]


def needed(replay: Replay) -> int:
    """How many batches until a point within 0.01 of the maximum is found."""
    near = replay.trace.running_minimum < 0.01
    assert near.any()
    return int(np.argmax(near)) + 1


def start(replay: Replay) -> Iterator[str]:
    yield "once x⁰ is taken"
    before, after = at(replay, "1.pick.0"), at(replay, "1.pick.1")
    assert before.sqrt_beta == 2
    assert len(before.observed) == 3
    assert len(replay.trace.decisions[0].indices) == 4
    x0, x1 = replay.trace.decisions[0].indices[:2]
    assert np.flatnonzero(before.upper == before.upper.max()).tolist() == [x0]
    falls = before.mean[x0] + 2 * after.std_now[x0]
    yield f"from {before.upper[x0]:.3g} to {falls:.3g}"
    # Once it is taken, the highest place of the dashed band is another one.
    assert np.argmax(before.mean + 2 * after.std_now) != x0
    yield f"it is {after.std_now[x0]:.3g} there; at x = {7.5:.3g} it is {after.std_now[x1]:.3g}"
    assert replay.trace.problem.candidates[x1] == 7.5
    # A place can be measured twice.
    assert any(len(set(made.indices)) < 4 for made in replay.trace.decisions)
    # What the end has to say.
    assert replay.trace.running_minimum[1] < 0.004


def band(replay: Replay) -> Iterator[str]:
    first, late = at(replay, "1.posterior"), at(replay, "4.posterior")
    std = first.std[first.observed[0]]
    assert np.ptp(first.std[first.observed]) < 1e-4
    yield f"Std at a cross is {std:.3g}"
    yield f"{first.sqrt_beta:.0f} × {std:.3g} = {2 * std:.3g}"
    yield "It is not 0, because"
    yield f"twice {std:.3g} above"
    assert first.sqrt_beta == 2
    number("band", 2 * std)
    yield f"outside on {100 * outside(replay, late):.0f} % of the axis"
    assert all(len(made.indices) == 1 for made in replay.trace.decisions)
    assert outside(replay, at(replay, "3.pick.0")) == 0
    assert outside(replay, at(replay, "3.observe")) > 0


def first_pick(replay: Replay) -> Iterator[str]:
    frame, x0 = at(replay, "1.pick.0"), replay.trace.decisions[0].indices[0]
    best, end = spot(replay, 0.8), spot(replay, 0.0)
    # On the page the highest is at 0.7975; that is where the cross at 0.80 is.
    assert abs(replay.trace.problem.candidates[np.argmax(frame.mean), 0] - 0.8) < 0.004
    yield f"At x = 0.80 the best guess is highest, {frame.mean.max():.2f}"
    best = int(np.argmax(frame.mean))
    yield f"std is {frame.std[best]:.3g}"
    yield f"{frame.mean[best]:.2f} + 2 × {frame.std[best]:.3g} = {frame.upper[best]:.2f}"
    yield f"At x⁰ = {replay.trace.problem.candidates[x0, 0]:.3g}"
    yield f"only {frame.mean[x0]:.3g}, but std is {frame.std[x0]:.3g}"
    yield f"the band reaches {frame.upper[x0]:.2f}"
    yield f"the edge is at {frame.upper[end]:.2f}, and at x⁰ it is at {frame.upper[x0]:.2f}"
    yield "At x = 0 the band is widest"
    assert frame.std[end] == pytest.approx(frame.std.max(), rel=1e-6)
    assert best != x0
    number("first-pick", frame.upper[best])
    yield from ("x⁰ would be at 0.80", "edge over 0.80", "in batch 2")
    assert replay.trace.decisions[1].indices[0] == end
    yield "the cross at 0.38"
    assert spot(replay, 0.38) in frame.observed
    # The task: a measurement that is dragged up takes the pick along.
    yield "the right of 0.7"
    mean, std = moved(replay, "2.pick.0", 0.8, 0.4)
    assert replay.trace.problem.candidates[np.argmax(mean + 2 * std), 0] > 0.7


def why_std_shrinks(replay: Replay) -> Iterator[str]:
    before, after = at(replay, "1.posterior"), at(replay, "1.observe")
    yield f"largest is {before.std.max():.3g} before the four and {after.std.max():.3g} after them"
    yield f"√β = {before.sqrt_beta:.0f}"
    yield "Krause and Burdick, 2012"
    x1 = replay.trace.decisions[0].indices[1]
    x = replay.trace.problem.candidates[x1, 0]
    yield f"At x¹ = {x:.2f} std is {at(replay, '1.pick.1').std_now[x1]:.2f}"
    yield "comes out 3 higher"
    number("why-std-shrinks", after.std[x1])
    yield f"{after.std[x1]:.3g}, about as at every cross"
    assert np.ptp(after.std[after.observed]) < 0.01
    # Had that result, or all four, been others: conditioned on from scratch.
    mean, std = moved(replay, "1.observe", x, 3.0)
    np.testing.assert_allclose(std, after.std, atol=1e-7)
    assert np.abs(mean - after.mean).max() > 2


def regions(replay: Replay) -> Iterator[str]:
    now, following = at(replay, "5.region"), at(replay, "6.region")
    for frame, words in ((now, "R now"), (following, "the next R")):
        assert leads("regions", words) == ({}, frame.event)
        assert frame.region is not None
        verb = "is " if frame is now else ""
        yield f"{words} {verb}{100 * frame.region.mean():.0f} %"
        np.testing.assert_array_equal(frame.region, frame.upper >= frame.y_dot)
    for before, after in pairwise(replay.trace.decisions):
        assert not np.any(after.region & ~before.region_plus)
    # Outside R+ twice the band, that of t + 1, stays below y•.
    doubled = now.mean + 2 * np.sqrt(now.beta_next) * now.std
    assert np.all(doubled[~now.region_plus] < now.y_dot)
    assert now.y_dot <= replay.trace.problem.optimum
    assert now.std[~now.region_plus].min() > 0
    measured = np.isin(np.flatnonzero(~now.region_plus), now.observed)
    assert measured.mean() < 0.1
    j, width = int(np.argmax(following.lower)), following.sqrt_beta
    yield f"In batch 6 the lower bound is greatest at {replay.trace.problem.candidates[j, 0]:.3g}"
    yield f"(μ = {following.mean[j]:.3f}, σ = {following.std[j]:.3g}). √β = {width:.2f}"
    yield f"{following.mean[j]:.3f} − {width:.2f} × {following.std[j]:.3g} = {following.y_dot:.2f}"
    number("regions", following.y_dot)
    # The task, and what is left to try.
    yield "less than 44 %"
    for x, by, most in ((0.5625, 0.7, 44), (0.0, 0.5, 100), (0.0, -0.5, 100)):
        mean, std = moved(replay, "6.region", x, by)
        doubled = mean + 2 * np.sqrt(following.beta_next) * std
        part = 100 * float(np.mean(doubled >= (mean - width * std).max()))
        assert part < most
        assert most < 100 or part == pytest.approx(100 * following.region_plus.mean(), abs=2)


def batch_size(replay: Replay) -> Iterator[str]:
    one, ten = run("batch-size", batch_size=1, batches=20), changed("batch-size", batch_size=10)
    yield f"one at a time needs {needed(one)}"
    assert leads("batch-size", "one at a time")[1].t == needed(one)
    yield f"within 0.01 of the maximum takes {4 * needed(replay)} measurements"
    yield f"in {needed(replay)} batches of four"
    yield f"{10 * needed(ten)} in {needed(ten)} batches of ten, and {needed(one)} one at a time"
    yield f"it takes {needed(one)} measurements, and this one {4 * needed(replay)}"
    yield f"{needed(one)} measurements do what {4 * needed(replay)} do"
    last, trace = at(replay, "1.pick.3"), replay.trace
    *before, x3 = trace.decisions[0].indices
    places = trace.problem.candidates[[*last.observed, *before]]
    high = [*last.observed_y, *(last.mean[before] + 2)]
    std = trace.gp.condition(places, np.array(high)).predict(trace.problem.candidates).std[x3]
    yield f"σ at x³ = {trace.problem.candidates[x3, 0]:.2f} is {last.std_now[x3]:.3g}"
    yield "come out 2 above"
    yield f"{std:.3g}, as it is now"
    number("batch-size", std)
    yield "K to 10"
    for k in (1, 2, 3):
        frame = at(replay, f"1.pick.{k}")
        chosen = frame.std_now[frame.picks[k].index]
        assert chosen == frame.std_now[frame.region_plus].max()


def beta_small(replay: Replay) -> Iterator[str]:
    bold, trace = run("beta-small", beta=9.0), replay.trace
    yield "Here β is 0.25"
    assert {made.sqrt_beta for made in trace.decisions} == {0.5}
    yield f"R⁺ is {share(replay, 2):.0f} % of X in batch 2"
    yield f"{share(replay, 3):.0f} % in batch 3"
    yield f"with β = 9 it is {share(bold, 3):.0f} %"
    yield f"With β = 0.25 the best point stays {trace.running_minimum[-1]:.2f} short"
    assert bold.trace.running_minimum[-1] < 0.001
    top = trace.problem.optimum_index
    yield f"From batch 3 on the maximum, near {trace.problem.candidates[top, 0]:.1f}"
    assert [keeps_optimum(replay, t)[1] for t in range(1, 9)] == [True, True, *[False] * 6]
    long = changed("beta-small", batches=60).trace
    yield "in 60 batches"
    assert not any(one.region_plus[top] for one in long.decisions[2:])
    wide = changed("beta-small", beta=100.0)
    sums = [one.trace.full_cumulative_regret[-1] for one in (bold, wide)]
    yield "With β = 9 it is found"
    yield f"over 8 batches the regrets of all picks add up to {sums[0]:.0f} with β = 9"
    yield f"{sums[1]:.0f} with β = 100"
    assert share(wide, 3) > 99
    # Wrong choices: R+ shrinks, and the band narrows.
    assert share(replay, 3) < share(replay, 2)
    yield "from batch 2 to batch 3"
    frame = at(replay, "3.posterior")
    assert np.all(frame.std <= at(replay, "2.posterior").std)
    best = int(np.argmax(frame.mean))
    x, high = trace.problem.candidates[best, 0], frame.mean[best] + 3 * frame.std[best]
    yield f"In batch 3 the mean is highest at {x:.3g}"
    yield f"(μ = {frame.mean[best]:.3g}, σ = {frame.std[best]:.3g})"
    yield "there if β = 9"
    yield f"√β = 3, so {frame.mean[best]:.3g} + 3 × {frame.std[best]:.3g} = {high:.2f}"
    number("beta-small", high)
    yield "with β = 0.25 it is half"
    # The task.
    yield "more than 85 %"
    assert share(replay, 2) < 85 < share(bold, 2)


def lengthscale_long(replay: Replay) -> Iterator[str]:
    slug, frame, trace = "lengthscale-long", at(replay, "2.posterior"), replay.trace
    right, short = run(slug, lengthscale=0.65), changed(slug, lengthscale=0.05)
    yield "(lengthscale 1.5)"
    yield "those of lengthscale 0.65"
    beyond = np.abs(frame.observed_y - frame.mean[frame.observed]) > 2 * frame.std[frame.observed]
    yield f"{beyond.sum()} of {len(beyond)} are outside the band"
    yield f"With lengthscale 1.5, f is outside the band on {100 * outside(replay, frame):.0f} %"
    yield "with 0.65 it is inside"
    assert outside(right, at(right, "2.posterior")) == 0
    every = trace.problem.candidates
    fit = fit_hyperparameters(trace.gp, every[frame.observed], frame.observed_y, domain=every)
    yield f"likely, here {fit.gp.kernel.lengthscale:.2f}"  # type: ignore[attr-defined]
    yield "in batch 1 with the shorter one"
    assert np.all(at(replay, "1.posterior").std < at(right, "1.posterior").std)
    assert share(replay, 1) < 100
    yield "from batch 1 on. Even in 40 batches"
    long = changed(slug, batches=40).trace
    assert not any(made.region_plus[trace.problem.optimum_index] for made in long.decisions)
    yield f"stays {long.running_minimum[-1]:.2f} short"
    assert f"{trace.running_minimum[-1]:.2f}" == f"{long.running_minimum[-1]:.2f}"
    yield f"lengthscale 0.05, R⁺ is still {share(short, 8):.0f} %"
    yield f"after {len(at(short, '8.region').observed)} of them"
    yield f"where with 0.65 it is {share(right, 8):.0f} %"
    assert all(keeps_optimum(one, t)[1] for one in (short, right) for t in range(1, 9))
    yield "a lengthscale of 0.05"
    yield "more than 65 %"
    assert share(replay, 2) < 65 < share(changed(slug, lengthscale=0.3), 2)
    yield f"At 0.65 R⁺ is {share(right, 2):.0f} %"


def noise(replay: Replay) -> Iterator[str]:
    slug, told = "noise", run("noise", noise_variance=0.01)
    problem = replay.trace.problem
    yield f"with variance {problem.noise_variance}, but the prior says 0.0001"
    assert replay.trace.gp.noise_variance == 0.0001
    yield f"In batch 2 R⁺ is {share(replay, 2):.2g} % of X"
    yield f"the true noise, {share(told, 2):.0f} %"
    frame = at(replay, "2.posterior")
    assert np.median(np.abs(frame.mean[frame.observed] - frame.observed_y)) < 0.01
    yield f"scatter with variance {problem.noise_variance}. What"
    number(slug, problem.noise_variance**0.5)
    yield f"the variance: {problem.noise_variance**0.5:.1f}"
    much = changed(slug, noise_variance=1.0)
    assert share(much, 2) == 100
    yield "with a noise variance of 1, R⁺ is all of X in batch 2"
    yield f"Here, in batch 2, the mean spans {np.ptp(frame.mean):.1f}"
    yield f"f spans {np.ptp(problem.values):.1f}"
    yield f"outside the band on {100 * outside(replay, frame):.0f} %"
    assert outside(told, at(told, "2.posterior")) == 0
    assert np.all(frame.std < at(much, "2.posterior").std)
    yield "x³ of batch 2"
    last = replay.trace.decisions[1].indices[3]
    assert last in [*frame.observed, *replay.trace.decisions[1].indices[:3]]
    yield "more than 6 %"
    assert share(replay, 2) < 6 < share(told, 2)


def himmelblau(replay: Replay) -> Iterator[str]:
    problem = replay.trace.problem
    for words, t in (("97 %", 1), ("81 %", 3), ("15 %", 6)):
        assert leads("himmelblau", words)[1].text == f"{t}.region"
    yield f"{share(replay, 1):.0f} % of X in batch 1, {share(replay, 3):.0f} % in 3"
    yield f"{share(replay, 6):.0f} % in 6"
    peaks = [(3, 2), (-2.8, 3.1), (-3.8, -3.3), (3.6, -1.8)]
    indices = [spot(replay, *peak) for peak in peaks]
    grid = problem.values.reshape(problem.grid)
    for index in indices:
        i, j = np.unravel_index(index, problem.grid)
        assert grid[i, j] == grid[i - 1 : i + 2, j - 1 : j + 2].max()
    heights = problem.values[indices]
    assert problem.optimum_index == indices[0]
    assert int(np.argmin(heights)) == 2
    yield "the highest, at (3, 2)"
    yield "The lowest, at (−3.8, −3.3), is ruled out only in batch 12"
    yield "in batch 12 the lowest peak is ruled out"
    kept = np.array([made.region_plus[indices] for made in replay.trace.decisions])
    assert kept[:-1].all()
    assert kept[-1].tolist() == [True, True, False, True]
    yield "by at most 7.4, while f varies by about 900"
    assert np.ptp(heights) == pytest.approx(7.4, abs=0.35)
    assert np.ptp(problem.values) == pytest.approx(900, abs=30)
    frame = at(replay, "3.region")
    j, width = int(np.argmax(frame.lower)), frame.sqrt_beta
    mean = f"{frame.mean[j]:.2f}".replace("-", "−")
    yield "At ({:.1f}, {:.0f}) the lower bound is greatest".format(*problem.candidates[j])
    yield f"(μ = {mean}, σ = {frame.std[j]:.2f}). √β = {width:.2f}"
    yield f"{mean} − {width:.2f} × {frame.std[j]:.2f} = {frame.y_dot:.2f}".replace("-", "−")
    number("himmelblau", frame.y_dot)
    yield "f is at most 0 here"
    assert problem.optimum == pytest.approx(0, abs=1e-9)
    assert share(changed("himmelblau", scale=0.1), 3) < 50 < share(replay, 3)


def mackey_glass(replay: Replay) -> Iterator[str]:
    assert replay.trace.problem.candidates.shape[1] == 6
    first, second = at(replay, "3.pick.0"), at(replay, "3.pick.1")
    x0, x1 = (pick.index for pick in second.picks)
    assert x0 == int(np.argmax(first.upper))
    assert second.std_now[x1] == second.std_now[second.region_plus].max()
    yield f"an upper bound of {first.upper[x0]:.2f} and σ = {first.std[x0]:.3g}"
    yield f"With √β = {first.sqrt_beta:.2f}"
    less = f"{first.sqrt_beta:.2f} × {first.std[x0]:.3g}"
    yield f"{first.upper[x0]:.2f} − {less} = {first.mean[x0]:.2f}"
    number("mackey-glass", first.mean[x0])
    assert np.all(second.std_now <= first.std_now)
    assert second.mean is first.mean


def your_own(replay: Replay) -> Iterator[str]:
    gains = [at(replay, f"{t}.posterior").certificate for t in (1, 2, 3)]
    assert all(gain is not None for gain in gains)
    yield f"{gains[0].regret:.2f} at first"
    yield f"{gains[1].regret:.2f} after one batch"
    frame = at(replay, "2.region")
    yield f"In batch 2 the band reaches {frame.upper.max():.2f} at most"
    yield f"y• is {frame.y_dot:.3g}"
    yield f"{frame.upper.max():.2f} − {frame.y_dot:.3g} = {gains[1].regret:.2f}"
    number("your-own", gains[1].regret)
    assert replay.trace.running_minimum[1] < 0.004
    yield "within 0.004"
    yield f"a gain of {gains[2].regret:.2f}"


CLAIMS: dict[str, Callable[[Replay], Iterator[str]]] = {
    one.__name__.replace("_", "-"): one
    for one in (
        start, band, first_pick, why_std_shrinks, regions, batch_size, beta_small,
        lengthscale_long, noise, himmelblau, mackey_glass, your_own,
    )
}  # fmt: skip


def number(slug: str, value: float) -> None:
    """The numeric answer of a lesson is this number of its run, well within its tolerance."""
    (asked,) = (one for one in lesson(slug).questions if one.number is not None)
    assert asked.number == pytest.approx(value, abs=asked.tolerance / 4)


@pytest.mark.parametrize("slug", METHOD)
def test_every_number_is_that_of_the_run(slug: str) -> None:
    own = lesson(slug)
    words = "\n".join((own.title, plain(own.caption), *asked(own))).replace("\u00a0", " ")
    for claim in CLAIMS[slug](run(slug)):
        assert claim in words, claim
        words = words.replace(claim, "")
    assert not re.search(r".{0,30}\d.{0,30}", words)


def test_the_shelf_is_in_order_and_three_questions_come_back() -> None:
    assert [one.slug for one in offered()][:12] == list(CLAIMS) == list(METHOD)
    numeric, again = list[str](), list[str]()
    for place, own in enumerate(map(lesson, METHOD)):
        assert own.predict or own.tasks
        assert own.questions
        assert own.end.remember
        assert own.end.try_
        numeric += [own.slug for one in own.questions if one.number is not None]
        for one in own.questions:
            if one.again:
                again.append(one.again)
                (first,) = (old for old in lesson(one.again).questions if old.number is not None)
                assert METHOD.index(one.again) < place
                assert first.number != one.number
    assert len(set(numeric)) >= 3
    assert len(set(again)) >= 3
