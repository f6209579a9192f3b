"""Problem and prior <-> tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import InputError
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.kernels import KERNELS
from ucbpe_core.problems import Problem
from ucbpe_core.tables import from_table, to_table
from ucbpe_core.trace_files.checks import (
    REMEDY,
    fields,
    flag,
    listing,
    members,
    number,
    numbers,
    text,
    whole,
)
from ucbpe_core.trace_files.packing import pack_candidates, unpack_candidates
from ucbpe_core.validation import count

if TYPE_CHECKING:
    from collections.abc import Sequence

_REFIT = ("t", "prior")
_PRIOR = ("kernel", "mean", "noise_variance")
_PROBLEM = (
    "name",
    "citation",
    "axes",
    "noise_variance",
    "unique",
    "grid",
    "candidates",
    "values",
    "observed",
    "observed_y",
    "suggested_prior",
)


def problem_table(problem: Problem) -> dict[str, Any]:
    """All of a problem; candidates that are a grid are told by its axes."""
    return {
        "name": text(problem.name, "problem.name"),
        "citation": text(problem.citation, "problem.citation"),
        "axes": [text(name, f"problem.axes[{i}]") for i, name in enumerate(problem.axes)],
        "noise_variance": float(problem.noise_variance),
        "unique": bool(problem.unique),
        "grid": [count(length, "a length of problem.grid") for length in problem.grid],
        "candidates": pack_candidates(problem.candidates, problem.grid),
        "values": problem.values.tolist(),
        "observed": problem.observed.tolist(),
        "observed_y": problem.observed_y.tolist(),
        "suggested_prior": prior_table(problem.gp, "problem.suggested_prior"),
    }


def read_problem(value: object) -> Problem:
    """The problem that `problem_table` described; `InputError` for anything else."""
    given = fields(value, "problem", _PROBLEM)
    values = numbers(given["values"], "problem.values")
    observed = members(given["observed"], "problem.observed", len(values))
    axes = tuple(
        text(name, f"problem.axes[{i}]")
        for i, name in enumerate(listing(given["axes"], "problem.axes"))
    )
    if not axes:  # a problem would make up names
        raise InputError("problem.axes with a name for each input and the output", "none", REMEDY)
    lengths = enumerate(listing(given["grid"], "problem.grid"))
    grid = tuple(whole(length, f"problem.grid[{i}]", minimum=1) for i, length in lengths)
    return Problem(
        name=text(given["name"], "problem.name"),
        candidates=unpack_candidates(given["candidates"], "problem.candidates", len(values), grid),
        values=values,
        noise_variance=number(given["noise_variance"], "problem.noise_variance"),
        gp=read_prior(given["suggested_prior"], "problem.suggested_prior"),
        citation=text(given["citation"], "problem.citation"),
        unique=flag(given["unique"], "problem.unique"),
        axes=axes,
        grid=grid,
        observed=observed,
        observed_y=numbers(given["observed_y"], "problem.observed_y", len(observed)),
    )


def prior_table(gp: GaussianProcess, where: str) -> dict[str, Any]:
    """Kernel, mean and noise variance; `InputError` for a kernel of one's own."""
    return {
        "kernel": to_table(KERNELS, gp.kernel, f"{where}.kernel"),
        "mean": gp.mean,
        "noise_variance": gp.noise_variance,
    }


def read_prior(value: object, where: str) -> GaussianProcess:
    """The prior that `prior_table` described; `InputError` for anything else."""
    given = fields(value, where, _PRIOR)
    return GaussianProcess(
        kernel=from_table(KERNELS, given["kernel"], f"{where}.kernel", complete=True),
        noise_variance=number(given["noise_variance"], f"{where}.noise_variance"),
        mean=number(given["mean"], f"{where}.mean"),
    )


def refits_table(refits: Sequence[tuple[int, GaussianProcess]]) -> list[dict[str, Any]]:
    """Each further prior, and the batch from which it holds."""
    return [{"t": t, "prior": prior_table(gp, f"refits[{i}]")} for i, (t, gp) in enumerate(refits)]


def read_refits(value: object, batches: int) -> tuple[tuple[int, GaussianProcess], ...]:
    """The priors that `refits_table` described, of a run of that many batches."""
    read, least = [], 2
    for i, one in enumerate(listing(value, "refits")):
        given = fields(one, f"refits[{i}]", _REFIT)
        t = whole(given["t"], f"refits[{i}].t")
        if not least <= t <= batches:
            raise InputError(f"refits[{i}].t from {least} to {batches}", str(t), REMEDY)
        read.append((t, read_prior(given["prior"], f"refits[{i}].prior")))
        least = t + 1
    if not read:
        raise InputError("at least one of refits", "none", "write version 1 without refits")
    return tuple(read)
