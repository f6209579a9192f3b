"""Experiment <-> document: an experiment as tables, lists, text and numbers, as JSON has them."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import InputError
from ucbpe_core.experiment.entries import entry_table, read_entry
from ucbpe_core.experiment.experiment import Experiment
from ucbpe_core.experiment.records import Table, checked_time
from ucbpe_core.tables import as_table, check_keys
from ucbpe_core.trace_files.checks import fields, listing, text, whole
from ucbpe_core.trace_files.packing import unpack_candidates

if TYPE_CHECKING:
    from ucbpe_core.experiment.records import Entry

FORMAT = "ucbpe-experiment"
VERSION = 1

_HEAD = ("format", "version", "id", "name", "created", "table")
_TABLE = ("inputs", "output", "candidates", "labels")
_REMEDY = "open an unchanged copy; or take the digest out of the file to open it as it is"


def head_document(experiment: Experiment) -> dict[str, Any]:
    """What stays the same in all of an experiment, with its digest; the journal comes last."""
    table = experiment.table
    head = {
        "format": FORMAT,
        "version": VERSION,
        "id": experiment.identity,
        "name": experiment.name,
        "created": experiment.created,
        "table": {
            "inputs": list(table.inputs),
            "output": table.output,
            "candidates": {"points": table.candidates.tolist()},
            "labels": [{"name": name, "texts": list(texts)} for name, texts in table.labels],
        },
    }
    return {**head, "digest": digest(head)}


def journal_document(experiment: Experiment) -> dict[str, Any]:
    """All that happened, with a digest that holds for this experiment alone."""
    entries = [entry_table(entry) for entry in experiment.journal]
    return {"digest": digest([experiment.identity, entries]), "entries": entries}


def to_document(experiment: Experiment) -> dict[str, Any]:
    """All of an experiment.

    Raises
    ------
    InputError
        For a policy, kernel or schedule that this package does not name.
    """
    return {**head_document(experiment), "journal": journal_document(experiment)}


def from_document(content: object) -> Experiment:
    """The experiment that `to_document` described.

    Raises
    ------
    InputError
        For another format or version; for fields that are missing, unknown, of a wrong type, not
        finite or out of range; for entries that cannot follow each other; and for a digest that
        is not that of the content.
    """
    given = _checked_head(content)
    identity = text(given["id"], "id")
    table = _read_table(given["table"])
    journal = _read_journal(given["journal"], identity, table)
    name, created = text(given["name"], "name"), text(given["created"], "created")
    return Experiment(table, journal, name, identity, checked_time(created, "created"))


def digest(content: object) -> str:
    """SHA-256, 64 hexadecimal digits, of `content` as JSON: keys sorted, ASCII, no spaces.

    Raises
    ------
    InputError
        For numbers that are not finite: JSON has 1e999, which no float holds.
    """
    try:
        plain = json.dumps(content, sort_keys=True, allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        raise InputError("numbers within the range of floats", str(error), _REMEDY) from None
    return sha256(plain.encode("ascii")).hexdigest()


def _checked_head(content: object) -> dict[str, Any]:
    given = as_table(content, "the experiment")
    if given.get("format") != FORMAT:
        got = f"format {given.get('format')!r:.60}"
        raise InputError(f"a file of format {FORMAT}", got, "open a saved experiment")
    version = whole(given.get("version"), "version")
    if version != VERSION:
        raise InputError(
            f"version {VERSION} of the format",
            f"version {version}",
            "open it with the release of this package that wrote it, or a later one",
        )
    told = given.pop("digest", None)
    fields(given, "the experiment", (*_HEAD, "journal"))
    _check_digest(told, {name: given[name] for name in _HEAD}, "digest")
    return given


def _check_digest(told: object, content: object, where: str) -> None:
    """Refuse content that was changed; a file without a digest is taken as it is."""
    if told is None:
        return
    wanted, found = text(told, where), digest(content)
    if wanted != found:
        raise InputError(f"content of {where} {wanted[:16]}", f"content of {found[:16]}", _REMEDY)


def _read_table(value: object) -> Table:
    given = fields(value, "table", _TABLE)
    names = listing(given["inputs"], "table.inputs")
    inputs = tuple(text(name, f"table.inputs[{i}]") for i, name in enumerate(names))
    where = "table.candidates"
    size = len(listing(fields(given["candidates"], where, ("points",))["points"], where))
    labels = []
    for i, label in enumerate(listing(given["labels"], "table.labels")):
        one = fields(label, f"table.labels[{i}]", ("name", "texts"))
        texts = listing(one["texts"], f"table.labels[{i}].texts")
        name = text(one["name"], f"table.labels[{i}].name")
        labels.append((name, tuple(text(cell, f"table.labels[{i}].texts") for cell in texts)))
    return Table(
        inputs=inputs,
        candidates=unpack_candidates(given["candidates"], where, size, ()),
        output=text(given["output"], "table.output"),
        labels=tuple(labels),
    )


def _read_journal(value: object, identity: str, table: Table) -> tuple[Entry, ...]:
    given = as_table(value, "journal")
    told = given.pop("digest", None)
    check_keys(given, ("entries",), "fields of journal")
    rows = listing(given.get("entries"), "journal.entries")
    _check_digest(told, [identity, rows], "journal.digest")
    size = len(table)
    return tuple(read_entry(row, f"journal.entries[{i}]", size) for i, row in enumerate(rows))
