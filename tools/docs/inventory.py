"""Write the questions of the inventory into its page: ``python -m tools.docs.inventory``."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from tools.docs.sources import ROOT
from ucbpe_app.lessons.inventory import FORMS, WORDS, Item, items

if TYPE_CHECKING:
    from ucbpe_app.lessons.questions import Choice

DOCUMENT = ROOT / "docs" / "inventory.md"
BEGIN, END = "<!-- questions -->\n", "<!-- /questions -->\n"
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


def current(text: str) -> str:
    """The text of the page, with the questions as they are now."""
    block = f"{BEGIN}\n{questions()}\n{END}"
    return re.sub(f"{BEGIN}.*?{END}", lambda _: block, text, flags=re.DOTALL)


def main() -> int:
    """Write the page again."""
    text = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(current(text), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
