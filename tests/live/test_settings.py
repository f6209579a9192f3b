"""Settings that the engine is registered to know, against the runs that `RunSpec` makes of them.

A browser that changes a setting writes its value into the engine's arguments. These have to be the
arguments of the run that Python makes with this value, whatever the other settings are.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from itertools import cycle
from typing import TYPE_CHECKING, Any, NamedTuple

import param
import pytest

from tests.live.cases import played
from tests.live.modules import Modules
from ucbpe_app.engine.parts import require_computed
from ucbpe_app.engine.tables import (
    ARGUMENTS,
    CHOICES,
    PARAMETERS,
    control_tables,
    plain,
    problem_tables,
)
from ucbpe_app.run.choices import JOINED, KERNELS
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.setting import setting, settings_of
from ucbpe_app.run.settings import RunSpec
from ucbpe_core import FiniteBeta, GaussianProcess, IllConditionedWarning, UCBPEError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

    from ucbpe_core import BetaSchedule, Trace

_SHARED = {"problem", "problem_seed", "initial", "seed"}  # what the tables are made of


class Known(NamedTuple):
    """A run, and what the engine is given to compute it; no settings if that is refused."""

    trace: Trace
    settings: dict[str, Any] | None
    tables: dict[str, Any]


def known(spec: RunSpec) -> Known:
    """The run of these settings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IllConditionedWarning)
        trace = spec.simulate()
    tables = problem_tables(
        trace.problem, initial=spec.initial, seed=spec.seed, batches=spec.batches,
        most_picks=spec.batch_size,
    )  # fmt: skip
    tables = plain({**tables, "grid": list(trace.problem.grid)})
    try:
        return Known(trace, require_computed(Replay(trace)), tables)
    except UCBPEError:
        return Known(trace, None, tables)


def bases(kind: type[RunSpec] = RunSpec, **others: Any) -> Iterator[RunSpec]:
    """Settings away from their defaults, with each kernel and each second one."""
    problems = cycle(["himmelblau", *["multimodal"] * 6])
    schedules = cycle(["Finite set", "Compact cube", "Constant"])
    policies = cycle(["GP-UCB-PE", "GP-BUCB", "GreedyUCB", "EI-PE"])
    for kernel, second in zip([*KERNELS, "RBF"], [*JOINED, "none"], strict=True):
        yield kind(
            problem=next(problems), kernel=kernel, second=second, schedule=next(schedules),
            policy=next(policies), batch_size=3, batches=3, initial=4, seed=5, nu=2.5,
            lengthscale=0.9, period=1.7, alpha=0.8, degree=3, offset=0.6, variance=3.0, stretch=1.4,
            second_lengthscale=0.7, second_period=1.3, second_variance=0.8, mean=0.2,
            noise_variance=0.03, delta=0.2, beta=5.0, scale=0.6, **others,
        )  # fmt: skip


def changed(spec: RunSpec) -> Iterator[tuple[str, RunSpec]]:
    """Runs that differ from another in one setting, by its name."""
    for name, one in settings_of(type(spec)).items():
        now = getattr(spec, name)
        values = [now + 1 if isinstance(now, int) else float(f"{0.7 * now:.3g}")] if isinstance(
            one.parameter, param.Number
        ) else [value for value in one.parameter.objects if value != now][:3]  # fmt: skip
        for value in values:
            yield name, replace(spec, **{name: value})


def complaints(specs: Iterator[RunSpec]) -> set[str]:
    """The settings of which the engine would compute another run than Python."""
    found = set[str]()
    for spec in specs:
        before = known(spec)
        for name, other in changed(spec):
            after = known(other)
            if before.settings is None or after.settings is None:
                continue
            expected, argument = dict(before.settings), ARGUMENTS.get(name, "")
            if name in CHOICES:
                expected = {**after.settings, argument: code_of(name, getattr(other, name))}
            elif name in _SHARED:
                expected = after.settings
            elif is_used(argument, before):
                expected[argument] = getattr(other, name)
            same = (before.settings, before.tables) == (after.settings, after.tables)
            if after.settings != expected or (same and differ(before.trace, after.trace)):
                found.add(name)
    return found


def is_used(argument: str, run: Known) -> bool:
    """Whether the engine has an argument, and uses it with the choices of this run."""
    controls = control_tables(20, len(run.tables["columns"]))
    if argument not in controls:  # of some there is no control
        return argument in {"T", "mean"}
    settings, used = run.settings or {}, controls[argument]["used"]
    return all(settings[choice] in codes for choice, codes in used.items())


def code_of(name: str, label: str) -> str:
    """What the engine calls a choice."""
    listed = {"kernel": KERNELS, "schedule": ("Finite set", "Compact cube", "Constant")}
    return dict(zip(listed.get(name, CHOICES[name]), CHOICES[name], strict=False))[label]


def differ(one: Trace, other: Trace) -> bool:
    """Whether two runs are not the same."""
    parts = ((trace.gp, trace.policy, trace.beta, trace.digest) for trace in (one, other))
    return next(parts) != next(parts)


def test_what_the_engine_is_given_for_a_setting_is_its_value_whatever_the_others_are() -> None:
    assert complaints(bases()) == set()
    assert {*ARGUMENTS} <= settings_of(RunSpec).keys()


def extra(part: str = "") -> Any:
    """A setting that the pages do not have."""
    return setting(param.Number(1.0, bounds=(0, None), doc="Extra."), "Belief", part=part)


@dataclass(frozen=True)
class Combined(RunSpec):
    """Two settings make one parameter of the prior, of which the engine has one."""

    extra: float = extra()

    def build_gp(self) -> GaussianProcess:
        return replace(super().build_gp(), noise_variance=self.noise_variance + self.extra)


@dataclass(frozen=True)
class Hidden(RunSpec):
    """A setting that the engine has not heard of is part of another."""

    extra: float = extra()

    def build_schedule(self) -> BetaSchedule:
        return replace(super().build_schedule(), scale=0.6 if self.extra > 0.5 else 0.3)


@dataclass(frozen=True)
class Widened(FiniteBeta):
    """A schedule with a parameter that its base has not."""

    extra: float = 1.0


@dataclass(frozen=True)
class Foreign(RunSpec):
    """A setting of which a schedule is made that the engine does not have."""

    extra: float = extra()

    def build_schedule(self) -> BetaSchedule:
        return Widened(self.delta, self.scale, extra=self.extra)


@pytest.mark.parametrize(
    ("kind", "found"),
    [(Combined, {"extra", "noise_variance"}), (Hidden, {"extra", "scale"}), (Foreign, set())],
)
def test_a_setting_that_the_engine_would_ignore_is_found(
    kind: type[RunSpec], found: set[str]
) -> None:
    """One that is refused is none."""
    (first, *_) = bases(kind, extra=0.6)
    assert complaints(iter([first])) == found


@pytest.mark.parametrize("name", ["batch_size", "scale", "lengthscale"])
def test_an_unknown_value_of_a_class_that_the_engine_has_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the parameter were a new one."""
    less = {kind: tuple(one for one in names if one != name) for kind, names in PARAMETERS.items()}
    monkeypatch.setattr("ucbpe_app.engine.tables.PARAMETERS", less)
    spec = RunSpec(policy="GP-UCB-PE", batches=1, lengthscale=0.9, scale=0.6)
    assert known(spec).settings is None


def test_every_setting_that_the_engine_knows_changes_its_run_as_the_cores(page: Page) -> None:
    cases, effective = [], set[str]()
    for spec in bases():
        before = known(spec)
        for name, other in changed(spec):
            if name not in ARGUMENTS or (spec.problem != "multimodal" and name != "stretch"):
                continue
            if (after := known(other)).settings is not None:
                case = played(after.trace, after.tables, after.settings)
                cases.append({"case": f"{len(cases)} {name}", **case})
                if after.trace.digest != before.trace.digest:
                    effective.add(name)
    assert effective == {*ARGUMENTS}
    assert Modules(page).differing(cases) == []
