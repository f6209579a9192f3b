"""A course system as small as can be: pages with the API of SCORM 1.2 around a lesson.

The API is that of the npm package scorm-again, another's reading of the standard. What a lesson
saves is kept in the browser, as a course system keeps it, and given back at the next visit.
"""

from __future__ import annotations

import shutil
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import FrameLocator, Page

# As a course system does it: what was saved is loaded before the lesson asks, and what it commits
# or finishes with is kept. `window.said` lists the errors of the API.
_PAGE = """<!DOCTYPE html><title>Course</title>
<script src="scorm12.min.js"></script>
<script>
const options = new URLSearchParams(location.search)
window.API = new Scorm12API({autocommit: false, logLevel: 5})
const kept = JSON.parse(localStorage.getItem("kept") ?? "null")
if (kept) {
  const {suspend_data, core: {lesson_status, score, total_time}} = kept
  const core = {lesson_status, score, total_time, entry: "resume"}
  API.loadFromJSON({cmi: {suspend_data, core}})
}
if (options.get("mode")) { API.loadFromJSON({cmi: {core: {lesson_mode: options.get("mode")}}}) }
window.said = []
window.calls = []
for (const name of ["LMSInitialize", "LMSSetValue", "LMSCommit", "LMSFinish"]) {
  const call = API[name].bind(API)
  API[name] = (...given) => {
    const answer = String(call(...given))
    calls.push([name, ...given, answer])
    if (answer !== "true") { said.push([name, ...given, API.LMSGetLastError()]) }
    if (["LMSCommit", "LMSFinish"].includes(name)) {
      localStorage.setItem("kept", JSON.stringify(API.renderCMIToJSONObject().cmi))
    }
    if (name === "LMSFinish") { localStorage.setItem("last", JSON.stringify(calls)) }
    return answer
  }
}
if (options.get("broken")) {
  API.LMSCommit = () => "false"
  API.LMSGetLastError = () => "101"
  API.LMSGetErrorString = () => "General Exception"
}
</script>
<div id="place"></div>
<script>
const lesson = options.get("lesson")
if (options.get("opened")) { window.open(lesson) } else {
  place.innerHTML = `<iframe title="Lesson" style="width: 100%; height: 880px; border: 0"
    src="${options.get("nested") ? `nested.html?${lesson}` : lesson}"></iframe>`
}
</script>
"""
_NESTED = """<!DOCTYPE html><title>Frame</title><body><script>
document.body.innerHTML = `<iframe title="Lesson" style="width: 100%; height: 850px"
  src="${location.search.slice(1)}"></iframe>`
</script>"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[int]:
    """Serve the files of a folder; gives the port."""
    handler = partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def course(folder: Path, package: Path, api: Path) -> Iterator[str]:
    """Unpack a package into a folder beside a course page, and serve it; gives the address."""
    with zipfile.ZipFile(package) as archive:
        archive.extractall(folder)
    shutil.copy(api / "dist" / "scorm12.min.js", folder)
    (folder / "course.html").write_text(_PAGE, encoding="utf-8")
    (folder / "nested.html").write_text(_NESTED, encoding="utf-8")
    with served(folder) as port:
        yield f"http://127.0.0.1:{port}/course.html"


def value(page: Page, name: str) -> str:
    """What the course has of an element of the data model, asked as a teacher would."""
    path = name.removeprefix("cmi.")
    script = (
        "(path) => path.split('.').reduce((at, key) => at[key], API.renderCMIToJSONObject().cmi)"
    )
    return str(page.evaluate(script, path))


def frame(page: Page) -> FrameLocator:
    return page.frame_locator("iframe")
