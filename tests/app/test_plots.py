"""Charts for print and for notebooks: what they hold, how they look, and that nothing leaks."""

from __future__ import annotations

from io import BytesIO

import holoviews as hv
import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from PIL import Image

from ucbpe_app.pictures.looks import pens
from ucbpe_app.plots import (
    BAND,
    MEAN,
    Band,
    Bars,
    Chart,
    Field,
    Level,
    Line,
    LineStyle,
    Moment,
    Points,
    belief_parts,
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
        Field(np.ones((3, 4)), (0.2, 0.2, 0.8, 1.0), ["#FFFFFF", "#008844"], 0.0, 1.0),
    ]
    colors = (
        "#AA0000",
        "#00AA00",
        "#0000AA",
        "#AA00AA",
        "#00AAAA",
        "#AAAA00",
        "#884400",
        "#008844",
    )
    image = pixels(*(Chart(one * Line(X, 2 * X, pen=LineStyle("#777777"))) for one in parts))
    for color in colors:
        assert drawn(image, color) > 100


def test_a_field_lies_as_its_rows_do_from_the_bottom_up() -> None:
    corner = np.zeros((4, 4))
    corner[0, 0] = 1.0
    field = Field(corner, (0.0, 0.0, 1.0, 1.0), ["#DDDDDD", "#008844"], 0.0, 1.0)
    image = pixels(Chart([field], x_limits=(0.0, 1.0), y_limits=(0.0, 1.0)))
    rows, columns = np.nonzero(np.abs(image - (0, 0x88, 0x44)).max(axis=2) < 4)
    assert rows.min() > image.shape[0] / 2
    assert columns.max() < image.shape[1] / 2


def test_elements_compose_and_the_last_lies_on_top() -> None:
    wide, thin = LineStyle("#AA0000", width=9.0), LineStyle("#0000AA", width=9.0)
    above = pixels(Chart(Line(X, X, pen=wide) * Level(0.5) * Line(X, X, pen=thin)))
    below = pixels(Chart(Line(X, X, pen=thin) * Line(X, X, pen=wide)))
    assert drawn(above, "#AA0000") < drawn(below, "#AA0000") / 50
    left, right = Chart(Line(X, X), "x", "y"), Chart(Moment(0.5) * Line(X, X), "time", "height")
    both = pixels(left + right)
    np.testing.assert_array_equal(both, pixels(left, right))
    assert (both != pixels(right + left)).any()  # each has its own names


def test_markers_beyond_given_limits_are_not_shown() -> None:
    points = Points([0.5, 1.5], [0.5, 0.5], size=20.0, pen=LineStyle("#AA0000"))
    inside = drawn(pixels(Chart([points], x_limits=(0.0, 1.0), y_limits=(0.0, 1.0))), "#AA0000")
    assert 100 < inside < 0.6 * drawn(pixels(Chart([points])), "#AA0000")


def test_the_same_label_has_the_same_pen_in_all_charts() -> None:
    left = Chart([Line(X, X, label="a"), Line(X, -X, label="b")])
    right = Chart([Line(X, -X, label="b"), Line(X, X, label="c"), Line(X, X + 1, pen=MEAN)])
    image = pixels(left, right)
    colors = [pen.color for pen in pens(["a", "b", "c"]).values()]
    assert all(drawn(image, color) > 100 for color in (*colors, MEAN.color))


def test_a_chart_too_many_leaves_no_empty_axes() -> None:
    three = pixels(*(Chart([Line(X, X)]) for _ in range(3)), columns=2)
    assert (three[-150:, -500:] == 255).all()


def test_a_belief_is_band_mean_truth_and_data() -> None:
    gp = GaussianProcess(Matern(0.2), 0.01)
    belief = gp.condition([[0.5]], [1.0]).predict(X[:, None])
    data = (np.array([[0.5]]), [1.0])
    band, mean, truth, known = belief_parts(X[:, None], belief, 3.0, truth=X, data=data, of="f")
    low, high = (band.dimension_values(i) for i in (1, 2))
    np.testing.assert_allclose(high - low, 6 * belief.std)
    np.testing.assert_array_equal(mean.dimension_values(1), belief.mean)
    assert band.label == "mean ± 3 std of f"
    assert hv.Store.lookup_options("matplotlib", band, "style").kwargs["facecolor"] == BAND.color
    assert (truth.label, known.label) == ("f", "data")
    assert len(belief_parts(X, belief)) == 2


def test_a_picture_says_in_words_what_it_shows() -> None:
    picture = draw(Chart([Line(X, X)]), words='rises "at once" & stays')
    bundle = picture._repr_mimebundle_()
    assert 'alt="rises &#34;at once&#34; &amp; stays"' in bundle["text/html"]
    assert bundle["text/plain"] == picture.words


def test_equal_charts_are_equal_files_and_nothing_is_left_behind() -> None:
    before, backend = dict(mpl.rcParams), hv.Store.current_backend
    once, again = (draw(Chart([Line(X, X, label="a")]), words="w").png for _ in range(2))
    assert once == again
    assert dict(mpl.rcParams) == before
    assert hv.Store.current_backend == backend
    assert not plt.get_fignums()
