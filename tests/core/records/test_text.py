"""JSON text: what is refused, and at what cost."""

from __future__ import annotations

import copy
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.recorded import rich, text_of
from tests.core.runs import document_of, small_run
from ucbpe_core import GPUCBPE, RBF, Bandit, Experiment, GaussianProcess, InputError, Trace
from ucbpe_core.records import text


class Name(str):
    """A field's name that counts how often it is compared and hashed."""

    work = 0

    def __eq__(self, other: object) -> bool:
        Name.work += 1
        return str.__eq__(self, other)

    def __lt__(self, other: str) -> bool:
        Name.work += 1
        return str.__lt__(self, other)

    def __hash__(self) -> int:
        Name.work += 1
        return str.__hash__(self)


def work_of_refusing(size: int) -> int:
    """Operations on names that a table of `size` fields takes, the last of them there twice."""
    names = [Name(f"field{i}") for i in range(size - 1)]
    Name.work = 0
    with pytest.raises(InputError, match=f"each field once; got ..field{size - 2}.. twice"):
        text._table([(name, 0) for name in (*names, Name(names[-1]))])
    return Name.work


def test_the_work_of_finding_a_repeated_field_grows_linearly() -> None:
    """Twice the fields, twice the work; it was four times."""
    small, large = work_of_refusing(400), work_of_refusing(800)
    assert large < 2.2 * small
    assert large < 20 * 800


def test_an_error_does_not_repeat_all_that_it_found() -> None:
    pairs = ",".join(f'"{"x" * 999}{i}":0,"{"x" * 999}{i}":0' for i in range(300))
    with pytest.raises(InputError, match=r"each field once; got \['x+\.\.\..*\] twice") as caught:
        text.loads(f"{{{pairs}}}", "f")
    assert len(str(caught.value)) < 400


def test_fields_are_bounded() -> None:
    def table(fields: int) -> str:
        return json.dumps({str(i): i for i in range(fields)})

    assert len(text.loads(table(1000), "f")) == 1000
    with pytest.raises(InputError, match="tables of at most 1000 fields; got one of 1001"):
        text.loads(table(1001), "f")


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_is_bounded(opening: str, closing: str) -> None:
    def nested(levels: int) -> str:
        return opening * levels + "0" + closing * levels

    assert text.loads(nested(200), "f")
    assert text.loads(nested(500), "f")
    for levels in (501, 5000, 10**6):
        with pytest.raises(InputError, match="f with fewer nested tables; got too many levels"):
            text.loads(nested(levels), "f")


def test_brackets_in_strings_are_no_levels() -> None:
    document = ["[" * 10**6, '\\"' + "{[" * 1000, {"]" * 1000: ["\\"]}, [[]] * 1000]
    assert text.loads(json.dumps(document), "f") == document
    with pytest.raises(InputError, match="f to be JSON"):  # in time that grows with the length
        text.loads('"' + 10**6 * '\\"' + 1000 * "[", "f")


@pytest.mark.parametrize("number", ["1e999", "-1e999", "1" + "0" * 400, "9" * 5000, "NaN"])
def test_numbers_out_of_range(number: str) -> None:
    """In an experiment and in a run, wherever a number may be; `1e999` is valid JSON."""
    recorded, run = json.loads(text_of(rich())), document_of(small_run())
    unchecked = {**recorded, "history": {"steps": recorded["history"]["steps"]}}
    del unchecked["checksum"]
    for read, document in (
        (Experiment.load, recorded),
        (Experiment.load, unchecked),
        (Trace.load, run),
    ):
        for field in ("y", "mean", "version", "beta", "noise_variance", "lengthscale"):
            with pytest.raises(InputError):
                read(io.StringIO(_with(document, field, number)))


def _with(document: Any, field: str, number: str) -> str:
    """The document as text, `number` in the place of the first number under `field`."""
    mark, document = "replace-this", copy.deepcopy(document)
    assert _mark(document, field, mark)
    return json.dumps(document).replace(f'"{mark}"', number, 1)


def _mark(part: Any, field: str, mark: str) -> bool:
    for key, value in part.items() if isinstance(part, dict) else enumerate(part):
        if key == field:
            while isinstance(value, list) and isinstance(value[0], list):
                value = value[0]
            if isinstance(value, list) and isinstance(value[0], (int, float)):
                value[0] = mark
                return True
            if isinstance(value, (int, float)):
                part[key] = mark
                return True
        if isinstance(value, (dict, list)) and _mark(value, field, mark):
            return True
    return False


MARK = "\ufeff"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("kind", ["experiment", "run", "bandit"])
def test_a_byte_order_mark_is_not_content(kind: str, encoding: str, tmp_path: Path) -> None:
    """Notepad writes one; the same content is read from a path and from an open file."""
    path, again = tmp_path / "file.json", tmp_path / "again.json"
    bandit = Bandit(range(9), GaussianProcess(RBF(2.0), noise_variance=0.1), GPUCBPE(2))
    bandit.tell([2, 5], [0.3, 0.4])
    made = {"experiment": rich(), "run": small_run(), "bandit": bandit}[kind]
    made.save(path)
    written = path.read_text(encoding="utf-8")
    path.write_text(written, encoding=encoding)
    assert path.read_bytes().startswith(b"\xef\xbb\xbf") == (encoding == "utf-8-sig")
    for source in (path, io.StringIO(MARK + written)):
        type(made).load(source).save(again)
        assert again.read_text(encoding="utf-8") == written


def test_a_mark_is_dropped_once_and_only_at_the_beginning(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    for wrong in (f'{MARK}{MARK}{{"a": 1}}', f'{{"a"{MARK}: 1}}'):
        path.write_text(wrong, encoding="utf-8")
        with pytest.raises(InputError, match="to be JSON"):
            text.parse(path, "a trace", "trace", (1,))
    path.write_text(f'{{"a": 1}}{MARK}', encoding="utf-16")
    with pytest.raises(InputError, match="as UTF-8 text"):
        text.parse(path, "a trace", "trace", (1,))
