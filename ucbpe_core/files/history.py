"""The file of a search or a `Trace`: what is searched, then every step taken."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import InputError, grouped
from ucbpe_core.files import text as files
from ucbpe_core.files.replay import Replay
from ucbpe_core.files.schema import Document, FileRecord
from ucbpe_core.files.tables import REMEDY, as_table, converter, from_plain, name_kinds, to_plain
from ucbpe_core.history.plan import Edit, Plan
from ucbpe_core.history.steps import Batch, Changed, Step, Trial
from ucbpe_core.spaces.inputs import Category, Integer, Real
from ucbpe_core.support.validation import choice

if TYPE_CHECKING:
    from ucbpe_core.files.text import PathLike, PathOrFile

FORMAT, VERSIONS = "ucbpe-history", (1,)
_WHAT = "a saved search"
_TIME = "2024-05-31T14:05:00+00:00"
_UNFITTED = ("fit", "never")
_NEVER_BELOW_0 = ("std", "noise_variance", "beta", "beta_next")


def head_text(document: Document) -> str:
    """The part of the file that no step changes, as JSON without the last brace.

    The file is `head_text(document) + history_text(document)`: a caller that keeps the head of a
    large table need not write it again at every step.
    """
    head = {"format": FORMAT, "version": max(VERSIONS), **_fields(document)}
    return files.dumps({**head, "checksum": files.digest(head)}, _WHAT)[:-1]


def history_text(document: Document) -> str:
    """The rest of the file: the steps, and the last brace."""
    return f',"history":{files.dumps(_history(document), _WHAT)}}}\n'


def save(document: Document, path: PathOrFile, *, overwrite: bool = False) -> None:
    """Implements `Search.save` and `Trace.save`."""
    choice(overwrite, "overwrite", False, True)
    history = history_text(document)
    content = head_text(document) + history
    if not isinstance(path, (str, os.PathLike)):
        path.write(content)
        return
    files.require_regular(path)
    # No other process may write between the check and the write.
    with files.locked(path):
        if not overwrite and os.path.exists(path):  # noqa: PTH110 - errors are those of the write
            _check_nothing_lost(document.id, history, path)
        files.write(content, path)


def read(path: PathOrFile, most: int | None = None) -> Document:
    """What a file says; nothing is computed from it.

    Parameters
    ----------
    path : the file, or a text file open for reading
    most : how many plans, batches, trials, outcomes and steps it may have; None for any number

    Raises
    ------
    InputError
        As `Search.load`, and for a file that says more.
    """
    with files.building(path):
        prepare()
        content = files.parse(path, _WHAT, FORMAT, VERSIONS)
        record = from_plain(content, FileRecord)
        _check_sums(content, record)
        steps = record.history.steps
        entries = sum(step.entries for step in steps)
        if most is not None and entries > most:
            wanted = f"a history of at most {grouped(most)} steps and results"
            raise InputError(wanted, grouped(entries), "open it in Python, which has no limit")
        table, box, run = record.table, record.box, record.run
        if record.kind != "experiment" and any(step.edits for step in steps):
            raise InputError("edits in an experiment alone", f"some of a {record.kind}", REMEDY)
        document = Document(record.kind, record.id, steps, record.name, table, box, run)
        document.check(record.kind)
        if record.kind == "trace":  # of one step, which `files.trace` takes apart
            return document
        return replace(document, steps=Replay(document).taken(steps))


def _fields(document: Document) -> dict[str, Any]:
    prepare()
    found: dict[str, Any] = {"kind": document.kind, "id": document.id}
    for name in ("name", "table", "box", "run"):
        if value := getattr(document, name):
            found[name] = to_plain(value)
    return found


def _history(document: Document) -> dict[str, Any]:
    prepare()
    steps = to_plain(document.steps, tuple[Step, ...])
    return {"checksum": files.digest([document.id, steps]), "steps": steps}


def _check_sums(content: dict[str, Any], record: FileRecord) -> None:
    """Refuse altered content; a file without a checksum is not checked."""
    head = {key: value for key, value in content.items() if key not in ("checksum", "history")}
    steps = [record.id, content["history"]["steps"]]
    files.check_digest(record.checksum, head, "checksum")
    files.check_digest(record.history.checksum, steps, "history.checksum")


def _check_nothing_lost(identity: str, history: str, path: PathLike) -> None:
    """Refuse to replace anything but a file of this search, with no steps that it lacks.

    Another process has saved there meanwhile, or this is an earlier state.
    """
    there = _steps_in(path, identity)
    steps = json.loads(history.removeprefix(',"history":').rstrip()[:-1])["steps"]
    if steps[: len(there)] != there:
        pairs = enumerate(zip(steps, there, strict=False))
        same = next((i for i, (mine, theirs) in pairs if mine != theirs), len(steps))
        raise InputError(
            f"a search with the {len(there)} steps in {path}",
            f"one without {len(there) - same} of them",
            "load that file and take the step again, or save to another path",
        )


def _steps_in(path: PathLike, identity: str) -> list[Any]:
    """The steps in a file of this search; `InputError` for any other file."""
    got = "another file"
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        text = files.read(path, _WHAT)
        got = got if text else "an empty file"
        there = json.loads(text)
        got = "another search" if there["format"] == FORMAT else got
        if there["id"] == identity:
            return list(there["history"]["steps"])
    remedy = "save to another path, or pass overwrite=True to replace what is there"
    raise InputError(f"a file of this search at {path}, or none", got, remedy)


def _time(value: Any, kind: type[str]) -> str:
    text = converter().structure(value, kind)
    try:
        datetime.fromisoformat(text)
    except ValueError:
        if text:  # else nobody said when
            raise InputError(f"a time as in {_TIME}", repr(text), REMEDY) from None
    return text


def _at_least_0(value: Any, kind: Any) -> Any:
    number = converter().structure(value, kind)
    if number is not None and number < 0:
        raise InputError("a number of at least 0", repr(number), REMEDY)
    return number


@cache
def prepare() -> None:
    """In a file, steps, trials and batches are tables without fields that have their default."""
    from cattrs import override
    from cattrs.cols import namedtuple_dict_structure_factory, namedtuple_dict_unstructure_factory
    from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn

    made = converter()
    # In a file "never" is the default of `fit`: those from before there was a choice lack it.
    fill_plan = make_dict_structure_fn(Plan, made, _cattrs_forbid_extra_keys=True)
    made.register_structure_hook(
        Plan, lambda value, kind: fill_plan({"fit": "never", **as_table(value, "a plan")}, kind)
    )
    said = override(omit_if_default=False)
    write_plan = make_dict_unstructure_fn(Plan, made, _cattrs_omit_if_default=True, fit=said)
    made.register_unstructure_hook(
        Plan,
        lambda plan: {
            name: value for name, value in write_plan(plan).items() if (name, value) != _UNFITTED
        },
    )
    name_kinds(Real | Integer | Category, {Real: "real", Integer: "integer", Category: "category"})
    checks = {"time": _time, **dict.fromkeys(_NEVER_BELOW_0, _at_least_0)}
    for kind in (Trial, Batch, Edit, Changed, Step):
        left_out = {"before": override(omit=True)} if kind is Changed else {}
        own = {name: override(struct_hook=checks[name]) for name in kind._fields if name in checks}
        fill = namedtuple_dict_structure_factory(
            kind, made, "from_converter", True, **left_out, **own
        )
        made.register_structure_hook(kind, fill)
        written = namedtuple_dict_unstructure_factory(kind, made, True, **left_out)
        made.register_unstructure_hook(kind, written)
