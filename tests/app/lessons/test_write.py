"""A lesson that is written as a file is read as the same lesson."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_app.lessons import Lesson, find, offered, read
from ucbpe_app.lessons.caption import caption_of
from ucbpe_app.lessons.write import write
from ucbpe_core.errors import InputError


@pytest.mark.parametrize("slug", [one.slug for one in offered()])
def test_every_lesson_comes_back(slug: str) -> None:
    lesson = find(slug)
    assert lesson is not None
    text = write(lesson)
    assert read(text, "lesson.toml") == lesson
    assert write(read(text, "lesson.toml")) == text


CAPTION = r"""
**Bold**, $\sqrt{\beta_t}\,\sigma$ costs $5; a [link](K=5&lengthscale=0.25&event=2.pick.1&show=log),
[another](preset=figure-2), and a [band](mark=band).

Quotes: " and ''' and \"\"\", a back\slash.
"""


def test_all_that_captions_have_comes_back() -> None:
    errors = list[InputError]()
    caption = caption_of(CAPTION, errors)
    assert errors == []
    lesson = replace(
        Lesson("mine", 'A "title"', "himmelblau", caption), question="Why?", answer="So.\\"
    )
    assert read(write(lesson), "lesson.toml") == lesson


def test_a_control_character_comes_back() -> None:
    question = {"question": "Why?", "answer": "A bell \x07 rings."}
    lesson = Lesson("mine", "A title", "himmelblau", caption_of("Words.", []), **question)
    assert read(write(lesson), "lesson.toml").answer == question["answer"]


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60))
def test_any_title_comes_back(title: str) -> None:
    title = " ".join(title.split())
    if title:
        lesson = Lesson("mine", title, "himmelblau", caption_of("Words.", []))
        assert read(write(lesson), "lesson.toml").title == title
