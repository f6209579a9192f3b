"""The playground, opened from a disk without a network: its runs are those of Python."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import replace
from functools import cache
from io import StringIO
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import PATIENCE, from_disk
from tests.browser.layout import PHONE, SIZES, resized
from tests.browser.pointing import settled_place
from tests.browser.student import lesson_of, steps, told
from tests.browser.test_accessible import findings
from tests.documents import DOCS
from tests.live.cases import CHANGES, played
from tests.live.modules import Modules
from tools.docs import galleries
from ucbpe_app.cli import main
from ucbpe_app.engine.parts import named_parts
from ucbpe_app.engine.tables import COMPUTED, engine_settings
from ucbpe_app.files.layout import LessonPage
from ucbpe_app.files.playground import LESSONS, SEEDS, Start, starts
from ucbpe_app.lessons import offered
from ucbpe_app.lessons.card import last
from ucbpe_app.main import PAGES
from ucbpe_app.pictures.atlas import TABS
from ucbpe_app.render.glyphs import THICKER
from ucbpe_app.run.atlas import Atlas
from ucbpe_app.run.cache import bounds, load
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_app.run.sentences.texts import say
from ucbpe_app.run.settings import problem_of
from ucbpe_app.widgets.bar_buttons import FACTORS
from ucbpe_core import simulate, theory

_HTML = "text/html"
# At each change with pictures in sight: the start in the menu, and the run in the header.
_RECORD = """() => {
  window.seen = []
  const look = () => {
    const place = document.getElementById("lesson")
    if (place.checkVisibility({visibilityProperty: true})) {
      const run = document.querySelector("header .run").textContent.replace("run ", "")
      window.seen.push([document.querySelector("header select").value, run, location.hash])
    }
    requestAnimationFrame(look)
  }
  look()
}"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("playground") / "playground.html"
    assert main(["playground", str(path)]) == 0
    return path


@pytest.fixture
def page(file: Path, browser: Browser) -> Iterator[Page]:
    with from_disk(browser, file) as lab:
        expect(_said(lab.page)).to_contain_text("same run", timeout=PATIENCE)
        yield lab.page
        assert {url.partition("#")[0] for url in lab.requests_that_left()} == {lab.url}


def _said(page: Page) -> Locator:
    settings = page.get_by_role("region", name="Settings", exact=True)
    return settings.locator(".said")


def _is(page: Page, digest: str) -> None:
    expect(page.locator("header .run")).to_have_attribute("title", digest, timeout=PATIENCE)


def _unfolded(page: Page, group: str) -> None:
    """Open a group of settings, if it is not open."""
    heading = page.locator("summary", has_text=group)
    expect(heading).to_be_visible()
    if page.locator("details[open] > summary", has_text=group).count() == 0:
        heading.click()


def _policy(page: Page) -> Locator:
    _unfolded(page, "Policy and batch size")
    return page.get_by_label("Policy", exact=True)


def _go(page: Page, hash_: str) -> None:
    page.evaluate("(hash) => { window.location.hash = hash }", hash_)


@cache
def _starts() -> Mapping[str, Start]:
    return {one.name: one for one in starts()}


def _start(name: str) -> Start:
    return _starts()[name]


@cache
def _content(file: Path) -> dict[str, Any]:
    """What the file plays."""
    found = re.search(r'data-text="(\d+)">([^<]+)<', file.read_text(encoding="utf-8"))
    assert found
    content: dict[str, Any] = json.loads(zlib.decompress(b64decode(found[2]))[: int(found[1])])
    return content


def test_the_file_is_small_enough_to_send(file: Path) -> None:
    """As large as the documents say."""
    size = f"{file.stat().st_size / 1e6:.1f} MB"
    said = {
        "without-a-server.md": f"one HTML file of {size} ",
        "install.md": f"one file | {size} | {size} |",
    }
    for name, words in said.items():
        assert words in (DOCS / name).read_text(encoding="utf-8")
    names = [one["name"] for one in _content(file)["starts"]]
    assert len(set(names)) == len(names) > 30


def test_a_start_is_the_run_that_python_makes(page: Page) -> None:
    for name in ("himmelblau", "function-figure1", "generated-gp-1d-7", "constant-beta"):
        page.get_by_label("Lesson or function").select_option(name)
        digest = _start(name).replay.trace.digest
        _is(page, digest)
        expect(_said(page)).to_contain_text(f"same run as {digest[:8]}", timeout=PATIENCE)


@pytest.mark.slow
def test_every_start_is_the_run_that_python_makes(page: Page) -> None:
    for one in _starts().values():
        if not one.drawn:
            page.get_by_label("Lesson or function").select_option(one.name)
            digest = one.replay.trace.digest
            _is(page, digest)
            expect(_said(page)).to_contain_text(digest[:8], timeout=PATIENCE)


def _case(file: Path, start: Start, k: int, changes: dict[str, Any]) -> dict[str, Any]:
    """A run with the tables of the file, of its noise number k."""
    content = _content(file)
    told = next(one for one in content["starts"] if one["name"] == start.name)
    random = {name: content["tables"][n] for name, n in told["random"][k].items()}
    tables = {**content["functions"][told["function"]], **random}
    spec = replace(start.spec, seed=start.spec.seed + k, **changes)
    parts = spec.build_gp(), spec.build_policy(), spec.build_schedule()
    settings = engine_settings(*parts, spec.batches)
    return {"case": start.name, **played(spec.simulate(), tables, settings)}


def test_every_function_of_the_file_is_played_as_by_python(browser: Browser, file: Path) -> None:
    functions = [one for one in _starts().values() if one.group != LESSONS and not one.drawn]
    table = cycle([one for changes in CHANGES.values() for one in changes])
    given = [
        _case(file, start, k % SEEDS, {**next(table), "batches": 3})
        for k, start in enumerate([*functions, *functions])
    ]
    assert {one["settings"]["policy"] for one in given} == set(COMPUTED)
    page = browser.new_page()
    assert Modules(page).differing(given) == []
    page.close()


@pytest.mark.slow  # the browser computes 1,000 rows before it says so
def test_what_takes_a_page_too_long_is_refused(page: Page) -> None:
    page.get_by_label("Lesson or function").select_option("function-himmelblau")
    _is(page, _start("function-himmelblau").replay.trace.digest)
    page.get_by_label("Kernel", exact=True).select_option("matern 0.5")
    _policy(page).select_option("Thompson sampling")
    expect(_said(page)).to_contain_text("Thompson sampling draws", timeout=10 * PATIENCE)
    page.get_by_role("button", name="Reset the settings").click()
    _is(page, _start("function-himmelblau").replay.trace.digest)


def test_keys_step_and_a_link_opens_the_same_state(page: Page, browser: Browser) -> None:
    page.get_by_label("Lesson or function").select_option("generated-gp-1d-2")
    _is(page, _start("generated-gp-1d-2").replay.trace.digest)
    page.locator("header h1").click()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("window.location.hash.includes('1.pick.1')")
    _policy(page).select_option("EI-PE")
    page.wait_for_function("window.location.hash.includes('policy=EI-PE')")
    assert "1.pick.1" in page.evaluate("location.hash")
    other = browser.new_page()
    other.goto(page.url)
    _is(other, page.locator("header .run").get_attribute("title") or "")
    expect(_policy(other)).to_have_value("EI-PE")
    other.close()


_NO_CLIPBOARD = """(allowed) => {
  const writeText = () => Promise.reject(new Error("no"))
  Object.defineProperty(navigator, "clipboard", {value: {writeText}})
  document.execCommand = () => { window.selected = document.activeElement.value; return allowed }
}"""


@pytest.mark.parametrize(
    ("allowed", "said"), [(True, "Copied"), (False, "Copy it from the address bar")]
)
def test_copy_link_copies_the_link_or_says_where_it_is(
    page: Page, allowed: bool, said: str
) -> None:
    """Also where a page may not write to the clipboard: in a course system, or without https."""
    page.evaluate(_NO_CLIPBOARD, allowed)
    _unfolded(page, "Copy a link to this")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name=said)).to_be_visible()
    assert page.evaluate("window.selected") == page.url
    assert "#start=" in page.url


def test_a_start_is_not_opened_with_what_was_last_changed_in_another(page: Page) -> None:
    digest = page.locator("header .run").get_attribute("title")
    page.get_by_role("slider", name="Lengthscale", exact=True).fill("20")
    # Drawn, and not yet in the address.
    page.wait_for_function(
        """(digest) => {
          if (document.querySelector("header .run").title === digest) { return false }
          window.location.hash = "start=generated-gp-1d-1"
          return true
        }""",
        arg=digest,
    )
    digest = _start("generated-gp-1d-1").replay.trace.digest
    expect(_said(page)).to_contain_text(f"same run as {digest[:8]}", timeout=PATIENCE)
    page.wait_for_function("window.location.hash === '#start=generated-gp-1d-1&1.posterior'")


def test_a_map_has_a_draw_in_its_place(page: Page) -> None:
    _go(page, "start=function-himmelblau&2.posterior")
    _is(page, _start("function-himmelblau").replay.trace.digest)
    assert "undefined" not in page.locator("body").inner_text()
    page.get_by_text("Show", exact=True).click()
    page.get_by_label("draws of f").check()
    tabs = page.get_by_role("group", name="Large map").get_by_role("button")
    expect(tabs).to_have_text(["Map", "Draw"])
    expect(page.get_by_text("one posterior draw")).to_be_visible(timeout=PATIENCE)
    tabs.first.click()
    page.wait_for_function("window.location.hash.includes('show=truth,draws,map')")
    page.reload()
    expect(tabs.first).to_have_attribute("aria-pressed", "true", timeout=PATIENCE)
    expect(page.get_by_text("one posterior draw")).to_have_count(0)


def test_reset_takes_away_what_is_shown_beside_the_start(page: Page) -> None:
    plane = page.get_by_role("region", name="Decision plane", exact=True)
    page.get_by_text("Show", exact=True).click()
    page.get_by_role("checkbox", name="decision plane").check()
    expect(plane).to_be_visible()
    page.get_by_role("checkbox", name="draws of f").check()
    drawn = page.get_by_text("thin: eight draws of f")
    expect(drawn).to_be_visible()
    page.get_by_role("button", name="Reset the settings").click()
    expect(plane).to_be_hidden()
    expect(drawn).to_have_count(0)


# Of the regret charts: kind of ticker, its ticks, their names, and labels that are not the value.
_TICKS = """() => {
  const models = Bokeh.documents[0].roots().flatMap((root) => [...root.references()])
  return ["simple", "cumulative"].map((name) => {
    const figure = models.find((one) => one.css_classes?.includes(`lab-at-${name}`))
    const [{ticker, major_label_overrides: names}] = figure.left
    const ticks = [...ticker.ticks ?? []]
    const others = [...names].filter(([at, text]) => !(Math.abs(Number(text) - at) < 1e-5))
    return [ticker.type, ticks, ticks.map((at) => names.get(at)), ticker.ticks ? [] : others]
  })
}"""


def test_a_log_axis_has_the_ticks_of_python_and_goes_again(page: Page) -> None:
    start = _start("function-multimodal")  # a lesson has no regret before its end
    page.get_by_label("Lesson or function").select_option(start.name)
    _is(page, start.replay.trace.digest)
    usual, spec = page.evaluate(_TICKS), start.spec
    page.get_by_text("Show", exact=True).click()
    box = page.get_by_role("checkbox", name="regret on a log axis")
    box.check()
    for policy in ("GP-UCB-PE", "Pure exploration"):
        _policy(page).select_option(policy)
        replay = load(replace(spec, policy=policy))
        _is(page, replay.trace.digest)
        for _ in range(2):
            _have_ticks(page, replay)
            box.uncheck()
            page.wait_for_function("!window.location.hash.includes('log')")
            assert page.evaluate(_TICKS) == usual
            box.check()


def _have_ticks(page: Page, replay: Replay) -> None:
    """The regret charts, on a log axis."""
    expected = LessonPage(replay, Layers.of({"truth", "log"}, plain=False), None, None)
    expected.show(0)
    parts = named_parts(expected.views)
    known = [parts[f"{chart}.y_axis"].major_label_overrides for chart in ("simple", "cumulative")]
    names = [[*one.values()] for one in known]
    drawn = f"JSON.stringify(({_TICKS})().map(([, , one]) => one))"
    page.wait_for_function(f"(names) => {drawn} === JSON.stringify(names)", arg=names)
    for (kind, ticks, _, _), one in zip(page.evaluate(_TICKS), known, strict=True):
        assert kind == "FixedTicker"
        np.testing.assert_allclose(ticks, [*one], rtol=1e-12, atol=1e-12)


def test_a_race_has_both_regrets_on_the_same_noise(page: Page) -> None:
    spec = _start("start").spec
    page.get_by_text("Race two settings").click()
    page.get_by_role("button", name="Keep this run").click()
    _policy(page).select_option("Pure exploration")
    other = load(replace(spec, policy="Pure exploration")).trace
    _is(page, other.digest)
    own = load(spec).trace
    least = [number_of(float(np.min(one.simple_regret))) for one in (other, own)]
    said = f"this run {least[0]}, the other {least[1]}."
    expect(page.get_by_text("Best regret at the end")).to_contain_text(said)
    written = "['against=', 'policy='].every((one) => window.location.hash.includes(one))"
    page.wait_for_function(written)
    page.reload()
    expect(page.get_by_text("Best regret at the end")).to_contain_text(said, timeout=PATIENCE)


def number_of(value: float) -> str:
    from ucbpe_app.run.sentences import number

    return number(value)


def _through(heights: list[float], x: np.ndarray) -> np.ndarray:
    """A cubic on each piece, with the slopes of the chords beside its ends."""
    known = np.array(heights)
    place = (x - x.min()) / (x.max() - x.min()) * (len(known) - 1)
    i = np.minimum(np.floor(place).astype(int), len(known) - 2)
    padded = np.concatenate([known[:1], known, known[-1:]])
    slopes = (padded[2:] - padded[:-2]) / 2
    s, a, b, left, right = place - i, known[i], known[i + 1], slopes[i], slopes[i + 1]
    rest = s * (2 * (a - b) + left + right)
    return a + s * (left + s * (3 * (b - a) - 2 * left - right + rest))


@pytest.mark.parametrize("slug", ["start", "himmelblau"])
def test_a_lesson_is_stepped_to_its_end_and_asks_on_the_way(page: Page, slug: str) -> None:
    """What is asked and said is what Python asks and says."""
    lesson, replay = lesson_of(slug), _start(slug).replay
    page.get_by_label("Lesson or function").select_option(slug)
    _is(page, replay.trace.digest)
    expect(_said(page)).to_contain_text(replay.trace.digest[:8], timeout=PATIENCE)
    asked = replay.events.index(lesson.predict[0])
    _go(page, f"start={slug}&{replay.events[asked - 1].text}")
    question = page.get_by_role("slider", name=say("ask.first"))
    question.press("ArrowRight")
    expect(question).not_to_have_attribute("data-mark", "")
    mark = question.get_attribute("data-mark")
    question.press("Enter")
    _tells(page, slug, asked)
    expect(page.get_by_role("status").filter(has_text="of the way up")).to_be_attached()
    kept = page.evaluate("(key) => sessionStorage.getItem(key)", f"ucbpe-answers:{slug}")
    assert json.loads(kept)["answers"] == {replay.events[asked].text: int(mark or "")}
    page.locator("header h1").click()  # which leaves the keys to the page
    for _ in range(len(lesson.predict) + len(lesson.tasks) - 1):
        page.keyboard.press("End")
        expect(page.get_by_role("button", name="Skip")).to_be_visible()
        steps(page, "s")
    page.keyboard.press("End")
    _tells(page, slug, len(replay.events) - 1)
    _is(page, replay.trace.digest)


def _tells(page: Page, slug: str, i: int) -> None:
    lesson, replay = lesson_of(slug), _start(slug).replay
    page.wait_for_function("(event) => location.hash.includes(event)", arg=replay.events[i].text)
    said = "What was found" if i == last(lesson, replay) else told(lesson, replay, i).sentence
    expect(page.get_by_text(said, exact=True)).to_be_visible()


# Of a figure: the columns y of its sources, and the width of its lines, by role.
_DRAWN = """(plot) => {
  const models = Bokeh.documents[0].roots().flatMap((root) => [...root.references()])
  const figure = models.find((one) => one.css_classes?.includes(`lab-at-${plot}`))
  const heights = (source) => (source.columns().includes("y") ? [...source.get("y")] : [])
  return Object.fromEntries(figure.renderers.map(({data_source, glyph}) => (
    [data_source.name, [heights(data_source), glyph.line_width?.value ?? 0]])))
}"""


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("function-multimodal", {"schedule": "Compact cube", "noise_variance": 0.2}),
        ("generated-gp-0", {"kernel": "RBF", "policy": "GP-BUCB"}),
    ],
)
def test_bounds_are_those_of_the_core(page: Page, name: str, changed: dict[str, Any]) -> None:
    spec = _start(name).spec
    codes = {"Compact cube": "compact", "RBF": "rbf"}
    written = [f"{one}={codes.get(value, value)}" for one, value in changed.items()]
    for settings, new in ((spec, []), (replace(spec, **changed), written)):
        _go(page, "&".join([f"start={name}&1.posterior", *new, "show=truth,bounds"]))
        run = load(settings)
        _is(page, run.trace.digest)
        expect(page.get_by_text(re.compile("^as proved"))).to_be_visible()
        drawn, limits = page.evaluate(_DRAWN, "cumulative"), bounds(run)
        spread = float(np.ptp(run.scene.truth))
        known = {
            "trivial": theory.trivial_bound(settings.batches, spread),
            "printed": limits.printed,
            "proved": limits.proved,
        }
        for role, values in known.items():
            np.testing.assert_allclose(drawn[role][0], values, rtol=1e-6, err_msg=role)
        expect(page.get_by_role("region", name="Regret of each batch")).to_be_hidden()


def test_present_shows_a_room_the_picture_and_its_keys_work(page: Page) -> None:
    start = _start("function-multimodal")
    page.get_by_label("Lesson or function").select_option(start.name)
    _is(page, start.replay.trace.digest)
    widths = page.evaluate(_DRAWN, "simple")
    settings = page.get_by_role("region", name="Settings", exact=True)
    sums = page.get_by_role("region", name="Cumulative regret")
    page.get_by_role("button", name="Present").click()
    expect(settings).to_be_hidden()
    expect(page.get_by_role("heading", name=start.title)).to_be_visible()
    expect(page.get_by_role("region", name="Function", exact=True)).to_be_in_viewport(ratio=1)
    thick = page.evaluate(_DRAWN, "simple")
    assert thick["regret"][1] == pytest.approx(THICKER * widths["regret"][1])
    expect(sums).to_be_hidden()
    page.keyboard.press("r")
    expect(sums).to_be_in_viewport(ratio=0.95)
    page.keyboard.press("?")
    expect(page.get_by_text("wider, narrower band")).to_be_visible()
    expect(page.get_by_text("open a class")).to_have_count(0)
    page.keyboard.press("l")
    name, factor = FACTORS["longer"]
    other = replace(start.spec, **{name: float(f"{factor * start.spec.lengthscale:.3g}")})
    _is(page, load(other).trace.digest)
    assert findings(page) == []
    page.keyboard.press("Escape")
    expect(settings).to_be_visible()
    assert page.evaluate(_DRAWN, "simple")["regret"][1] == widths["regret"][1]
    page.get_by_role("button", name="Present").click()
    _go(page, "start=himmelblau")  # a lesson that is opened meanwhile is presented as well
    expect(page.get_by_role("heading", name=_start("himmelblau").title)).to_be_visible()
    expect(settings).to_be_hidden()


def test_what_it_leaves_out_is_named_with_a_command_that_there_is(page: Page) -> None:
    _unfolded(page, "What this file leaves out")
    listed = page.locator("dl").filter(has_text="ucbpe app")
    expect(listed.locator("code").first).to_be_visible()
    missing = [lesson.title for lesson in offered() if lesson.slug not in _starts()]
    assert missing
    for title in missing:
        expect(listed).to_contain_text(title)
    for command in listed.locator("code").all_inner_texts():
        call, _, page_of_app = command.partition(", then /?page=")
        program, name, *options = call.split()
        with redirect_stdout(StringIO()) as text, pytest.raises(SystemExit):
            main([name, "--help"])
        assert program == "ucbpe"
        assert {one for one in options if one.startswith("--")} <= {*text.getvalue().split()}
        assert page_of_app in {"", *PAGES}


def test_a_drawn_curve_is_run_as_python_runs_it(page: Page) -> None:
    heights = [0.0, 1.5, -1.0, 0.5, 2.0, -0.25]
    _go(page, f"start=own&seed=4&heights={','.join(map(str, heights))}")
    start = _start("own")
    problem = problem_of(start.spec)
    values = _through(heights, problem.candidates[:, 0])
    trace = simulate(
        replace(problem, values=values),
        start.spec.build_policy(),
        start.spec.build_gp(),
        start.spec.build_schedule(),
        batches=start.spec.batches,
        initial=start.spec.initial,
        seed=4,
    )
    _is(page, trace.digest)
    table = page.get_by_role("region", name="This run")
    expect(table).to_contain_text(re.compile(r"Problem\s*Drawn curve.*Noise seed\s*4", re.S))
    page.get_by_text("Function and noise seed").click()
    field = page.get_by_label("Heights from left to right")
    expect(field).to_have_value("0 1.5 -1 0.5 2 -0.25")
    for text in ("no heights", "1e308 -1e308"):  # of the second the curve would be infinite
        field.fill(text)
        field.blur()
        expect(field).to_have_value("0 1.5 -1 0.5 2 -0.25")
    page.get_by_role("button", name="Draw with the pointer").click()
    box = page.locator(".bk-Canvas").first.bounding_box()
    assert box
    page.mouse.move(box["x"] + 100, box["y"] + 60)
    page.mouse.down()
    page.wait_for_timeout(600)  # a press to Bokeh: it draws as well
    page.mouse.move(box["x"] + 300, box["y"] + 90, steps=8)
    page.mouse.up()
    page.wait_for_function("window.location.hash.split('&')[2].split(',').length === 24")


def test_what_is_not_there_is_named_and_no_run_has_the_name_of_another(page: Page) -> None:
    _go(page, "start=nowhere&policy=magic&K=3")
    expect(_said(page)).to_contain_text("start = nowhere, policy = magic")
    page.evaluate(_RECORD)
    _go(page, "start=own&seed=2")
    expect(page.get_by_label("Heights from left to right")).to_have_count(1)
    start = _start("own")
    page.wait_for_function("window.location.hash.startsWith('#start=own&seed=2')")
    expect(page.locator("#lesson.opening")).to_have_count(0)
    digest = page.locator("header .run").get_attribute("title")
    assert digest
    seen = page.evaluate("() => window.seen")
    # With pictures in sight the menu and the run are either both the old ones or both the new ones.
    assert {menu for menu, _, _ in seen} == {page.evaluate("() => window.seen[0][0]"), start.name}
    assert all(run == digest[:8] for menu, run, _ in seen if menu == start.name)


def test_a_level_line_is_drawn_level_and_the_axes_follow_once_it_is_done(page: Page) -> None:
    _go(page, "start=own")
    field = page.get_by_label("Heights from left to right")
    expect(field).to_have_count(1)
    page.get_by_text("Function and noise seed").click()
    expect(
        page.get_by_role("button", name="Stop drawing")
    ).to_be_visible()  # it opens ready to draw
    top = "() => Bokeh.documents[0].roots()[0].y_range.end"
    (left, up), before = settled_place(page, "curve", 4.0, 1.5), page.evaluate(top)
    page.mouse.move(left, up - 60)
    page.mouse.down()
    run, drawn = page.locator("header .run"), []
    for step in range(1, 9):
        digest = run.get_attribute("title")
        page.mouse.move(left + 25 * step, up - 60)
        expect(run).not_to_have_attribute("title", digest or "")  # the picture is the new curve's
        drawn.append(field.input_value())
    assert page.evaluate(top) == before
    heights = [float(one) for one in drawn[-1].split()]
    level = max(heights)
    assert sum(one == level for one in heights) > 8
    page.mouse.up()
    page.wait_for_function(f"({top})() > {before}")
    page.wait_for_function(f"window.location.hash.includes('{level:g},{level:g}')")


def test_a_cell_of_the_atlas_is_a_run_and_gives_its_settings(page: Page) -> None:
    page.get_by_text("An atlas").click()
    page.get_by_role("button", name="Compute the atlas").click()
    atlas = page.get_by_role("application", name=re.compile("^Cells of the atlas"))
    cell = atlas.get_by_title(re.compile(r"^lengthscale 0\.65, c = 0\.0104: regret"))
    expect(cell).to_have_count(1, timeout=10 * PATIENCE)
    _, _, told = (cell.get_attribute("title") or "").partition(": ")
    last = atlas.get_by_title("not run yet")
    expect(last).to_have_count(0, timeout=10 * PATIENCE)
    colours = set()
    for name, measure in TABS.items():
        tab = page.get_by_role("button", name=name, exact=True)
        tab.click()
        expect(tab).to_have_attribute("aria-pressed", "true")
        bright, dark = ("≤ 0.001", r"\S+") if measure == "regret" else ("0 %", "100 %")
        expect(page.get_by_text(re.compile(f"bright: {bright}; dark: {dark}$"))).to_be_visible()
        shown = "all => all.map((one) => one.style.backgroundColor).join()"
        colours.add(atlas.locator("span").evaluate_all(shown))
    assert len(colours) == len(TABS)
    atlas.focus()
    for _ in range(8):  # from the run on screen, c = 1
        page.keyboard.press("ArrowDown")
    expect(page.get_by_text(re.compile(r"^lengthscale 0\.65, c = 0\.0104: regret"))).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_function("window.location.hash.includes('scale=')")
    scale = float(re.search(r"scale=([\d.]+)", page.url)[1])  # type: ignore[index]
    trace_spec = replace(_start("start").spec, scale=scale)
    trace = load(trace_spec).trace
    _is(page, trace.digest)
    cells = Atlas.of(trace_spec)
    at = cells.cell_of(trace_spec.lengthscale, scale)
    outside = np.count_nonzero(theory.diagnose(trace).outside)
    kept = [one.region_plus.mean() for one in trace.decisions]
    runs = [np.min(trace.simple_regret), outside, kept[-1], kept.count(1.0)]
    filled = cells.filled((at[1], 0, (at[0],)), np.array([runs], dtype=float))
    assert told == filled.said(at)


def test_nothing_is_cut_off_and_nothing_serious_in_either_theme(page: Page) -> None:
    first = ("Lesson or function", "Kernel", "β")
    resized(page, PHONE)
    _is_whole(page, PHONE[0], float("inf"))
    _are_within(page, PHONE[0], *first)
    page.get_by_role("button", name="Settings", exact=True).click()
    _are_within(page, PHONE[0], "Lengthscale")
    page.get_by_role("button", name="Settings", exact=True).click()
    for size in SIZES:
        resized(page, size)
        _is_whole(page, *size)
        _are_within(page, size[0], *first)
    assert page.locator("details[open]").count() == 0  # all else is folded
    for group in page.locator("details summary").all():
        group.click()
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        assert findings(page) == []


def _is_whole(page: Page, width: float, height: float) -> None:
    wide = "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
    scroll_width, scroll_height = page.evaluate(wide)
    assert scroll_width <= width
    assert scroll_height <= height


def _are_within(page: Page, width: float, *names: str) -> None:
    for name in names:
        box = page.get_by_label(name, exact=True).bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


def test_maps_fill_the_place_between_settings_and_reasons(page: Page) -> None:
    page.get_by_label("Lesson or function").select_option("function-himmelblau")
    _is(page, _start("function-himmelblau").replay.trace.digest)
    for size in ((1280, 720), (1366, 768)):
        resized(page, size)
        _is_filled(page)


def _is_filled(page: Page) -> None:
    within = page.locator("div.lab-pictures").first.bounding_box()
    maps = [one.bounding_box() for one in page.locator(".lab-pictures [class*=lab-plot-]").all()]
    assert within
    right, low = (
        max(box[side] + box[length] for box in maps if box)
        for side, length in (("x", "width"), ("y", "height"))
    )
    assert within["x"] + within["width"] - 24 < right <= within["x"] + within["width"]
    assert within["y"] + within["height"] - 24 < low <= within["y"] + within["height"]


@pytest.mark.parametrize("size", [(1366, 768), (1280, 720), (390, 844)])
def test_a_landing_page_shows_it_and_keys_go_to_it_once_it_is_clicked(
    browser: Browser, size: tuple[int, int]
) -> None:
    opened = galleries.playground().partition("\n")[2].rpartition("\n")[0]
    style = (Path(galleries.__file__).parent / "static" / "site.css").read_text(encoding="utf-8")
    lead = '<p style="height: 120px"></p>'  # the title and a sentence
    whole = f"<!DOCTYPE html><style>{style}</style><article>{lead}{opened}</article>"
    inside = "<!DOCTYPE html><script>onkeydown = () => { document.title = 'stepped' }</script>"
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.route("http://docs.test/", lambda route: route.fulfill(body=whole, content_type=_HTML))
    page.route("**/playground.html", lambda route: route.fulfill(body=inside, content_type=_HTML))
    page.goto("http://docs.test/")
    frame = page.locator("iframe")
    box = frame.bounding_box()
    assert box
    assert box["y"] + box["height"] <= size[1]  # in sight without a press or a scroll
    page.keyboard.press("ArrowRight")
    assert page.frame_locator("iframe").locator("title").count() == 0  # the page has the keys
    frame.click()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('iframe').contentDocument.title === 'stepped'")
    page.close()
