"""Each sentence of why, against the numbers of its frame: policies x problems x events.

A sentence is a chain of claims. Each is known here with what it must say by the slow reference; a
text that is not known fails, and so does a number that is not the reference's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pytest

from tests.app.run.test_every_policy import CASES, hills
from tests.core.reference import dense_std, improvement, moments
from ucbpe_app.lessons import offered
from ucbpe_app.links import decode
from ucbpe_app.run.cache import load
from ucbpe_app.run.events import Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.sentences import number, percentage, place_in
from ucbpe_app.run.sentences.texts import at_least, percent
from ucbpe_core import ConstantBeta, GaussianProcess, Matern, problems, simulate
from ucbpe_core.history.workers import Workers
from ucbpe_core.policies import Eligible, GreedyUCB, PlainUCB
from ucbpe_core.support.validation import sign_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ucbpe_app.run.frames import Frame
    from ucbpe_core import Policy, Trace
    from ucbpe_core.policies import Decision
    from ucbpe_core.problems import Problem
    from ucbpe_core.support.validation import Booleans, Direction, Floats, Integers, SharedBy

Numbers: TypeAlias = tuple[str, ...]
SLACK = 1e-9


@dataclass(frozen=True)
class At:
    """An event of a run, and what the reference makes of its measurements."""

    trace: Trace
    frame: Frame

    @property
    def sign(self) -> float:
        return sign_of(self.trace.problem.direction)

    @property
    def taken(self) -> list[int]:
        """Candidates that await a result when the pick of the event is made."""
        earlier = (mark for mark in self.frame.picks if not mark.current)
        return [mark.index for mark in (*self.frame.pending, *earlier)]

    @property
    def pick(self) -> int:
        (pick,) = (mark.index for mark in self.frame.picks if mark.current)
        return pick

    @cached_property
    def offered(self) -> Booleans:
        """The candidates with the values that the picks of the batch share."""
        problem, plan = self.trace.problem, self.trace.history.plan
        columns = [problem.axes.index(name) for name in plan.shared]
        X = problem.candidates[:, columns]
        assert self.frame.subject is not None
        return np.isclose(X, X[self.frame.subject.index]).all(axis=1)

    @cached_property
    def told(self) -> tuple[Floats, Floats]:
        """Mean and std over X from the results alone."""
        return self._moments(self.frame.observed)

    @cached_property
    def std(self) -> Floats:
        """The std with what is taken counted as measured."""
        X = self.trace.problem.candidates
        return dense_std(self.trace.gp, X[[*self.frame.observed, *self.taken]], X)

    def _moments(self, observed: Integers) -> tuple[Floats, Floats]:
        X = self.trace.problem.candidates
        return moments(self.trace.gp, X[observed], self.frame.observed_y, X)

    def highest(self, std: Floats, multiplier: float) -> Numbers:
        """What the best upper bound is made of, which is that of the pick."""
        mean, j = self.told[0], self.pick
        bounds = self.sign * mean + multiplier * std
        assert bounds[j] >= bounds[self.offered].max() - SLACK
        return number(mean[j]), number(multiplier), number(std[j]), number(self.sign * bounds[j])

    def gap(self, candidates: Integers) -> str:
        problem = self.trace.problem
        return number(float(problem.regret(problem.values[candidates]).min()))


def _new(at: At) -> Numbers:
    """The same, of those without a result; the others of the batch were measured before."""
    assert set(at.taken) <= set(at.frame.observed)
    return _upper(at, at.frame.observed)


def _upper(at: At, left_out: Sequence[int] = ()) -> Numbers:
    mean, j = at.told[0], at.pick
    bounds = at.sign * mean + 2 * at.std
    free = np.setdiff1d(np.flatnonzero(at.offered), [*at.taken, *left_out])
    assert bounds[j] >= bounds[free].max() - SLACK
    return number(mean[j]), "2", number(at.std[j]), number(at.sign * bounds[j])


def _least_known(at: At) -> Numbers:
    inside = at.offered
    if at.frame.region_plus is not None and (inside & at.frame.region_plus).any():
        inside = inside & at.frame.region_plus
    return (number(at.std[inside].max()),)


def _initial(at: At) -> Numbers:
    others = at.trace.policy.batch_size - 1
    nats = 0.5 * others * np.log1p(at.told[1][at.offered].max() ** 2 / at.trace.gp.noise_variance)
    return str(others), number(nats)


def _improvement(at: At) -> Numbers:
    mean, observed = at.sign * at.told[0], at.frame.observed
    best = mean[observed].max() if len(observed) else at.sign * at.trace.gp.mean
    gain = improvement(mean, at.std, best)
    assert gain[at.pick] >= gain[at.offered].max() - SLACK
    return number(gain[at.pick]), number(at.std[at.pick])


def _again(at: At) -> Numbers:
    assert at.pick in (*at.frame.observed, *at.taken)
    assert at.std[at.pick] < at.std.max()
    return number(at.std[at.pick]), number(at.std.max())


def _again_most(at: At) -> Numbers:
    assert at.pick in (*at.frame.observed, *at.taken)
    assert at.trace.gp.noise_variance > 0
    assert _least_known(at) == (number(at.std[at.pick]),)
    return ()


def _region(at: At) -> Numbers:
    (mean, std), frame = at.told, at.frame
    y_dot = (at.sign * mean - frame.sqrt_beta * std).max()
    reach = (frame.sqrt_beta, 2 * np.sqrt(frame.beta_next))
    inner, outer = (at.sign * mean + c * std >= y_dot - SLACK for c in reach)
    return at_least(at.sign * y_dot, at.sign), percentage(inner), percentage(outer)


def _explored(at: At) -> Numbers:
    region = at.frame.explored
    assert region is not None
    c, level = number(region.coefficient), number(at.sign * region.level)
    return level, c, percentage(region.mask), number(region.slope)


def _penalised(at: At) -> Numbers:
    level, c, share, slope = _explored(at)
    region, std, j = at.frame.explored, at.told[1], at.pick
    assert region is not None
    reach = at.sign * at.told[0] + region.coefficient * std
    score = at.std - region.slope * np.maximum(region.level - reach, 0.0)
    assert score[j] >= score[at.offered].max() - SLACK
    return slope, c, level, share, number(at.std[j]), number(score[j])


def _results(at: At) -> Numbers:
    observed, fresh = at.frame.observed, at.frame.fresh
    return at.gap(observed[len(observed) - fresh :]), at.gap(observed)


def _own_std(at: At) -> Numbers:
    return (number(at.std[at.pick]),)


def _nearest(at: At) -> Numbers:
    X = at.trace.problem.candidates
    before = [mark.index for mark in at.frame.picks if not mark.current]
    return (number(float(np.linalg.norm(X[before] - X[at.pick], axis=1).min())),)


def _alone(at: At) -> Numbers:
    *_, value = at.highest(at.told[1], at.frame.sqrt_beta)
    return value, number(at.std[at.pick])


def _best_mean(at: At) -> Numbers:
    return at.highest(at.std, at.frame.sqrt_beta)


def _own_std(at: At) -> Numbers:
    return (number(at.std[at.pick]),)


def _score(at: At) -> float:
    event = at.frame.event
    return float(at.trace.decisions[event.t - 1].scores[event.k])


def _drawn(at: At) -> Numbers:
    return (number(at.sign * _score(at)),)


def _running(at: At) -> Numbers:
    places = (place_in(at.trace.problem, one.index) for one in at.frame.pending)
    return number(at.frame.sqrt_beta), ", ".join(places)


def _all_of_x(at: At) -> Numbers:
    y_dot, inner, outer = _region(at)
    assert outer == "100 %"
    return y_dot, inner


def _value(at: At) -> Numbers:
    """Of the input that is shared, the first."""
    picks = at.trace.decisions[at.frame.event.t - 1].indices
    (value,) = set(at.trace.problem.candidates[picks, 0])
    return (number(value),)


def _alike(at: At, group: Booleans | None = None) -> Decision:
    """What the policy decides among some candidates, with nothing shared."""
    t, eligible = at.frame.event.t, Eligible(group)
    return at.trace.policy.decide(
        at.trace.before(t).signed(at.sign), t, at.trace.beta, eligible=eligible
    )


def _first_of_all(at: At) -> Numbers:
    assert at.offered[_alike(at).indices[0]]
    return _value(at)


def _greatest_sum(at: At) -> Numbers:
    x = at.trace.problem.candidates[:, 0]
    sums = {one: _alike(at, x == one).scores.sum() for one in set(x)}
    best = max(sums.values())
    assert best - sums[x[at.pick]] <= SLACK
    return *_value(at), number(best)


def _some_in_region(at: At) -> Numbers:
    assert (at.offered & at.frame.region_plus).any()
    return _value(at)


def _none_in_region(at: At) -> Numbers:
    assert not (at.offered & at.frame.region_plus).any()
    return _value(at)


def _nowhere(at: At) -> Numbers:
    assert at.offered.all()
    return ()


def _nothing(at: At) -> Numbers:
    return ()


ALL, ONLY = "All picks of this batch have ~ = #", "only candidates with it are compared"
BAND = " The band is the mean ± # standard deviations"
REGION = (
    "If f stays inside the band, m~ f is at ~ y• = #, the ~ bound, and the ~ is in R, where the ~ "
    "bound reaches y• (@ of X). The "
)
# What a sentence may say, by the numbers in it: "#" is a number, "@" a share, "~" other words.
CLAIMS: dict[str, Callable[[At], Numbers]] = {
    "The exact posterior after # measurement~.": lambda at: (str(len(at.frame.observed)),),
    f"{BAND}, where √β = # (β = #).": lambda at: (
        *(number(at.frame.sqrt_beta),) * 2,
        number(at.frame.sqrt_beta**2),
    ),
    f"{BAND}. Picks are running at x = (.+?): σ counts them as measured, and the mean does not "
    "move.": _running,
    "x~ has the ~est ~er bound~: # ± # × # = #.": _best_mean,
    " Nowhere does the band reach ~er.": _nowhere,
    "Of the candidates that are not awaiting a result, x~ has the ~ bound with 2 σ~: "
    "# ± # × # = #.": _upper,
    "Of the candidates without a result, x~ has the ~ bound with 2 σ~: # ± # × # = #.": _new,
    "x~ is where f is least known ~: σ = #.": _least_known,
    f"{ALL}, the setting of the rule's first pick among all candidates; {ONLY}. ": _first_of_all,
    f"{ALL}, and {ONLY}: of all batches with one ~, this one has the greatest sum of "
    "scores~, #. ": _greatest_sum,
    f"{ALL}, and {ONLY}. ": _value,
    " Of these, only candidates with ~ = #, which the batch shares, are compared.": _some_in_region,
    " No candidate in R⁺ has ~ = #, which the batch shares, so all candidates with it are "
    "compared.": _none_in_region,
    " No result was needed: σ depends on where you measure, not on the values.": _nothing,
    " This is initialisation: at the largest σ, # more result~ could give up to # nats of "
    "information about f, more than C allows.": _initial,
    "x~ has the highest expected improvement: f there ~ by # on average over the posterior, where "
    "falling short counts as 0 (σ = #).": _improvement,
    "x~ is the ~est point of draw ~ from the posterior, which reaches #. Each candidate is picked "
    "with the posterior probability of being the ~imum~.": lambda at: (
        number(at.sign * _score(at)),
    ),
    "x~ keeps the highest value, ~ when each ~ can lie this close to ~; the nearest is # away.": (
        _nearest
    ),
    "x~ represents simulated runs of GP-UCB, one measurement at a time: with probability @ the "
    "best point of such a run is nearest to this pick.": lambda at: (percent(_score(at)),),
    "The simulated runs visit only ~, all picked already, so x~ has the ~ bound given the earlier "
    "picks: # ± # × # = #.": _best_mean,
    "x~ was drawn at random from all # candidates, regardless of what is known about f (σ = #).": (
        lambda at: (str(int(at.offered.sum())), *_own_std(at))
    ),
    "x~ has the largest σ~, less # times the shortfall of μ ± # s below the threshold #, the mean "
    "at the ~ bound. There is no shortfall on @ of X. Its σ is #, and with the penalty: #.": (
        _penalised
    ),
    "x~ is where f is least known, given the points of this phase alone: their σ is ~. It is one "
    "of the ~ of X that no phase before ruled out. Given all points, σ = #.": _own_std,
    "x~ has the ~ bound given what is measured alone: #. Picks without a result change nothing (σ "
    "given them: #).": _alone,
    "x~ has the highest probability, ~ of a draw from the posterior (σ = #).": _own_std,
    "x~ has the highest expected improvement~: ~ over μ⁺, ~ point (σ = #).": _own_std,
    "x~ adds most to ~: ~ on average over the samples (σ = #).": _own_std,
    " It was picked before: σ there is #, elsewhere up to #.": _again,
    " It was picked before: with noise, measuring again tells the most ~.": _again_most,
    f"{REGION}rest of the batch is chosen in R⁺, where the widened ~ bound does (@).": _region,
    f"{REGION}widened ~ bound does everywhere: R⁺ is all of X.": _all_of_x,
    "The threshold is #, the mean at the ~ bound. μ ± # s reaches it on @ of X: elsewhere σ is "
    "lowered by # times the shortfall.": _explored,
    "No other pick of this batch explores a region: the rule draws at random which picks do.": (
        _nothing
    ),
    " Phase ~ of ~ is batch~: it explores, by its own points alone, the ~ of X that no phase "
    "before ruled out.": _nothing,
    "The # results are in, and the mean now uses them.": lambda at: (str(at.frame.fresh),),
    "The result is in, and the mean now uses it.": lambda at: ("one",) * (at.frame.fresh - 1),
    " The best point of the batch is # ~ the ~ of f; the best so far, #.": _results,
    " The best of what has just arrived is # ~ the ~ of f; the best so far, #. Workers that are "
    "free get the next picks.": _results,
}
KINDS = {
    "#": r"(−?[\d.]+(?:e[−+]?\d+)?)",
    "@": r"([\d.]+ %)",
    "~": r"(?:(?!\. [A-Z]|[:=]).)*?",
    "±": "[+−±]",
    "(.+?)": "(.+?)",  # the places of running picks
}
SPLIT = re.compile(r"(\(\.\+\?\)|[#@~±])")
PATTERNS = {
    re.compile("".join(KINDS.get(part, re.escape(part)) for part in SPLIT.split(claim))): numbers
    for claim, numbers in CLAIMS.items()
}


def few(direction: Direction = "maximize") -> Problem:
    """Six points and much noise: each is picked again and again."""
    f = np.sin(np.arange(6.0))
    gp = GaussianProcess(Matern(nu=1.5), noise_variance=1.0)
    X = np.arange(6.0)[:, None]
    return problems.from_table(X, f, gp=gp, noise_variance=1.0, direction=direction)


def far(direction: Direction = "maximize") -> Problem:
    """Three values of x, of which one is far from the others, least known and not in R+."""
    X = np.array([[x, z] for x in (0.0, 1.0, 40.0) for z in range(6)])
    f = np.where(X[:, 0] < 40, 6 * np.cos(X[:, 0]) + 0.1 * X[:, 1], -1.0)
    gp = GaussianProcess(Matern((2.0, 0.5), nu=1.5), noise_variance=0.01)
    sign = sign_of(direction)
    return problems.from_table(X, sign * f, gp=gp, noise_variance=0.01, direction=direction)


PLACES: dict[str, Callable[[], Problem]] = {
    "curve": problems.multimodal,
    "hills": hills,
    "few": few,
    "few, for the minimum": lambda: few("minimize"),
}


def check(trace: Trace) -> set[str]:
    """Check every claim of every sentence; those that were made."""
    replay, made = Replay(trace), set()
    for i in range(len(replay.events)):
        frame = replay.frame(i)
        at, rest = At(trace, frame), frame.sentence
        while rest:
            found = [(one, match) for one in PATTERNS if (match := one.match(rest))]
            assert len(found) == 1, (trace.policy.name, i, rest)
            ((claim, match),) = found
            assert match.groups() == PATTERNS[claim](at), (trace.policy.name, i, frame.sentence)
            rest = rest[match.end() :]
            made.add(claim.pattern)
        (fit, *_) = frame.lines
        running = f" and {len(frame.pending)} running" if frame.pending else ""
        if frame.event.kind is Kind.POSTERIOR:
            assert fit.value.startswith(f"n = {len(frame.observed)}{running}, ")
    return made


@pytest.fixture(scope="module", params=PLACES)
def made(request: pytest.FixtureRequest) -> set[str]:
    """The claims that all policies made in one place."""
    problem, made = PLACES[request.param](), set()
    for policy in CASES.values():
        beta = ConstantBeta(0.25)
        made |= check(simulate(problem, policy, beta=beta, batches=2, initial=1, seed=1))
    return made


def test_every_claim_is_true(made: set[str]) -> None:
    assert len(made) > 20


@pytest.mark.parametrize("policy", [GreedyUCB(3), PlainUCB(3)], ids=str)
def test_while_picks_are_running(policy: Policy) -> None:
    trace = simulate(problems.multimodal(), policy, batches=3, initial=2, seed=0, workers=Workers())
    assert any("running" in claim.lower() for claim in check(trace))


@pytest.mark.parametrize("by", ["first", "sum"])
@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_of_batches_that_share_an_input(direction: Direction, by: SharedBy) -> None:
    """Why this value, and each pick among the candidates with it."""
    problem, made = far(direction), set()
    for policy in CASES.values():
        made |= check(simulate(
            problem, policy, beta=ConstantBeta(0.25), batches=2, initial=2, seed=1,
            shared=problem.axes[:1], shared_by=by,
        ))  # fmt: skip
    # Why, first and later picks; by the sum, random picks are of the first one's, and R+ is left.
    assert sum("batch\\ have" in claim for claim in made) == {"first": 2, "sum": 3}[by]
    assert any("No\\ candidate\\ in" in claim for claim in made) == (by == "sum")


@pytest.mark.parametrize("slug", [one.slug for one in offered() if one.plain])
def test_no_number_of_plain_words_has_an_exponent(slug: str) -> None:
    replay = load(decode(f"preset={slug}")[0].settings)
    told = [replay.frame(i).tell(True) for i in range(len(replay.events))]
    texts = [(one.sentence, one.status, *(line.value for line in one.lines)) for one in told]
    assert not [text for event in texts for text in event if re.search(r"\de[−+-]?\d", text)]
    assert slug != "start" or any("less than 0.001" in text for event in texts for text in event)
