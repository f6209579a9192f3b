"""What all links share: fields that are read one by one."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from ucbpe_app.run.query import LinkField, Query, names_field, query_of_texts, texts_of
from ucbpe_core.errors import InputError


@dataclass(frozen=True)
class Shown:
    zoom: int = 1
    parts: frozenset[str] = frozenset()


def whole(text: str) -> int:
    if not text.isdigit():
        raise InputError("zoom to be a whole number", text, "it is left out")
    return int(text)


ZOOM = LinkField("zoom", "zoom", whole, str, Shown.zoom)
PARTS = names_field("parts", "parts", ("mean", "band"))
KNOWN = ("zoom", "parts")


def test_a_field_is_one_entry_that_is_written_and_read() -> None:
    shown = Shown(3, frozenset({"mean", "band"}))
    query = query_of_texts(texts_of(shown, (ZOOM, PARTS)))
    assert query == "zoom=3&parts=band,mean"
    read = Query(query, KNOWN)
    assert Shown(read.read(ZOOM), read.read(PARTS)) == shown
    assert read.errors == []


def test_a_table_is_read_by_attribute_with_other_defaults() -> None:
    read = Query("parts=band", KNOWN)
    assert read.values((ZOOM, PARTS)) == {"zoom": 1, "parts": {"band"}}
    assert read.values((ZOOM, PARTS), {"zoom": 5, "parts": frozenset(), "other": 3}) == {
        "zoom": 5,
        "parts": {"band"},
    }


@pytest.mark.parametrize(
    ("query", "fields", "got"),
    [
        ("zoom=1&zoom=2&parts=mean", {"parts": "mean"}, ["2 times"]),
        ("zoom=1&zooom=2", {"zoom": "1"}, ["zooom"]),
        ("zoom=1&old=2&page=race&theme=dark&bokeh-x=1", {"zoom": "1"}, []),
        ("&".join(f"a{i}=1" for i in range(200)), {}, ["more"]),
    ],
)
def test_repeated_unknown_and_too_many_fields(
    query: str, fields: dict[str, str], got: list[str]
) -> None:
    read = Query(query, KNOWN, ignored=("old",))
    assert read.fields == fields
    assert [error.got for error in read.errors] == got
