"""What all links share: fields read one by one, settings taken as far as they go together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from ucbpe_app.query import (
    LinkField,
    Query,
    accept_each,
    names_field,
    query_of_texts,
    restored_as,
    texts_of,
)
from ucbpe_app.run.notation import is_unlisted
from ucbpe_app.run.settings import RunSpec, Settings
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


def test_settings_are_found_by_their_letters_behind_a_prefix() -> None:
    read = Query("K=3&b.K=4&b.scale=2", ("K", "b.K", "b.scale"))
    assert read.settings(("K", "scale")) == {"batch_size": "3"}
    assert read.settings(("K", "scale"), "b.") == {"batch_size": "4", "scale": "2"}


def test_a_bad_field_changes_only_itself() -> None:
    read = Query("?zoom=far&parts=mean,tail", KNOWN)
    assert (read.read(ZOOM), read.read(ZOOM, 7), read.read(PARTS)) == (1, 7, {"mean"})
    assert [error.got for error in read.errors] == ["far", "far", "tail"]


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


def test_a_part_of_an_address_has_only_the_fields_that_are_named() -> None:
    (error,) = Query("zoom=2&theme=dark", KNOWN, whole=False).errors
    assert (error.expected, error.got) == ("some of zoom, parts", "theme")


class Budget:
    """Settings a and b, each at most 8, and together at most 10."""

    def __init__(self) -> None:
        self.values = {"a": 1, "b": 1}

    def check(self, name: str, value: Any) -> None:
        if value > 8:
            raise InputError(f"{name} up to 8", str(value), "lower it")

    def accept(self, **changes: Any) -> None:
        values = {**self.values, **changes}
        if sum(values.values()) > 10:
            raise InputError("a + b up to 10", str(sum(values.values())), "lower one")
        self.values = values


@pytest.mark.parametrize(
    ("given", "taken", "refused"),
    [
        ({"a": 4, "b": 6}, {"a": 4, "b": 6}, []),
        ({"a": 9, "b": 6}, {"a": 1, "b": 6}, ["a"]),  # impossible by itself
        ({"a": 7, "b": 6}, {"a": 7, "b": 1}, ["b"]),  # not together: the first is taken
    ],
)
def test_settings_are_taken_as_far_as_they_go_together(
    given: dict[str, int], taken: dict[str, int], refused: list[str]
) -> None:
    settings = Budget()
    assert list(accept_each(settings, given)) == refused
    assert settings.values == taken


def test_a_choice_that_is_not_listed_may_be_a_plugins() -> None:
    assert is_unlisted(Settings.param["policy"], "mine:Coin")
    assert not is_unlisted(Settings.param["policy"], "gp-ucb-pe")
    assert not is_unlisted(Settings.param["lengthscale"], "long")  # no choice at all
    error, spec = InputError("one of two", "", "choose another"), RunSpec(policy="GP-UCB")
    assert restored_as("policy", "x", error, spec).remedy.startswith(
        "the link opens with policy=gp-ucb; one of a plugin needs a server"
    )
    assert restored_as("batch_size", "x", error, spec).remedy == "the link opens with K=4"
