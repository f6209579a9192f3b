"""Pictures, and what they are made of, are equal by value."""

from __future__ import annotations

import math

from ucbpe_app.pictures.picture import Mark, mark


def test_marks_are_equal_where_all_their_columns_are() -> None:
    one = mark("data", x=[1.0, math.nan], y=[2.0, 3.0])
    assert one == mark("data", x=[1.0, math.nan], y=[2.0, 3.0])
    for other in (
        mark("pick", x=[1.0, math.nan], y=[2.0, 3.0]),
        mark("data", x=[1.0, math.nan]),
        mark("data", x=[1.0, math.nan], z=[2.0, 3.0]),
        mark("data", x=[1.0, 2.0], y=[2.0, 3.0]),
        mark("data", x=[1.0, math.nan, 2.0], y=[2.0, 3.0, 4.0]),
        Mark("data", {}),
    ):
        assert one != other
        assert other != one
