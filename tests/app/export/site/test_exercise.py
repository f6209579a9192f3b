"""The exercise in the file: what is asked and what marks it can be read back."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ucbpe_app.export.site.exercise import exercise, is_marked, rounds_of
from ucbpe_app.export.site.lessons import summary
from ucbpe_app.lessons import Lesson
from ucbpe_app.lessons.caption import caption_of
from ucbpe_app.run.replay import Replay
from ucbpe_core import problems, simulate
from ucbpe_core.policies import ThompsonSampling

LESSON = Lesson(
    "asked", "Asked", "multimodal",
    question="Which? </script>", answer="So.", choices=("x", "y", "z"),
)  # fmt: skip


def data_of(html: str) -> dict[str, Any]:
    found = re.search(r'<script id="exercise" type="application/json">(.*?)</script>', html)
    assert found is not None
    return json.loads(found[1])


def unpacked(text: str, kind: str) -> np.ndarray:
    planes = np.frombuffer(zlib.decompress(b64decode(text)), np.uint8).reshape(4, -1)
    return np.ascontiguousarray(planes.T).view(kind).ravel()


@pytest.mark.parametrize(("name", "axes"), [("curve", 1), ("field", 2), ("many", 0)])
def test_all_that_marks_a_guess_is_there(
    name: str, axes: int, request: pytest.FixtureRequest
) -> None:
    replay: Replay = request.getfixturevalue(name)
    data = data_of(exercise(replay, LESSON))
    assert data["run"] == replay.trace.digest
    assert data["picture"] == {"curve": "curve", "field": "field", "many": "plane"}[name]
    assert data["size"] == len(replay.scene.candidates)
    assert len(data["places"]) == axes
    for place, x in zip(data["places"], replay.scene.candidates.T, strict=False):
        assert np.array_equal(unpacked(place, "<f4"), x.astype(np.float32))
    rounds = rounds_of(replay, LESSON)
    assert len(data["rounds"]) == len(rounds)
    for asked, one in zip(data["rounds"], rounds, strict=True):
        assert np.array_equal(unpacked(asked["ranks"], "<u4"), one.ranks)
        assert asked["pick"] == one.pick
        assert asked["event"] == one.event.text
        assert asked["before"] == replay.events[one.index - 1].text
        assert len(asked["std"]) == (0 if axes == 2 else 2)
        for text, index in zip(asked["std"], (one.index - 1, one.index), strict=False):
            std = replay.frame(index).std_now
            assert np.array_equal(unpacked(text, "<f4"), std.astype(np.float32))


def test_choices_stand_in_an_order_that_tells_nothing(curve: Replay) -> None:
    firsts = set()
    for i in range(20):
        question = data_of(exercise(curve, replace(LESSON, slug=f"lesson-{i}")))["question"]
        assert question["choices"][question["right"]] == "x"
        assert sorted(question["choices"]) == ["x", "y", "z"]
        firsts.add(question["right"])
    assert firsts == {0, 1, 2}


@pytest.mark.parametrize(
    "words",
    ["</script>", "</SCRIPT >", "<!--<script>", "<!-- <script ", "-->", "<![CDATA[", "\u2028<"],
)
def test_words_cannot_end_the_element_or_hide_its_end(curve: Replay, words: str) -> None:
    lesson = replace(LESSON, question=words, answer=words, choices=(words, "y"))
    html = exercise(curve, lesson)
    question = data_of(html)["question"]
    assert (question["text"], question["why"]) == (words, words)
    assert sorted(question["choices"]) == sorted([words, "y"])
    start = html.index('application/json">') + len('application/json">')
    assert "<" not in html[start : html.index("</script>")]


def test_a_number_is_marked_too(curve: Replay) -> None:
    lesson = replace(LESSON, choices=(), number=3.0, tolerance=0.5)
    question = data_of(exercise(curve, lesson))["question"]
    assert (question["number"], question["tolerance"]) == (3.0, 0.5)


def test_without_a_marked_question_or_a_pick_to_predict_there_is_none(curve: Replay) -> None:
    plain = replace(LESSON, choices=())
    assert not is_marked(plain)
    assert data_of(exercise(curve, plain))["question"] is None
    policy = ThompsonSampling(batch_size=3)
    trace = simulate(problems.multimodal(), policy, batches=2, initial=3, seed=0)
    assert exercise(Replay(trace), plain) == ""


def test_a_summary_is_the_first_sentence() -> None:
    caption = caption_of("At 0.5 [R](mark=region) < $\\beta$ here. And so on.\n\nMore.", [])
    told = summary(caption)
    assert told.startswith("At 0.5 R &lt; <math")
    assert told.endswith("</math> here.")
    assert summary(()) == ""
