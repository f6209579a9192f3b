"""The transport's server side: what a request from the browser does."""

import re
from pathlib import Path

import pytest

import ucbpe_app
from ucbpe_app.run.sentences.reasons import look_of
from ucbpe_app.widgets.timeline import Timeline
from ucbpe_core.policies import POLICIES


@pytest.fixture
def timeline() -> Timeline:
    return Timeline(total=9, starts=[1, 5])


def ask(timeline: Timeline, index: object, request: int = 1) -> None:
    timeline.receive({"index": index, "request": request})


@pytest.mark.parametrize(("asked", "reached"), [(4, 4), (0, 0), (8, 8), (-3, 0), (99, 8)])
def test_a_request_moves_within_the_run(timeline: Timeline, asked: int, reached: int) -> None:
    ask(timeline, asked)
    assert timeline.index == reached
    assert timeline._answered == 1


def test_a_frame_that_fails_is_still_answered(timeline: Timeline) -> None:
    def draw(_event: object) -> None:
        raise RuntimeError("no picture")

    timeline.param.watch(draw, "index")
    with pytest.raises(RuntimeError, match="no picture"):
        ask(timeline, 3, request=2)
    assert timeline._answered == 2


def test_move_and_answer_are_one_update(timeline: Timeline) -> None:
    seen = []
    timeline.param.watch(
        lambda *events: seen.append({event.name: event.new for event in events}),
        ["index", "_answered"],
    )
    ask(timeline, 3)
    assert seen == [{"index": 3, "_answered": 1}]


def test_what_a_role_looks_like_is_said_in_one_place() -> None:
    """Scripts and styles know looks, not roles: a new role has its look everywhere."""
    roles = {role for policy in POLICIES.values() for role in policy.rules} - {"ucb", "pe"}
    assert {look_of(role) for role in roles} == {"pe", "other"}
    folder = Path(ucbpe_app.__file__).parent
    texts = {
        path.name: path.read_text(encoding="utf-8")
        for part in ("widgets", "render")
        for path in (folder / part).iterdir()
        if path.suffix in {".css", ".js"}
    }
    for role in roles:
        own = re.compile(rf"""["']{role}["']|\bink-{role.split()[0]}\b""")
        assert not [name for name, text in texts.items() if own.search(text)], role
