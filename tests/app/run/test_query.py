"""What all links share: fields that are read one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from ucbpe_app.links import decode as decode_step
from ucbpe_app.race.link import decode_race
from ucbpe_app.run.query import LinkField, Query, names_field, query_of_texts, texts_of
from ucbpe_app.study.plan import decode_study
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


@pytest.mark.parametrize(
    ("decode", "used"),
    [
        (lambda query: decode_step(query)[1], "multimodal"),
        (lambda query: decode_race(query)[1], "multimodal"),
        (lambda query: decode_study(query)[1], "gaussian_mixture"),
    ],
)
def test_a_link_to_a_table_of_ones_own_opens_the_usual_problem_with_one_sentence(
    decode: Callable[[str], tuple[InputError, ...]], used: str
) -> None:
    """Other pages once showed such tables."""
    name = f"own-{'0' * 32}"
    (error,) = decode(f"problem={name}&lengthscale=2&run=0123456789abcdef")
    assert "a table of yours is simulated on Your problem" in error.expected
    assert name[:20] in error.got
    assert error.remedy == f"the link opens with problem={used}"
