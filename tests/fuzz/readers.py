"""Everything that reads what others wrote: links, lessons, files, tables, results, messages."""

from __future__ import annotations

import contextlib
import copy
import csv
import gzip
import io
import json
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.app.problem.sheets.workbooks import SHEET, STRINGS, STYLES, packed, repacked
from tests.core.runs import assert_equal, document_of, read_experiment, text_of
from tests.fuzz.draw import Draw, changed
from ucbpe_app import lessons
from ucbpe_app.links import decode as decode_step
from ucbpe_app.problem import entries
from ucbpe_app.problem.results import read_results
from ucbpe_app.problem.sheets.draft import read_lines
from ucbpe_app.race.link import decode_race
from ucbpe_app.study.plan import decode_study
from ucbpe_app.widgets.parts import Parts
from ucbpe_core import Bandit, BoxBandit, Trace
from ucbpe_core.errors import UCBPEError
from ucbpe_core.files import sheets
from ucbpe_core.foreign import read_run
from ucbpe_core.history.steps import Trial
from ucbpe_core.search.experiment import Experiment
from ucbpe_core.study import Result, Store, load_study
from ucbpe_core.study.store import from_dict, to_dict
from ucbpe_core.tables import columns, dialect, parse, roles
from ucbpe_core.tables.numbers import typed
from ucbpe_core.tables.table import Table
from ucbpe_core.tables.workbook import read_content, worksheets

if TYPE_CHECKING:
    from collections.abc import Callable

_DATA = Path(__file__).parents[1] / "data"
SEEDS = _DATA / "fuzz" / "seeds"


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def link_step(data: bytes) -> None:
    """The address of the Step and Theory pages."""
    decode_step(_text(data))


def link_race(data: bytes) -> None:
    """The address of the Race page."""
    decode_race(_text(data))


def link_study(data: bytes) -> None:
    """The address of the Study page."""
    decode_study(_text(data))


def lesson(data: bytes) -> None:
    """A lesson file."""
    lessons.read(data.decode("utf-8", "replace"), "a lesson")


@cache
def seed(name: str) -> Any:
    """A document from which changes start."""
    return json.loads((SEEDS / name).read_text(encoding="utf-8"))


def _document(name: str, data: bytes, load: Callable[[io.StringIO], object]) -> None:
    """Read a text as it is, if it begins with a brace; else a changed document."""
    if data[:1] in (b"{", b"["):
        load(io.StringIO(data.decode("utf-8", "replace")))
        return
    document = changed(seed(name), Draw(data))
    load(io.StringIO(json.dumps(document)))


def trace_json(data: bytes) -> None:
    """The file of a run; what is read says exactly what the file said, and is written as CSV."""

    def load(file: io.StringIO) -> None:
        run = Trace.load(file)
        assert _said(text_of(run)) == _said(file.getvalue())
        run.to_csv(io.StringIO())

    _document("trace.json", data, load)


def _said(text: str) -> Any:
    """What a file says, without checksums, its id and fields that have their default."""
    document = json.loads(text, parse_int=float)
    for name in ("checksum", "id"):
        document.pop(name, None)
    document["history"].pop("checksum", None)
    defaults = Trial._field_defaults
    for step in document["history"]["steps"]:
        step["added"] = [
            {name: value for name, value in trial.items() if defaults.get(name, ...) != value}
            for trial in step["added"]
        ]
    return document


def experiment(data: bytes) -> None:
    """The file of an experiment with all its steps; it is written and read again, and goes on."""

    def load(file: io.StringIO) -> None:
        read = Experiment.load(file)
        assert_equal(read_experiment(document_of(read)), read)
        assert len(read.journal) == len(json.loads(file.getvalue())["history"]["steps"])
        read.to_csv(io.StringIO())
        read.ask()
        read.undo()

    _document("experiment.json", data, load)


def bandit(data: bytes) -> None:
    """The file of a `Bandit`, which goes on."""
    _document("bandit.json", data, lambda text: Bandit.load(text).ask())


def box_bandit(data: bytes) -> None:
    """The file of a `BoxBandit`, which goes on."""
    _document("box_bandit.json", data, lambda text: BoxBandit.load(text).ask())


def study_toml(data: bytes) -> None:
    """A study as TOML, or as changed tables."""
    if data[:1] == b"\0":
        study = from_dict(changed(seed("study.json"), Draw(data[1:])))
    else:
        study = load_study(io.StringIO(data.decode("utf-8", "replace")))
    from_dict(to_dict(study))


@cache
def stored() -> bytes:
    """The file of a study with one result."""
    study = from_dict(seed("study.json"))
    curve = np.array([0.5, 0.25])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.db"
        with Store.create_or_open(path, study) as made:
            made.add(Result(*study.tasks()[0], None, curve, curve, curve, 2, 0, "{}", 1.0))
        return path.read_bytes()


def store(data: bytes) -> None:
    """A results file: one with bytes changed at places that the data name, or the data."""
    content = data
    if not data.startswith(b"SQLite"):
        changeable = bytearray(stored())
        for i in range(0, len(data) - 2, 3):
            at = int.from_bytes(data[i : i + 2], "little")
            changeable[at % len(changeable)] = data[i + 2]
        content = bytes(changeable)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.db"
        path.write_bytes(content)
        with Store.open(path) as opened:
            opened.planned()
            opened.missing()
            opened.digest()


def table_csv(data: bytes) -> None:
    """A table of candidates, what its columns are for, and rows left out."""
    draw = Draw(data)
    how = draw.below(4), draw.below(4), draw.below(3)
    text, _ = dialect.decode(draw.rest())
    reading = dialect.Reading(
        (None, *dialect.SEPARATORS)[how[0]],
        (None, *dialect.DECIMALS)[min(how[1], 2)],
        (None, True, False)[how[2]],
    )
    sheet = parse.parse(text, reading)
    uses = roles.guess(sheet)
    bad = roles.unreadable(sheet, uses)
    try:
        Table.of_sheet(sheet, uses)
    except UCBPEError:
        Table.of_sheet(columns.without(sheet, {cell.line for cell in bad}), uses)


def workbook(data: bytes) -> None:
    """The parts of an Excel workbook that may be in it: cells, texts, styles, and its worksheets.

    Each is XML, with a zero between them, and takes the place of what is there.
    """
    names = (SHEET, STRINGS, STYLES, "xl/workbook.xml", "xl/_rels/workbook.xml.rels")
    given = dict(zip(names, data.split(b"\0"), strict=False))
    content = packed("<row/>", strings="<sst/>", styles="<styleSheet/>")
    content = repacked(content, lambda name, part: given.get(name) or part)
    worksheets(content)
    text, _, reading = read_content(content, dialect.Reading(minutes=True))
    sheet = parse.parse(text, reading)
    Table.of_sheet(sheet, roles.guess(sheet))


@cache
def measured() -> Experiment:
    """An experiment with a batch asked."""
    return Experiment.load(io.StringIO(json.dumps(seed("experiment.json"))))


def results_csv(data: bytes) -> None:
    """Results from a file, for an experiment."""
    text, _ = dialect.decode(data)
    found = read_results(text, measured())
    if found.candidates:
        copy.copy(measured()).tell(found.candidates, found.y)


def run_file(data: bytes) -> None:
    """A run of another tool: a table or JSON, or a database with other bytes."""
    draw = Draw(data)
    if draw.below(2):
        packed = _DATA / "runs" / "optuna.db.gz"
        content = bytearray(gzip.decompress(packed.read_bytes()))
        for _ in range(draw.below(20)):
            content[draw.below(len(content))] = draw.below(256)
        read_run(bytes(content), study="tpe")
    else:
        read_run(draw.rest(), direction="maximize")


def typed_texts(data: bytes) -> None:
    """A number, lines to leave out, and the key of a field, as typed or sent."""
    draw = Draw(data)
    kind, text = draw.below(5), draw.rest().decode("utf-8", "replace")
    if kind == 0:
        typed(text, "y")
    elif kind == 1:
        read_lines(text, parse.parse("a,b\n1,2\n3,4\n"))
    else:
        texts = {2: {text: "1"}, 3: {"c0": text}, 4: {text: "1"}}[kind]
        change = entries.correct if kind == 4 else entries.record
        with contextlib.suppress(entries.Faults):
            change(copy.copy(measured()), texts)


def messages(data: bytes) -> None:
    """What a browser sends: parts of a file."""
    draw = Draw(data)
    parts, whole = Parts(20), {"id": "a", "name": "b", "size": 8, "data": "AAAA", "parts": 2}
    for part in range(2):
        parts.add(
            changed({**whole, "part": part}, draw) if draw.below(2) else {**whole, "part": part}
        )


def sheet_cells(data: bytes) -> None:
    """Text in cells of CSV: it reads back, and no spreadsheet takes it for a formula."""
    texts = data.decode("utf-8", "replace").split("\x1f")
    (row,) = csv.reader(io.StringIO(sheets.dumps([texts]), newline=""))
    assert [dialect.unescape(cell) for cell in row] == texts
    for cell in row:
        assert cell[:1] not in tuple("=+-@\t\r\n＝＋－＠") or float(cell) is not None
