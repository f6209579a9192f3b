"""The presets of the paper show the paper's figures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.events import Kind
from app.presets import PRESETS, Preset
from app.session import Session

DATA = Path(__file__).parents[1] / "data"


def _preset(slug: str) -> Preset:
    return next(preset for preset in PRESETS if preset.slug == slug)


def test_figure_1_on_screen_is_the_printed_figure() -> None:
    printed = np.loadtxt(DATA / "figure1.csv", delimiter=",", skiprows=1)
    assert printed.shape == (51, 3)
    session = Session(_preset("figure-1"))
    frame, trace = session.frame, session.replay.trace
    rows = [int(np.argmin(np.abs(trace.problem.candidates[:, 0] - x))) for x in printed[:, 0]]
    np.testing.assert_allclose(trace.problem.candidates[rows, 0], printed[:, 0], atol=1e-12)
    np.testing.assert_allclose(frame.mean[rows], printed[:, 1], atol=1e-10)
    band = frame.mean + frame.sqrt_beta * np.sqrt(frame.std**2 + trace.gp.noise_variance)
    np.testing.assert_allclose(band[rows], printed[:, 2], atol=1e-10)
    assert _preset("figure-1").noisy


def test_figure_2_shows_x0_the_region_the_updated_bounds_and_x1() -> None:
    frame = Session(_preset("figure-2")).frame
    assert (frame.event.kind, frame.event.k) == (Kind.PICK, 1)
    assert [pick.role for pick in frame.picks] == ["ucb", "pe"]
    assert frame.y_dot == frame.lower.max()
    assert frame.region is not None
    assert frame.region_plus is not None
    assert 0 < frame.region.sum() <= frame.region_plus.sum() < len(frame.mean)
    x0, x1 = (pick.index for pick in frame.picks)
    assert x0 == int(np.argmax(frame.upper))
    # The dashed bounds: narrower around x0, before any value is seen, and widest in R+ at x1.
    assert frame.std_now[x0] < 0.5 * frame.std[x0]
    assert np.all(frame.std_now <= frame.std)
    assert frame.std_now[x1] == frame.std_now[frame.region_plus].max()


def test_with_noise_as_large_as_the_signal_exploration_fills_space() -> None:
    frame = Session(_preset("noise")).frame
    assert frame.region_plus is not None
    assert frame.region_plus.all()


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.slug)
def test_every_preset_opens_at_its_event(preset: Preset) -> None:
    assert Session(preset).frame.event == preset.event


def test_slugs_are_unique_and_fit_an_address() -> None:
    slugs = [preset.slug for preset in PRESETS]
    assert len(set(slugs)) == len(slugs)
    assert all(slug == slug.lower() and " " not in slug for slug in slugs)
