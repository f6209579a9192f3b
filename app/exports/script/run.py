"""The lines of a script that make a run: imports, problem, prior, policy and the call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ucbpe_core import CompactBeta, ConstantBeta, FiniteBeta, Matern, Polynomial
from ucbpe_core.problems import is_random

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.settings import RunSpec
    from ucbpe_core import BetaSchedule, Kernel

_MOST = 88  # characters of a line; a longer call has a line for each argument


def imports(spec: RunSpec) -> str:
    """What of `ucbpe_core` a run of these settings needs."""
    makers = (spec.build_policy(), spec.build_kernel(), spec.build_schedule())
    names = {"GaussianProcess", "problems", "simulate", *(type(one).__name__ for one in makers)}
    # As isort has them: constants, classes, functions.
    ordered = sorted(names, key=lambda name: (not name.isupper(), name.islower(), name))
    line = f"from ucbpe_core import {', '.join(ordered)}"
    if len(line) <= _MOST:
        return line
    return "from ucbpe_core import (\n" + "".join(f"    {name},\n" for name in ordered) + ")"


def run(spec: RunSpec) -> str:
    """The run, as `trace`."""
    seed = {"seed": spec.problem_seed} if is_random(spec.problem) else {}
    policy, schedule = spec.build_policy(), spec.build_schedule()
    counts = {"batches": spec.batches, "initial": spec.initial, "seed": spec.seed}
    prior = {"noise_variance": spec.noise_variance, "mean": spec.mean}
    return "\n".join([
        _call("problem", f"problems.{spec.problem}", seed),
        _call("kernel", type(spec.build_kernel()).__name__, _of_kernel(spec.build_kernel())),
        _call("gp", "GaussianProcess", prior, "kernel"),
        _call("beta", type(schedule).__name__, _of_schedule(schedule)),
        _call("policy", type(policy).__name__, spec.policy_options()),
        _call("trace", "simulate", counts, "problem", "policy", "gp", "beta"),
    ])  # fmt: skip


def _of_kernel(kernel: Kernel) -> dict[str, Any]:
    if isinstance(kernel, Polynomial):
        names: tuple[str, ...] = ("degree", "offset", "variance")
    else:
        names = ("lengthscale", "variance", *(["nu"] if isinstance(kernel, Matern) else []))
    return {name: getattr(kernel, name) for name in names}


def _of_schedule(schedule: BetaSchedule) -> dict[str, Any]:
    match schedule:
        case FiniteBeta():
            names: tuple[str, ...] = ("delta", "scale")
        case CompactBeta():
            names = ("delta", "scale", "r")
        case ConstantBeta():
            names = ("beta", "scale")
        case _:
            raise TypeError(f"no script can make a {type(schedule).__name__}")
    return {name: getattr(schedule, name) for name in names}


def _call(result: str, function: str, keywords: Mapping[str, Any], *names: str) -> str:
    """A call with these arguments, in one line if it is short enough."""
    arguments = [*names, *(f"{name}={value!r}" for name, value in keywords.items())]
    line = f"{result} = {function}({', '.join(arguments)})"
    if len(line) <= _MOST:
        return line
    return f"{result} = {function}(\n" + "".join(f"    {one},\n" for one in arguments) + ")"
