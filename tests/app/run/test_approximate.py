"""A run with an approximate posterior, event by event."""

from __future__ import annotations

import numpy as np
import pytest

from ucbpe_app.run.events import Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.theory.sentences import place
from ucbpe_core import GPUCBPE, Trace, problems, simulate
from ucbpe_core.gp.inducing import Inducing


def run(inducing: Inducing | None) -> Trace:
    return simulate(problems.multimodal(), GPUCBPE(3), batches=3, initial=3, inducing=inducing)


def test_it_is_drawn_as_it_was_decided() -> None:
    trace = run(Inducing(9))
    replay = Replay(trace)
    for i, event in enumerate(replay.events):
        frame = replay.frame(i)
        if event.kind is Kind.PICK:
            decision = trace.decisions[event.t - 1]
            chosen = decision.indices[event.k]
            assert frame.std_now[chosen] == pytest.approx(decision.stds[event.k])
            start = trace.posterior.at(decision.n).hallucinate(decision.indices[: event.k])
            np.testing.assert_allclose(frame.std_now, start.std, atol=1e-9)


def test_it_says_which_posterior_it_has() -> None:
    said = {
        name: (place(trace), Replay(trace).frame(0).tell(plain=False).sentence)
        for name, trace in (("exact", run(None)), ("approximate", run(Inducing(9))))
    }
    assert said["exact"][0].endswith("3 batches of 3, exact posterior")
    assert said["exact"][1].startswith("The exact posterior after 3 measurements.")
    assert said["approximate"][0].endswith("9 inducing points")
    wanted = "An approximate posterior after 3 measurements, of 9 inducing points."
    assert said["approximate"][1].startswith(wanted)
