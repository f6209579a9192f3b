"""Axes of charts over batches: a place for zeros, round ticks, and all curves inside."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ucbpe_app.pictures.chart import Curve, Decades, Values, batches, labels_of


def test_a_log_axis_holds_exponents_and_its_ticks_say_values() -> None:
    values = np.array([3.0, 0.02, 0.0, np.nan])
    log = Values.of(values, log=True)
    drawn, axis = log.place(values), log.axis(40.0)
    np.testing.assert_allclose(10.0 ** drawn[:2], values[:2], rtol=1e-12)
    assert np.isnan(drawn[3])
    (zero,) = [at for at, text in axis.ticks if text == "0"]
    assert drawn[2] == zero < drawn[1]
    assert axis.low < zero
    assert axis.high > np.log10(40.0)
    for at, text in axis.ticks:
        assert axis.low < at < axis.high
        assert text == "0" or 10.0**at == pytest.approx(float(text))


def test_zeros_alone_can_be_drawn() -> None:
    log = Values.of(np.zeros(3), log=True)
    axis = log.axis(0.0)
    assert axis.low < log.place(np.zeros(1))[0] < axis.high


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (1.0, 20.0, ["1", "2", "5", "10", "20"]),
        (0.01, 2e4, ["0.01", "1", "100", "10⁴"]),
        (1e-6, 1e6, ["10⁻⁶", "0.001", "1", "1000", "10⁶"]),
    ],
)
def test_ticks_are_round_and_few(low: float, high: float, labels: list[str]) -> None:
    axis = Values.of(np.array([low, high]), log=True).axis(high)
    assert [text for _, text in axis.ticks] == labels


def test_a_linear_axis_begins_at_zero_or_at_its_foot() -> None:
    values = np.array([1.0, 8.0])
    linear = Values.of(values, log=False)
    assert linear.place(values) is values
    assert linear.axis(8.0).low < 0 < 8.0 < linear.axis(8.0).high
    assert linear.axis(8.0).ticks == ()
    assert linear.axis(1.0, foot=-3.0).low < -3.0
    assert linear.axis(0.0).low < 0 < linear.axis(0.0).high


@pytest.mark.parametrize("last", [1, 8, 13, 14, 30, 100, 1000])
def test_batches_have_few_whole_ticks_and_room_at_both_ends(last: int) -> None:
    for start in ("", "start"):
        axis = batches(last, start)
        assert (axis.low, axis.high) == (-0.5 if start else 0.5, last + 0.5)
        named = dict(axis.ticks)
        assert named.pop(0.0, "") == start
        assert all(at == int(text) for at, text in named.items())
        assert 1 <= len(named) <= 14


def test_a_name_is_at_the_end_of_its_curve() -> None:
    values = Values()
    curves = [
        Curve("regret", np.array([3.0, 1.0]), "a"),
        Curve("regret", np.array([]), "nothing yet"),
        Curve("regret", np.array([1.0, np.nan]), "unknown"),
    ]
    (label,) = labels_of(curves, values)
    assert (label.text, label.x, label.y, label.place) == ("a", 2.0, 1.0, "tip")


def test_a_log_axis_has_the_decades_of_its_values_and_one_at_least() -> None:
    assert Decades.of(np.array([1e-3, np.nan, 10.0])) == Decades(-3.0, 1.0, zeros=False)
    assert Decades.of(np.array([0.0, 2.0])) == Decades(math.log10(2), math.log10(20), zeros=True)
