"""Interactive words of a sentence: terms that are drawn, and numbers that can be dragged."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ucbpe_app.run.choices import SCHEDULES, takes
from ucbpe_app.run.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ucbpe_app.run.settings import RunSpec

# What pictures draw, by the name that captions have for it.
MARKS = ("mean", "band", "truth", "std", "upper", "y_dot", "region", "region_plus", "data")
# As sentences call them; of a mark the first word in a sentence is the term.
_WORDS = {
    "upper": "(?<!least )upper bound|(?<!greatest )lower bound",
    "band": "band",
    "mean": "mean",
    "y_dot": "y•",
    "region_plus": "R⁺",
    "region": r"R(?![\w⁺])",
    "std": "standard deviations|σ",
    "data": "measurements?|results?",
}
_NUMBER = r"\d+(?:\.\d+)?(?:e[+-]?\d+)?"
# Numbers that follow beta, by the power of it that they follow.
_DRAGGED = {
    "root": rf"(?<=√β = ){_NUMBER}|(?<=± ){_NUMBER}|(?<=[+−] ){_NUMBER}(?= ×)",
    "beta": rf"(?<=\(β = ){_NUMBER}",
}
PATTERN = "|".join(f"(?P<{name}>{words})" for name, words in (_DRAGGED | _WORDS).items())
_FOUND = re.compile(PATTERN)
POWERS = {"root": 2.0, "beta": 1.0}


@dataclass(frozen=True)
class Part:
    """Words in a row: plain, the term of a mark, or a number to drag.

    `power` is that of the number with which beta grows: 2 for its root; 0 for what is no number.
    """

    words: str
    mark: str = ""
    power: float = 0.0


def parts(sentence: str) -> Iterator[Part]:
    """A sentence in parts that together are the sentence."""
    end, seen = 0, set[str]()
    for found in _FOUND.finditer(sentence):
        name = str(found.lastgroup)
        if name in seen:
            continue
        seen.add(name)
        yield Part(sentence[end : found.start()])
        power = POWERS.get(name, 0.0)
        yield Part(found[0], "" if power else name, power)
        end = found.end()
    yield Part(sentence[end:])


# Settings that captions let a person drag: those with a slider.
DRAGGED = tuple(name for name, one in SETTINGS.items() if one.slider)


def beta_setting(spec: RunSpec) -> str:
    """The setting that beta is proportional to: beta itself where constant, or its multiplier."""
    return "beta" if takes(SCHEDULES[spec.schedule], "beta") else "scale"
