"""Exercises: a reader's answer, compared with the one that the notebook has computed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_app import theme
from ucbpe_app.html import Html
from ucbpe_app.run.notation import short

if TYPE_CHECKING:
    from collections.abc import Sequence


class State(StrEnum):
    """The result of an exercise."""

    OPEN = "open"
    RIGHT = "right"
    WRONG = "wrong"


_LABELS = {State.OPEN: "○ Not answered yet", State.RIGHT: "✓ Right", State.WRONG: "✗ Not yet"}
_COLORS = {State.OPEN: theme.INK, State.RIGHT: theme.GREEN, State.WRONG: theme.VERMILLION}


@dataclass(frozen=True)
class Verdict:
    """The response to an answer; the last line of a cell shows it."""

    state: State
    words: str

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        label = _LABELS[self.state]
        look = f"border-left: 4px solid {_COLORS[self.state]}; padding: 2px 12px; margin: 4px 0"
        html = Html('<div role="status" style="{}"><b>{}.</b> {}</div>')
        return {
            "text/html": html.format(look, label, self.words),
            "text/plain": f"{label}. {self.words}",
        }


def check(
    answer: Any, solution: Any, why: str, *, within: float = 0.02, on: Sequence[Any] = ()
) -> Verdict:
    """Compare an answer with the solution; numbers may differ by the share `within`.

    An answer still `...` is open. A solution in words is compared without regard to case, a set in
    any order, and numbers in their order, if there are several. A function has to return what that
    of the solution returns.

    Parameters
    ----------
    why : the solution in words, shown when the answer is right
    on : the arguments that a function is tried with, a tuple for each call
    """
    if answer is ...:
        hint = "Put your answer in the cell above, then run both. The solution is in this cell."
        return Verdict(State.OPEN, hint)
    pairs = [(answer, solution)]
    if on and callable(answer):
        pairs = [(answer(*each), solution(*each)) for each in on]
    wrong = [got for got, wanted in pairs if not _agree(got, wanted, within)]
    if not wrong:
        return Verdict(State.RIGHT, why)
    return Verdict(State.WRONG, f"{short(wrong[0])} is not it. The solution is in this cell.")


def _agree(answer: Any, solution: Any, within: float) -> bool:
    if isinstance(solution, str):
        return isinstance(answer, str) and answer.strip().lower() == solution.lower()
    if isinstance(solution, bool | np.bool_):
        return isinstance(answer, bool | np.bool_) and bool(answer) == bool(solution)
    try:
        if isinstance(solution, set | frozenset):
            return {int(item) for item in answer} == set(solution)
        got, wanted = np.asarray(answer, dtype=float), np.asarray(solution, dtype=float)
    except (TypeError, ValueError):
        return False
    return got.shape == wanted.shape and bool(np.allclose(got, wanted, rtol=within, atol=1e-9))
