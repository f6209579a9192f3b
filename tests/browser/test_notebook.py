"""What a cell of the stepper shows: the stepper, the run as a live lesson, or a picture."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import panel as pn
import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import FrameLocator, Page, expect

from tests.documents import blocks
from tools import notebooks
from ucbpe_app import stepper
from ucbpe_app.notebook import Stepper
from ucbpe_core import GPUCBPE, problems, simulate

PATIENCE = 9_000  # ms; a kernel has 8 s, from 0.3 s on
IN_REACH = "window.PyViz = {kernels: new Proxy({}, {get: () => ({})})}"
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data:; child-src data:"
)


@pytest.fixture(scope="module")
def shown() -> Stepper:
    trace = simulate(problems.multimodal(), GPUCBPE(batch_size=2), batches=1, initial=3, seed=0)
    return stepper(trace, 2)


@pytest.fixture(scope="module")
def cell_html(shown: Stepper) -> str:
    """What a cell leaves, where nothing loads Panel's scripts."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pn.extension, "_loaded", True)
        return str(shown._repr_mimebundle_()[0]["text/html"])


@pytest.fixture
def saved(cell_html: str, tmp_path: Path) -> str:
    """The address of a page with it."""
    (tmp_path / "saved.html").write_text(f"<main>{cell_html}</main>", encoding="utf-8")
    return (tmp_path / "saved.html").as_uri()


def run_in(page: Page) -> FrameLocator:
    return page.frame_locator("iframe.ucbpe-frame")


@pytest.mark.slow
def test_without_scripts_it_is_a_picture_until_the_stepper_is_there(
    page: Page, shown: Stepper, saved: str
) -> None:
    html = Path(saved.removeprefix("file://")).read_text(encoding="utf-8")
    # As on a site that runs no script of a notebook.
    page.set_content(re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL))
    picture = page.get_by_role("img", name=shown.frame.status)
    expect(picture).to_be_visible()
    assert page.evaluate("document.images[0].naturalWidth") > 900
    page.evaluate("document.querySelector('[data-root-id]').append(document.createElement('p'))")
    expect(picture).to_be_hidden()


def test_without_a_kernel_it_is_the_run_to_step_through(page: Page, saved: str) -> None:
    requests = list[str]()
    page.on("request", lambda request: requests.append(request.url))
    page.goto(saved)
    lesson = run_in(page)
    expect(lesson.get_by_text(re.compile("same run as"))).to_be_visible()
    expect(lesson.get_by_text("Event 3 of 5")).to_be_visible()
    lesson.get_by_role("button", name="Next event").click()
    expect(lesson.get_by_text("Event 4 of 5")).to_be_visible()
    expect(lesson.get_by_text(re.compile("least known inside"))).to_be_visible()
    expect(page.locator(".ucbpe-still")).to_be_hidden()
    expect(page.locator(".ucbpe-cell > :first-child")).to_be_hidden()
    assert [url for url in requests if not url.startswith(("blob:", "data:", "about:"))] == [saved]


@pytest.mark.slow
# Of what loads Panel's scripts a cell keeps one output that is for live notebooks alone.
@pytest.mark.filterwarnings("ignore:Your element with mimetype:UserWarning")
def test_a_page_of_nbconvert_has_the_run(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With all of Panel's scripts, whose stepper nobody answers."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(block) for block in blocks("notebooks.md")]
    html, _ = HTMLExporter().from_notebook_node(notebooks.run(notebook))
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    page.context.set_offline(True)
    page.goto((tmp_path / "page.html").as_uri())
    lesson = run_in(page)
    expect(lesson.get_by_text("Event 3 of 24")).to_be_visible()
    lesson.get_by_role("button", name="Next event").click()
    expect(lesson.get_by_text("Event 4 of 24")).to_be_visible()
    expect(page.locator(".ucbpe-cell > :first-child")).to_be_hidden()


@pytest.mark.slow
def test_where_workers_are_forbidden_it_is_played_back(page: Page, saved: str) -> None:
    """By the policy of the page around it, as an editor may have one for its cells."""
    file = Path(saved.removeprefix("file://"))
    html = file.read_text(encoding="utf-8")
    file.write_text(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">{html}')
    page.goto(saved)
    lesson = run_in(page)
    expect(lesson.get_by_text(re.compile("cannot be computed here"))).to_be_visible()
    lesson.get_by_role("button", name="Next event").click()
    expect(lesson.get_by_text("Event 4 of 5")).to_be_visible()


ANSWER = (
    "document.querySelector('.ucbpe-cell').dispatchEvent("
    "new CustomEvent('ucbpe:connected', {detail: {event: '1.pick.1'}}))"
)
ACT = (
    "([kind]) => document.querySelector('.ucbpe-cell').firstElementChild.dispatchEvent("
    "new Event(kind, {bubbles: true}))"
)
LOST = "The kernel no longer answers"


@pytest.fixture
def cell(page: Page, saved: str) -> Page:
    """The page of a cell with a kernel in reach; its clock stands still."""
    page.clock.install()
    page.add_init_script(IN_REACH)
    page.goto(saved)
    return page


def is_the_stepper(cell: Page) -> None:
    expect(cell.locator("iframe")).to_have_count(0)
    expect(cell.get_by_text(LOST)).to_be_hidden()
    expect(cell.locator(".ucbpe-cell > :first-child")).not_to_have_css("display", "none")


def is_the_run(cell: Page) -> None:
    expect(cell.locator("iframe")).to_have_count(1)
    expect(cell.locator(".ucbpe-cell > :first-child")).to_be_hidden()


def test_a_kernel_has_its_time_and_may_be_late(cell: Page) -> None:
    cell.clock.run_for(PATIENCE - 2_000)
    is_the_stepper(cell)
    cell.clock.run_for(2_000)
    is_the_run(cell)
    # The kernel was busy with other cells; a lesson in use is not taken away.
    cell.locator("iframe").focus()
    cell.evaluate(ANSWER)
    cell.clock.run_for(1_000)
    is_the_run(cell)
    cell.evaluate("document.activeElement.blur()")
    cell.clock.run_for(1_000)
    is_the_stepper(cell)


@pytest.mark.slow
def test_a_kernel_that_no_longer_answers_is_told_and_the_run_goes_on(cell: Page) -> None:
    """At the event that the kernel drew last; and the stepper is back if it was only busy."""
    cell.evaluate(ANSWER)
    cell.clock.run_for(PATIENCE)
    is_the_stepper(cell)
    for action in ("click", "keydown", "input"):
        cell.evaluate(ACT, [action])
        cell.clock.run_for(4_000)
        is_the_stepper(cell)
        cell.clock.run_for(1_500)
        expect(cell.get_by_text(LOST)).to_be_visible()
        is_the_run(cell)
        expect(run_in(cell).get_by_text("Event 4 of 5")).to_be_visible()
        cell.evaluate(ANSWER)
        is_the_stepper(cell)


@pytest.mark.slow
def test_a_kernel_that_answers_each_action_stays_until_the_page_no_longer_lists_it(
    cell: Page,
) -> None:
    cell.evaluate(
        f"document.querySelector('.ucbpe-cell').addEventListener('ucbpe:ask', () => {{ {ANSWER} }})"
    )
    cell.evaluate(ANSWER)
    for _ in range(3):
        cell.evaluate(ACT, ["click"])
        cell.clock.run_for(PATIENCE)
    is_the_stepper(cell)
    cell.evaluate("window.PyViz = {kernels: {}}")
    cell.clock.run_for(1_000)
    expect(cell.get_by_text(LOST)).to_be_visible()
    expect(run_in(cell).get_by_text("Event 4 of 5")).to_be_visible()
