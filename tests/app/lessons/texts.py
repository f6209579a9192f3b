"""A lesson as a teacher writes it, whole and with one field changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ucbpe_app.lessons import Lesson

WHOLE = '''version = 1
slug = "mine"
title = "My own"
problem = "multimodal"
event = "2.pick.1"
show = ["truth", "log"]
hide = ["Belief", "K"]
caption = """Press Next. [There](event=1.region) it is, and [here](K=2&policy=gp-ucb-pe)."""

[[questions]]
text = "Why?"
answer = "Because of that."
choices = [{text = "the right one"}, {text = "another", reason = "It is not. Look there."}]

[settings]
K = 3
T = 4
policy = "greedyucb"
lengthscale = 1
'''


def without(text: str, *fields: str) -> str:
    """The text without the lines of these fields."""
    for field in fields:
        text, times = re.subn(rf"(?m)^{field} = .*\n", "", text)
        assert times == 1
    return text


def written(text: str, field: str, value: str) -> str:
    """The text with another value of one field, or with one more field."""
    line = f"{field} = {value}\n"
    text, times = re.subn(rf"(?m)^{field} = .*\n", lambda _: line, text)
    return text if times else line + text


def sentences(lesson: Lesson) -> list[str]:
    """What a lesson says in answer to the student, and at its end."""
    said = [lesson.end.remember, lesson.end.try_]
    for task in lesson.tasks:
        said += [task.near, task.done]
    for one in lesson.questions:
        said += [one.answer, one.wrong, *(choice.reason for choice in one.choices)]
    return [text for text in said if text]


def asked(lesson: Lesson) -> list[str]:
    """All its words beside title and caption."""
    own = [one.text for one in (*lesson.questions, *lesson.tasks)]
    choices = [choice.text for one in lesson.questions for choice in one.choices]
    return [*own, *choices, *sentences(lesson)]
