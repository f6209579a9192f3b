"""The concept inventory: twelve questions about misconceptions, in two equivalent forms.

`inventory.toml` has the texts once, and for each form the numbers that fill them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ucbpe_app.lessons.questions import Choice, Question
from ucbpe_core.files import tables

_TABLE = tables.parse_toml(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
WORDS: tuple[tuple[str, str], ...] = tuple(_TABLE["words"])  # of the questions, with what they mean
FORMS = ("before", "after")
KINDS = ("right", "misconception", "wrong")  # of the choices, in the order of the file


@dataclass(frozen=True)
class Item:
    """A question of one form.

    Attributes
    ----------
    slug : its name, the same in both forms
    catches : the misconception, as a sentence
    lesson : the slug of the lesson that treats it
    run : the query of a link to the run that answers it
    numbers : those of the text, by name
    question : its choices are of `KINDS`, and each has its reason
    """

    slug: str
    catches: str
    lesson: str
    run: str
    numbers: dict[str, Any]
    question: Question

    @property
    def shuffled(self) -> tuple[tuple[str, Choice], ...]:
        """The choices as they are shown, with their kinds."""
        choices = self.question.choices
        return tuple((KINDS[choices.index(one)], one) for one in self.question.shuffled)


def items(form: str) -> tuple[Item, ...]:
    """The questions of one of `FORMS`."""
    return tuple(_item(row, **row[form]) for row in _TABLE["questions"])


def _item(row: dict[str, Any], run: str, numbers: dict[str, Any]) -> Item:
    shown = {name: str(value).replace("-", "−") for name, value in numbers.items()}
    texts = ((one["text"], one["reason"]) for one in row["choices"])
    choices = tuple(Choice(*(text.format(**shown) for text in pair)) for pair in texts)
    question = Question(row["text"].format(**shown), choices[0].reason, choices)
    return Item(row["slug"], row["catches"], row["lesson"], run, numbers, question)
