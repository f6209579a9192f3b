"""Watchers that are kept together are told what each would be told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import param
import pytest
from param.parameterized import Parameters

from ucbpe_app.private.param import forget_copies, share_watchers


class Three(param.Parameterized):
    a = param.Integer(0)
    b = param.Integer(0)
    c = param.Integer(0)


@pytest.fixture(params=["as param has it", "shared"])
def kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    before = Parameters._register_watcher
    if request.param == "shared":
        share_watchers()
    yield request.param
    Parameters._register_watcher = before


def told() -> tuple[list[tuple[str, str, int]], Callable[[str], Callable[..., None]]]:
    seen = list[tuple[str, str, int]]()

    def follower(name: str) -> Callable[..., None]:
        return lambda *events: seen.extend((name, event.name, event.new) for event in events)

    return seen, follower


def test_all_that_follow_are_told_and_no_others(kept: str) -> None:
    three, other = Three(), Three()
    seen, follower = told()
    all_of_them = three.param.watch(follower("all"), ["a", "b", "c"])
    one = three.param.watch(follower("one"), "b")
    two = three.param.watch(follower("two"), ["b", "c"])
    three.param.update(a=1, b=1)
    assert seen == [("all", "a", 1), ("all", "b", 1), ("one", "b", 1), ("two", "b", 1)]
    seen.clear()
    three.param.unwatch(one)
    three.param.unwatch(one)  # has no effect
    three.b = 2
    assert seen == [("all", "b", 2), ("two", "b", 2)]
    seen.clear()
    three.param.unwatch(all_of_them)
    three.param.update(a=3, b=3, c=3)
    assert seen == [("two", "b", 3), ("two", "c", 3)]
    seen.clear()
    three.param.unwatch(two)
    three.param.update(a=4, b=4, c=4)
    other.a = 1
    assert seen == []


def test_one_list_is_kept_for_all(kept: str) -> None:
    three = Three()
    three.param.watch(print, ["a", "b", "c"])
    entries: dict[str, Any] = three.param.watchers
    assert len({id(one) for one in entries.values()}) == (1 if kept == "shared" else 3)
    two = three.param.watch(repr, ["b", "c"])
    assert entries["a"] is not entries["b"]
    assert (entries["b"] is entries["c"]) is (kept == "shared")
    assert [len(entries[name]["value"]) for name in "abc"] == [1, 2, 2]
    again = three.param.watch(repr, ["b", "c"])
    three.param.unwatch(again)
    assert [len(entries[name]["value"]) for name in "abc"] == [1, 2, 2]
    three.param.unwatch(two)
    assert [len(entries[name]["value"]) for name in "abc"] == [1, 1, 1]


class Spinner(param.Parameterized):
    loading = param.Boolean(False)

    def __init__(self) -> None:
        super().__init__()
        self.seen = list[str]()
        for one in (self._update_loading, self._follow):
            self.param.watch(one, "loading")

    def _update_loading(self, event: Any) -> None:
        self.seen.append("spinner")

    def _follow(self, event: Any) -> None:
        self.seen.append("other")


def test_only_the_spinner_is_left_out(kept: str) -> None:
    one = Spinner()
    one.loading = True
    assert one.seen == (["other"] if kept == "shared" else ["spinner", "other"])


def test_what_cannot_be_followed_is_refused(kept: str) -> None:
    three = Three()
    with pytest.raises(ValueError, match="other parameter was not found"):
        three.param.watch(print, ["a", "other"])


class Choice(param.Parameterized):
    number = param.Number(1.0, bounds=(0, 2))
    which = param.Selector(objects=["a", "b"])
    plain = param.List([1])


def test_copies_of_parameters_that_are_as_before_are_let_go() -> None:
    one, other = Choice(), Choice()
    for choice in (one, other):
        for name in Choice.param:
            _ = choice.param[name].label
    one.param["number"].bounds = (0, 5)
    one.param["which"].objects = ["a", "b", "c"]
    held = other.param["number"]
    seen = list[str]()
    other.param.watch(lambda event: seen.append(event.what), "which", what="constant")
    forget_copies([one, other])
    kept = [set(choice._param__private.params) for choice in (one, other)]
    assert kept == [{"number", "which"}, {"number", "which"}]
    one.number, one.which = 4.0, "c"
    held.bounds = (0, 9)
    other.number = 8.0
    other.param["which"].constant = True
    assert seen == ["constant"]
    assert Choice.param["number"].bounds == (0, 2)
