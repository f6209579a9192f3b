"""The settings of a study on the page, its limits, how long it takes, and its link."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlencode

import param

from ucbpe_app.links import FIELDS as OF_A_RUN
from ucbpe_app.run.choices import POLICIES, PROBLEM_NAMES
from ucbpe_app.run.notation import CODES, short, text_of, value_of
from ucbpe_app.run.query import Query, accept_texts, query_of_texts, setting_texts
from ucbpe_app.run.setting import SpecSettings, add_settings, as_field, setting, settings_of
from ucbpe_app.run.settings import ONE_BY_ONE, SETTINGS, TOGETHER, WHOLE
from ucbpe_core.errors import InputError
from ucbpe_core.history.workers import Workers
from ucbpe_core.policies.schedules import FiniteBeta
from ucbpe_core.problems import PROBLEMS
from ucbpe_core.study import HyperparameterPlan, PolicyPlan, ProblemPlan, Study

MOST_REPLICATES = 256
# A run holds a row of all candidates per point: 1,000 rows of 10,201 candidates take 82 MB.
MOST_POINTS = 1000
MOST_SECONDS = 1800.0
BOTH = "both"  # each policy with its results in batches, and with its results one by one
_LARGER = "`ucbpe study` on the command line has no limit"


def _as_of_a_run(name: str, default: Any, **others: Any) -> Any:
    """A setting that a run has, too, with another default, and perhaps another label."""
    return as_field(SETTINGS[name].like(default, **others))


@dataclass(frozen=True)
class StudySpec:
    """Everything that determines a study of the page."""

    problem: str = _as_of_a_run("problem", "gaussian_mixture")
    policies: tuple[str, ...] = setting(
        param.ListSelector(["GP-UCB-PE", "GreedyUCB", "Random search"], objects=list(POLICIES))
    )
    batch_size: int = _as_of_a_run("batch_size", 10)
    batches: int = _as_of_a_run("batches", 20)
    initial: int = _as_of_a_run("initial", 20)
    results: str = _as_of_a_run("results", TOGETHER, objects=[TOGETHER, ONE_BY_ONE, BOTH])
    durations: str = _as_of_a_run(
        "durations", "exponential", shown_for=("results", (ONE_BY_ONE, BOTH))
    )
    replicates: int = setting(param.Integer(16, bounds=(1, MOST_REPLICATES)))
    seed: int = _as_of_a_run("seed", 0, label="Study seed")
    scale: float = _as_of_a_run(
        "scale", 1.0, label="β scale c", doc="Multiplies the β of a finite X, δ = 0.1."
    )

    @property
    def seconds(self) -> float:
        """Roughly, how long one core computes."""
        run = (self.problem, self.batch_size, self.batches, self.initial)
        times = self.replicates * (2 if self.results == BOTH else 1)
        return times * sum(seconds(policy, *run) for policy in self.policies)

    @property
    def plans(self) -> tuple[PolicyPlan, ...]:
        """The policies as the study has them; where results come in both ways, each twice."""
        ways = [Workers(self.durations, together=way == TOGETHER) for way in _ways(self.results)]
        return tuple(
            PolicyPlan(f"{name}, {ONE_BY_ONE}" if at else name, name, workers=way if at else None)
            for name in self.policies
            for at, way in enumerate(ways)
        )

    def study(self) -> Study:
        """The study for the engine, with the prior that the problem suggests."""
        label = PROBLEM_NAMES[self.problem]
        prior = HyperparameterPlan(method="suggested")
        return Study(
            name="Your study",
            problems=[ProblemPlan(label, self.problem, hyperparameters=prior)],
            policies=self.plans,
            replicates=self.replicates,
            batches=self.batches,
            batch_size=self.batch_size,
            initial=self.initial,
            beta=FiniteBeta(scale=self.scale),
            workers=Workers(self.durations, together=self.results != ONE_BY_ONE),
            seed=self.seed,
        )

    def check(self) -> None:
        """Refuse settings that contradict each other, or are too large for a shared server.

        Raises
        ------
        InputError
            For no policies, more initial points than candidates, or a study above the limits.
        """
        if not self.policies:
            raise InputError("at least one policy", "none", "choose one")
        whole = [name for name in self.policies if name in WHOLE]
        if self.results != TOGETHER and whole:
            remedy = "leave it out, or take results in batches"
            raise InputError("policies that can pick one by one", whole[0], remedy)
        candidates = candidates_of(self.problem)
        if self.initial > candidates:
            what = f"at most the {candidates} candidates of the problem as initial points"
            raise InputError(what, str(self.initial), "lower the initial points")
        points = self.initial + self.batches * self.batch_size
        if points > MOST_POINTS:
            got = f"{self.initial} + {self.batches} × {self.batch_size} = {points}"
            what = f"at most {MOST_POINTS} points in a run (initial points + T K)"
            raise InputError(what, got, "lower T, K or the initial points")
        if self.seconds > MOST_SECONDS:
            what = f"at most {duration(MOST_SECONDS)} of computing on one core"
            remedy = f"lower the replicates, T or K, or take fewer policies; {_LARGER}"
            raise InputError(what, f"about {duration(self.seconds)}", remedy)


def _ways(results: str) -> tuple[str, ...]:
    return (TOGETHER, ONE_BY_ONE) if results == BOTH else (results,)


class StudySettings(SpecSettings[StudySpec]):
    """The settings of one visitor's study; every combination can be run."""

    kind = StudySpec

    def accept(self, **changes: Any) -> None:
        """Set several values at once, or raise `InputError` and change nothing.

        Policies are kept in the order in which they are listed everywhere, without repetitions.
        """
        if "policies" in changes:
            chosen = list(changes["policies"])
            self.check("policies", chosen)
            changes["policies"] = [name for name in POLICIES if name in chosen]
        super().accept(**changes)


add_settings(StudySettings)


def duration(seconds: float) -> str:
    """5 s, 40 s, 3 min, 2 h: as precise as an estimate can be."""
    if seconds < 10:
        return f"{max(round(seconds), 1)} s"
    if seconds < 60:
        return f"{5 * round(seconds / 5)} s"
    if seconds < 3600:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.2g} h"


# Number of candidates of each problem that is built in.
CANDIDATES = {
    "figure1": 105,
    "generated_gp_1d": 401,
    "multimodal": 481,
    "thin_peak": 401,
    "generated_gp": 10_000,
    "gaussian_mixture": 10_201,
    "himmelblau": 10_201,
    "mackey_glass": 1_385,
    "tsunami": 512,
    "abalone": 4_177,
}
# Problems whose suggested kernel is Matérn: a draw over M candidates takes M rows of its factor,
# one of an RBF a few hundred.
_ROUGH = frozenset({"figure1", "generated_gp_1d", "thin_peak", "generated_gp", "gaussian_mixture"})
_SMOOTH_ROWS = 250

_PER_BATCH, _PER_PICK = 4e-4, 1.5e-4
_PER_ENTRY = 6e-10  # of the rows, for each time one is read
_PER_SIMULATED = 2e-3  # SM-UCB, a pick
_PER_PENALTY, _PER_PENALTY_ENTRY = 1.2e-3, 6e-7  # local penalization, a pick
_PER_DRAWN_ENTRY = 1e-10  # Thompson sampling and PIMS, of the product of two rows
_PER_SET, _PER_SET_ENTRY = 2e-3, 1e-6  # what is chosen by its samples, a pick
_SETS = frozenset({"qUCB", "qEI"})
# These have a second posterior.
_TWICE = frozenset({"Kriging believer", "Randomized kriging believer", "Constant liar"})
_AGAIN = 2.0  # policies that condition on all points again at each batch, for a reading of rows


def candidates_of(problem: str) -> int:
    """M; a problem of a plugin is made once, to count them."""
    return CANDIDATES.get(problem) or _counted(problem)


@cache
def _counted(problem: str) -> int:
    return len(PROBLEMS.find(problem)().candidates)


def seconds(policy: str, problem: str, batch_size: int, batches: int, initial: int) -> float:
    """Seconds of one core for one run of T = `batches` batches of K = `batch_size`.

    Rows of M candidates, read once for each later one: M n² / 2 for n points.
    """
    M, K = candidates_of(problem), 1 if policy == "GP-UCB" else batch_size
    picks = batches * K
    n = initial + picks
    common = batches * _PER_BATCH + picks * _PER_PICK + _PER_ENTRY * M * n**2 / 2
    if policy == "SM-UCB":
        return common + picks * _PER_SIMULATED
    if policy == "Local penalization":
        return common + picks * (_PER_PENALTY + _PER_PENALTY_ENTRY * M)
    if policy in _SETS:
        return common + picks * (_PER_SET + _PER_SET_ENTRY * M)
    if policy in _TWICE:
        return 2 * common
    if policy in WHOLE:
        points = [initial + t * K for t in range(batches)]
        again = _AGAIN * _PER_ENTRY * M * sum(n**2 for n in points) / 2
        return common + again + _PER_PICK * sum(points)
    if policy in ("Thompson sampling", "PIMS"):
        rows = M if problem in _ROUGH else min(M, _SMOOTH_ROWS)
        # A row of the factor is multiplied with those before it, and drops columns on its way.
        return common + batches * _PER_DRAWN_ENTRY * rows * (rows / 4 + n / 2) * M
    return common


_SETTINGS = tuple(CODES.get(name, name) for name in settings_of(StudySpec))
_OWN = "policies"  # which a run does not have
_REFERENCE, _UNIT = "minus", "unit"
_ITERATIONS, _TIME = "iterations", "time"  # as in the link of a race


@dataclass(frozen=True)
class StudyMoment:
    """What is on screen.

    Attributes
    ----------
    settings : of the study
    reference : policy from which differences are shown, "" for the first
    over_time : whether regrets are shown against time
    """

    settings: StudySpec
    reference: str = ""
    over_time: bool = False


def encode_study(moment: StudyMoment) -> str:
    """The query of a link, without the question mark; `decode_study` gives back the same."""
    reference = {_REFERENCE: _slug(moment.reference)} if moment.reference else {}
    unit = {_UNIT: _TIME} if moment.over_time else {}
    fields = setting_texts(vars(moment.settings)) | reference | unit
    return query_of_texts({"page": "study", **fields})


def decode_study(query: str) -> tuple[StudyMoment, tuple[InputError, ...]]:
    """The moment of a query, and what was wrong with it.

    A field that cannot be read changes nothing but itself: its error says what is used instead.
    """
    read = Query(query, {"policy", *_SETTINGS, _REFERENCE, _UNIT}, ignored=OF_A_RUN)
    settings = _settings(read)
    reference = _reference(read, tuple(plan.label for plan in settings.plans))
    return StudyMoment(settings, reference, _over_time(read)), tuple(read.errors)


def of_a_run(query: str) -> str:
    """The fields of a query that the other pages understand."""
    pairs = parse_qsl(query.removeprefix("?"), keep_blank_values=True)
    return urlencode([pair for pair in pairs if pair[0] in OF_A_RUN], safe=",")


def _slug(name: str) -> str:
    return text_of(name).replace(",", "")


def _reference(query: Query, policies: tuple[str, ...]) -> str:
    """The policy of the study that the field names."""
    names, text = {_slug(policy): policy for policy in policies}, query.fields.get(_REFERENCE, "")
    if text and _slug(text) not in names:
        expected = f"{_REFERENCE} to be one of {', '.join(names)}"
        query.errors.append(InputError(expected, f"{_REFERENCE}={short(text)}", "it is left out"))
    return names.get(_slug(text), "")


def _over_time(query: Query) -> bool:
    """Whether the field says time."""
    text = query.fields.get(_UNIT, _ITERATIONS)
    if text not in (_ITERATIONS, _TIME):
        expected = f"{_UNIT} to be one of {_ITERATIONS}, {_TIME}"
        query.errors.append(InputError(expected, f"{_UNIT}={short(text)}", "it is left out"))
    return text == _TIME


def _settings(query: Query) -> StudySpec:
    """The settings that the fields give; the policy of a run is added to the usual ones."""
    settings, texts = StudySettings(), query.settings(_SETTINGS)
    if _OWN not in query.fields and "policy" in query.fields:
        of_the_run = value_of(settings.param["policies"], query.fields["policy"])
        policies = (name for name in of_the_run if name in POLICIES)
        texts["policies"] = text_of((*settings.policies, *policies))
    return accept_texts(query, settings, texts)
