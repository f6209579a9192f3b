"""Studies as text: the TOML that people write, and the canonical JSON that identifies results.

A file runs no code but this package's and that of plugins: modules, or Python files, that whoever
runs the study named with ``ucbpe study --plugin`` or `use_plugin`.

The format, with the defaults where there are any::

    name = "Two problems"              # required
    replicates = 64
    batches = 60                       # T
    batch_size = 10                    # K
    initial = 20                       # random initial observations
    seed = 0
    beta = { kind = "finite", delta = 0.1, scale = 1.0 }    # or "compact", "constant"

    [[problems]]                       # at least one
    label = "Himmelblau"               # required
    problem = "himmelblau"             # required: a registered name, or "plugin:factory"
    options = { noise_variance = 0.5 } # arguments of the factory

    [problems.hyperparameters]         # of the problem above
    method = "likelihood"              # or "suggested": the problem's own prior
    kernel = { kind = "rbf" }          # or "matern", "polynomial", with their parameters;
                                       # or "sum", "product", with kernels left and right
    points = 0                         # 0: the initial observations; else so many of their own
    starts = 5
    least_noise = 1e-4                 # of the fitted noise variance, relative to var(y)
    fit_noise = true
    fit_mean = true
    # refit_every = 10                 # batches after which it is fitted again; never unless given

    [[policies]]                       # at least one
    label = "GP-UCB-PE"                # required
    policy = "GP-UCB-PE"               # required: a registered name, or "plugin:Class"
    options = { batch_size = 5 }       # its parameters
    batches = 120                      # the study's unless given
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import InputError
from ucbpe_core.kernels import KERNELS
from ucbpe_core.records import tables, text
from ucbpe_core.schedules import SCHEDULES
from ucbpe_core.study.plan import HyperparameterPlan, PolicyPlan, ProblemPlan, Study

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def load_study(path: str | Path) -> Study:
    """The study that a TOML file describes.

    Raises
    ------
    InputError
        For a file that cannot be read or is not TOML, for a key that is missing or unknown, and
        as `Study`.
    """
    content = text.read(path, "a study")
    try:
        table = tomllib.loads(content)
    except (ValueError, RecursionError) as error:  # not TOML, too many digits, or too deep
        raise InputError(f"{path} to be TOML", str(error), "correct that line") from None
    return from_dict(table)


def from_dict(table: Mapping[str, Any]) -> Study:
    """The study that nested tables describe, as `to_dict` writes them."""
    given = dict(table)
    if "beta" in given:
        given["beta"] = tables.from_table(SCHEDULES, given["beta"], "beta")
    for key, build in (("problems", _problem), ("policies", _policy)):
        if key in given:
            given[key] = [build(one) for one in _tables(given[key], key)]
    return _record(Study, given, "keys of a study")


def to_dict(study: Study) -> dict[str, Any]:
    """The study as nested tables of plain values; `from_dict` reads it back."""
    return {
        **{name: getattr(study, name) for name in ("name", *_COUNTS)},
        "beta": tables.to_table(SCHEDULES, study.beta, "beta"),
        "problems": [_problem_table(plan) for plan in study.problems],
        "policies": [_plain(plan) for plan in study.policies],
    }


def to_json(study: Study) -> str:
    """`to_dict` as canonical JSON: sorted keys, no spaces."""
    return _canonical(to_dict(study))


def fingerprint(study: Study, problem: str, policy: str) -> str:
    """SHA-256 of all that a result of this problem with this policy depends on.

    The number of replicates, the study's name and what else it crosses are not part of it. Nor
    is code: neither this package's version nor that of a plugin.
    """
    plan = study.policy(policy)
    options = {"batch_size": study.batch_size, **plan.options}
    batches = study.batches if plan.batches is None else plan.batches
    identity = {
        "seed": study.seed,
        "initial": study.initial,
        "beta": tables.to_table(SCHEDULES, study.beta, "beta"),
        "problem": _problem_table(study.problem(problem)),
        "policy": {"policy": plan.policy, "options": options, "batches": batches},
    }
    return hashlib.sha256(_canonical(identity).encode()).hexdigest()


_COUNTS = ("replicates", "batches", "batch_size", "initial", "seed")


def _problem(table: Mapping[str, Any]) -> ProblemPlan:
    given = dict(table)
    if "hyperparameters" in given:
        given["hyperparameters"] = _hyperparameters(given["hyperparameters"])
    return _record(ProblemPlan, given, "keys of a problem")


def _hyperparameters(table: Any) -> HyperparameterPlan:
    given = tables.as_table(table, "hyperparameters")
    if "kernel" in given:
        given["kernel"] = tables.from_table(KERNELS, given["kernel"], "kernel")
    return _record(HyperparameterPlan, given, "keys of hyperparameters")


def _policy(table: Mapping[str, Any]) -> PolicyPlan:
    return _record(PolicyPlan, table, "keys of a policy")


def _tables(value: Any, key: str) -> list[Mapping[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise InputError(f"{key} as a list of tables", repr(value), f"write [[{key}]]")
    return value


def _record(cls: type[Any], given: Mapping[str, Any], where: str) -> Any:
    """A record from a table, with unknown and missing keys refused."""
    tables.check_keys(given, [field.name for field in fields(cls)], where)
    try:
        return cls(**given)
    except TypeError as error:
        raise InputError(where, str(error), "add or correct the key named there") from None


def _problem_table(plan: ProblemPlan) -> dict[str, Any]:
    prior = _plain(plan.hyperparameters)
    prior["kernel"] = tables.to_table(KERNELS, prior["kernel"], "kernel")
    return {**_plain(plan), "hyperparameters": prior}


def _plain(record: Any) -> dict[str, Any]:
    named = {field.name: getattr(record, field.name) for field in fields(record)}
    return {name: value for name, value in named.items() if value is not None}


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
