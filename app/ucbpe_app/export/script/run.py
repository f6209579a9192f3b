"""The lines of a script that make a run: imports, problem, prior, policy and the call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ucbpe_app.run.choices import takes
from ucbpe_core import problems
from ucbpe_core.kernels import KERNELS
from ucbpe_core.plugins import plugins
from ucbpe_core.policies import POLICIES
from ucbpe_core.problems import is_random
from ucbpe_core.schedules import SCHEDULES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_app.run.settings import RunSpec
    from ucbpe_core.plugins import Registry

_MOST = 88  # characters of a line; a longer call has a line for each argument


def imports(spec: RunSpec) -> str:
    """What of `ucbpe_core` a run of these settings needs."""
    policy, kernel, schedule = spec.build_policy(), spec.build_kernel(), spec.build_schedule()
    names = {"GaussianProcess", "problems", "simulate"}
    names |= {type(one).__name__ for one in (policy, kernel, schedule) if _is_own(one)}
    lines = [
        f"from ucbpe_core.{module} import {group}"
        for module, group, one in (
            ("kernels", "KERNELS", kernel),
            ("policies", "POLICIES", policy),
            ("schedules", "SCHEDULES", schedule),
        )
        if not _is_own(one)
    ]
    files = plugins() if lines or not hasattr(problems, spec.problem) else ()
    names |= {"use_plugin"} if files else set()
    loads = [f"use_plugin({Path(one).name!r})" for one in files]
    return "\n".join([_import(names), *lines, *(["", *loads] if loads else [])])


def _import(names: set[str]) -> str:
    # As isort has them: constants, classes, functions.
    ordered = sorted(names, key=lambda name: (not name.isupper(), name.islower(), name))
    line = f"from ucbpe_core import {', '.join(ordered)}"
    if len(line) <= _MOST:
        return line
    return "from ucbpe_core import (\n" + "".join(f"    {name},\n" for name in ordered) + ")"


def run(spec: RunSpec) -> str:
    """The run, as `trace`."""
    seed = {"seed": spec.problem_seed} if is_random(spec.problem) else {}
    policy, schedule, kernel = spec.build_policy(), spec.build_schedule(), spec.build_kernel()
    own = hasattr(problems, spec.problem)
    problem = f"problems.{spec.problem if own else f'PROBLEMS.find({spec.problem!r})'}"
    of_kernel = _keywords(kernel, "degree", "offset", "lengthscale", "variance", "nu")
    of_beta = _keywords(schedule, "delta", "beta", "scale", "r")
    counts = {"batches": spec.batches, "initial": spec.initial, "seed": spec.seed}
    prior = {"noise_variance": spec.noise_variance, "mean": spec.mean}
    return "\n".join([
        _call("problem", problem, seed),
        _call("kernel", _maker(KERNELS, "KERNELS", kernel), of_kernel),
        _call("gp", "GaussianProcess", prior, "kernel"),
        _call("beta", _maker(SCHEDULES, "SCHEDULES", schedule), of_beta),
        _call("policy", _maker(POLICIES, "POLICIES", policy), spec.policy_options()),
        _call("trace", "simulate", counts, "problem", "policy", "gp", "beta"),
    ])  # fmt: skip


def _keywords(thing: object, *names: str) -> dict[str, Any]:
    """Those of these parameters that the class of a thing takes, with their values."""
    return {name: getattr(thing, name) for name in names if takes(type(thing), name)}


def _is_own(thing: object) -> bool:
    """Whether this package, and no plugin, has the class."""
    return type(thing).__module__.startswith("ucbpe_core.")


def _maker(registry: Registry[Any], group: str, thing: object) -> str:
    """The class of a thing; one of a plugin is found by its name."""
    if _is_own(thing):
        return type(thing).__name__
    return f"{group}.find({registry.name_of(type(thing), group)!r})"


def _call(result: str, function: str, keywords: Mapping[str, Any], *names: str) -> str:
    """A call with these arguments, in one line if it is short enough."""
    arguments = [*names, *(f"{name}={value!r}" for name, value in keywords.items())]
    line = f"{result} = {function}({', '.join(arguments)})"
    if len(line) <= _MOST:
        return line
    return f"{result} = {function}(\n" + "".join(f"    {one},\n" for one in arguments) + ")"
