"""A lesson as the text of its file, which `read` reads back as the same lesson."""

from __future__ import annotations

import json
from textwrap import fill
from typing import TYPE_CHECKING, Any

from ucbpe_app.lessons.caption import CHANGED
from ucbpe_app.lessons.files import VERSION
from ucbpe_app.query import query_of_texts, setting_texts, texts_of
from ucbpe_app.run.notation import CODES, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ucbpe_app.lessons.caption import Caption, Change, Span
    from ucbpe_app.lessons.lesson import Lesson

_WIDTH = 88  # fits the page, where it is edited


def write(lesson: Lesson) -> str:
    """The TOML of a lesson, as docs/lessons.md describes it."""
    lines = [
        f"version = {VERSION}",
        f"slug = {_quoted(lesson.slug)}",
        f"title = {_quoted(lesson.title)}",
        f"problem = {_quoted(lesson.problem)}",
        f"event = {_quoted(lesson.event.text)}",
        f"show = {_list(lesson.layers)}",
        *([f"hide = {_list(lesson.hidden)}"] if lesson.hidden else []),
        *(['words = "plain"'] if lesson.plain else []),
        f"caption = {_block(caption_text(lesson.caption))}",
    ]
    if lesson.question:
        lines.append(f"question = {_block(fill(lesson.question, _WIDTH, **_WHOLE))}")
        lines.append(f"answer = {_block(fill(lesson.answer, _WIDTH, **_WHOLE))}")
    if lesson.choices:
        lines += ["choices = [", *(f"    {_quoted(choice)}," for choice in lesson.choices), "]"]
    if lesson.number is not None:
        lines += [f"number = {lesson.number!r}", f"tolerance = {lesson.tolerance!r}"]
    settings = (f"{CODES.get(name, name)} = {_value(one)}" for name, one in lesson.settings.items())
    return "\n".join([*lines, "", "[settings]", *settings]) + "\n"


def caption_text(caption: Caption) -> str:
    """A caption as it is written, its paragraphs apart by blank lines."""
    paragraphs = ("".join(map(_span, spans)) for spans in caption)
    return "\n\n".join(fill(paragraph, _WIDTH, **_WHOLE) for paragraph in paragraphs)


# Words are not broken: addresses and TeX are words, too.
_WHOLE: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}


def _span(span: Span) -> str:
    if span.mathml:
        return f"${span.words}$"
    if span.bold:
        return f"**{span.words}**"
    if span.mark:
        return f"[{span.words}](mark={span.mark})"
    return span.words if span.change is None else f"[{span.words}]({_target(span.change)})"


def _target(change: Change) -> str:
    lesson = {"preset": change.lesson} if change.lesson else {}
    return query_of_texts(lesson | setting_texts(change.settings) | texts_of(change, CHANGED))


def _value(value: Any) -> str:
    return _quoted(text_of(value)) if isinstance(value, str) else text_of(value)


def _list(names: Iterable[str]) -> str:
    return f"[{', '.join(_quoted(CODES.get(name, name)) for name in sorted(names))}]"


def _quoted(text: str) -> str:
    # TOML has JSON's strings; of control characters only DEL may stand in JSON's as it is.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _block(text: str) -> str:
    """A string of several lines: as it is where TOML can have it so, as TeX needs."""
    if "'''" not in text and all(letter >= " " or letter in "\n\t" for letter in text):
        quotes = "'''" if "\\" in text or '"""' in text else '"""'
        return f"{quotes}\n{text}\n{quotes}"
    lines = "\n".join(_quoted(line)[1:-1] for line in text.split("\n"))
    return f'"""\n{lines}\n"""'
