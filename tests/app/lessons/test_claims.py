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
from ucbpe_app.run.events import Event
from ucbpe_app.run.frames import Frame
from ucbpe_app.run.notation import event_of
from ucbpe_app.run.replay import Replay
from ucbpe_app.widgets.session import Session
from ucbpe_core import theory
from ucbpe_core.history.workers import Workers
from ucbpe_core.policies import without_pending
from ucbpe_core.policies.schedules import ConstantBeta
from ucbpe_core.problems import printed_figure1
from ucbpe_core.study import HyperparameterPlan, PolicyPlan, ProblemPlan, Study, run_task, summarise

RUNS = RunCache(60)
Array = np.ndarray


def lesson(slug: str) -> Lesson:
    found = find(slug)
    assert found is not None
    return found


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
    """Every number of a lesson is in one of these parts of its words, which the test proves."""
    own = lesson(slug)
    words = "\n".join((plain(own.caption), *asked(own))).replace("\u00a0", " ")
    words = re.sub(r"\b20\d\d\)", ")", words)  # years of what is cited
    assert all(part in words for part in parts), [part for part in parts if part not in words]
    for part in sorted(parts, key=len, reverse=True):
        words = words.replace(part, "")
    assert not re.search(r"\d", words), [
        line for line in words.splitlines() if re.search(r"\d", line)
    ]


def chosen(slug: str, **changes: object) -> Replay:
    """The run of a lesson with other settings, as somebody chooses them who tries it."""
    return load(replace(lesson(slug).spec(), **changes), cache=RUNS)  # type: ignore[arg-type]


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
    slug = "figure-1"
    says(
        slug, "μ ± 2 std σ", "variance 0.01", "σ = 0.098 or more", "σ is 0.098 to 0.099",
        "of one measurement, 0.1", "a distance of 0.005 to 0.026",
    )  # fmt: skip
    printed = printed_figure1()
    assert printed.shape == (51, 3)
    session = Session(lesson(slug))
    frame, trace = session.frame, session.replay.trace
    rows = [int(np.argmin(np.abs(trace.problem.candidates[:, 0] - x))) for x in printed[:, 0]]
    np.testing.assert_allclose(trace.problem.candidates[rows, 0], printed[:, 0], atol=1e-12)
    np.testing.assert_allclose(frame.mean[rows], printed[:, 1], atol=1e-10)
    band = frame.mean + frame.sqrt_beta * np.sqrt(frame.std**2 + trace.gp.noise_variance)
    np.testing.assert_allclose(band[rows], printed[:, 2], atol=1e-10)
    assert "noisy" in lesson(slug).layers
    assert frame.sqrt_beta == 2
    at_crosses = frame.std[frame.observed]
    assert [f"{one:.3f}" for one in (at_crosses.min(), at_crosses.max())] == ["0.098", "0.099"]
    missed = np.abs(frame.mean[frame.observed] - frame.observed_y)
    assert [f"{one:.3f}" for one in (missed.min(), missed.max())] == ["0.005", "0.026"]
    far = np.abs(trace.problem.candidates - trace.problem.candidates[frame.observed].T).min(axis=1)
    assert frame.std[far > 0.3].min() > 0.2
    assert trace.gp.noise_variance == 0.01
    # What to try: other values at the four crosses, conditioned on from scratch.
    X = trace.problem.candidates
    moved = trace.gp.condition(X[frame.observed], frame.observed_y + 1.0).predict(X)
    np.testing.assert_allclose(moved.std, frame.std, atol=1e-7)


def test_figure_2() -> None:
    slug = "figure-2"
    says(slug, "σ = 0.369", "it ends at −0.45", "(dotted), −0.23", "at x¹: −1.19", "y•, −0.23")
    replay = run(slug)
    frame = at(replay, "1.pick.1")
    assert [pick.role for pick in frame.picks] == ["ucb", "pe"]
    assert frame.y_dot == frame.lower.max()
    assert f"{frame.y_dot:.2f}" == "-0.23"
    assert frame.region is not None
    assert frame.region_plus is not None
    assert 0 < frame.region.sum() <= frame.region_plus.sum() < len(frame.mean)
    x0, x1 = (pick.index for pick in frame.picks)
    assert x0 == int(np.argmax(frame.upper))
    # The dashed bounds: narrower around x0, before any value is seen, and widest in R+ at x1.
    assert frame.std_now[x0] < 0.5 * frame.std[x0]
    assert np.all(frame.std_now <= frame.std)
    assert frame.std_now[x1] == frame.std_now[frame.region_plus].max()
    assert f"{frame.std_now[x1]:.3f}" == "0.369"
    # "x1 is far from the top of the band": f there is below y•, but x1 is in R+.
    assert [f"{one[x1]:.2f}" for one in (frame.upper, frame.mean)] == ["-0.45", "-1.19"]
    assert not frame.region[x1]
    assert frame.region_plus[x1]


def test_one_by_one() -> None:
    slug = "one-by-one"
    says(
        slug, "the 32 results add up to 16.8", "with GP-UCB-PE to 17.3", "14 places are measured",
        "and 8 in batches", "at 5.16", "at 7.50", "27.1 without exploring and to 12.3 with it",
        "Over 64 seeds, exploring gains about 3 one by one and 11 in batches",
    )  # fmt: skip
    replay = run(slug)
    plain_ucb, pe = replay.trace, run(slug, policy="GP-UCB-PE").trace
    batches = run(slug, results="in batches").trace
    pe_batches = chosen(slug, policy="GP-UCB-PE", results="in batches").trace
    runs = (plain_ucb, pe, batches, pe_batches)
    assert [len(trace.y) - trace.initial for trace in runs] == [32] * 4
    sums = [round(float(trace.full_cumulative_regret[-1]), 1) for trace in runs]
    assert sums == [16.8, 17.3, 27.1, 12.3]
    points = [{one.index for one in trace.history.trials if one.t > 0} for trace in runs]
    assert (len(points[0]), len(points[2])) == (14, 8)
    assert all(len(set(made.indices.tolist())) == 1 for made in batches.decisions)
    assert {len(made.indices) for made in batches.decisions} == {4}
    assert all(len(made.indices) == 1 for made in plain_ucb.decisions[1:])
    X = plain_ucb.problem.candidates[:, 0]
    places = [f"{X[made.indices[0]]:.2f}" for made in plain_ucb.decisions[2:7]]
    assert places == ["7.50"] * 3 + ["5.16"] * 2
    # "Three picks that are running", which the band on screen counts and the rule does not.
    frame = at(replay, "5.posterior")
    assert (
        sum(len(made.indices) for made in plain_ucb.decisions[:4]) - (len(frame.observed) - 3) == 3
    )
    start = without_pending(plain_ucb.before(5))
    pick = plain_ucb.decisions[4].indices[0]
    assert int(np.argmax(start.mean + frame.sqrt_beta * start.std)) == pick
    assert int(np.argmax(frame.upper)) != pick


@pytest.mark.slow
def test_one_by_one_over_64_seeds() -> None:
    """A study of both rules in both ways, on the lesson's curve with its beta."""
    slug = "one-by-one"
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
    slug = "thin-peak"
    says(
        slug, "gain at most 0.31 more", "After 33 measurements the best is near 0.32", "says 0.13",
        "leaves 0.13 to gain, but the peak is 0.23 higher", "before batch 7 f there, 1.03",
        "which end at 0.60 and 0.44", "in batch 3", "33 measurements at the start of batch 7",
        "√β is 5.04 in one and 2.25 in the other", "to 0.2 and", "the best is 0.23 too low",
    )  # fmt: skip
    replay, tight = run(slug), run(slug, scale=0.2)
    top, X = replay.trace.problem.optimum_index, replay.trace.problem.candidates[:, 0]
    frames = [at(one, "7.posterior") for one in (replay, tight)]
    assert [len(frame.observed) for frame in frames] == [33, 33]
    assert X[frames[0].observed[frames[0].observed_y.argmax()]] == pytest.approx(0.32)
    assert [f"{frame.sqrt_beta:.2f}" for frame in frames] == ["5.04", "2.25"]
    assert f"{replay.trace.problem.values[top]:.2f}" == "1.03"
    assert [f"{frame.upper[top]:.2f}" for frame in frames] == ["0.60", "0.44"]
    brackets = [theory.certificates(one.trace)[6] for one in (replay, tight)]
    assert [frame.certificate for frame in frames] == [one for one, _ in brackets]
    assert [f"{one.regret:.2f}" for one, _ in brackets] == ["0.31", "0.13"]
    assert f"{brackets[1][1]:.2f}" == "0.23"
    assert brackets[0][0].regret > brackets[0][1]
    # Exploring finds the peak, at the pick that is asked, and nothing found it before.
    assert lesson(slug).predict[-1] == event_of("7.pick.3")
    decision = replay.trace.decisions[6]
    assert (decision.roles[3], decision.indices[3]) == ("pe", top)
    assert not any(top in one.indices for one in replay.trace.decisions[:6])
    assert keeps_optimum(replay, 7) == (False, True)
    assert [keeps_optimum(tight, t)[1] for t in range(1, 9)] == [True, True, *[False] * 6]
    assert f"{tight.trace.running_minimum[-1]:.2f}" == "0.23"
    np.testing.assert_array_equal(*(at(one, "1.posterior").observed for one in (replay, tight)))


def test_greedy() -> None:
    slug = "greedy"
    says(
        slug, "At the fifth pick, f was outside the dashed band on 27 % of X", "the noise, 0.1",
        "band of batch 1 around", "σ was 0.086 to 0.116",
        "over six batches its regret is 30.4, and GreedyUCB's is 9.0",
        "3 initial points, seed 0: the best stays 0.23 below it",
    )  # fmt: skip
    greedy, ours = run(slug), run(slug, policy="GP-UCB-PE")
    assert round(greedy.trace.full_cumulative_regret[-1], 1) == 9.0
    assert round(ours.trace.full_cumulative_regret[-1], 1) == 30.4
    assert len(greedy.trace.decisions) == 6
    assert greedy.trace.gp.noise_variance == pytest.approx(0.1**2)
    frame = at(greedy, "1.pick.4")
    assert (len(frame.observed), len(frame.picks) - 1) == (5, 9 - 5)
    assert round(100 * outside(greedy, frame, frame.std_now)) == 27
    assert outside(greedy, frame) == 0  # before it was shrunk
    beyond = np.abs(greedy.trace.problem.values - frame.mean) > frame.sqrt_beta * frame.std_now
    stds = frame.std_now[beyond]
    assert [f"{one:.3f}" for one in (stds.min(), stds.max())] == ["0.086", "0.116"]
    for k in (1, 2):
        now, index = at(greedy, f"1.pick.{k}"), greedy.trace.decisions[0].indices[k]
        assert int(np.argmax(now.mean + now.sqrt_beta * now.std_now)) == index
    peak = {"problem": "thin_peak", "initial": 3, "seed": 0, "batches": 8}
    assert leads(slug, "thin peak")[0] == peak
    stuck = run(slug, **peak)
    assert stuck.trace.policy.name == "GreedyUCB"
    assert [f"{one:.2f}" for one in stuck.trace.running_minimum[[5, 7]]] == ["0.23", "0.23"]
    # What GP-UCB-PE finds, from the same initial points.
    assert run("thin-peak").trace.running_minimum[-1] == 0
    np.testing.assert_array_equal(
        at(stuck, "1.posterior").observed, at(run("thin-peak"), "1.posterior").observed
    )


def test_mixture() -> None:
    slug = "mixture"
    says(
        slug, "after 60 measurements", "less than 20 % of X",
        "tenth of β leaves 13 % of X, a fifth 69 %",
        "the best is 0.29 short after 12 batches",
        "in batch 1 on 3.7 % of X", "in all 12 batches", "within 0.02 of the maximum after 70",
        "after 130 it is 0.29 short", "5.59 with all of β, and 2.50 with a fifth", "Scale c to 1 ",
    )  # fmt: skip
    replay, whole = run(slug), run(slug, scale=1.0)
    problem = replay.trace.problem
    np.testing.assert_allclose(problem.candidates[problem.optimum_index], (0.6, 0.1), atol=1e-9)
    for less, all_of_it in zip(replay.trace.decisions, whole.trace.decisions, strict=True):
        assert less.beta == pytest.approx(all_of_it.beta / 5)
    near = replay.trace.running_minimum < 0.02
    assert list(near).index(True) == 6 - 1
    assert len(at(replay, "6.observe").observed) == 70
    assert len(at(whole, "12.observe").observed) == 130
    assert [share(one, 6) for one in (chosen(slug, scale=0.1), replay)] == [13, 69]
    assert all(decision.region_plus.all() for decision in whole.trace.decisions)
    assert f"{whole.trace.running_minimum[-1]:.2f}" == "0.29"
    frame, start = at(replay, "6.posterior"), at(replay, "1.posterior")
    widths = [f"{one.sqrt_beta:.2f}" for one in (at(whole, "6.posterior"), frame)]
    assert widths == ["5.59", "2.50"]
    assert f"{100 * outside(replay, start):.1f}" == "3.7"
    assert outside(whole, at(whole, "1.posterior")) == 0
    assert all(keeps_optimum(replay, t)[1] for t in range(1, 13))
    # "Three bumps", and the band reaches highest on the right one.
    assert len(frame.observed) == 60
    grid = np.pad(frame.mean.reshape(problem.grid), 1, constant_values=-np.inf)
    near_by = [np.roll(grid, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    assert np.sum((grid == np.max(near_by, axis=0)) & (grid > 0.45)) == 3
    assert problem.values[replay.trace.decisions[5].indices[0]] > problem.optimum - 0.02


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
    """That all its events exist, and that it ends in time, `check` sees below."""
    own = lesson(slug)
    events = load(own.spec()).events
    start = events.index(own.event)
    first = {*own.predict, *(task.at for task in own.tasks)}
    assert not first or first & {*events[start : start + 7]}
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
