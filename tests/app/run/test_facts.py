"""Numbers of an event, each from the decisions, the rows and the true values of the run itself."""

from __future__ import annotations

import numpy as np
import pytest

from ucbpe_app.run.events import Kind
from ucbpe_app.run.facts import FACTS, facts
from ucbpe_app.run.replay import Replay


def test_every_fact_is_that_of_the_run(any_replay: Replay) -> None:
    trace, met = any_replay.trace, set[str]()
    for i, event in enumerate(any_replay.events):
        found = facts(any_replay.frame(i))
        met |= found.keys()
        decision = trace.decisions[event.t - 1]
        made = {Kind.POSTERIOR: 0, Kind.REGION: 1, Kind.PICK: event.k + 1}
        picks = trace.problem.candidates[decision.indices[: made.get(event.kind)]]
        if len(picks):
            assert found["x0"] == picks[0, 0]
        if "region" in found:
            assert found["region"] == pytest.approx(100 * np.mean(decision.region_plus))
    has_region = trace.policy.uses_region and trace.policy.batch_size > 1
    assert met == {name for name in FACTS if has_region or name != "region"}
