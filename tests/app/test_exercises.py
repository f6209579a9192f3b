"""Whether an answer is right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ucbpe_app.notebook import check

RIGHT = [
    (0.61, 0.6065),
    (5, 5),
    (np.int64(0), 0),
    (" gp-ucb", "GP-UCB"),
    (True, True),
    ({3, 1}, {1, 3}),
    ([3, 1, 1], {1, 3}),
    ((1.0, 2.01), np.array([1, 2])),
]
WRONG = [
    (0.5, 0.6065),
    (4, 5),
    (1e-3, 0),
    ("GP-BUCB", "GP-UCB"),
    (3, "GP-UCB"),
    (1, True),
    ({1}, {1, 3}),
    (7, {1, 3}),
    ("one", 1),
    ([1, 2, 3], [1, 2]),
    (None, 1.0),
    (float("nan"), 1.0),
]


@pytest.mark.parametrize(("answer", "solution"), RIGHT)
def test_right(answer: Any, solution: Any) -> None:
    verdict = check(answer, solution, "Because.")
    assert verdict.state == "right"
    assert verdict.words == "Because."


@pytest.mark.parametrize(("answer", "solution"), WRONG)
def test_wrong(answer: Any, solution: Any) -> None:
    verdict = check(answer, solution, "Because.")
    assert verdict.state == "wrong"
    assert "Because" not in verdict.words  # the solution is not given away


def double(numbers: Any) -> Any:
    return 2 * np.asarray(numbers)


TRIED = [([1.0, 2.0],), ([3.0],)]  # results of two shapes


def test_a_function_is_tried_with_every_argument() -> None:
    assert check(lambda numbers: np.add(numbers, numbers), double, "", on=TRIED).state == "right"
    verdict = check(lambda numbers: np.add(numbers, 1) * numbers[0], double, "", on=TRIED)
    assert verdict.state == "wrong"  # right at 1, so it is the second call that shows it
    assert verdict.words.startswith("[2. 3.]")
    assert check(7.0, double, "", on=TRIED).state == "wrong"
    assert check(double, 7.0, "").state == "wrong"


def test_open_until_it_is_answered() -> None:
    verdict = check(..., 1.0, "Because.")
    assert verdict.state == "open"
    bundle = verdict._repr_mimebundle_()
    assert "Not answered yet" in bundle["text/html"]
    assert bundle["text/plain"].startswith("○ Not answered yet.")


def test_what_is_shown_is_no_markup() -> None:
    shown = check("<b>" * 50, 1.0, "")._repr_mimebundle_()["text/html"]
    assert "<b><b>" not in shown
    assert "&lt;b&gt;" in shown
