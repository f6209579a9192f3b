"""The 2-D view: what its sources hold, frame by frame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bokeh.models import Model

from ucbpe_app.figures.field import FieldView
from ucbpe_app.figures.field.outline import edges, outline
from ucbpe_app.figures.marks import LIGHT
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.replay import Replay
from ucbpe_core import GPUCBPE, RBF, GaussianProcess, simulate
from ucbpe_core.problems import Problem

NX, NY = 23, 17  # unequal, so that a transposed image cannot pass


def make_problem() -> Problem:
    x, y = np.linspace(-1, 3, NX), np.linspace(0, 1, NY)
    points = np.stack([part.ravel() for part in np.meshgrid(x, y, indexing="ij")], axis=1)
    values = np.exp(-((points[:, 0] - 1.7) ** 2) - 8 * (points[:, 1] - 0.3) ** 2) * 3
    gp = GaussianProcess(RBF(lengthscale=[0.9, 0.35]), noise_variance=1e-4)
    return Problem("hill", points, values, 1e-4, gp, "test", axes=("u", "v", "f"), grid=(NX, NY))


def run(problem: Problem) -> Replay:
    return Replay(simulate(problem, GPUCBPE(batch_size=4), batches=4, initial=8, seed=3))


@pytest.fixture(scope="module")
def replay() -> Replay:
    return run(make_problem())


@pytest.fixture(scope="module")
def scattered() -> Replay:
    """The same run, told that its candidates are no grid."""
    return run(replace(make_problem(), grid=()))


@pytest.fixture
def view(replay: Replay) -> FieldView:
    view = FieldView()
    view.load(replay.scene)
    return view


def sources(view: FieldView) -> dict[str, dict[str, object]]:
    found = {"lines": view.region.lines, "veil": view.region.veil, "faded": view.region.faded}
    found |= {"shapes": view.picks.shapes, "numbers": view.picks.numbers, "data": view.data.source}
    for name in ("truth", "mean", "std", "upper"):
        panel = getattr(view, name)
        found |= {f"{name} image": panel.image, f"{name} dots": panel.dots}
    return {name: dict(source.data) for name, source in found.items()}


def plain(data: dict[str, object]) -> object:
    """Comparable with ==, exactly; NaN, between the loops of an outline, is as written."""
    return {
        name: [repr(np.asarray(one).tolist()) for one in column]  # type: ignore[attr-defined]
        for name, column in data.items()
    }


def event_index(replay: Replay, kind: Kind, t: int, k: int = 0) -> int:
    return replay.events.index(Event(t, kind, k))


def small_region(replay: Replay) -> int:
    """A region event with R+ neither empty nor all of X, R smaller than it."""
    for i, event in enumerate(replay.events):
        if event.kind is Kind.REGION:
            plus = replay.frame(i).region_plus
            if not plus.all() and (replay.frame(i).region != plus).any():
                return i
    raise AssertionError("this run never narrows down: choose another")


def cell_value(panel, x: np.ndarray) -> float:
    """What the image shows at a point, read as Bokeh paints it."""
    data = panel.image.data
    image = data["value"][0]
    rows, columns = image.shape
    column = int((x[0] - data["x"][0]) / data["dw"][0] * columns)
    row = int((x[1] - data["y"][0]) / data["dh"][0] * rows)
    return float(image[row, column])


def test_every_candidate_is_painted_where_it_is(view: FieldView, replay: Replay) -> None:
    frame = replay.frame(event_index(replay, Kind.PICK, 2, 2))
    view.update(frame)
    shown = {
        view.truth: replay.scene.truth,
        view.mean: frame.mean,
        view.std: frame.std_now,
        view.upper: frame.mean + frame.sqrt_beta * frame.std_now,
    }
    for panel, values in shown.items():
        image = panel.image.data["value"][0]
        assert image.dtype == np.float32
        assert image.flags.c_contiguous
        assert image.shape == (NY, NX)
        painted = [cell_value(panel, x) for x in replay.scene.candidates]
        np.testing.assert_array_equal(painted, values.astype(np.float32))


def test_scales_hold_every_value_and_never_step_inside_a_batch(
    view: FieldView, replay: Replay
) -> None:
    scales: dict[int, set[tuple[float, float]]] = {}
    for i, event in enumerate(replay.events):
        frame = replay.frame(i)
        view.update(frame)
        for panel in view.panels:
            image = panel.image.data["value"][0]
            assert panel.mapper.low <= image.min() + 1e-5
            assert image.max() <= panel.mapper.high + 1e-5
        if event.kind is not Kind.OBSERVE:  # which shows the belief of the next batch
            pair = view.std.mapper.high, view.upper.mapper.high
            scales.setdefault(event.t, set()).add(pair)
    assert all(len(pairs) == 1 for pairs in scales.values())
    truth = replay.scene.truth
    assert (view.truth.mapper.low, view.truth.mapper.high) == (truth.min(), truth.max())
    assert (view.mean.mapper.low, view.mean.mapper.high) == replay.scene.means


def inside(xs: list[np.ndarray], ys: list[np.ndarray], point: np.ndarray) -> bool:
    """Even-odd rule, the textbook's."""
    odd = False
    for x, y in zip(xs, ys, strict=True):
        crosses = (y[:-1] > point[1]) != (y[1:] > point[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            at = x[:-1] + (point[1] - y[:-1]) / (y[1:] - y[:-1]) * (x[1:] - x[:-1])
        odd ^= bool(np.count_nonzero(crosses & (point[0] < at)) % 2)
    return odd


def test_the_outlines_enclose_exactly_the_regions(view: FieldView, replay: Replay) -> None:
    frame = replay.frame(small_region(replay))
    view.update(frame)
    lines = view.region.lines.data
    for mask, dash in ((frame.region_plus, "solid"), (frame.region, "dashed")):
        mine = [
            i
            for i, (color, one) in enumerate(zip(lines["color"], lines["dash"], strict=True))
            if color == LIGHT and one == dash
        ]
        xs, ys = [lines["xs"][i] for i in mine], [lines["ys"][i] for i in mine]
        found = [inside(xs, ys, point) for point in replay.scene.candidates]
        np.testing.assert_array_equal(found, mask)


@pytest.mark.parametrize("fraction", [0.0, 0.02, 0.3, 0.9])
def test_outlines_of_random_sets_are_closed_and_exact(fraction: float) -> None:
    rng = np.random.default_rng(7)
    margin = fraction - rng.random(NX * NY)
    margin[5] = 0.0  # on the boundary: the mask decides
    mask = margin >= 0
    x, y = np.linspace(-1, 3, NX), np.linspace(0, 1, NY)
    xs, ys = outline(mask, margin, x, y)
    points = [(a, b) for a in x for b in y]
    np.testing.assert_array_equal([inside(xs, ys, np.array(point)) for point in points], mask)
    assert bool(xs) == bool(mask.any())
    gaps = np.flatnonzero(np.isnan(xs[0])) if xs else []
    for loop in np.split(np.column_stack(xs + ys), gaps) if xs else []:
        corners = loop[~np.isnan(loop[:, 0])]
        np.testing.assert_array_equal(corners[0], corners[-1])
    low, high = edges(x)
    assert all(low <= np.nanmin(line) and np.nanmax(line) <= high for line in xs)


def test_the_std_is_veiled_outside_r_plus(view: FieldView, replay: Replay) -> None:
    frame = replay.frame(small_region(replay))
    view.update(frame)
    veil = view.region.veil.data["image"][0]
    np.testing.assert_array_equal(veil.T.ravel(), frame.region_plus)
    sees = [view.region.veil in sources_of(panel) for panel in view.panels]
    assert sees == [False, False, True, False]


def sources_of(panel) -> list[Model]:
    return [renderer.data_source for renderer in panel.figure.renderers]


def test_the_region_comes_and_goes_with_its_event(view: FieldView, replay: Replay) -> None:
    i = small_region(replay)
    view.update(replay.frame(i))
    drawn = view.region.lines.data
    view.update(replay.frame(i + 1))
    assert view.region.lines.data is drawn  # the same region is not sent again
    view.update(replay.frame(event_index(replay, Kind.FIT, replay.events[i].t)))
    assert not view.region.lines.data["xs"]
    assert not view.region.veil.data["image"]
    assert "R⁺" not in view._note.object


def test_words_say_what_no_outline_can(view: FieldView, replay: Replay) -> None:
    frame = replay.frame(small_region(replay))
    everything = np.ones_like(frame.region_plus)
    view.update(replace(frame, region_plus=everything))
    band = f"Band: mean ± {frame.sqrt_beta:.3g} std (β = {frame.beta:.3g}). "
    assert f">{band}R⁺ = X: nothing is ruled out yet. R is " in view._note.object
    view.update(replace(frame, region=everything, region_plus=everything.copy()))
    assert f">{band}R⁺ = R = X: nothing is ruled out yet.<" in view._note.object


def test_titles_follow_the_event(view: FieldView, replay: Replay) -> None:
    titles = {}
    for k in (0, 1, 3):
        frame = replay.frame(event_index(replay, Kind.PICK, 1, k))
        view.update(frame)
        titles[k] = view.std.figure.title.text
        assert view.upper.figure.title.text == f"Bound μ + {frame.sqrt_beta:.3g} σ"
    assert titles == {
        0: "Std σ",
        1: "Std σ given 1 pick",
        3: "Std σ given 3 picks",
    }
    assert view.truth.figure.title.text == "Truth f"
    names = [[title.text for title in panel._names] for panel in view.panels]
    assert names == [["u", "v"]] * 4


def test_picks_are_where_they_were_made(view: FieldView, replay: Replay) -> None:
    frame = replay.frame(event_index(replay, Kind.PICK, 2, 3))
    view.update(frame)
    shapes = view.picks.shapes.data
    filled = [i for i, color in enumerate(shapes["fill"]) if color != "#00000000"]
    assert [shapes["x"][i] for i in filled] == [pick.x[0] for pick in frame.picks]
    assert [shapes["y"][i] for i in filled] == [pick.x[1] for pick in frame.picks]
    assert [shapes["marker"][i] for i in filled] == ["star", "diamond", "diamond", "diamond"]
    ring = [i for i, marker in enumerate(shapes["marker"]) if marker == "circle"]
    assert {(shapes["x"][i], shapes["y"][i]) for i in ring} == {tuple(frame.picks[3].x)}
    sizes = [shapes["size"][i] for i in filled]
    assert sizes[3] > max(sizes[:3])
    assert view.picks.numbers.data["text"] == ["1", "2", "3"]


def test_data_are_crosses_and_fresh_ones_larger(view: FieldView, replay: Replay) -> None:
    frame = replay.frame(event_index(replay, Kind.OBSERVE, 1))
    view.update(frame)
    data, n = view.data.source.data, len(frame.observed)
    for half in (slice(None, n), slice(n, None)):
        seen = replay.scene.candidates[frame.observed]
        np.testing.assert_array_equal(data["x"][half], seen[:, 0])
        np.testing.assert_array_equal(data["y"][half], seen[:, 1])
        size = data["size"][half]
        assert min(size[-frame.fresh :]) > max(size[: -frame.fresh])


def test_forward_and_back_is_the_same_picture(view: FieldView, replay: Replay) -> None:
    seen = []
    for i in range(len(replay.events)):
        view.update(replay.frame(i))
        seen.append({name: plain(data) for name, data in sources(view).items()})
    for i in reversed(range(len(replay.events))):
        view.update(replay.frame(i))
        assert {name: plain(data) for name, data in sources(view).items()} == seen[i], i


def test_off_a_grid_candidates_are_dots(scattered: Replay) -> None:
    view = FieldView()
    view.load(scattered.scene)
    frame = scattered.frame(small_region(scattered))
    view.update(frame)
    for panel in view.panels:
        assert (panel._image.visible, panel._dots.visible) == (False, True)
    np.testing.assert_array_equal(view.mean.dots.data["value"], frame.mean)
    np.testing.assert_array_equal(view.mean.dots.data["x"], scattered.scene.candidates[:, 0])
    np.testing.assert_array_equal(view.mean.dots.data["y"], scattered.scene.candidates[:, 1])
    faded = np.stack([view.region.faded.data["x"], view.region.faded.data["y"]], axis=1)
    np.testing.assert_array_equal(faded, scattered.scene.candidates[~frame.region_plus])
    assert not view.region.lines.data["xs"]
    assert ">R⁺<" not in view._legend.object
