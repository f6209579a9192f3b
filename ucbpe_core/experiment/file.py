"""The file of an `Experiment`: JSON, a head with the table, then the journal."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import InputError
from ucbpe_core.experiment.journal import KINDS, Entry, Planned, checked_time
from ucbpe_core.experiment.plan import Table
from ucbpe_core.records import atomic, text
from ucbpe_core.records.convert import from_plain, name_kinds, to_plain
from ucbpe_core.records.packing import Candidates

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core.experiment.experiment import Experiment
    from ucbpe_core.records.text import PathOrFile

    Check = Callable[[Table, tuple[Entry, ...]], None]

FORMAT = "ucbpe-experiment"
# Version 2 has noise variances of measurements, 3 a plan that minimises: a file is written in the
# lowest version that can hold it.
VERSIONS = (1, 2, 3)
_WHAT = "an experiment"


@dataclass(frozen=True)
class LabelRecord:
    """A column that identifies the candidates to people."""

    name: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class TableRecord:
    """A `Table`."""

    inputs: tuple[str, ...]
    output: str
    candidates: Candidates
    labels: tuple[LabelRecord, ...]


@dataclass(frozen=True)
class JournalRecord:
    """All that happened, with a digest specific to this experiment."""

    entries: tuple[Entry, ...]
    digest: str | None = None


@dataclass(frozen=True)
class ExperimentRecord:
    """The whole file; the digest covers everything but the journal."""

    format: str
    version: int
    id: str
    name: str
    created: str
    table: TableRecord
    journal: JournalRecord
    digest: str | None = None


def version_of(experiment: Experiment) -> int:
    """The version of the file format that it needs.

    Examples
    --------
    >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
    >>> from ucbpe_core.experiment import Plan, Table, version_of
    >>> plan = Plan(GaussianProcess(RBF()), GPUCBPE(2), ConstantBeta(4.0), direction="minimize")
    >>> version_of(Experiment.begin(Table(("x",), range(11)), plan))
    3
    """
    plans = [entry for entry in experiment.journal if isinstance(entry, Planned)]
    if any(plan.direction == "minimize" for plan in plans):
        return 3
    return VERSIONS[any(one.noise_variance is not None for one in experiment.measurements)]


def head_text(experiment: Experiment) -> str:
    """The part of the file that depends only on `version_of`, as JSON without the last brace.

    The file is `head_text(experiment) + journal_text(experiment)`: a caller that keeps the head of
    a large table need not write it again at every step.

    Examples
    --------
    >>> import json
    >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
    >>> from ucbpe_core.experiment import head_text, journal_text, Plan, Table
    >>> plan = Plan(GaussianProcess(RBF()), GPUCBPE(2), ConstantBeta(4.0))
    >>> experiment = Experiment.begin(Table(("x",), range(11)), plan, "Rehearsal")
    >>> json.loads(head_text(experiment) + journal_text(experiment))["name"]
    'Rehearsal'
    """
    table = experiment.table
    record = TableRecord(
        inputs=table.inputs,
        output=table.output,
        candidates=Candidates.pack(table.candidates),
        labels=tuple(LabelRecord(name, texts) for name, texts in table.labels),
    )
    head = {
        "format": FORMAT,
        "version": version_of(experiment),
        "id": experiment.id,
        "name": experiment.name,
        "created": experiment.created,
        "table": to_plain(record),
    }
    return text.dumps({**head, "digest": text.digest(head)}, _WHAT)[:-1]


def journal_text(experiment: Experiment) -> str:
    """The rest of the file: the journal, and the last brace.

    Examples
    --------
    >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
    >>> from ucbpe_core.experiment import journal_text, Plan, Table
    >>> plan = Plan(GaussianProcess(RBF()), GPUCBPE(2), ConstantBeta(4.0))
    >>> experiment = Experiment.begin(Table(("x",), range(11)), plan)
    >>> journal_text(experiment)[:10]
    ',"journal"'
    """
    _name_entries()
    entries = to_plain(experiment.journal, tuple[Entry, ...])
    journal = {"digest": text.digest([experiment.id, entries]), "entries": entries}
    return f',"journal":{text.dumps(journal, _WHAT)}}}\n'


def save(experiment: Experiment, path: PathOrFile) -> None:
    """Implements `Experiment.save`."""
    journal = journal_text(experiment)
    if not isinstance(path, (str, os.PathLike)):
        path.write(head_text(experiment) + journal)
        return
    # No other process may write between the check and the write.
    with atomic.locked(path):
        _check_nothing_lost(experiment, journal, Path(path))
        text.write(head_text(experiment) + journal, path)


def _check_nothing_lost(experiment: Experiment, journal: str, path: Path) -> None:
    """Refuse to replace a file of this experiment with entries that its journal lacks.

    Another process has saved there meanwhile, or this is an earlier state. Any other file is
    replaced.
    """
    try:
        there = json.loads(path.read_text(encoding="utf-8-sig"))
        found = there["journal"]["entries"] if there["id"] == experiment.id else []
        size = len(found)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return
    own = json.loads(journal.removeprefix(',"journal":').rstrip()[:-1])["entries"]
    if found != own[:size]:
        raise InputError(
            f"a journal that continues the {size} entries in {path}",
            f"one of {len(own)} entries without some of them",
            "load that file and take the step again, or save to another path",
        )


def load(path: PathOrFile, build: Callable[..., Experiment], check: Check | None) -> Experiment:
    """Implements `Experiment.load`; `build` makes an experiment from its fields."""
    _name_entries()
    with text.building(path):
        content = text.parse(path, "a saved experiment", FORMAT, VERSIONS)
        record = from_plain(content, ExperimentRecord)
        _check_digests(content, record)
        table = _table(record.table)
        if check is not None:
            check(table, record.journal.entries)
        return build(
            table=table,
            journal=record.journal.entries,
            name=record.name,
            id=record.id,
            created=checked_time(record.created, "created"),
        )


@cache
def _name_entries() -> None:
    name_kinds(Entry, KINDS)


def _check_digests(content: dict[str, Any], record: ExperimentRecord) -> None:
    """Refuse altered content; a file without a digest is not checked."""
    head = {key: value for key, value in content.items() if key not in ("digest", "journal")}
    entries = [record.id, content["journal"]["entries"]]
    text.check_digest(record.digest, head, "digest")
    text.check_digest(record.journal.digest, entries, "journal.digest")


def _table(record: TableRecord) -> Table:
    size = len(record.candidates.points)
    return Table(
        inputs=record.inputs,
        candidates=record.candidates.unpack(size, "$.table.candidates"),
        output=record.output,
        labels=tuple((label.name, label.texts) for label in record.labels),
    )
