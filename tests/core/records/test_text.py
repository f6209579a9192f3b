"""JSON text: what is refused, and at what cost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ucbpe_core import InputError
from ucbpe_core.records import text


def test_fields_are_bounded_and_each_is_there_once() -> None:
    """In time that grows with their number; an error does not repeat all that it found."""

    def table(fields: int) -> str:
        return json.dumps({str(i): i for i in range(fields)})

    assert len(text.loads(table(1000), "f")) == 1000
    with pytest.raises(InputError, match="tables of at most 1000 fields; got one of 1001"):
        text.loads(table(1001), "f")
    pairs = ",".join(f'"{"x" * 999}{i}":0,"{"x" * 999}{i}":0' for i in range(300))
    with pytest.raises(InputError, match=r"each field once; got \['x+\.\.\..*\] twice") as caught:
        text.loads(f"{{{pairs}}}", "f")
    assert len(str(caught.value)) < 400


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


MARK = "\ufeff"


def test_a_mark_is_dropped_once_and_only_at_the_beginning(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    for wrong in (f'{MARK}{MARK}{{"a": 1}}', f'{{"a"{MARK}: 1}}'):
        path.write_text(wrong, encoding="utf-8")
        with pytest.raises(InputError, match="to be JSON"):
            text.parse(path, "a trace", "trace", (1,))
    path.write_text(f'{{"a": 1}}{MARK}', encoding="utf-16")
    with pytest.raises(InputError, match="as UTF-8 text"):
        text.parse(path, "a trace", "trace", (1,))
