"""Tables of what the browser's engine cannot compute: f, initial measurements, and noise.

The engine in ``live/`` computes runs as `ucbpe_core.simulate` does, but for NumPy's generators. Its
arguments are made here; an `InputError` says what it cannot compute.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import param

from ucbpe_app.run.changes import WORDS
from ucbpe_app.run.choices import (
    KERNELS,
    POLICIES,
    SCHEDULES,
    class_label,
    schedule_label,
    takes,
)
from ucbpe_app.run.sentences.texts import say
from ucbpe_app.run.settings import SETTINGS
from ucbpe_core import GPUCBPE, RBF, ConstantBeta, FiniteBeta, Matern, streams
from ucbpe_core.errors import InputError
from ucbpe_core.kernels import KERNELS as KERNEL_CLASSES
from ucbpe_core.kernels import Linear, Periodic, Polynomial, RationalQuadratic
from ucbpe_core.policies import EIPE, GPBUCB, GPUCB, GreedyUCB, PureExploration
from ucbpe_core.records.tables import to_table
from ucbpe_core.schedules import CompactBeta
from ucbpe_core.simulation import initial_observations
from ucbpe_core.validation import sign_of

if TYPE_CHECKING:
    from ucbpe_core import BetaSchedule, GaussianProcess, Kernel, Policy
    from ucbpe_core.problems import Problem

MOST_PICKS, MOST_OWN = 20, 40
SMOOTHNESS = ((0.5, "1/2"), (1.5, "3/2"), (2.5, "5/2"))  # of the kernels offered
_POLICIES = (GPUCBPE, GPUCB, GreedyUCB, GPBUCB, EIPE, PureExploration)
_KERNELS = (RBF, Matern, RationalQuadratic, Periodic, Linear, Polynomial)
_SCHEDULES = (FiniteBeta, CompactBeta, ConstantBeta)
_OF_KERNELS = tuple(name for name in SETTINGS if any(takes(kind, name) for kind in _KERNELS))
CHOICES = {  # of settings that are names
    "kernel": tuple(KERNEL_CLASSES.name_of(kind, "a kernel") for kind in _KERNELS),
    "schedule": ("finite", "compact", "constant"),
    "policy": tuple(policy.name for policy in _POLICIES),
}
COMPUTED = tuple(policy.name for policy in _POLICIES)


def problem_tables(
    problem: Problem, *, initial: int, seed: int, batches: int, most_picks: int = MOST_PICKS
) -> dict[str, Any]:
    """The problem and all that is random in a run of it, arrays by name.

    ``noise`` (T, K) is in units of ``noiseStd``, and ``ownNoise`` that of further measurements
    before batch 1: the stream of a batch that the run does not have.
    """
    start, start_y = initial_observations(problem, initial, seed)
    noise = [_noise(seed, t, most_picks) for t in range(1, batches + 1)]
    return {
        "columns": np.ascontiguousarray(problem.candidates.T),
        "values": problem.values,
        "start": start,
        "startY": start_y,
        "noise": np.array(noise),
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
    for what, part, known in (
        ("policy", policy, _POLICIES),
        ("kernel", gp.kernel, _KERNELS),
        ("schedule", schedule, _SCHEDULES),
    ):
        if type(part) not in known:  # a subclass has a rule of its own
            raise _unknown(what, f"the {what} {_label(part)}")
    own = policy if isinstance(policy, GPBUCB) else GPBUCB()
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
    }


def kernel_tables() -> list[dict[str, Any]]:
    """The kernels that the engine computes: names, and the settings that each uses."""
    return [
        {
            "code": code,
            "label": class_label(KERNELS, kind),
            "uses": [name for name in _OF_KERNELS if takes(kind, name)],
        }
        for code, kind in zip(CHOICES["kernel"], _KERNELS, strict=True)
    ]


def control_tables(most_picks: int) -> dict[str, dict[str, Any]]:
    """What a visitor sets, in the order of the controls: what it is called, and its values.

    A choice has these with their texts, a number its bounds, and the choices that use it.
    """
    numbers = {name: _number(name) for name in ("delta", "beta", "scale", *_OF_KERNELS)}
    smoothness = [
        (f"matern {nu}", say("kernel.nu", label=class_label(KERNELS, Matern), nu=text))
        for nu, text in SMOOTHNESS
    ]
    kernels = [(one["code"], one["label"]) for one in kernel_tables() if one["code"] != "matern"]
    schedules = [schedule_label(class_label(SCHEDULES, kind)) for kind in _SCHEDULES]
    return {
        "policy": _choice("policy", list(zip(COMPUTED, COMPUTED, strict=True))),
        "K": {**_number("batch_size"), "high": most_picks},
        "schedule": _choice("schedule", list(zip(CHOICES["schedule"], schedules, strict=True))),
        **{name: numbers.pop(name) for name in ("delta", "beta", "scale")},
        "kernel": _choice("kernel", [kernels[0], *smoothness, *kernels[1:]]),
        **numbers,
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
    if setting.shown_for:
        choice, labels = setting.shown_for
        used[choice] = [code for code in CHOICES[choice] if code in labels]
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
    """The table of the kernel in saved runs, with what the engine reads for any kernel."""
    table = to_table(KERNEL_CLASSES, kernel, "the kernel")
    code, own = table.pop("kind"), {name: np.ravel(value).tolist() for name, value in table.items()}
    if any(len(each) > 1 for each in own.values()):
        raise _unknown("kernel", "a kernel with a lengthscale for each input")
    usual = {name: SETTINGS[name].parameter.default for name in _OF_KERNELS}
    return {"kernel": code, **usual, **{name: each for name, (each,) in own.items()}}


def _schedule(schedule: BetaSchedule) -> dict[str, Any]:
    usual = {"delta": 0.1, "beta": 4.0, "scale": schedule.scale, "a": 1.0, "b": None, "r": 1.0}
    match schedule:
        case FiniteBeta():
            return {"schedule": "finite", **usual, "delta": schedule.delta}
        case CompactBeta():
            own = {name: getattr(schedule, name) for name in ("delta", "a", "b", "r")}
            return {"schedule": "compact", **usual, **own}
    assert isinstance(schedule, ConstantBeta)
    return {"schedule": "constant", **usual, "beta": schedule.beta}


def _label(part: object) -> str:
    """What the pages call a policy, a kernel or a schedule; one of a plugin may have no name."""
    return class_label({**POLICIES, **KERNELS, **SCHEDULES}, type(part))


def _unknown(what: str, got: str) -> InputError:
    kernels = ", ".join(class_label(KERNELS, kind) for kind in _KERNELS)
    known = (
        f"{kernels} kernels with one lengthscale, finite, compact or constant schedules, "
        f"and {', '.join(COMPUTED)}"
    )
    expected = f"a {what} that a live lesson computes: {known}"
    return InputError(expected, got, "export it without live")


def plain(value: Any) -> Any:
    """Tables for JSON: every number with the digits that read back exactly."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    assert not isinstance(value, float) or math.isfinite(value)
    return value
