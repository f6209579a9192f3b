"""Interactive words of a sentence: terms whose marks the pictures draw."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

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
PATTERN = "|".join(f"(?P<{name}>{words})" for name, words in _WORDS.items())
_FOUND = re.compile(PATTERN)


@dataclass(frozen=True)
class Part:
    """Words in a row: plain, or the term of a mark."""

    words: str
    mark: str = ""


def parts(sentence: str) -> Iterator[Part]:
    """A sentence in parts that together are the sentence."""
    end, seen = 0, set[str]()
    for found in _FOUND.finditer(sentence):
        name = str(found.lastgroup)
        if name in seen:
            continue
        seen.add(name)
        yield Part(sentence[end : found.start()])
        yield Part(found[0], name)
        end = found.end()
    yield Part(sentence[end:])
