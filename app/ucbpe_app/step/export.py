"""Export: what is on screen as a file to keep, and the dialog that offers the kinds."""

from __future__ import annotations

from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import panel_material_ui as pmui
import param

from ucbpe_app.files.products import PICTURES, Source, make, offered
from ucbpe_app.html import EMPTY, Html
from ucbpe_app.private.panel import Component
from ucbpe_app.render.markup import Markup
from ucbpe_app.tasks.job import Job
from ucbpe_app.tasks.worker import FILES, Worker
from ucbpe_app.widgets.layouts import WAITS
from ucbpe_app.widgets.parts import script
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    from collections.abc import Callable

    from panel.viewable import Viewable

    from ucbpe_app.files.products import Product
    from ucbpe_app.lessons import Lesson
    from ucbpe_app.widgets.link_bar import Links
    from ucbpe_app.widgets.session import Session


_TEXT = """
h3 { margin: 8px 0 0; font-size: 0.9375rem; font-weight: 600; }
p { margin: 0; color: var(--mui-palette-text-secondary); text-wrap: pretty; }
p { font: 400 0.875rem/1.45 var(--bokeh-base-font, system-ui, sans-serif); }
"""
_PRINTED = Html("<p>Print size, 17 cm wide; in SVG, text stays text.</p>")
_RUN = Html(
    "<p>Every pick and measurement. <code>ucbpe_core.Trace.load</code> reads the JSON back as the "
    "same run; the CSV is for a spreadsheet.</p>"
)
_LESSON = Html(
    "<p>Every event, to step through in any browser without a server or a network: for a course "
    "page.</p>"
)
_NEWS = Html('<p role="status">{}</p>')
# Kinds of files, and what the buttons say.
_OF_PICTURE = {"png": "PNG", "svg": "SVG"}
_OF_RUN = {"json": "JSON", "csv": "CSV"}
_OF_LESSON = {"html": "HTML lesson", "live": "Live lesson"}
_LOOK = {
    "& .MuiDialogTitle-root": {"padding": "16px"},
    "& .MuiDialogTitle-root + button": {
        "width": "44px", "height": "44px", "margin": "4px", "color": "text.secondary",
    },
    "& .MuiDialogContent-root": {"gap": "8px"},
}  # fmt: skip


class ExportButton(Component):
    """Has the browser open a dialog, and save files.

    Not panel-material-ui's FileDownload (0.16), which saves a study's tables: it keeps the last
    file in the session, as text a third longer, and one for each kind.
    """

    panel = param.String("", constant=True, doc="The name of the column that has the dialog.")

    _esm = script("export_menu.js", folder=Path(__file__).parent)
    _stylesheets: ClassVar[list[str]] = [script("bar_button.css")]

    def save(self, name: str, media: str, data: bytes) -> None:
        """Have the browser save a file."""
        self._send_msg({"name": name, "media": media, "data": data})

    def focus(self) -> None:
        """Give it the focus."""
        self._send_msg({"do": "focus"})


class ExportDialog(param.Parameterized):
    """Asks for a file, and shows how far it is.

    `button` belongs into the page's bar, `panel` anywhere on it. `make` is called with the kind of
    a file and the name of a picture, `stop` to give it up. While `share` is a number, a file is
    being made. What is in the dialog is made when it is first opened.
    """

    views = param.Dict(default={}, doc="Labels of pictures -> their names.")
    share = param.Number(default=None, allow_None=True, doc="Of the file being made, or None.")
    said = param.String(default="", doc="What has become of the last file.")

    def __init__(
        self, make: Callable[[str, str], None], stop: Callable[[], None], **params: Any
    ) -> None:
        """Take any parameter above."""
        super().__init__(**params)
        self._make, self._stop = make, stop
        self.dialog = pmui.Dialog(
            _text(WAITS), title="Export", close_on_click=True, show_close_button=True,
            title_variant="h5", sx=_LOOK,
        )  # fmt: skip
        self.button = ExportButton(panel="export", margin=0)
        self.panel = pn.Column(
            self.dialog, name="export", margin=0, styles={"position": "absolute"}
        )
        self.dialog.param.watch(self._turn, "open")

    @cached_property
    def _parts(self) -> list[Viewable]:
        """What is in the dialog; it is kept up to date from now on."""
        self.choice = pmui.Select(label="Picture", margin=0, sizing_mode="stretch_width")
        self._news = _text()
        self._progress = pmui.LinearProgress(margin=0, sizing_mode="stretch_width")
        self._cancel = _button("Cancel", self._give_up)
        self.param.watch(self._offer, "views")
        self.param.watch(self._tell, ["share", "said"])
        self._offer()
        return [
            _text(Html("<h3>Picture of this event</h3>")), self.choice, self._files(_OF_PICTURE),
            _text(_PRINTED),
            _text(Html("<h3>The run</h3>")), self._files(_OF_RUN), _text(_RUN),
            _text(Html("<h3>A lesson in one file</h3>")), self._files(_OF_LESSON),
            _text(_LESSON),
            self._progress, pn.Row(self._news, self._cancel, margin=0),
        ]  # fmt: skip

    def ask(self, kind: str) -> None:
        """Have a file of a kind made, unless one is."""
        if self.share is None:
            self.said = f"Making the {(_OF_PICTURE | _OF_RUN | _OF_LESSON)[kind]} file."
            self._make(kind, str(self.choice.value or ""))

    def deliver(self, name: str, media: str, data: bytes) -> None:
        """Have the browser save a file."""
        self.button.save(name, media, data)
        self.said = f"Saved {name} ({_size(len(data))})."

    def _turn(self, event: param.parameterized.Event) -> None:
        if not event.new:
            self.button.focus()
            return
        with pn.io.hold():
            if self.share is None:
                self.said = ""
            self.dialog.objects = self._parts
            self._tell()

    def _give_up(self) -> None:
        self.said = "Cancelled."
        self._stop()

    def _files(self, kinds: dict[str, str]) -> pn.FlexBox:
        buttons = (_button(label, partial(self.ask, kind)) for kind, label in kinds.items())
        return pn.FlexBox(*buttons, margin=0, gap="8px")

    def _offer(self, *_: param.parameterized.Event) -> None:
        chosen = self.choice.value
        kept = chosen if chosen in self.views.values() else next(iter(self.views.values()), None)
        self.choice.param.update(options=self.views, value=kept)

    def _tell(self, *_: param.parameterized.Event) -> None:
        self._news.object = _NEWS.format(self.said)
        self._cancel.visible = self._progress.visible = self.share is not None
        started = bool(self.share)
        self._progress.param.update(
            variant="determinate" if started else "indeterminate",
            value=round(100 * (self.share or 0)),
        )


def _text(html: Html = EMPTY) -> Markup:
    return Markup(html, stylesheets=[_TEXT], margin=0, sizing_mode="stretch_width")


def _button(label: str, act: Callable[[], None]) -> pmui.Button:
    button = pmui.Button(label=label, variant="outlined", margin=0, height=44)
    button.on_click(lambda _: act())
    return button


def _size(count: int) -> str:
    return f"{max(1, round(count / 1e3))} kB" if count < 1e6 else f"{count / 1e6:.1f} MB"


class ExportMenu(Worker):
    """The dialog of a page, bound to what is on screen."""

    def __init__(
        self, session: Session, links: Links, lesson: Callable[[], Lesson | None] = lambda: None
    ) -> None:
        super().__init__()
        self._session, self._links, self._lesson = session, links, lesson
        self.dialog = ExportDialog(self._ask, self.stop)
        self.param.watch(self._show_share, "busy")
        pn.state.on_session_destroyed(lambda _: self.stop())

    def load(self) -> None:
        """Offer the pictures of the run on screen."""
        replay = self._session.replay
        self.dialog.views = {PICTURES[name].label: name for name in offered(replay)}

    async def make(self, kind: str, view: str = "") -> Product | None:
        """Make a file in a worker thread and have the browser save it; None if there was none.

        A file that is being made is finished first: the dialog asks for one at a time.
        """
        if self.dialog.share is not None:
            return None
        self.dialog.share = 0.0
        with self.latest(Job()) as job:
            try:
                product = await self._made(kind, view, job)
            except UCBPEError as error:
                text = f"Expected {error.expected}; got {error.got}. To do: {error.remedy}."
                self.dialog.said = text
                return None
            finally:
                # Shown before the file is there: then the next one can be asked for at once.
                self.dialog.share = None
            self.dialog.deliver(product.name, product.media, product.data)
            return product
        return None

    def stop(self) -> None:
        """Cancel the file that is being made."""
        self.give_up()

    async def _made(self, kind: str, view: str, job: Job) -> Product:
        # What is on screen now, whatever is on screen when the file is ready.
        moment, replay, lesson = self._links.moment, self._session.replay, self._lesson()
        bounds = await self._session.bounds() if "bounds" in moment.layers else None
        source = Source(moment, replay, bounds, lesson)
        product: Product = await self.work(make, kind, source, view, job, job=job, executor=FILES)
        return product

    def _show_share(self, event: param.parameterized.Event) -> None:
        if event.new is not None:  # `make` reports the end
            self.dialog.share = event.new

    def _ask(self, kind: str, view: str) -> None:
        pn.state.execute(partial(self.make, kind, view))
