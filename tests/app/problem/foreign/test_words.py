"""What is said of a run of another tool."""

from __future__ import annotations

import numpy as np
import pytest

from ucbpe_app.problem.foreign import words
from ucbpe_core import GaussianProcess, Matern, retrace
from ucbpe_core.foreign import ForeignTrial, Run

GP = GaussianProcess(Matern(lengthscale=1.0), 1e-4)
X = [1.0, 2.0, 3.0, 9.0, 3.0, 3.5, 6.0, 8.0]
Y = [0.0, 1.0, 2.0, 0.5, 2.0, 2.1, np.nan, 0.4]


@pytest.mark.parametrize(
    ("n", "text"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (13, "13th"),
     (21, "21st"), (82, "82nd"), (100, "100th")],
)  # fmt: skip
def test_ordinals(n: int, text: str) -> None:
    assert words.ordinal(n) == text


def test_a_sentence_for_each_kind() -> None:
    found = retrace(X, Y, space=[(0, 10)], prior=GP)
    said = [words.sentence(found, i) for i in range(8)]
    assert said[1] == "No model yet: 1 result known, and 4 different ones are needed. " \
        "It came out at 1, the best so far."  # fmt: skip
    assert said[4].startswith("It repeated. Of 100 places it is ")
    assert said[4].endswith("It came out at 2; the best stays 2.")
    assert said[5].startswith("It exploited. Of 100 places it is ")
    assert said[5].endswith("It came out at 2.1, the best so far.")
    assert said[6].startswith("It gave no result. Of 100 places it is ")
    assert "the best" not in said[6]


def test_ranks_in_a_sentence_are_those_of_the_choice() -> None:
    found = retrace(X, Y, space=[(0, 10)], prior=GP, direction="minimize")
    ranks = found.choices[5].ranks
    said = words.traded(found.choices[5], "minimize")
    for rule in ("std", "mean"):
        assert f"{words.ordinal(ranks[rule])} by {rule}" in said


def test_what_was_known() -> None:
    trials = [
        ForeignTrial(i, {"x": x}, y, "done", start, start + 3)
        for i, (x, y, start) in enumerate(
            [(0.0, 1.0, 0), (1.0, 4.0, 1), (2.0, 3.0, 2), (3.0, 2.0, 9)]
        )
    ]
    found = retrace(Run.of(trials, "minimize"))
    assert words.kept_words(found, 2) == "Before trial 2: 0 results known, 2 running."
    assert words.kept_words(found, 3) == "Before trial 3: 3 results known; the best 1."


def test_whether_to_stop_is_only_said_by_a_model_that_fits() -> None:
    found = retrace(X, Y, space=[(0, 10)], prior=GP)
    assert found.check.verdict == "good"
    assert words.may_stop(found).startswith("After the last trial the band allows at most ")
    absurd = GaussianProcess(Matern(lengthscale=1.0, variance=1e-4), 1e-6)
    assert "does not fit" in words.may_stop(retrace(X, Y, space=[(0, 10)], prior=absurd))
    assert "does not fit" in words.summary(retrace(X, Y, space=[(0, 10)], prior=absurd))
    assert "no model" in words.may_stop(retrace([1, 2], [1.0, 2.0]))
