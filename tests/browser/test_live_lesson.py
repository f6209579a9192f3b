"""A live lesson's file in a browser without a network: settings, measurements, code, address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import PATIENCE, from_disk
from tests.browser.pointing import place
from tests.browser.test_accessible import findings
from ucbpe_app.files.products import Source, make
from ucbpe_app.links import decode, restore
from ucbpe_app.run.cache import load
from ucbpe_app.run.replay import Replay
from ucbpe_core import simulate

_MOST_MORE = 1_000_000  # bytes that a live file has more than the one that is played back
_SMALL = "preset=start&T=3&event=1.posterior"


@dataclass(frozen=True)
class Reader:
    """Somebody with a file: what is done and seen."""

    page: Page
    file: Path
    source: Source

    @property
    def replay(self) -> Replay:
        return self.source.replay

    @property
    def settings(self) -> Locator:
        return self.page.get_by_role("region", name="Settings", exact=True)

    @property
    def digest(self) -> str:
        return self.page.locator("header .run").get_attribute("title") or ""

    def slide(self, name: str, position: int) -> None:
        """Drag a slider: it has the focus, and the paging keys, no longer once it is let go."""
        slider = self.settings.get_by_role("slider", name=name, exact=True)
        slider.fill(str(position))
        slider.blur()

    def sees(self, replay: Replay, index: int) -> None:
        """The run of Python's, at an event of it."""
        expect(self.page.locator("header .run")).to_have_attribute("title", replay.trace.digest)
        words = replay.frame(index).tell(self.source.layers.plain)
        status = self.page.get_by_role("status").filter(has_text="Batch")
        expect(status).to_have_text(words.status)
        why = self.page.get_by_role("region", name="Why this point")
        expect(why.locator("p")).to_have_text(words.sentence)

    def run(self, **settings: Any) -> Replay:
        """What Python makes of the lesson with other settings."""
        return load(replace(self.source.moment.settings, **settings))


def written(link: str, folder: Path, kind: str = "live") -> tuple[Source, Path]:
    moment, replay, _ = restore(decode(link)[0])
    source, file = Source(moment, replay, None), folder / f"{kind}.html"
    file.write_bytes(make(kind, source).data)
    return source, file


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Source, Path]:
    return written(_SMALL, tmp_path_factory.mktemp("live"))


@pytest.fixture
def reader(small: tuple[Source, Path], browser: Browser) -> Iterator[Reader]:
    source, file = small
    with from_disk(browser, file) as lab:
        name = source.replay.trace.digest[:8]
        expect(lab.page.get_by_text(f"Computed again here: same run as {name}.")).to_be_visible()
        yield Reader(lab.page, file, source)
        assert {url.partition("#")[0] for url in lab.requests_that_left()} == {lab.url}


def test_the_run_of_other_settings_is_the_one_that_python_makes(reader: Reader) -> None:
    reader.sees(reader.replay, 0)
    reader.slide("Lengthscale", 20)
    length = float(f"{0.65 * 10**0.2:.3g}")
    other = reader.run(lengthscale=length)
    reader.sees(other, 0)
    page = reader.page
    for index in range(1, len(other.events)):
        page.keyboard.press("PageDown")
        reader.sees(other, index)
    reader.settings.get_by_role("combobox", name="Policy").select_option("EI-PE")
    reader.slide("Batch size K", 6)
    reader.settings.get_by_role("combobox", name="Kernel").select_option("matern 2.5")
    other = reader.run(lengthscale=length, policy="EI-PE", batch_size=6, kernel="Matérn", nu=2.5)
    page.keyboard.press("Home")
    reader.sees(other, 0)
    reader.settings.get_by_role("combobox", name="Kernel").select_option("Periodic")
    reader.slide("Period", 10)
    period = {"kernel": "Periodic", "period": float(f"{2 * 10**0.1:.3g}")}
    other = reader.run(lengthscale=length, policy="EI-PE", batch_size=6, nu=2.5, **period)
    reader.sees(other, 0)
    expect(page.get_by_text(f"Event 1 of {len(other.events)}")).to_be_visible()
    page.keyboard.press("End")
    reader.sees(other, len(other.events) - 1)


_COUNT = """() => {
  const {prototype} = Worker
  const {postMessage} = prototype
  window.sent = 0
  prototype.postMessage = function(...given) {
    window.sent++
    return postMessage.apply(this, given)
  }
}"""
_DRAG = """(slider) => {
  for (let position = -60; position <= -1; position++) {
    slider.value = position
    slider.dispatchEvent(new Event("input", {bubbles: true}))
  }
  slider.dispatchEvent(new Event("change", {bubbles: true}))
}"""


def where_it_was_put(reader: Reader) -> float:
    """The value in the address, which follows the run on screen after a while."""
    for _ in range(PATIENCE // 100):
        said = reader.page.evaluate("location.hash.split('moved=2_')[1] ?? ''")
        moved = ((2, float(said)),) if said else ()
        if moved and load(reader.source.moment.settings, moved=moved).trace.digest == reader.digest:
            return float(said)
        reader.page.wait_for_timeout(100)
    pytest.fail(f"the address says {said!r}")


def a_measurement_is_dragged_and_left_out(reader: Reader) -> None:
    page, replay = reader.page, reader.replay
    made = replay.trace.history.measured[2]
    x = float(replay.scene.candidates[made.index, 0])
    across, up = place(page, "curve", x, float(made.y or 0.0))
    page.mouse.move(across, up)
    page.mouse.down()
    page.mouse.move(across, up + 30, steps=5)
    page.mouse.up()
    expect(page.get_by_text("Computed here: run ")).to_be_visible()
    y = where_it_was_put(reader)
    assert y < (made.y or 0.0) - 0.2
    reader.sees(load(reader.source.moment.settings, moved=((2, y),)), 0)
    page.mouse.click(*place(page, "curve", x, y))
    page.wait_for_function("location.hash.includes('moved=2_out')")
    reader.sees(load(reader.source.moment.settings, moved=((2, None),)), 0)
    page.mouse.dblclick(*place(page, "curve", x, float(made.y or 0.0)))  # back, and out again
    page.wait_for_timeout(400)
    reader.sees(load(reader.source.moment.settings, moved=((2, None),)), 0)
    page.mouse.click(*place(page, "curve", x, float(made.y or 0.0)))
    reader.sees(replay, 0)


def test_measurements_keys_and_many_values_of_a_slider(reader: Reader) -> None:
    keys_move_a_slider_that_has_the_focus_and_nothing_else(reader)
    of_many_values_the_last_is_computed(reader)
    reader.slide("Lengthscale", 0)
    reader.sees(reader.replay, 0)
    measurements_of_ones_own_come_before_batch_1(reader)
    a_measurement_is_dragged_and_left_out(reader)


def of_many_values_the_last_is_computed(reader: Reader) -> None:
    page = reader.page
    page.evaluate(_COUNT)
    reader.settings.get_by_role("slider", name="Lengthscale").evaluate(_DRAG)
    reader.sees(reader.run(lengthscale=float(f"{0.65 * 10**-0.01:.3g}")), 0)
    page.wait_for_function("location.hash.includes('lengthscale=')")
    assert page.evaluate("window.sent") <= 3


def measurements_of_ones_own_come_before_batch_1(reader: Reader) -> None:
    page, problem = reader.page, reader.replay.trace.problem
    reader.settings.get_by_role("spinbutton", name="Measure at x").fill("4.5")
    reader.settings.get_by_role("button", name="Measure", exact=True).click()
    first = int(np.abs(problem.candidates[:, 0] - 4.5).argmin())
    expect(page.get_by_text("1 added before batch 1.")).to_be_visible()
    page.wait_for_function("location.hash.includes('own=')")
    assert f"own={first}" in page.evaluate("location.hash")
    figure = page.locator(".lab-plot-function .lab-plot-figure").first
    box = figure.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 0.6 * box["width"], box["y"] + 0.4 * box["height"])
    expect(page.get_by_text("2 added before batch 1.")).to_be_visible()
    page.wait_for_function("/own=[0-9]+,[0-9]+/.test(location.hash)")
    own = [int(i) for i in page.evaluate("location.hash.split('own=')[1].split('&')[0].split(',')")]
    assert own[0] == first
    assert 0.4 < own[1] / len(problem.candidates) < 0.8
    assert reader.digest == _with_own(reader.replay, own)
    reader.settings.get_by_role("button", name="Undo").click()
    reader.settings.get_by_role("button", name="Undo").click()
    reader.sees(reader.replay, 0)


def _with_own(replay: Replay, own: list[int]) -> str:
    """The digest of the run whose problem was measured there before, by Python."""
    from ucbpe_core.support import streams

    trace = replay.trace
    problem, n = trace.problem, trace.initial
    noise = streams.noise(trace.seed, len(trace.decisions) + 1).standard_normal(len(own))
    y = problem.values[own] + np.sqrt(problem.noise_variance) * noise
    observed = [*trace.posterior.conditioned_indices[:n], *own]
    measured = replace(
        problem, observed=np.array(observed), observed_y=np.array([*trace.y[:n], *y])
    )
    batches = len(trace.decisions)
    options: dict[str, Any] = {"batches": batches, "initial": 0, "seed": trace.seed}
    return simulate(measured, trace.policy, trace.gp, trace.beta, **options).digest


def test_the_address_and_the_code_open_the_same_state_and_reset_plays_the_lesson_back(
    reader: Reader,
) -> None:
    page = reader.page
    reader.slide("Scale c", -70)
    reader.settings.get_by_role("combobox", name="β schedule").select_option("compact")
    other = reader.run(scale=0.2, schedule="Compact cube")
    page.keyboard.press("PageDown")
    reader.sees(other, 1)
    page.wait_for_function("location.hash.startsWith('#1.pick.0&')")
    code = reader.settings.get_by_role("textbox", name="Code of this state")
    text = code.input_value()
    assert page.evaluate("location.hash") == f"#{text}"
    page.reload()
    page.wait_for_function("window.Bokeh?.documents[0]?.is_idle")
    reader.sees(other, 1)
    reader.settings.get_by_role("button", name="Reset").click()
    reader.sees(reader.replay, 1)
    expect(code).to_have_value("1.pick.0")
    code.fill(text)
    code.press("Enter")
    reader.sees(other, 1)
    for index in range(2, 5):
        page.keyboard.press("PageDown")
        reader.sees(other, index)
    code.fill("2.posterior&lengthscale=-3&policy=Thompson&K=99&scale=0.2&what=1")
    code.press("Enter")
    refused = "Not used from this code: lengthscale = -3, policy = Thompson, K = 99, what."
    expect(reader.settings.get_by_text(refused)).to_be_visible()
    # What cannot be computed is said, and nothing is lost; the lesson plays on once it is reset.
    reader.settings.get_by_role("button", name="Reset").click()
    fit = [event.text for event in reader.replay.events].index("2.posterior")
    reader.sees(reader.replay, fit)
    reader.settings.get_by_role("combobox", name="Policy").select_option("GP-BUCB")
    digest = reader.run(policy="GP-BUCB").trace.digest
    expect(page.locator("header .run")).to_have_attribute("title", digest)
    reader.slide("Noise variance", -150)
    expect(reader.settings.get_by_text("This cannot be computed: GP-BUCB needs")).to_be_visible()
    reader.slide("Noise variance", 0)
    page.keyboard.press("Home")
    reader.sees(reader.run(policy="GP-BUCB"), 0)
    reader.settings.get_by_role("button", name="Reset").click()
    expect(reader.settings.get_by_text("same run as")).to_be_visible()
    reader.slide("Scale c", -70)
    page.wait_for_function("location.hash.includes('scale=')")
    page.evaluate("window.location.hash = ''")  # as a person who deletes it from the address
    expect(reader.settings.get_by_text("same run as")).to_be_visible()
    for index in range(1, 4):
        page.keyboard.press("PageDown")
        reader.sees(reader.replay, index)


def keys_move_a_slider_that_has_the_focus_and_nothing_else(reader: Reader) -> None:
    page = reader.page
    page.keyboard.press("Tab")
    slider = reader.settings.get_by_role("slider", name="Lengthscale")
    for _ in range(12):
        if slider.evaluate("node => node.getRootNode().activeElement === node"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == f"{0.65 * 10**0.01:.3g}"
    reader.sees(reader.run(lengthscale=float(f"{0.65 * 10**0.01:.3g}")), 0)
    slider.blur()
    slider.focus()  # as a command of a screen reader does, which sends no Tab key
    page.keyboard.press("ArrowLeft")
    expect(slider).to_have_value("0")
    reader.sees(reader.replay, 0)
    assert findings(page) == []
    page.get_by_role("button", name="Dark theme").click()
    assert findings(page) == []


@pytest.mark.slow
@pytest.mark.parametrize("link", ["preset=start", "preset=himmelblau&T=4"])
def test_a_file_is_at_most_1_mb_larger_and_open_on_a_phone(
    link: str, browser: Browser, tmp_path: Path
) -> None:
    source, file = written(link, tmp_path)
    _, plain = written(link, tmp_path, "html")
    assert file.stat().st_size - plain.stat().st_size < _MOST_MORE
    phone: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
    with browser.new_context(offline=True, is_mobile=True, **phone) as context:
        page = context.new_page()
        page.goto(f"{file.as_uri()}#2.pick.1")
        page.wait_for_function("window.Bokeh?.documents[0]?.is_idle")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.get_by_role("button", name="Settings").tap()
        slider = page.get_by_role("slider", name="Lengthscale", exact=True)
        box = slider.bounding_box()
        assert box is not None
        assert box["height"] >= 44
        slider.fill("30")
        digest = load(source.moment.settings).trace.digest
        expect(page.locator("header .run")).not_to_have_attribute("title", digest)
        picture = page.get_by_role("region", name="Function").bounding_box()
        column = page.get_by_role("region", name="Settings", exact=True).bounding_box()
        assert picture is not None
        assert column is not None
        assert picture["y"] >= column["y"] + column["height"] - 40  # px: in sight below
        assert findings(page) == []


def test_what_no_browser_computes_is_played_back_and_says_why(
    browser: Browser, tmp_path: Path
) -> None:
    source, file = written("preset=mackey-glass&T=2&event=1.posterior", tmp_path)
    with from_disk(browser, file) as lab:
        page = lab.page
        said = page.get_by_text("This run is played back: you can step through")
        expect(said).to_contain_text("cannot compute a run with 6 inputs.")
        expect(page.get_by_role("region", name="Settings", exact=True)).to_have_count(0)
        page.keyboard.press("PageDown")
        sentence = source.replay.frame(source.index + 1).sentence
        expect(page.get_by_role("region", name="Why this point")).to_contain_text(sentence)


def test_a_smoothness_of_its_own_is_computed_and_what_the_lesson_hides_is_not_offered(
    browser: Browser, tmp_path: Path
) -> None:
    """Hidden by group or one by one, as on the page."""
    link = "preset=start&T=3&kernel=matern&nu=0.7&hide=Policy,delta,lengthscale"
    source, file = written(link, tmp_path)
    with from_disk(browser, file) as lab:
        page = lab.page
        expect(page.get_by_text(re.compile("same run as"))).to_be_visible()
        settings = page.get_by_role("region", name="Settings", exact=True)
        for name in ("Scale c", "Noise variance"):
            expect(settings.get_by_role("slider", name=name)).to_be_visible()
        for name in ("Policy", "Batch size K", "δ", "Lengthscale"):
            expect(settings.get_by_label(name, exact=True)).to_have_count(0)
        kernel = page.get_by_role("combobox", name="Kernel")
        expect(kernel).to_have_value("matern 0.7")
        kernel.select_option("RBF")
        digest = load(replace(source.moment.settings, kernel="RBF")).trace.digest
        expect(page.locator("header .run")).to_have_attribute("title", digest)
        kernel.select_option("Matérn, ν = 0.7")
        expect(page.locator("header .run")).to_have_attribute("title", source.replay.trace.digest)
