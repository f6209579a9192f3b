"""Why claims about f only what holds whatever f is, or says on what condition it holds."""

from __future__ import annotations

import numpy as np
import pytest

from ucbpe_app.lessons import offered
from ucbpe_app.links import decode, restore
from ucbpe_app.run.events import Kind
from ucbpe_app.run.replay import Replay
from ucbpe_core import GPUCBPE, RBF, ConstantBeta, GaussianProcess, problems, simulate

ABSOLUTE = ("surely", "certainly", "cannot be", "must be", "may still be", "worth exploring")


def regions(replay: Replay) -> list[int]:
    return [i for i, event in enumerate(replay.events) if event.kind is Kind.REGION]


def test_the_bound_of_a_wrong_model_is_told_with_its_condition() -> None:
    link = "problem=generated_gp&noise_variance=0.001&K=10&T=8&initial=20&seed=1&event=4.region"
    moment, _ = decode(link)
    _, replay, _ = restore(moment)
    problem, i = replay.trace.problem, replay.events.index(moment.event)
    frame = replay.frame(i)
    assert frame.y_dot is not None
    assert frame.y_dot > problem.values.max()  # 2.939 and 2.53: f is outside its band
    assert "If f stays inside the band, max f is at least y• = 2.93" in frame.sentence


@pytest.mark.parametrize("beta", [0.25, 1.0, 9.0])
@pytest.mark.parametrize("seed", range(8))
def test_what_the_sentence_says_holds_whenever_its_condition_does(beta: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = np.linspace(0, 1, 80)[:, None]
    f = np.sin(rng.uniform(3, 30) * x[:, 0] + rng.uniform(0, 6))
    gp = GaussianProcess(RBF(rng.uniform(0.05, 0.6), 1.0), 0.01)
    problem = problems.Problem("Sine", x, f, 0.01, gp, "a test")
    run = simulate(problem, GPUCBPE(3), beta=ConstantBeta(beta), batches=4, initial=2, seed=seed)
    replay = Replay(run)
    for i in regions(replay):
        frame = replay.frame(i)
        inside = np.abs(f - frame.mean) <= frame.sqrt_beta * frame.std
        assert frame.y_dot is not None
        if inside.all():
            assert f.max() >= frame.y_dot - 1e-9
            assert frame.region is not None
            assert frame.region[np.argmax(f)]
        assert "If f stays inside the band, max f is at least y• = " in frame.sentence


def test_no_sentence_and_no_caption_promises_what_only_the_band_promises(
    any_replay: Replay,
) -> None:
    said = [any_replay.frame(i).sentence for i in range(len(any_replay.events))]
    for one in offered():
        said += ["".join(span.words for span in part) for part in one.caption]
        said += [text for asked in one.questions for text in (asked.text, asked.answer)]
        said.append(one.end.remember)
    for text in said:
        if "inside the band" in text or "inside its band" in text:
            continue
        assert not [word for word in ABSOLUTE if word in text], text
