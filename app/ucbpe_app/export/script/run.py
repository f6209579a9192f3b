"""The lines of a script that make a run: imports, problem, prior, policy and the call."""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ucbpe_core
from ucbpe_app.run.choices import takes
from ucbpe_app.run.own import is_own
from ucbpe_app.run.settings import SETTINGS, RunSpec, names_of, problem_of
from ucbpe_core import kernels, policies, problems, schedules, simulation
from ucbpe_core.kernels import KERNELS
from ucbpe_core.plugins import plugins
from ucbpe_core.policies import POLICIES
from ucbpe_core.problems import PROBLEMS
from ucbpe_core.schedules import SCHEDULES

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from ucbpe_core.plugins import Registry

_MOST = 88  # characters of a line; a longer call has a line for each argument


def imports(spec: RunSpec, data: RunSpec | None = None) -> str:
    """What of `ucbpe_core` a run of these settings needs; `data` as of `run`."""
    own = is_own(spec.problem)
    names = {"GaussianProcess", "Trace" if own else "problems", "simulate"}
    names |= {"replay_decisions"} if data else set()
    lines = list[str]()
    for module, group, build in (
        ("kernels", "KERNELS", RunSpec.build_kernel),
        ("policies", "POLICIES", RunSpec.build_policy),
        ("schedules", "SCHEDULES", RunSpec.build_schedule),
    ):
        things = [build(one) for one in (spec, data) if one]
        names |= {type(one).__name__ for one in things if _is_own(one)}
        if not all(map(_is_own, things)):
            lines.append(f"from ucbpe_core.{module} import {group}")
    files = plugins() if lines or not (own or hasattr(problems, spec.problem)) else ()
    names |= {"use_plugin"} if files else set()
    loads = [f"use_plugin({Path(one).name!r})" for one in files]
    return "\n".join([*_imports(names), *lines, *(["", *loads] if loads else [])])


def _imports(names: set[str]) -> list[str]:
    """The names, each from the first module that has it."""
    left, found = names, []
    for module in (ucbpe_core, kernels, policies, schedules, simulation):
        # As isort has them: constants, classes, functions.
        own = sorted(
            (name for name in left if hasattr(module, name)),
            key=lambda name: (not name.isupper(), name.islower(), name),
        )
        left = left - set(own)
        line = f"from {module.__name__} import {', '.join(own)}"
        if len(line) > _MOST:
            rows = "".join(f"    {name},\n" for name in own)
            line = f"from {module.__name__} import (\n{rows})"
        found += [line] if own else []
    return found


def run(spec: RunSpec, data: RunSpec | None = None) -> str:
    """The run, as `trace`; on the measurements of that of the settings `data`, if given."""
    first = data or spec
    lines = [
        *_problem(first),
        *_parts(first),
        _call("trace", "simulate", first.of("run"), "problem", "policy", "gp", "beta"),
    ]
    if data:
        again = _call("trace", "replay_decisions", {}, "trace", "gp", "beta", "policy=policy")
        about = "# The same measurements, and what other settings make of them."
        lines += ["", about, *_parts(spec), again]
    return "\n".join(lines)


def _parts(spec: RunSpec) -> list[str]:
    """The prior, the schedule and the policy."""
    policy, schedule, kernel = spec.build_policy(), spec.build_schedule(), spec.build_kernel()
    prior = _keywords(spec.build_gp(), SETTINGS)
    of_kernel, of_schedule, of_policy = (
        _keywords(thing, spec.arguments(part))
        for part, thing in (("kernel", kernel), ("schedule", schedule), ("policy", policy))
    )
    return [
        _call("kernel", _maker(KERNELS, "KERNELS", kernel), of_kernel),
        _call("gp", "GaussianProcess", prior, "kernel"),
        _call("beta", _maker(SCHEDULES, "SCHEDULES", schedule), of_schedule),
        _call("policy", _maker(POLICIES, "POLICIES", policy), of_policy),
    ]


def _problem(spec: RunSpec) -> list[str]:
    """The problem, and the numbers of it that settings change which its factory does not take."""
    name, names = spec.problem, names_of("problem", spec.problem)
    if is_own(name):
        return [
            "# Your own function: save the run as JSON, in the dialog of this script, as run.json.",
            'problem = Trace.load("run.json").problem',
        ]
    options = {
        one: value
        for one, value in spec.arguments("problem").items()
        if takes(PROBLEMS.find(name), one)
    }
    maker = f"problems.{name if hasattr(problems, name) else f'PROBLEMS.find({name!r})'}"
    known: dict[str, Any] = {names[one]: value for one, value in options.items()}
    made, plain = problem_of(spec), problem_of(RunSpec(problem=name, **known))
    changes = {
        one: value
        for one, value in vars(made).items()
        if isinstance(value, int | float | str) and value != getattr(plain, one)
    }
    again = [_call("problem", "replace", changes, "problem")] if changes else []
    return [_call("problem", maker, options), *again]


def _keywords(thing: object, settings: Container[str]) -> dict[str, Any]:
    """The parameters of a thing that are settings, and others that are not as by default."""
    found: dict[str, Any] = {}
    for name, parameter in signature(type(thing)).parameters.items():
        usual = parameter.default
        value = getattr(thing, name, usual)
        plain = isinstance(value, int | float | str | tuple)
        if plain and (name in settings or value != usual):
            found[name] = value
    return found


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
