"""Whatever a lesson says is true of the run that it opens, by the numbers of that run.

Each test is named after its lesson; the last one sees that none is without.
"""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from tests.app.lessons.texts import asked, sentences
from ucbpe_app.lessons import Choice, Lesson, check, find, offered, plain
from ucbpe_app.links import decode, query_of, restore
from ucbpe_app.run.cache import RunCache, load
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.frames import Frame
from ucbpe_app.run.notation import event_of
from ucbpe_app.run.replay import Replay
from ucbpe_app.widgets.session import Session
from ucbpe_core import theory
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


def _nearest(X: Array) -> float:
    """The least distance between two of the points."""
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    return float(distances[~np.eye(len(X), dtype=bool)].min())


def test_every_lesson_has_its_test_and_twelve_are_asked_for() -> None:
    slugs = [one.slug for one in offered()]
    assert len(slugs) >= 12
    later = import_module("tests.app.lessons.test_claims_after_2013")
    method = import_module("tests.app.lessons.test_method").CLAIMS
    proved = {*globals(), *vars(later)}
    assert all(slug in method or f"test_{slug.replace('-', '_')}" in proved for slug in slugs)


@pytest.mark.parametrize("slug", [one.slug for one in offered()])
def test_every_lesson_asks_first_and_says_why_an_answer_is_wrong(slug: str) -> None:
    """That all its events exist, that it asks in time and then ends, `check` sees below."""
    own = lesson(slug)
    assert own.truth_at_end or own.shelf != "method"
    for one in own.questions:
        right, *wrong = one.choices or [Choice("", "")]
        assert not right.reason
        assert len({choice.reason for choice in wrong}) == len(wrong)
        assert all(
            "ook at " in text for text in [one.wrong, *(choice.reason for choice in wrong)] if text
        )
        if one.number is not None:
            assert f"{one.number:.3g}".lstrip("-") in one.answer
            assert one.tolerance < 0.3 * abs(one.number)


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
    first = "We want the highest point of a hidden curve" if slug == "start" else "Look at "
    assert plain(own.caption).startswith(first)
    assert len(own.title) <= 40
    assert all(one.text.endswith("?") for one in own.questions)
    assert all(text.endswith(".") for text in sentences(own))
    assert not re.search(r"\s{2}|--", " ".join((plain(own.caption), *asked(own))))
    # Only a caption has markup: elsewhere a reader sees its signs.
    assert not re.search(r"\]\(|\*\*|\$", " ".join(asked(own)))
