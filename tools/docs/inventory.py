"""The questions of the inventory, as the site has them below its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.lessons.inventory import FORMS, WORDS, Item, items

if TYPE_CHECKING:
    from ucbpe_app.lessons.questions import Choice

_NAMES = {"right": "right", "misconception": "the misconception", "wrong": "wrong"}


def questions() -> str:
    """The words, then each question in both forms, its choices as the page has them."""
    rows = [f"| {word} | {meaning} |" for word, meaning in WORDS]
    parts = ["\n".join(["| word | meaning, as the page gives it |", "|---|---|", *rows])]
    for number, pair in enumerate(zip(*map(items, FORMS), strict=True), 1):
        first, _ = pair
        parts.append(f"### {number}. {first.catches}")
        parts.append(f"`{first.slug}`; the lesson is `{first.lesson}`.")
        for form, item in zip(FORMS, pair, strict=True):
            parts += [f"**{form.capitalize()}.** {item.question.text}", _choices(item)]
    return "\n\n".join(parts) + "\n"


def _choices(item: Item) -> str:
    lines = [_line(kind, choice) for kind, choice in item.shuffled]
    return "\n".join([*lines, "", f"Computed from `/?{item.run}`."])


def _line(kind: str, choice: Choice) -> str:
    text = f"**{choice.text}**" if kind == "right" else choice.text
    return f"- {text} ({_NAMES[kind]}). {choice.reason}"
