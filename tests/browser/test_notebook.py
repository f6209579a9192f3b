"""What a cell of the stepper shows: the run as a live lesson, or a picture."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from tests.documents import blocks
from tools import notebooks
from ucbpe_app import stepper
from ucbpe_app.notebook import Stepper, link
from ucbpe_core import GPUCBPE, problems, simulate

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
    """What a cell leaves."""
    return shown.html()


@pytest.fixture
def saved(cell_html: str, tmp_path: Path) -> str:
    """The address of a page with it."""
    (tmp_path / "saved.html").write_text(f"<main>{cell_html}</main>", encoding="utf-8")
    return (tmp_path / "saved.html").as_uri()


def run_in(page: Page) -> FrameLocator:
    return page.frame_locator("iframe.ucbpe-frame")


@pytest.mark.slow
def test_without_scripts_it_is_a_picture(page: Page, shown: Stepper, saved: str) -> None:
    html = Path(saved.removeprefix("file://")).read_text(encoding="utf-8")
    # As on a site that runs no script of a notebook.
    page.set_content(re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL))
    expect(page.get_by_role("img", name=shown.frame.status)).to_be_visible()
    assert page.evaluate("document.images[0].naturalWidth") > 900


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
    assert [url for url in requests if not url.startswith(("blob:", "data:", "about:"))] == [saved]


@pytest.mark.slow
def test_a_page_of_nbconvert_has_the_run(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nbconvert import HTMLExporter

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    notebook = notebooks.run(notebooks.of_cells(*blocks("without-a-server.md")))
    html, _ = HTMLExporter().from_notebook_node(notebook)
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    page.context.set_offline(True)
    page.goto((tmp_path / "page.html").as_uri())
    lesson = run_in(page)
    expect(lesson.get_by_text("Event 3 of 24")).to_be_visible()
    lesson.get_by_role("button", name="Next event").click()
    expect(lesson.get_by_text("Event 4 of 24")).to_be_visible()


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


# What runs the widget's script in a notebook, and what it asks of the widget.
JOINED = """
const widget = {event: EVENT, saved: 0, listeners: []}
window.widget = {
  ...widget,
  get(name) { return name === "run" ? RUN : this.event },
  set(_, event) {
    if (event === this.event) { return }
    this.event = event
    this.listeners.forEach((call) => call())
  },
  on(_, call) { this.listeners.push(call) },
  save_changes() { this.saved += 1 },
}
import(URL.createObjectURL(new Blob([SCRIPT], {type: "text/javascript"})))
  .then((module) => { window.end = module.default.initialize({model: window.widget}) })
"""
LINK = (Path(link.__file__).with_name("link.js")).read_text(encoding="utf-8")


def join(page: Page, shown: Stepper, event: str) -> None:
    """Have a widget of this run and at this event on the page."""
    values = {"EVENT": event, "RUN": shown._link.run, "SCRIPT": LINK}
    setting = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in values.items())
    page.evaluate(f"() => {{ {setting} {JOINED} }}")


def test_the_widget_and_the_lesson_share_the_event(page: Page, shown: Stepper, saved: str) -> None:
    page.goto(saved)
    lesson = run_in(page)
    expect(lesson.get_by_text("Event 3 of 5")).to_be_visible()
    join(page, shown, "1.observe")  # to which Python has gone while the lesson was read
    expect(lesson.get_by_text("Event 5 of 5")).to_be_visible()
    assert page.evaluate("widget.saved") == 0
    lesson.get_by_role("button", name="Previous event").click()
    page.wait_for_function("widget.event === '1.pick.1' && widget.saved === 1")
    page.evaluate("widget.set('event', '1.posterior')")
    expect(lesson.get_by_text("Event 1 of 5")).to_be_visible()
    # A run with other settings is none of Python's.
    settings = lesson.get_by_role("region", name="Settings", exact=True)
    settings.get_by_role("slider", name="Scale c").fill("-70")
    expect(lesson.get_by_text(re.compile("same run as"))).to_be_hidden()
    lesson.get_by_role("button", name="Next event").click()
    expect(lesson.get_by_text("Event 2 of 5")).to_be_visible()
    assert page.evaluate("widget.event") == "1.posterior"
    page.evaluate("end()")


def test_python_leads_while_the_lesson_writes_its_address(
    page: Page, shown: Stepper, saved: str
) -> None:
    """A frame's page has no address of its own: what it writes there it is told of later."""
    go = json.dumps({"detail": {"run": shown._link.run, "event": "1.observe"}})
    page.add_init_script(f"""if (window !== top) {{
      const go = () => top.document.dispatchEvent(new CustomEvent("ucbpe:go", {go}))
      history.replaceState = () => {{
        queueMicrotask(go) // before the event of the address, which is a task
        throw new Error("none")
      }}
    }}""")
    page.goto(saved)
    expect(run_in(page).get_by_text("Event 5 of 5")).to_be_visible()
    page.wait_for_timeout(600)
    expect(run_in(page).get_by_text("Event 5 of 5")).to_be_visible()


def test_the_lesson_of_another_run_is_left_alone(page: Page, shown: Stepper, saved: str) -> None:
    page.goto(saved)
    expect(run_in(page).get_by_text("Event 3 of 5")).to_be_visible()
    page.evaluate(
        "document.dispatchEvent("
        "new CustomEvent('ucbpe:go', {detail: {run: 'x', event: '1.observe'}}))"
    )
    join(page, shown, "1.region")
    run_in(page).get_by_role("button", name="Next event").click()
    page.wait_for_function("widget.event === '1.pick.1'")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_lesson_is_dark_where_the_notebook_is(page: Page, saved: str, scheme: str) -> None:
    """Whatever the system is."""
    page.emulate_media(color_scheme="light" if scheme == "dark" else "dark")
    file = Path(saved.removeprefix("file://"))
    html = file.read_text(encoding="utf-8")
    body = f'<body data-jp-theme-light="{json.dumps(scheme == "light")}">'
    file.write_text(f"{body}{html}</body>", encoding="utf-8")
    page.goto(saved)
    expect(run_in(page).locator("html")).to_have_attribute("data-theme", scheme)
