"""The replicates of a study by cell (problem x policy), and cells paired by replicate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ucbpe_core.validation import Floats


class Replicate(Protocol):
    """What a summary reads of one replicate of one cell of a study.

    Attributes
    ----------
    problem, policy : labels
    replicate : its number; equal numbers share their randomness across policies
    error : why it failed, or None; nothing else is read of a failure
    simple, total : r_t^K, and the sum of the K regrets of batch t, shape (T,) each
    batch_size : K
    initialization : leading batches that only initialise, as GP-BUCB's do
    seconds : duration of the run
    """

    @property
    def problem(self) -> str: ...
    @property
    def policy(self) -> str: ...
    @property
    def replicate(self) -> int: ...
    @property
    def error(self) -> str | None: ...
    @property
    def simple(self) -> Floats: ...
    @property
    def total(self) -> Floats: ...
    @property
    def batch_size(self) -> int: ...
    @property
    def initialization(self) -> int: ...
    @property
    def seconds(self) -> float: ...


@dataclass(frozen=True)
class Cell:
    """The replicates of `policy` on `problem`: the finished ones in order, the others' numbers."""

    problem: str
    policy: str
    finished: dict[int, Replicate]
    failures: frozenset[int]

    @property
    def runs(self) -> tuple[Replicate, ...]:
        return tuple(self.finished.values())


def cells(results: Iterable[Replicate]) -> tuple[Cell, ...]:
    """One cell per problem and policy, both in order of first appearance.

    Replicates are ordered by number and not by appearance, so that a mean is the same to the last
    bit in whatever order they ended.

    Raises
    ------
    InputError
        For a replicate that occurs twice, or replicates of one cell that differ in T.
    """
    found: dict[tuple[str, str], dict[int, Replicate]] = {}
    for run in results:
        members = found.setdefault((run.problem, run.policy), {})
        if run.replicate in members:
            got = f"two of {run.policy} on {run.problem}"
            raise InputError(f"one replicate {run.replicate}", got, "summarise one study at a time")
        members[run.replicate] = run
    order = {problem: rank for rank, (problem, _) in reversed([*enumerate(found)])}
    return tuple(_cell(*key, found[key]) for key in sorted(found, key=lambda key: order[key[0]]))


def pairs(results: Iterable[Replicate], reference: str) -> Iterator[tuple[Cell, Cell]]:
    """Each cell of another policy with that of `reference`, both cut to common replicates.

    Pairs without a common finished replicate are left out. `failures` of either cell are the
    replicates that at least one of the two failed.

    Raises
    ------
    InputError
        As `cells`, and when no result is of the policy `reference`.
    """
    found = cells(results)
    bases = {cell.problem: cell for cell in found if cell.policy == reference}
    if not bases:
        policies = ", ".join(dict.fromkeys(cell.policy for cell in found)) or "no results"
        raise InputError(f"results of the policy {reference}", policies, "name one of these")
    for cell in found:
        base = bases.get(cell.problem)
        if base is None or cell.policy == reference:
            continue
        common = [number for number in cell.finished if number in base.finished]
        failures = cell.failures | base.failures
        if common:
            yield _restrict(cell, common, failures), _restrict(base, common, failures)


def _cell(problem: str, policy: str, members: dict[int, Replicate]) -> Cell:
    finished = {i: members[i] for i in sorted(members) if members[i].error is None}
    lengths = sorted({len(run.simple) for run in finished.values()})
    if len(lengths) > 1:
        got = f"{lengths[0]} and {lengths[-1]} of {policy} on {problem}"
        raise InputError("equally many batches", got, "run the study with one number of batches")
    return Cell(problem, policy, finished, frozenset(members.keys() - finished.keys()))


def _restrict(cell: Cell, numbers: list[int], failures: frozenset[int]) -> Cell:
    runs = {number: cell.finished[number] for number in numbers}
    return Cell(cell.problem, cell.policy, runs, failures)
