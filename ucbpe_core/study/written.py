"""A plan of a study as nested tables and as TOML, and what identifies the results of a cell."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import InputError
from ucbpe_core.files import tables
from ucbpe_core.files import text as files
from ucbpe_core.gp.kernels import KERNELS, Kernel
from ucbpe_core.history.workers import Workers
from ucbpe_core.policies import Policy
from ucbpe_core.policies.schedules import SCHEDULES, BetaSchedule
from ucbpe_core.problems.base import Problem
from ucbpe_core.study.plan import PolicyPlan, ProblemPlan, Study, described
from ucbpe_core.study.priors import HyperparameterPlan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_core.files.text import PathOrFile


def load_study(path: PathOrFile) -> Study:
    """The study that a TOML file describes; `path` may be a text file open for reading.

    A file runs only code of this package and of plugins: modules or Python files that the person
    who runs the study names with ``ucbpe study --plugin`` or `use_plugin`.

    The format, with the defaults where there are any::

        name = "Two problems"              # required
        replicates = 64
        batches = 60                       # T
        batch_size = 10                    # K
        initial = 20                       # random initial observations
        seed = 0
        beta = { kind = "finite", delta = 0.1, scale = 1.0 }    # or "compact", "constant"
        # workers = { durations = "exponential" }  # results one by one; default in batches

        [[problems]]                       # at least one
        label = "Himmelblau"               # required
        problem = "himmelblau"             # required: a registered name, or "plugin:factory"
        options = { noise_variance = 0.5 } # arguments of the factory

        [problems.hyperparameters]         # of the problem above
        method = "likelihood"              # or "suggested": the problem's own prior
        kernel = { kind = "rbf" }          # or "matern", .. (`KERNELS`), with their parameters;
                                           # "sum", "product" of kernels left, right; "active" of
                                           # inner, dims
        points = 0                         # 0: the initial observations; else this many others
        starts = 5
        least_noise = 1e-4                 # of the fitted noise variance, relative to var(y)
        fit_noise = true
        fit_mean = true
        # refit_every = 10                 # fitted again after every so many batches; default never

        [[policies]]                       # at least one
        label = "GP-UCB-PE"                # required
        policy = "GP-UCB-PE"               # required: a registered name, or "plugin:Class"
        options = { batch_size = 5 }       # its parameters
        batches = 120                      # default: the study's
        # workers = { durations = "exponential" }  # default: the study's

    Raises
    ------
    InputError
        For a file that cannot be read or is not TOML, for a key that is missing or unknown, and
        as `Study`.

    Examples
    --------
    >>> from io import StringIO
    >>> from ucbpe_core.study import load_study
    >>> text = '''
    ... name = "Curve"
    ... problems = [{ label = "Curve", problem = "multimodal" }]
    ... policies = [{ label = "PE", policy = "GP-UCB-PE" }]
    ... '''
    >>> load_study(StringIO(text)).replicates
    64
    """
    content = files.read(path, "a study")
    try:
        table = tables.parse_toml(content)
    except ValueError as error:
        raise InputError(f"{files.name_of(path)} to be TOML", str(error), "correct it") from None
    return from_dict(table)


def from_dict(table: Mapping[str, Any]) -> Study:
    """The study that nested tables describe, as `to_dict` writes them."""
    study: Study = _read(Study, table, "a study")
    return study


def to_dict(study: Study) -> dict[str, Any]:
    """The study as nested tables of plain values; `from_dict` reads it back.

    A problem or policy given as an object becomes a description, which can be read but not run.
    """
    table: dict[str, Any] = _plain(study)
    return table


def fingerprint(study: Study, problem: str, policy: str) -> str:
    """SHA-256 of all that a result of this problem with this policy depends on.

    It does not include the number of replicates, the study's name, its other problems and policies,
    or any code: neither this package's version nor a plugin's.
    """
    plan = study.policy(policy)
    options = {"batch_size": study.batch_size, **plan.options}
    identity = {
        "seed": study.seed,
        "initial": study.initial,
        "beta": _plain(study.beta),
        "workers": _plain(study.workers_of(plan)),
        "problem": _plain(study.problem(problem)),
        "policy": {
            "policy": _plain(plan.policy),
            "options": options,
            "batches": study.batches_of(plan),
        },
    }
    canonical = json.dumps(identity, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _read(cls: type[Any], value: Any, what: str) -> Any:
    """A record from a table and the tables in it; unknown and missing keys raise."""
    given, where = tables.as_table(value, what), f"keys of {what}"
    tables.check_keys(given, [field.name for field in fields(cls)], where)
    for key in given:
        if key in _READERS:
            given[key] = _READERS[key](given[key])
    try:
        return cls(**given)
    except TypeError as error:
        raise InputError(where, str(error), "add or correct the key named there") from None


def _read_each(cls: type[Any], value: Any, key: str, what: str) -> list[Any]:
    if not isinstance(value, list) or not all(isinstance(table, dict) for table in value):
        raise InputError(f"{key} as a list of tables", repr(value), f"write [[{key}]]")
    return [_read(cls, table, what) for table in value]


# Fields of records of a study that are records themselves.
_READERS: dict[str, Callable[[Any], Any]] = {
    "beta": lambda table: tables.from_table(SCHEDULES, table, "beta"),
    "kernel": lambda table: tables.from_table(KERNELS, table, "kernel"),
    "hyperparameters": lambda table: _read(HyperparameterPlan, table, "hyperparameters"),
    "workers": lambda table: _read(Workers, table, "workers"),
    "problems": lambda value: _read_each(ProblemPlan, value, "problems", "a problem"),
    "policies": lambda value: _read_each(PolicyPlan, value, "policies", "a policy"),
}


def _plain(value: Any) -> Any:
    """A record as a table without the fields that are None, recursively."""
    if isinstance(value, BetaSchedule):
        return tables.to_table(SCHEDULES, value, "beta")
    if isinstance(value, Kernel):
        return tables.to_table(KERNELS, value, "kernel")
    if isinstance(value, Problem | Policy):
        return described(value)
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if not is_dataclass(value):
        return value
    named = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return {name: part for name, part in named.items() if part is not None}
