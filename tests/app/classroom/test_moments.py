"""What phones draw: what is known and no more, what answers are held against, and their page."""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64decode
from typing import Any

import numpy as np
import pytest

from tests.app.files.unpacking import decoded, unpacked
from ucbpe_app.classroom.moments import ask_moment, reveal_moment
from ucbpe_app.classroom.phone import phone_page
from ucbpe_app.run.events import Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_core import GPUCBPE, problems, simulate
from ucbpe_core.policies import EIPE

PLAIN = Layers(truth=False, plain=True)
MEGABYTE = 1e6


def curve(policy: Any) -> Replay:
    return Replay(simulate(problems.multimodal(), policy, batches=2, initial=3, seed=1))


@pytest.fixture(scope="module")
def run() -> Replay:
    """Two batches of three over one input."""
    return curve(GPUCBPE(batch_size=3))


@pytest.fixture(scope="module")
def maps() -> Replay:
    """A batch of two on a grid of 101 x 101."""
    trace = simulate(problems.himmelblau(), GPUCBPE(batch_size=2), batches=1, initial=6, seed=0)
    return Replay(trace)


def read(moment: dict[str, Any]) -> dict[str, Any]:
    """A moment as a phone has it: through JSON, with its arrays."""
    sent = json.loads(json.dumps(moment, allow_nan=False))
    arrays = unpacked(sent["arrays"], b64decode(sent["packed"]))
    return {**sent, **{name: decoded(sent[name], arrays) for name in ("asked", "columns")}}


def columns_of(moment: dict[str, Any], *names: str) -> list[dict[str, Any]]:
    """What the moment's figures draw in these columns."""
    return [data for data in moment["columns"].values() if data.keys() == set(names)]


def test_what_is_asked_does_not_depend_on_what_the_rule_then_does(run: Replay) -> None:
    """Two rules that pick different places after the same measurements."""
    other = curve(EIPE(batch_size=3))
    picks = [one.trace.decisions[0].indices[0] for one in (run, other)]
    assert picks[0] != picks[1]
    ours, theirs = (read(ask_moment(one, 0, PLAIN)) for one in (run, other))
    np.testing.assert_equal(list(ours["columns"].values()), list(theirs["columns"].values()))
    np.testing.assert_equal(ours["asked"], theirs["asked"])
    for name in ("kind", "words", "text"):
        assert ours[name] == theirs[name]


def test_a_place_is_asked_with_what_is_on_screen_and_nothing_of_the_pick(run: Replay) -> None:
    moment, frame = read(ask_moment(run, 0, PLAIN)), run.frame(0)
    asked = moment["asked"]
    assert moment["kind"] == "place"
    assert {"pick", "values", "largest"}.isdisjoint(asked)
    assert {"rule", "right"}.isdisjoint(moment)
    np.testing.assert_allclose(asked["x"], run.scene.candidates[:, 0], atol=1e-5)
    np.testing.assert_allclose(asked["mean"], frame.mean, atol=1e-5)
    np.testing.assert_allclose(asked["std"], frame.std, atol=1e-5)
    assert moment["words"][asked["question"]] == "Where will the rule measure first?"
    own = read(ask_moment(run, 0, PLAIN, question="And you?"))
    assert own["words"][asked["question"]] == "And you?"


def test_f_is_in_no_moment_that_does_not_show_it(run: Replay) -> None:
    truth = run.scene.truth

    def shows(layers: Layers) -> bool:
        drawn = read(ask_moment(run, 0, layers))["columns"].values()
        lines = [np.asarray(data["y"], float) for data in drawn if "y" in data]
        return any(len(y) == len(truth) and np.allclose(y, truth, atol=1e-4) for y in lines)

    assert shows(Layers(truth=True))
    assert not shows(Layers(truth=False))


@pytest.mark.parametrize("name", ["run", "maps"])
def test_moments_of_one_run_have_the_same_figures_and_columns_of_their_own(
    name: str, request: pytest.FixtureRequest
) -> None:
    run: Replay = request.getfixturevalue(name)
    asked, answer = ask_moment(run, 0, PLAIN), reveal_moment(run, 1, PLAIN)
    assert asked["document"] == answer["document"]
    assert asked["columns"] != answer["columns"]
    figures, ids = json.dumps(asked["document"]), [*read(asked)["columns"], *asked["colors"]]
    assert all(f'"id": "{one}"' in figures for one in ids)


@pytest.mark.parametrize("name", ["run", "maps"])
def test_a_reveal_has_the_pick_and_the_criterion_of_every_place(
    name: str, request: pytest.FixtureRequest
) -> None:
    run: Replay = request.getfixturevalue(name)
    frame, decision = run.frame(0), run.trace.decisions[0]
    moment = read(reveal_moment(run, 1, PLAIN))
    upper = frame.mean + decision.sqrt_beta * frame.std
    span = np.ptp(upper)
    asked = moment["asked"]
    assert asked["pick"] == decision.indices[0] == int(np.argmax(upper))
    np.testing.assert_allclose(asked["values"], upper, atol=1e-5 * span)
    assert asked["largest"] == pytest.approx(upper.max())
    assert asked["least"] == pytest.approx(upper.min())
    assert moment["rule"].startswith("The rule measures at x⁰ = ")
    assert f"{upper.max():.3g}" in moment["rule"]
    assert moment["right"] is None


def test_outside_the_region_a_place_has_no_value_at_a_later_pick(run: Replay) -> None:
    index = run.events.index(next(event for event in run.events if event.k == 1))
    moment, decision = read(reveal_moment(run, index, PLAIN)), run.trace.decisions[0]
    looked = ~np.isnan(np.asarray(moment["asked"]["values"], float))
    np.testing.assert_array_equal(looked, decision.region_plus)
    assert f"std is {decision.stds[1]:.3g}" in moment["rule"]


def test_the_strips_have_a_place_once_there_is_a_region(run: Replay) -> None:
    at = [event.kind for event in run.events].index(Kind.REGION)

    def hides_strips(index: int) -> bool:
        classes = [part["classes"] for part in ask_moment(run, index, PLAIN)["tree"]["children"]]
        (strips,) = [names for names in classes if "lab-plot-region" in names]
        return "lab-plot-hidden" in strips

    assert [hides_strips(index) for index in (0, at)] == [True, False]


def test_other_questions_have_their_answers_and_the_right_one_later(run: Replay) -> None:
    choice = {"question": "Twice?", "choices": ["Yes", "No"]}
    asked, answer = ask_moment(run, 0, PLAIN, **choice), reveal_moment(run, 1, PLAIN, **choice)
    assert (asked["kind"], asked["question"], asked["choices"]) == (
        "choice",
        "Twice?",
        ["Yes", "No"],
    )
    assert "right" not in asked
    assert read(asked)["asked"] == {}
    assert (answer["rule"], answer["right"]) == ("", None)
    scale = {"scale": [0.5, 1.0, 2.0], "setting": "c"}
    asked, answer = (
        ask_moment(run, 0, PLAIN, **scale),
        reveal_moment(run, 0, PLAIN, right=2, **scale),
    )
    assert (asked["kind"], asked["scale"], asked["setting"]) == ("set", [0.5, 1.0, 2.0], "c")
    assert (answer["kind"], answer["right"]) == ("set", 2)


def test_the_page_is_one_small_file_that_asks_no_other_host() -> None:
    page = phone_page()
    assert len(gzip.compress(page.encode())) < 1.5 * MEGABYTE
    assert page.count("<script") >= page.count("</script>") == 2
    markup = re.sub(r"<script[^>]*>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.findall(r"""(?:src|href)=["'](?!data:)|url\((?!"?data:)|@import""", markup)
    assert not re.findall(r"\$\w+", markup)
