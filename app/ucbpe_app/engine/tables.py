"""Tables of what the browser's engine cannot compute: f, initial measurements, and noise.

The engine in `engine/` computes runs as `ucbpe_core.simulate` does, but for NumPy's generators. Its
arguments are made here; an `InputError` says what it cannot compute.
"""

from __future__ import annotations

import math
from dataclasses import fields
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import param

from ucbpe_app.run.changes import WORDS
from ucbpe_app.run.choices import (
    ALONE,
    JOINED,
    KERNELS,
    POLICIES,
    SCHEDULES,
    class_label,
    schedule_label,
    takes,
)
from ucbpe_app.run.prior import parted
from ucbpe_app.run.sentences.texts import say
from ucbpe_app.run.settings import SETTINGS
from ucbpe_core import (
    GPUCBPE,
    RBF,
    BetaSchedule,
    ConstantBeta,
    FiniteBeta,
    GaussianProcess,
    Kernel,
    Matern,
    Policy,
)
from ucbpe_core.errors import InputError
from ucbpe_core.gp.kernels import KERNELS as KERNEL_CLASSES
from ucbpe_core.gp.kernels import Linear, Periodic, Polynomial, RationalQuadratic
from ucbpe_core.gp.kernels.base import has_length_each
from ucbpe_core.policies import (
    EIPE,
    GPBUCB,
    GPUCB,
    GreedyUCB,
    PureExploration,
    ThompsonSampling,
    VizierUCBPE,
)
from ucbpe_core.policies.schedules import CompactBeta
from ucbpe_core.search.simulation import initial_observations
from ucbpe_core.support import streams
from ucbpe_core.support.validation import sign_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_core import Trace
    from ucbpe_core.problems import Problem

MOST_PICKS, MOST_OWN = 20, 40
RANDOM = ("start", "startY", "noise", "ownNoise", "draws")  # the tables that a seed changes
SMOOTHNESS = ((0.5, "1/2"), (1.5, "3/2"), (2.5, "5/2"))  # of the kernels offered
# What the engine computes: each class with the parameters that it knows. A run with another class
# is refused, and one with a value of another parameter that is not its default.
PARAMETERS: Mapping[type[Any], tuple[str, ...]] = {
    GaussianProcess: ("kernel", "noise_variance", "mean"),
    GPUCBPE: ("batch_size",),
    GPUCB: ("batch_size",),
    GreedyUCB: ("batch_size",),
    GPBUCB: ("batch_size", "C", "initialization"),
    EIPE: ("batch_size",),
    PureExploration: ("batch_size",),
    ThompsonSampling: ("batch_size", "seed"),
    VizierUCBPE: (
        *("batch_size", "seed", "coefficient", "region_coefficient", "penalty"),
        *("pe_probability", "ucb_probability"),
    ),
    RBF: ("lengthscale", "variance"),
    Matern: ("lengthscale", "variance", "nu"),
    RationalQuadratic: ("lengthscale", "variance", "alpha"),
    Periodic: ("lengthscale", "period", "variance"),
    Linear: ("variance",),
    Polynomial: ("degree", "offset", "variance"),
    FiniteBeta: ("delta", "scale"),
    CompactBeta: ("delta", "scale", "a", "b", "r"),
    ConstantBeta: ("beta", "scale"),
}
# The settings of a run that a browser may set alone, and what the engine calls them. The argument
# has the value of the setting, whatever the others are. `tests/live/test_settings.py` finds one
# that is combined with another, or that changes a run and is missing.
_NAMES = {"batch_size": "K", "batches": "T"}
ARGUMENTS: Mapping[str, str] = {
    name: _NAMES.get(name, name)
    for name in (
        *("policy", "batch_size", "batches"),
        *("schedule", "delta", "beta", "scale"),
        *("kernel", "nu", "lengthscale", "period", "alpha", "degree", "offset", "variance"),
        *("stretch", "second", "second_lengthscale", "second_period", "second_variance"),
        *("mean", "noise_variance"),
    )
}
_POLICIES = tuple(kind for kind in PARAMETERS if issubclass(kind, Policy))
_KERNELS = tuple(kind for kind in PARAMETERS if issubclass(kind, Kernel))
_SCHEDULES = tuple(kind for kind in PARAMETERS if issubclass(kind, BetaSchedule))
_OF_KERNELS = tuple(name for name in ARGUMENTS if SETTINGS[name].part == "kernel")
_OF_SCHEDULES = tuple(name for name in ARGUMENTS if SETTINGS[name].part == "schedule")
_OF_SECOND = tuple(name for name in ARGUMENTS if name.startswith("second_"))
# Of each kernel the length of which two inputs can have their own.
_LENGTHS: dict[type, str] = {
    kind: next((name for name in _OF_KERNELS if has_length_each(kind, name)), "")
    for kind in _KERNELS
}
_DIGITS = 12  # a setting has fewer
_SECOND = ", ".join(dict.fromkeys(name.split()[1] for name in JOINED))
CHOICES = {  # of settings that are names
    "kernel": tuple(KERNEL_CLASSES.name_of(kind, "a kernel") for kind in _KERNELS),
    "schedule": ("finite", "compact", "constant"),
    "policy": tuple(policy.name for policy in _POLICIES),
    "second": (ALONE, *JOINED),
}
COMPUTED = tuple(policy.name for policy in _POLICIES)


def problem_tables(
    problem: Problem,
    *,
    initial: int,
    seed: int,
    batches: int,
    most_picks: int = MOST_PICKS,
    policy_seed: int = 0,
) -> dict[str, Any]:
    """The problem and all that is random in a run of it, arrays by name.

    ``noise`` (T, K) is in units of ``noiseStd``, and ``ownNoise`` that of further measurements
    before batch 1: the stream of a batch that the run does not have. ``draws`` (T, K) are uniform:
    what a policy of the seed `policy_seed` draws. Those of the pages have 0.
    """
    start, start_y = initial_observations(problem, initial, seed)
    noise = [_noise(seed, t, most_picks) for t in range(1, batches + 1)]
    return {
        "columns": np.ascontiguousarray(problem.candidates.T),
        "values": problem.values,
        "start": start,
        "startY": start_y,
        "noise": np.array(noise),
        "draws": np.array(
            [streams.policy(policy_seed, t).random(most_picks) for t in range(1, batches + 1)]
        ),
        "ownNoise": _noise(seed, batches + 1, MOST_OWN),
        "noiseStd": float(np.sqrt(problem.noise_variance)),
        "sign": int(sign_of(problem.direction)),
    }


def _noise(seed: int, t: int, count: int) -> np.ndarray:
    return streams.noise(seed, t).standard_normal(count)


def engine_settings(
    gp: GaussianProcess, policy: Policy, schedule: BetaSchedule, batches: int
) -> dict[str, Any]:
    """The arguments of the engine for a run.

    Raises
    ------
    InputError
        For a kernel, policy or schedule that the engine does not have.
    """
    for what, part in (("prior", gp), ("policy", policy), ("schedule", schedule)):
        _require_known(what, part)
    special: dict[str, Any] = {}
    for kind in (GPBUCB, VizierUCBPE):  # the engine reads them for any policy
        own = policy if isinstance(policy, kind) else kind()
        special |= {name: getattr(own, name) for name in PARAMETERS[kind]}
    return {
        **_kernel(gp.kernel),
        **_schedule(schedule),
        **{name: value for name, value in special.items() if name != "batch_size"},
        "mean": gp.mean,
        "noise_variance": gp.noise_variance,
        "policy": policy.name,
        "K": policy.batch_size,
        "T": batches,
        "widening": float(np.exp(2 * special["C"])),
        "seed": getattr(policy, "seed", None) or 0,
    }


def run_settings(trace: Trace) -> dict[str, Any]:
    """The arguments of the engine for a run in batches.

    Raises
    ------
    InputError
        As `engine_settings`, and for batches that share an input, which it does not compute.
    """
    if shared := trace.history.plan.shared:
        wanted, got = "batches that share nothing", f"batches that share {', '.join(shared)}"
        raise InputError(f"{wanted} in a live lesson", got, "export it without live")
    return engine_settings(trace.gp, trace.policy, trace.beta, len(trace.decisions))


def _require_known(what: str, part: Any) -> None:
    """Refuse a class that the engine does not have, and a parameter that it does not know."""
    if type(part) not in PARAMETERS:  # a subclass has a rule of its own
        raise _unknown(what, f"the {what} {_label(part)}")
    for field in fields(part):
        value = getattr(part, field.name)
        if field.name not in PARAMETERS[type(part)] and value != field.default:
            word = field.name.replace("_", " ")
            raise _unknown(what, f"{_label(part)} with the {word} {value!r}")


def kernel_tables() -> list[dict[str, Any]]:
    """The kernels that the engine computes: names, the settings that each uses, and its length."""
    return [
        {
            "code": code,
            "label": class_label(KERNELS, kind),
            "uses": [name for name in _OF_KERNELS if takes(kind, name)],
            "length": _LENGTHS[kind],
        }
        for code, kind in zip(CHOICES["kernel"], _KERNELS, strict=True)
    ]


def control_tables(most_picks: int, dimension: int) -> dict[str, dict[str, Any]]:
    """What a visitor sets, in the order of the controls: what it is called, and its values.

    A choice has these with their texts, a number its bounds, and the choices that use it.
    """
    stretch = ("stretch",) if dimension == 2 else ()
    numbers = {name: _number(name) for name in (*_OF_SCHEDULES, *_OF_KERNELS, *stretch)}
    smoothness = [
        (f"matern {nu}", say("kernel.nu", label=class_label(KERNELS, Matern), nu=text))
        for nu, text in SMOOTHNESS
    ]
    kernels = [(row["code"], row["label"]) for row in kernel_tables() if row["code"] != "matern"]
    schedules = [schedule_label(class_label(SCHEDULES, kind)) for kind in _SCHEDULES]
    return {
        "policy": _choice("policy", list(zip(COMPUTED, COMPUTED, strict=True))),
        "K": {**_number("batch_size"), "high": most_picks},
        "schedule": _choice("schedule", list(zip(CHOICES["schedule"], schedules, strict=True))),
        **{name: numbers.pop(name) for name in _OF_SCHEDULES},
        "kernel": _choice("kernel", [kernels[0], *smoothness, *kernels[1:]]),
        **numbers,
        "second": _choice("second", [(name, name) for name in CHOICES["second"]]),
        **{name: _number(name) for name in _OF_SECOND},
        "noise_variance": _number("noise_variance"),
    }


def _choice(name: str, options: list[tuple[str, str]]) -> dict[str, Any]:
    label = SETTINGS[name].parameter.label
    return {"label": label, "options": options, "values": CHOICES[name]}


def _number(name: str) -> dict[str, Any]:
    setting = SETTINGS[name]
    parameter: Any = setting.parameter
    low, high = parameter.bounds
    used = {
        choice: [code for code, one in zip(CHOICES[choice], kinds, strict=True) if takes(one, name)]
        for choice, kinds in (("schedule", _SCHEDULES), ("kernel", _KERNELS))
    }
    if name == "stretch":
        pairs = zip(CHOICES["kernel"], _KERNELS, strict=True)
        used["kernel"] = [code for code, kind in pairs if _LENGTHS[kind]]
    if setting.shown_for and setting.shown_for[0] not in used:
        choice, labels = setting.shown_for
        used[choice] = [code for code in CHOICES.get(choice, ()) if code in labels]
    return {
        "label": parameter.label,
        "word": WORDS[name],
        "low": low,
        "high": high,
        "closed": parameter.inclusive_bounds,
        "whole": isinstance(parameter, param.Integer),
        "used": {name: codes for name, codes in used.items() if codes},
    }


def _kernel(kernel: Kernel) -> dict[str, Any]:
    """The settings of the kernel, with what the engine reads for any kernel."""
    first, second = parted(kernel)
    _require_known("kernel", first)
    if second["second"] != ALONE:
        join: Any = kernel
        _require_known("kernel", join.right)
    own = {name: getattr(first, name) for name in PARAMETERS[type(first)]}
    length = _LENGTHS[type(first)]
    stretch = 1.0
    if length and np.ndim(own[length]):
        own[length], stretch = _mean_and_ratio(own[length])
    defaults = {name: SETTINGS[name].parameter.default for name in (*_OF_KERNELS, *_OF_SECOND)}
    joined = {name: value for name, value in second.items() if name in ARGUMENTS}
    several = (name for name, value in {**own, **joined}.items() if np.ndim(value))
    if (name := next(several, None)) is not None:
        raise _unknown("kernel", f"a kernel with a {name.replace('_', ' ')} for each input")
    code = KERNEL_CLASSES.name_of(type(first), "a kernel")
    return {**defaults, "kernel": code, **own, "stretch": stretch, **joined}


def _mean_and_ratio(lengths: tuple[float, ...]) -> tuple[float, float]:
    """The geometric mean of two lengths and the ratio of the second to the first.

    As a person set them, if they have few digits; or those that give the lengths in every bit.
    """
    first, *others = lengths
    if not others:
        return first, 1.0
    (second,) = others
    whole = math.sqrt(first * second), second / first
    short = tuple(float(f"{value:.{_DIGITS}g}") for value in whole)
    units = (1 + k * 2.0**-52 for k in sorted(range(-8, 9), key=abs))
    nearby = ((whole[0] * left, whole[1] * right) for left, right in product(units, repeat=2))
    for mean, ratio in (short, *nearby):
        root = math.sqrt(ratio)
        if (mean * (1 / root), mean * root) == lengths:
            return mean, ratio
    return whole


def _schedule(schedule: BetaSchedule) -> dict[str, Any]:
    """The settings of the schedule, with what the engine reads for any schedule."""
    code = dict(zip(_SCHEDULES, CHOICES["schedule"], strict=True))[type(schedule)]
    own = {name: getattr(schedule, name) for name in PARAMETERS[type(schedule)]}
    return {
        "schedule": code,
        "delta": 0.1,
        "beta": 4.0,
        "a": CompactBeta.a,
        "b": None,
        "r": 1.0,
        **own,
    }


def _label(part: object) -> str:
    """What the pages call a policy, a kernel or a schedule; one of a plugin may have no name."""
    return class_label({**POLICIES, **KERNELS, **SCHEDULES}, type(part))


def _unknown(what: str, got: str) -> InputError:
    kernels = ", ".join(class_label(KERNELS, kind) for kind in _KERNELS)
    computed = (
        f"{kernels} kernels, alone or joined with {_SECOND}, finite, compact or constant "
        f"schedules, "
        f"and {', '.join(COMPUTED)}"
    )
    expected = f"a {what} that a live lesson computes: {computed}"
    return InputError(expected, got, "export it without live")


def plain(value: Any) -> Any:
    """Tables for JSON: every number with the digits that read back exactly."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    assert not isinstance(value, float) or math.isfinite(value)
    return value
