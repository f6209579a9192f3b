"""The file: the recording of a run, what plays it, and a page around both, with its typeface."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from itertools import starmap
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import panel_material_ui
from bokeh.resources import Resources

from ucbpe_app import theme
from ucbpe_app.engine.parts import modules, require_computed
from ucbpe_app.files.layout import LessonPage
from ucbpe_app.files.recording import live_parts, record
from ucbpe_app.html import Html, escape
from ucbpe_app.private.panel import Component
from ucbpe_app.render.legends import Labels
from ucbpe_app.run.screen import Layers
from ucbpe_app.widgets.lesson import EndCard, LessonCard
from ucbpe_app.widgets.tabs import DrawTabs
from ucbpe_app.widgets.timeline import Timeline
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ucbpe_app.files.recording import Values
    from ucbpe_app.lessons import Lesson
    from ucbpe_app.run.cache import Bounds
    from ucbpe_app.run.replay import Replay

_DIST = Path(panel_material_ui.__file__).parent / "dist"
_SHEET = _DIST / "panel-material-ui.bundle.css"
_FACE = re.compile(r"@font-face\{[^}]*?url\(\"\./(?P<file>roboto-[^\"]+\.woff2)\"\)[^}]*\}")
_SOURCE = re.compile(r"src:[^;}]*")
_LICENSE = Path(__file__).with_name("roboto-license.txt")
_ALPHABETS = ("latin", "greek", "math", "symbols")  # all that the pages are written in


def font_faces() -> str:
    """Rules for Roboto, normal and bold, with the fonts in them; empty if the package has none.

    Without them the browser takes its own sans serif, and all is still readable. The license of
    the fonts asks for its text in each copy: it stands before them, as a comment.
    """
    if not _SHEET.is_file():
        return ""
    faces = _FACE.finditer(_SHEET.read_text(encoding="utf-8"))
    used = [_inlined(face[0], face["file"]) for face in faces if _is_used(face["file"])]
    license_text = _LICENSE.read_text(encoding="utf-8")
    return "".join([f"/*!\n{license_text}*/\n", *used]) if used else ""


def _is_used(file: str) -> bool:
    # -400- follows the alphabet at once: "latin-ext-400" is another one.
    used = any(file.startswith(f"roboto-{name}-{weight}-") for name in _ALPHABETS
               for weight in (400, 700))  # fmt: skip
    return used and (_DIST / file).is_file()


def _inlined(face: str, file: str) -> str:
    font = b64encode((_DIST / file).read_bytes()).decode("ascii")
    source = f'src:url("data:font/woff2;base64,{font}") format("woff2")'
    return _SOURCE.sub(lambda _: source, face) + "\n"


MOST_EVENTS = 600
_HERE = Path(__file__).parent
_SHOWN_DIGITS = 8
_COMPONENTS = {
    "timeline": Timeline, "labels": Labels, "draws": DrawTabs, "card": LessonCard,
    "ending": EndCard,
}  # fmt: skip


def lesson(
    replay: Replay,
    *,
    start: int = 0,
    about: Lesson | None = None,
    layers: Layers | None = None,
    bounds: Bounds | None = None,
    beside: str = "",
    progress: Callable[[int, int], None] | None = None,
    live: bool = False,
    hidden: frozenset[str] = frozenset(),
    predict: str = "",
) -> str:
    """A run as one HTML file, to step through in the browser without server or network.

    The file has the dashboard's own figures and timeline, and what each event sets in them.
    ``#3.pick.2`` after its address opens that event, as ``event=3.pick.2`` does in a link.

    Parameters
    ----------
    start : the event that the file opens with
    about : brings title, caption, question and answer
    layers : what is shown
    bounds : of Theorem 1, for the layer that shows them
    beside : elements for the body, whose scripts follow the player by its events ``lesson:ready``
        and ``lesson:event``
    progress : called as progress(done, total); raising in it cancels
    live : with settings beside the pictures, for which the browser computes the run. For a run that
        it cannot compute, the file has none, and says why
    hidden : groups and controls that a live lesson does not offer, as in `Lesson`
    predict : whether picks are asked before they are shown, as in a link

    Raises
    ------
    InputError
        For a run of more than `MOST_EVENTS` events, which would make too large a file.
    """
    total = len(replay.events)
    if total > MOST_EVENTS:
        wanted = f"at most {MOST_EVENTS} events in a lesson's file"
        raise InputError(wanted, f"{total}", "lower the number of batches or K")
    layers = layers or Layers()
    note = _why_not(replay) if live else ""
    live = live and not note
    lesson_page = LessonPage(replay, layers, about, bounds, live=live, predict=predict)
    recording = record(lesson_page.panel, lesson_page.show, total, progress)
    own = f"{replay.scene.name}: {replay.trace.policy.name}"
    title = own if about is None else about.title
    more = {
        "codes": [event.text for event in replay.events],
        "start": start,
        "batches": [figure.id for figure in lesson_page.regret.figures],
    }
    if live:
        more["live"] = live_parts(replay, lesson_page, recording, layers, hidden)
    tracks = [vars(track) for track in recording.tracks]
    whole = {"tree": recording.tree, "document": recording.document, "tracks": tracks, **more}
    return file_of(
        whole, recording.values, title, digest=replay.trace.digest, note=note, beside=beside
    )


def _why_not(replay: Replay) -> str:
    """Why a browser cannot compute this run, if that is so: for readers, who have but the file."""
    try:
        require_computed(replay)
    except InputError as error:
        return (
            "This run is played back: you can step through it, but not change its settings, as a "
            f"page without a server cannot compute a run with {error.got}."
        )
    return ""


def file_of(
    content: dict[str, Any],
    values: Values,
    title: str,
    *,
    digest: str = "",
    note: str = "",
    beside: str = "",
    start: str = "playLesson",
    beyond: Sequence[str] = (),
    own: Mapping[str, type[Component]] | None = None,
) -> str:
    """The file around what it plays: `content`, and the arrays of `values`.

    `start` is the function that begins it, of ``lesson.js`` or of the scripts named by `beyond`,
    each with a style sheet; `own` are components that these draw.
    """
    headers, blob = values.pack()
    text = json.dumps({**content, "dark": theme.DARK, "arrays": headers},
                      separators=(",", ":"), allow_nan=False).encode()  # fmt: skip
    packed = b64encode(zlib.compress(text + blob, 9)).decode("ascii")
    names = ["recorded", "lesson", *beyond]
    return Template(_read("lesson.html")).substitute(
        title=escape(title),
        digest=digest,
        short_digest=f"run {digest[:_SHOWN_DIGITS]}" if digest else "",
        fonts=font_faces(),
        style="\n".join(_read(f"{name}.css") for name in names),
        bokeh=bokeh_script(),
        text_size=len(text),
        recording=packed,
        beside=beside,
        components=renderers({**_COMPONENTS, **(own or {})}),
        note=Html('<p class="note">{}</p>').format(note) if note else "",
        loader=modules("loader.js")["loader.js"],
        player="\n".join(_read(f"{name}.js") for name in names),
        start=start,
    )


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def renderers(components: Mapping[str, type[Component]]) -> str:
    """What draws components, for ``recorded.js``: by the kind that a recording has of each."""
    return "\n".join(["const RENDERED = {}", *starmap(_renderer, components.items())])


def _renderer(kind: str, component: type[Component]) -> str:
    """A component's function, with all that it has of its own out of the way."""
    code = str(component._esm).replace("export ", "")
    return f"RENDERED.{kind} = (() => {{\n{code}\nreturn render\n}})()\n"


def bokeh_script() -> str:
    """BokehJS without the parts for widgets and tables: the figures use neither."""
    library, *_ = Resources(mode="inline", components=["bokeh"]).js_raw  # the rest sets logging
    return library.replace("</script", r"<\/script")
