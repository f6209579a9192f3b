"""The concept inventory: numbers, right choices and wrong ones are those of runs, in both forms.

For each question a function computes, from the run of the question's link, the numbers of its text
and which of its three choices, named by how they begin, are true: the first one alone has to be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from ucbpe_app.lessons import find
from ucbpe_app.lessons.inventory import FORMS, KINDS, WORDS, Item, items
from ucbpe_app.links import decode, restore
from ucbpe_app.run.cache import RunCache, load
from ucbpe_app.run.events import Event
from ucbpe_app.run.frames import Frame
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.settings import RunSpec

RUNS = RunCache(60)
Array = np.ndarray
Truths = dict[str, bool]  # how a choice begins -> whether it is true


class Numbers(dict[str, Any]):
    """Those of a text, which remember which were asked for."""

    def __init__(self, numbers: dict[str, Any]) -> None:
        super().__init__(numbers)
        self.read = set[str]()

    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return super().__getitem__(name)


@dataclass(frozen=True)
class Case:
    """A question, and the run that answers it at its event."""

    item: Item
    spec: RunSpec
    replay: Replay
    event: Event

    @cached_property
    def n(self) -> Numbers:
        return Numbers(self.item.numbers)

    @cached_property
    def frame(self) -> Frame:
        return self.replay.frame(self.replay.events.index(self.event))

    @property
    def f(self) -> Array:
        return self.replay.trace.problem.values

    def has(self, **computed: float) -> None:
        """These numbers of the text are the computed ones, to the digits that it shows."""
        for name, value in computed.items():
            digits = len(str(self.n[name]).partition(".")[2])
            assert round(float(value), digits) == self.n[name], (name, value)

    def place(self, name: str) -> int:
        """The candidate at the x of this name."""
        x = self.replay.trace.problem.candidates[:, 0]
        index = int(np.argmin(np.abs(x - self.n[name])))
        self.has(**{name: x[index]})
        return index

    def std(self, results: Array, *more: int) -> Array:
        """Of each place, by the dense formula, with these results of what is measured and more."""
        return self.posterior(results, *more)[1]

    def posterior(self, results: Array, *more: int) -> tuple[Array, Array]:
        trace = self.replay.trace
        X, Z = trace.problem.candidates[[*self.frame.observed, *more]], trace.problem.candidates
        kernel, noise = trace.gp.kernel, trace.gp.noise_variance
        inverse = np.linalg.inv(kernel.evaluate(X, X) + noise * np.eye(len(X)))
        cross = kernel.evaluate(X, Z)
        variance = kernel.variance - np.einsum("ij,ik,kj->j", cross, inverse, cross)
        return cross.T @ inverse @ results, np.sqrt(np.maximum(variance, 0))

    def found(self, **changes: object) -> float:
        """How far the best place is below the maximum, on average over the searches."""
        specs = [replace(self.spec, seed=seed, **changes) for seed in range(self.n["seeds"])]  # type: ignore[arg-type]
        return float(np.mean([load(s, cache=RUNS).trace.running_minimum[-1] for s in specs]))

    def outside(self, width: float) -> float:
        """On what percentage of the places f is not within so many std."""
        return 100 * float(np.mean(np.abs(self.f - self.frame.mean) > width * self.frame.std))


def case(item: Item) -> Case:
    moment, errors = decode(item.run)
    assert errors == ()
    moment, replay, others = restore(moment, cache=RUNS)
    assert others == ()
    return Case(item, moment.settings, replay, moment.event)


def std_and_results(case: Case) -> Truths:
    x, y, at = case.place("x"), case.frame.observed_y.copy(), case.place("at")
    (which,) = np.flatnonzero(case.frame.observed == at)
    (mean, std) = case.posterior(y)
    case.has(y=y[which], std=std[x], mean=mean[x])
    y[which] = case.n["other"]
    moved, other = case.posterior(y)
    case.has(moved=moved[x])
    return {
        f"{case.n['std']}, as before": other[x] == std[x],
        "larger": other[x] > std[x],
        "smaller": other[x] < std[x],
    }


def first_pick(case: Case) -> Truths:
    x, wide, high = map(case.place, ("x", "wide", "high"))
    mean, std = case.posterior(case.frame.observed_y)
    upper = mean + 2 * std
    for name, place in {"": x, "wide_": wide, "high_": high}.items():
        values = {"mean": mean, "std": std, "upper": upper}
        case.has(**{name + kind: value[place] for kind, value in values.items()})
    assert std[wide] == pytest.approx(std.max(), abs=1e-9)
    assert mean[high] == mean.max()
    (pick,) = case.frame.picks
    assert upper[pick.index] == upper.max()
    return {
        f"x = {case.n[name]}:": pick.index == case.place(name) for name in ("x", "wide", "high")
    }


def band_for_sure(case: Case) -> Truths:
    width = case.n["width"]
    assert case.frame.sqrt_beta == width
    share = 100 * float(norm.cdf(width) - norm.cdf(-width))
    case.has(percent=share, outside=case.outside(width))
    # Draws from the prior of the model, in which f is as often inside as the formula says.
    specs = [replace(case.spec, problem_seed=seed) for seed in range(20)]
    draws = [replace(case, replay=load(spec, cache=RUNS)) for spec in specs]
    inside = 100 - float(np.mean([draw.outside(width) for draw in draws]))
    about = "at each place with a probability of about"
    return {
        f"{about} {case.n['percent']} %": abs(inside - share) < 5,
        "yes, at every place": inside == 100,
        f"{about} 50 %": abs(inside - 50) < 5,
    }


def region_shrinks(case: Case) -> Truths:
    decisions = case.replay.trace.decisions
    before, after = (
        100 * float(decisions[case.n[t] - 1].region_plus.mean()) for t in ("t", "next")
    )
    assert case.n["next"] == case.n["t"] + 1 == case.event.t + 1
    case.has(share=before, grown=after)
    shares = [float(decision.region_plus.mean()) for decision in decisions]
    less, more = np.any(np.diff(shares) < 0), np.any(np.diff(shares) > 0)
    share = case.n["share"]
    return {
        "less or more": bool(less and more),
        f"at most {share} %": after <= before,
        f"{share} %, as before": after == before,
    }


def larger_beta(case: Case) -> Truths:
    assert case.spec.beta == case.n["large"] > case.n["beta"]
    assert case.spec.batch_size * case.spec.batches == 9
    small, far = case.found(beta=float(case.n["beta"])), case.found()
    case.has(small=small, far=far)
    return {
        "a nearer or a farther place": far > small,
        "a place at least as near": far <= small,
        "the same place": far == small,
    }


def at_once(case: Case) -> Truths:
    K = case.spec.batch_size
    assert (K, case.spec.batches) == (case.n["K"], 1)
    once, turn = case.found(), case.found(batch_size=1, batches=K)
    case.has(once=once, turn=turn)
    return {"in turn": turn < once, "neither": turn == once, "at once": once < turn}


def long_lengthscale(case: Case) -> Truths:
    assert case.spec.lengthscale == case.n["long"]
    short = replace(case, replay=load(replace(case.spec, lengthscale=case.n["short"]), cache=RUNS))
    assert (short.frame.observed == case.frame.observed).all()
    assert len(case.frame.observed) == 3
    width = case.frame.sqrt_beta
    case.has(short_std=short.frame.std.mean(), long_std=case.frame.std.mean())
    before, after = short.outside(width), case.outside(width)
    case.has(short_out=before, long_out=after)
    return {
        "nothing": after > before,
        "f is known better": after <= before,
        "f is in the band at more places": after < before,
    }


def next_picks(case: Case) -> Truths:
    (first, pick), R = case.frame.picks, case.frame.region_plus
    assert R is not None
    mean, _ = case.posterior(case.frame.observed_y)
    std = case.std(np.zeros(len(case.frame.observed) + 1), first.index)
    x, high, beside = map(case.place, ("x", "high", "beside"))
    assert case.place("first") == first.index
    for name, place in {"": x, "high_": high, "beside_": beside}.items():
        case.has(**{f"{name}mean": mean[place], f"{name}std": std[place]})
    assert R[[x, high, beside]].all()
    assert (mean[high], beside) == (mean.max(), first.index + 1)
    assert std[pick.index] == pytest.approx(std[R].max(), abs=1e-9)
    return {
        f"x = {case.n[name]}:": pick.index == case.place(name) for name in ("x", "high", "beside")
    }


def maximum_in_region(case: Case) -> Truths:
    decision, best = case.replay.trace.decisions[case.n["t"] - 1], int(np.argmax(case.f))
    assert (case.spec.beta, case.event.t) == (case.n["beta"], case.n["t"])
    case.has(f=case.f[best], upper=case.frame.upper[best])
    ruled_out = not decision.region_plus[best]
    measured = best in case.frame.observed
    left = case.outside(case.frame.sqrt_beta) > 0
    return {
        "yes, if f is outside": ruled_out and left,
        "no, the maximum is always": not ruled_out,
        "no, unless it has been measured": measured or not ruled_out,
    }


def repeating(case: Case) -> Truths:
    x, y = case.place("x"), case.frame.observed_y
    assert [pick.index for pick in case.frame.picks] == [x]
    stds = [case.std(np.r_[y, np.zeros(n)], *[x] * n)[x] for n in range(3)]
    case.has(noise=case.spec.noise_variance, before=stds[0], once=stds[1], twice=stds[2])
    noise = case.spec.noise_variance
    assert stds[2] == pytest.approx((1 / stds[0] ** 2 + 2 / noise) ** -0.5)
    return {
        f"{case.n['twice']}": 0 < stds[2] < 0.8 * stds[1],
        f"{case.n['once']}, as before": stds[2] == stds[1],
        "0": stds[2] == 0,
    }


def regret_of_a_batch(case: Case) -> Truths:
    trace, t = case.replay.trace, case.event.t
    values = case.f[list(trace.decisions[t - 1].indices)]
    lost = case.f.max() - values
    case.has(max=case.f.max(), **{f"f{k}": value for k, value in enumerate(values)})
    case.has(best=lost.min(), last=lost[-1], sum=lost.sum())
    printed = round(case.n["max"] - max(case.n[f"f{k}"] for k in range(4)), 2)
    assert printed == case.n["best"]  # whoever computes with the numbers of the text gets it
    regret = trace.simple_regret[t - 1]
    wanted = {"best": lost.min(), "last": lost[-1], "sum": lost.sum()}
    return {f"{case.n[name]}": bool(regret == value) for name, value in wanted.items()}


def results_in_a_batch(case: Case) -> Truths:
    *earlier, pick = (one.index for one in case.frame.picks)
    assert (len(earlier), case.n["K"]) == (case.event.k, case.spec.batch_size)
    assert case.n["pick"] == f"x{'⁰¹²³⁴'[case.event.k]}"
    assert case.n["earlier"] == f"{', '.join(f'x{s}' for s in '⁰¹²³⁴'[: case.event.k - 1])}" + (
        f" and x{'⁰¹²³⁴'[case.event.k - 1]}"
    )
    R, y = case.frame.region_plus, case.frame.observed_y
    stds = [case.std(np.r_[y, np.full(len(earlier), result)], *earlier) for result in (-5.0, 5.0)]
    alike = [std[pick] >= std[R].max() - 1e-9 for std in stds]
    without = case.std(y)
    return {
        "where they are": all(alike),
        "where they are, and their results": not all(alike),
        "nothing": bool(without[pick] >= without[R].max() - 1e-9),
    }


ANSWERS: dict[str, Callable[[Case], Truths]] = {
    answer.__name__.replace("_", "-"): answer
    for answer in (
        std_and_results, first_pick, band_for_sure, region_shrinks, larger_beta, at_once,
        long_lengthscale, next_picks, maximum_in_region, repeating, regret_of_a_batch,
        results_in_a_batch,
    )
}  # fmt: skip
ALL = [(form, item) for form in FORMS for item in items(form)]


@pytest.mark.parametrize(("form", "item"), ALL, ids=[f"{f}-{one.slug}" for f, one in ALL])
def test_the_first_choice_alone_is_true(form: str, item: Item) -> None:
    given = case(item)
    truths = ANSWERS[item.slug](given)
    assert given.n.read == item.numbers.keys()  # none stays as it was once written
    # The longest that fits, as one choice can begin like another.
    begun = [
        max((words for words in truths if choice.text.startswith(words)), key=len)
        for choice in item.question.choices
    ]
    assert len({*begun}) == len(truths) == 3
    assert [bool(truths[words]) for words in begun] == [True, False, False]


def test_twelve_questions_in_two_forms_with_other_numbers() -> None:
    before, after = map(items, FORMS)
    assert [one.slug for one in before] == [one.slug for one in after] == list(ANSWERS)
    assert len(ANSWERS) == len({one.catches for one in before}) == 12
    for one, other in zip(before, after, strict=True):
        assert one.numbers.keys() == other.numbers.keys()
        assert one.question != other.question, one.slug
        assert one.run != other.run
        assert find(one.lesson) is not None, one.lesson
    for _, item in ALL:
        assert {kind for kind, _ in item.shuffled} == set(KINDS)
        assert all(len(choice.reason) > 20 for choice in item.question.choices)
    first = {kind for kind, _ in (item.shuffled[0] for _, item in ALL)}
    assert first == set(KINDS)  # the order does not tell which is right
    texts = " ".join(f"{one.question.text} {one.question.choices}" for one in before)
    assert all(word in texts for head, _ in WORDS for word in head.split(", "))
