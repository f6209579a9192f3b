"""A policy that explores a region of its own: no picture or text takes it for R+."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ucbpe_app.pictures.curve import curve
from ucbpe_app.pictures.field import field
from ucbpe_app.pictures.picture import Request
from ucbpe_app.pictures.plane import plane
from ucbpe_app.pictures.plane_geometry import lines
from ucbpe_app.run.events import Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.sentences.event import describe_event, timeline_items
from ucbpe_app.run.sentences.reasons import phase_starts
from ucbpe_app.run.sentences.texts import percentage
from ucbpe_core import problems, simulate
from ucbpe_core.gp.region import relevant_region
from ucbpe_core.policies import BatchedPureExploration, VizierUCBPE

if TYPE_CHECKING:
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_core.policies import Policy


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
        beside = lines(replay.scene, frame)["compared_edge"]
        relevant = relevant_region(
            replace(frame, mean=sign * frame.mean), frame.beta, frame.beta_next
        )
        assert beside.slope == pytest.approx(-2 * sign * np.sqrt(frame.beta_next))
        assert beside.start == pytest.approx(sign * relevant.y_dot)
        assert edge.slope == pytest.approx(-0.5 * sign)
        assert edge.start == pytest.approx(threshold, rel=1e-9)
        assert "equal_lower" not in lines(replay.scene, frame)
        inside = sign * (frame.mean + sign * 0.5 * frame.std - threshold) >= -1e-9
        np.testing.assert_array_equal(frame.explored.mask, inside)  # type: ignore[union-attr]
        texts = {
            label.text for label in plane(replay.scene, frame, Request()).plots["plane"].labels
        }
        assert {"in the region", "edge of R⁺: not used"} <= texts
        drawn = {one.role for one in plane(replay.scene, frame, Request()).plots["plane"].marks}
        assert {"plus_edge", "compared_edge"} <= drawn
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
            if not text.endswith("not used"):
                assert not re.search(r"R⁺|R\+|y•|y_dot|[Rr]uled? out|βₜ₊₁", text), text
        assert frame.sqrt_beta == pytest.approx(1.8)


def covered(frame: Frame, scene: Scene, role: str) -> list[bool]:
    """Which candidates of one input the strip of a role covers."""
    strip = curve(scene, frame, Request()).plots["region"]
    found = {one.role: one.columns for one in strip.marks}[role]
    ends = list(zip(found["left"], found["right"], strict=True))
    return [any(left <= x <= right for left, right in ends) for x in scene.candidates[:, 0]]


@pytest.mark.parametrize("policy", [VizierUCBPE(4), BatchedPureExploration(4, horizon=24)])
def test_strips_show_the_region_and_the_one_that_is_not_used(policy: Policy) -> None:
    """By the masks of the decisions; a label says that R+ is not used."""
    problem = problems.multimodal()
    replay, seen = Replay(simulate(problem, policy, batches=6, initial=4, seed=2)), 0
    for i, event in enumerate(replay.events):
        frame, decision = replay.frame(i), replay.trace.decisions[event.t - 1]
        plots = curve(replay.scene, frame, Request()).plots
        assert dict(plots["region"].y.ticks) == {0.5: "own", 1.5: "R⁺"}
        if frame.explored is None:
            assert {one.role for one in plots["region"].marks} == {"guide"}
            continue
        assert covered(frame, replay.scene, "region_plus") == frame.explored.mask.tolist()
        assert covered(frame, replay.scene, "compared") == decision.region_plus.tolist()
        said = {label.role: label.text for label in plots["region"].labels}
        assert said["compared"].endswith("not used")
        seen += 1
    assert seen


@pytest.mark.parametrize(
    "policy", [VizierUCBPE(4), BatchedPureExploration(4, horizon=24)], ids=["level", "mask"]
)
def test_maps_outline_the_region_and_the_one_that_is_not_used(policy: Policy) -> None:
    """A point is inside an outline where its number is positive."""
    problem = problems.himmelblau()
    replay, seen = Replay(simulate(problem, policy, batches=6, initial=9, seed=1)), 0
    for i, event in enumerate(replay.events):
        frame, decision = replay.frame(i), replay.trace.decisions[event.t - 1]
        large = field(replay.scene, frame, Request()).plots["map"]
        images = {one.role: one.columns.get("image") for one in large.marks}
        if frame.explored is None:
            assert not {"outline", "outline_compared"} & images.keys()
            continue
        masks = {"outline": frame.explored.mask, "outline_compared": decision.region_plus}
        for role, mask in masks.items():
            assert (role in images) == (mask.any() and not mask.all())
            if role in images:
                np.testing.assert_array_equal(images[role][0].T.ravel() > 0, mask)
                seen += 1
    assert seen


def test_phases_are_named_where_they_begin_and_in_every_status() -> None:
    """By the definition of N_i with T = 24 and K = 4: phases of 5, 11 and 8 points."""
    policy = BatchedPureExploration(4, horizon=24)
    replay = Replay(simulate(problems.multimodal(), policy, batches=6, initial=0, seed=2))
    assert phase_starts(replay.trace) == (1, 3, 6)
    phases = {1: 1, 2: 1, 3: 2, 4: 2, 5: 2, 6: 3}
    for event in replay.events:
        told = describe_event(replay.trace, event)
        start = f"Batch {event.t} of 6, phase {phases[event.t]} of 3, "
        assert told.status.startswith(start)
        assert ("Phase" in told.sentence) == (event.kind is Kind.POSTERIOR)
    first, second, third = (
        describe_event(replay.trace, replay.batch(t)[0]).sentence for t in (1, 3, 6)
    )
    assert " Phase 1 of 3 is batches 1 to 2: " in first
    assert " Phase 2 of 3 is batches 3 to 5: " in second
    assert " Phase 3 of 3 is batch 6: " in third
    share = percentage(replay.trace.decisions[2].explored[0].mask)  # type: ignore[union-attr]
    assert f"the {share} of X that no phase before ruled out" in second
    other = Replay(simulate(problems.multimodal(), VizierUCBPE(4), batches=2, initial=4))
    assert "phase" not in other.frame(0).status
