"""Charts for print and for notebooks: what they hold, how they look, and that nothing leaks."""

from __future__ import annotations

from io import BytesIO

import holoviews as hv
import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from PIL import Image

from ucbpe_app.line_styles import COLORS
from ucbpe_app.plots import (
    BAND,
    MEAN,
    Band,
    Bars,
    Chart,
    Dots,
    Field,
    Level,
    Line,
    LineStyle,
    Moment,
    Points,
    Texts,
    belief_parts,
    chart,
    draw,
)
from ucbpe_core import GaussianProcess, Matern

X = np.linspace(0.0, 1.0, 30)


def pixels(*charts: Chart, **options) -> np.ndarray:
    picture = draw(*charts, words="a test", **options)
    return np.asarray(Image.open(BytesIO(picture.png)).convert("RGB"), dtype=int)


def drawn(image: np.ndarray, color: str) -> int:
    """How many pixels have this colour."""
    wanted = np.round(255 * np.array(to_rgb(color)))
    return int(np.sum(np.abs(image - wanted).max(axis=2) < 4))


def test_every_part_is_drawn_in_its_color() -> None:
    parts = [
        Line(X, X, pen=LineStyle("#AA0000")),
        Band(X, X - 1, X + 1, pen=LineStyle("#00AA00"), alpha=1.0),
        Points(X, -X, pen=LineStyle("#0000AA", marker="D")),
        Points(X, X - 1, pen=LineStyle("#AA00AA", marker="X")),
        Level(0.5, pen=LineStyle("#00AAAA")),
        Moment(0.5, pen=LineStyle("#AAAA00")),
        Bars([0.1, 0.7], [0.3, 0.9], 0.5, 1.0, pen=LineStyle("#884400")),
        Field(
            np.ones((3, 4)),
            (0.2, 0.2, 0.8, 1.0),
            ["#FFFFFF", "#008844"],
            0.0,
            1.0,
            pen=LineStyle("#008844"),
        ),
        Dots(
            X, X, 9.0, values=np.ones(30), colors=["#FFFFFF", "#880044"], pen=LineStyle("#880044")
        ),
        Texts([0.2], [1.0], ("a word",), ((3, 3),), ("#448800",), pen=LineStyle("#448800")),
    ]
    for part in parts:
        alone = pixels(Chart([part, Line(X, 2 * X, pen=LineStyle("#777777"))]))
        assert drawn(alone, part.pen.color) > 100


def test_a_field_lies_as_its_rows_do_from_the_bottom_up() -> None:
    corner = np.zeros((4, 4))
    corner[0, 0] = 1.0
    field = Field(corner, (0.0, 0.0, 1.0, 1.0), ["#DDDDDD", "#008844"], 0.0, 1.0)
    image = pixels(Chart([field], x_limits=(0.0, 1.0), y_limits=(0.0, 1.0)))
    rows, columns = np.nonzero(np.abs(image - (0, 0x88, 0x44)).max(axis=2) < 4)
    assert rows.min() > image.shape[0] / 2
    assert columns.max() < image.shape[1] / 2


def test_a_casing_and_an_outline_read_over_a_field() -> None:
    black = {"x_limits": (-1.0, 1.0), "y_limits": (-1.0, 1.0)}
    pen = LineStyle("#FFFFFF")
    bare = pixels(Chart([Points(0.0, 0.0, 20.0, "#AA0000", pen=pen)], **black))
    cased = pixels(Chart([Points(0.0, 0.0, 20.0, "#AA0000", casing=3.0, pen=pen)], **black))
    assert drawn(cased, "#000000") > drawn(bare, "#000000") + 100
    assert drawn(cased, "#AA0000") == pytest.approx(drawn(bare, "#AA0000"), rel=0.02)
    said = pixels(Chart([Line(X, X), Texts([0.0], [0.0], ("1",), ((-5, 0),))], **black))
    assert drawn(said, "#000000") > drawn(pixels(Chart([Line(X, X)], **black)), "#000000")


def test_markers_beyond_given_limits_are_not_shown() -> None:
    points = Points([0.5, 1.5], [0.5, 0.5], 20.0, pen=LineStyle("#AA0000"))
    inside = drawn(pixels(Chart([points], x_limits=(0.0, 1.0), y_limits=(0.0, 1.0))), "#AA0000")
    assert 100 < inside < 0.6 * drawn(pixels(Chart([points])), "#AA0000")


def test_the_same_label_has_the_same_pen_in_all_charts() -> None:
    left = Chart([Line(X, X, label="a"), Line(X, -X, label="b")])
    right = Chart([Line(X, -X, label="b"), Line(X, X, label="c"), Line(X, X + 1, pen=MEAN)])
    assert chart._pens([left, right])["b"].color == COLORS[1]
    image = pixels(left, right)
    assert all(drawn(image, color) > 100 for color in (*COLORS[:3], MEAN.color))


def test_limits_hold_all_that_is_drawn() -> None:
    low = Chart([Band(X, -3 * np.ones(30), X), Moment(2.0)])
    high = Chart([Line(X, 5 * X), Points([0.5], [np.nan]), Level(9.0)])
    assert chart._limits([low], 0) == pytest.approx((-0.04, 2.04))
    assert chart._limits([low, high], 1) == pytest.approx((-3.72, 9.72))


def test_limits_of_a_log_axis_leave_out_what_it_cannot_show() -> None:
    logs = Chart([Line([0.0, 1.0, 2.0], [0.0, 0.01, 100.0])], y_scale="log")
    assert chart._limits([logs], 1) == pytest.approx((10**-2.24, 10**2.24))
    assert chart._limits([Chart([Line([1.0, 1.0], [2.0, 2.0])])], 1) == pytest.approx((1.94, 2.06))


def test_a_legend_takes_the_lines_that_it_needs() -> None:
    assert chart._columns([1.0] * 7) == 7
    assert chart._columns([1.0] * 8) == 4
    assert chart._columns([6.0, 6.0]) == 1
    assert chart._columns([4.0, 4.0, 1.0, 1.0]) == 2  # the wide ones below one another


def test_a_chart_too_many_leaves_no_empty_axes() -> None:
    three = pixels(*(Chart([Line(X, X)]) for _ in range(3)), columns=2)
    assert (three[-150:, -500:] == 255).all()


def test_a_belief_is_band_mean_truth_and_data() -> None:
    gp = GaussianProcess(Matern(0.2), 0.01)
    belief = gp.condition([[0.5]], [1.0]).predict(X[:, None])
    data = (np.array([[0.5]]), [1.0])
    band, mean, truth, known = belief_parts(X[:, None], belief, 3.0, truth=X, data=data, of="f")
    np.testing.assert_allclose(band.high - band.low, 6 * belief.std)
    np.testing.assert_array_equal(mean.y, belief.mean)
    assert band.label == "mean ± 3 std of f"
    assert band.pen == BAND
    assert (truth.label, known.label) == ("f", "data")
    assert len(belief_parts(X, belief)) == 2


def test_a_picture_says_in_words_what_it_shows() -> None:
    picture = draw(Chart([Line(X, X)]), words='rises "at once" & stays')
    bundle = picture._repr_mimebundle_()
    assert 'alt="rises &quot;at once&quot; &amp; stays"' in bundle["text/html"]
    assert bundle["text/plain"] == picture.words


def test_equal_charts_are_equal_files_and_nothing_is_left_behind() -> None:
    before, backend = dict(mpl.rcParams), hv.Store.current_backend
    once, again = (draw(Chart([Line(X, X, label="a")]), words="w").png for _ in range(2))
    assert once == again
    assert dict(mpl.rcParams) == before
    assert hv.Store.current_backend == backend
    assert not plt.get_fignums()
