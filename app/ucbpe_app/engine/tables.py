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
from ucbpe_core import GPUCBPE, RBF, ConstantBeta, FiniteBeta, Matern
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
    from ucbpe_core import BetaSchedule, GaussianProcess, Kernel, Policy
    from ucbpe_core.problems import Problem

MOST_PICKS, MOST_OWN = 20, 40
RANDOM = ("start", "startY", "noise", "ownNoise", "draws")  # the tables that a seed changes
SMOOTHNESS = ((0.5, "1/2"), (1.5, "3/2"), (2.5, "5/2"))  # of the kernels offered
_POLICIES = (
    GPUCBPE,
    GPUCB,
    GreedyUCB,
    GPBUCB,
    EIPE,
    PureExploration,
    ThompsonSampling,
    VizierUCBPE,
)
_OF_VIZIER = ("coefficient", "region_coefficient", "penalty", "pe_probability", "ucb_probability")
_KERNELS = (RBF, Matern, RationalQuadratic, Periodic, Linear, Polynomial)
_SCHEDULES = (FiniteBeta, CompactBeta, ConstantBeta)
_OF_KERNELS = tuple(name for name in SETTINGS if any(takes(kind, name) for kind in _KERNELS))
_OF_SECOND = tuple(name for name in SETTINGS if name.startswith("second_"))
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
    for what, part, classes in (
        ("policy", policy, _POLICIES),
        ("schedule", schedule, _SCHEDULES),
    ):
        if type(part) not in classes:  # a subclass has a rule of its own
            raise _unknown(what, f"the {what} {_label(part)}")
    own = policy if isinstance(policy, GPBUCB) else GPBUCB()
    vizier = policy if isinstance(policy, VizierUCBPE) else VizierUCBPE()
    return {
        **_kernel(gp.kernel),
        **_schedule(schedule),
        "mean": gp.mean,
        "noise_variance": gp.noise_variance,
        "policy": policy.name,
        "K": policy.batch_size,
        "T": batches,
        "C": own.C,
        "widening": float(np.exp(2 * own.C)),
        "initialization": own.initialization,
        "seed": getattr(policy, "seed", None) or 0,
        **{name: getattr(vizier, name) for name in _OF_VIZIER},
    }


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
    names = ("delta", "beta", "scale", *_OF_KERNELS, *stretch)
    numbers = {name: _number(name) for name in names}
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
        **{name: numbers.pop(name) for name in ("delta", "beta", "scale")},
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
    if type(first) not in _KERNELS:  # a subclass has a rule of its own
        raise _unknown("kernel", f"the kernel {_label(kernel)}")
    own = {field.name: getattr(first, field.name) for field in fields(first)}
    length = _LENGTHS[type(first)]
    stretch = 1.0
    if length and np.ndim(own[length]):
        own[length], stretch = _mean_and_ratio(own[length])
    defaults = {name: SETTINGS[name].parameter.default for name in (*_OF_KERNELS, *_OF_SECOND)}
    several = (name for name, value in {**own, **second}.items() if np.ndim(value))
    if (name := next(several, None)) is not None:
        raise _unknown("kernel", f"a kernel with a {name.replace('_', ' ')} for each input")
    code = KERNEL_CLASSES.name_of(type(first), "a kernel")
    return {**defaults, "kernel": code, **own, "stretch": stretch, **second}


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
    defaults = {"delta": 0.1, "beta": 4.0, "scale": schedule.scale, "a": 1.0, "b": None, "r": 1.0}
    match schedule:
        case FiniteBeta():
            return {"schedule": "finite", **defaults, "delta": schedule.delta}
        case CompactBeta():
            own = {name: getattr(schedule, name) for name in ("delta", "a", "b", "r")}
            return {"schedule": "compact", **defaults, **own}
    assert isinstance(schedule, ConstantBeta)
    return {"schedule": "constant", **defaults, "beta": schedule.beta}


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
