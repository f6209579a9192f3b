"""How a lesson's question is marked: what a file can say, and what it is told where it is wrong."""

from __future__ import annotations

import pytest

from tests.app.lessons.texts import WHOLE, without, written
from ucbpe_app.lessons import LessonError, offered, read
from ucbpe_app.lessons.write import write

CHOICES = '["the right one", "another", "a third"]'


def mistakes(text: str) -> list[str]:
    with pytest.raises(LessonError) as raised:
        read(text, "mine.toml")
    return [str(one) for one in raised.value.mistakes]


def test_choices_and_numbers_are_read_and_written() -> None:
    chosen = read(written(WHOLE, "choices", CHOICES), "mine.toml")
    assert chosen.choices == ("the right one", "another", "a third")
    assert (chosen.number, chosen.tolerance) == (None, 0.0)
    text = written(written(WHOLE, "number", "3"), "tolerance", "0.5")
    numbered = read(text, "mine.toml")
    assert (numbered.number, numbered.tolerance, numbered.choices) == (3.0, 0.5, ())
    for lesson in (chosen, numbered):
        assert read(write(lesson), "mine.toml") == lesson


def test_every_lesson_of_the_laboratory_has_choices() -> None:
    for lesson in offered():
        assert len(lesson.choices) == 3, lesson.slug
        # By its length alone the right one must not be told.
        lengths = [len(one) for one in lesson.choices]
        assert max(lengths) < 2.5 * min(lengths), (lesson.slug, lengths)


@pytest.mark.parametrize(
    "choices",
    ['["one"]', '["a", "a"]', '["a", 1]', '"a"'],
)
def test_choices_that_are_none_are_refused(choices: str) -> None:
    (mistake,) = mistakes(written(WHOLE, "choices", choices))
    assert "choices to be 2 to 6 different texts" in mistake
    assert 'write choices = ["the right one", "another"]' in mistake


@pytest.mark.parametrize("value", ["true", '"3"', "nan"])
def test_a_number_must_be_one(value: str) -> None:
    (mistake,) = mistakes(written(WHOLE, "number", value))
    assert "expected number to be a number; got" in mistake


def test_a_tolerance_is_not_negative() -> None:
    (mistake,) = mistakes(written(written(WHOLE, "number", "3"), "tolerance", "-1"))
    assert "tolerance to be a number of at least 0; got -1" in mistake


def test_what_does_not_go_together_is_refused() -> None:
    both = written(written(WHOLE, "number", "3"), "choices", CHOICES)
    assert "expected choices or number; got both" in mistakes(both)[0]
    alone = without(WHOLE, "question", "answer")
    assert "expected a question for choices; got none" in mistakes(
        written(alone, "choices", CHOICES)
    )[0]  # fmt: skip
    assert "number beside tolerance" in mistakes(written(WHOLE, "tolerance", "1"))[0]
