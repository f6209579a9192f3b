"""A policy that explores a region of its own: no picture or text takes it for R+."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from ucbpe_app.pictures.picture import Request
from ucbpe_app.pictures.plane import plane
from ucbpe_app.pictures.plane_geometry import lines
from ucbpe_app.run.events import Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.sentences.event import timeline_items
from ucbpe_core import problems, simulate
from ucbpe_core.policies import VizierUCBPE


@pytest.fixture(scope="module", params=["maximize", "minimize"])
def replay(request: pytest.FixtureRequest) -> Replay:
    problem = replace(problems.multimodal(), direction=request.param)
    return Replay(simulate(problem, VizierUCBPE(4), batches=3, initial=4, seed=2))


def test_the_plane_has_the_line_of_slope_one_half_through_the_threshold(replay: Replay) -> None:
    """By the definition: over the points measured so far and x0, the mean at the greatest UCB."""
    sign, seen = replay.scene.sign, 0
    for i, event in enumerate(replay.events):
        if event.kind is not Kind.REGION:
            continue
        frame = replay.frame(i)
        decision = replay.trace.decisions[event.t - 1]
        penalised = [k for k, role in enumerate(decision.roles) if role == "penalised" and k]
        assert frame.region_plus is None
        assert (frame.explored is None) == (not penalised)
        if not penalised:
            continue
        known = [*frame.observed, *decision.indices[: penalised[0]]]
        upper = sign * frame.mean[known] + 1.8 * frame.std[known]
        threshold = frame.mean[known[int(upper.argmax())]]
        edge = lines(replay.scene, frame)["plus_edge"]
        assert edge.slope == pytest.approx(-0.5 * sign)
        assert edge.start == pytest.approx(threshold, rel=1e-9)
        assert "equal_lower" not in lines(replay.scene, frame)
        inside = sign * (frame.mean + sign * 0.5 * frame.std - threshold) >= -1e-9
        np.testing.assert_array_equal(frame.explored.mask, inside)  # type: ignore[union-attr]
        texts = {
            label.text for label in plane(replay.scene, frame, Request()).plots["plane"].labels
        }
        assert "in the region" in texts
        seen += 1
    assert seen


@pytest.mark.parametrize("plain", [False, True])
def test_no_text_claims_the_paper_s_rule(replay: Replay, plain: bool) -> None:
    """No R+, no y•, no ruling out, and 1.8 standard deviations for the band."""
    for i, event in enumerate(replay.events):
        frame = replay.frame(i)
        told = frame.tell(plain)
        labels = [
            label.text for label in plane(replay.scene, frame, Request()).plots["plane"].labels
        ]
        items = [item["label"] for item in timeline_items(replay, event.t, plain=plain)]
        lines_told = [text for one in told.lines for text in (one.text, one.value)]
        for text in (told.status, told.heading, told.sentence, *lines_told, *labels, *items):
            assert not re.search(r"R⁺|R\+|y•|y_dot|[Rr]uled? out|βₜ₊₁", text), text
        assert frame.sqrt_beta == pytest.approx(1.8)
