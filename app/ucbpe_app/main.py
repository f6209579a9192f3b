"""Where `panel serve app` and `ucbpe app` end: one page per session, named by its address."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

import panel as pn
import panel_material_ui as pmui
import param

from ucbpe_app import theme
from ucbpe_app.private.panel import forget_notifications, write_every_change
from ucbpe_app.render.figures import redraw
from ucbpe_app.serve.logs import bound_logs
from ucbpe_app.tasks.worker import leave
from ucbpe_app.widgets.address import Connection, Navigation
from ucbpe_app.widgets.kept import ThemeMemory, recall

if TYPE_CHECKING:
    from bokeh.document import Document

    from ucbpe_app.serve.framed import Framed
    from ucbpe_app.widgets.layouts import Page


class _Entry(NamedTuple):
    label: str
    module: str  # imported on first use: a step needs nothing that a study needs
    name: str


# `/?page=race` opens a page by its name here; without a name, the first.
PAGES = {
    "step": _Entry("Step", "ucbpe_app.step.page", "StepPage"),
    "race": _Entry("Race", "ucbpe_app.race.page", "RacePage"),
    "study": _Entry("Study", "ucbpe_app.study.page", "StudyPage"),
    "theory": _Entry("Theory", "ucbpe_app.theory.page", "TheoryPage"),
    "problem": _Entry("Your problem", "ucbpe_app.problem.page", "ProblemPage"),
}
_FIRST = next(iter(PAGES))
_TITLE = "GP-UCB-PE laboratory"
# Fields of an address that say how to show it.
_NOT_OF_A_RUN = ("page", "present", "step")

_MARKS = "%3Csvg xmlns='http://www.w3.org/2000/svg' width='38' height='14'%3E{}%3C/svg%3E".format(
    "%3Cpath fill='%23D55E00' d='M7 0l2 5h5l-4 3 2 5-5-3-5 3 2-5-4-3h5z'/%3E"
    "%3Cpath fill='%23CC79A7' d='M28 0l5 7-5 7-5-7z'/%3E"
)
_LONGEST_NAME = 40  # of a page that does not exist, as a message shows it
_HIGH = "@media (min-width: 1600px) and (min-height: 900px)"
_HEIGHT = {
    "minHeight": "48px", "height": "48px", _HIGH: {"minHeight": "56px", "height": "56px"},
}  # fmt: skip
_BAR = {
    # Page keeps an invisible progress bar that screen readers would announce.
    ".header .MuiLinearProgress-root": {"display": "none"},
    ".header": {
        "--bar": "48px", _HIGH: {"--bar": "56px"}, "display": "var(--lab-bar, flex)",
        # On a phone the links have a row of their own.
        "@media (max-width: 599px)": {"height": "92px"},
    },
    # The pictures need the height more than the title does.
    ".header .MuiToolbar-root": {
        **_HEIGHT, "padding": "0 16px", "@media (max-width: 999px)": {"padding": "0 4px"},
    },
    # Page's place for a title above the content, which a screen reader would read out as empty.
    ".MuiToolbar-root > .MuiTypography-h5": {"display": "none"},
    # The links give way and scroll; the buttons stay in sight.
    ".header .MuiToolbar-root > *": {"minWidth": "0"},
    ".header .MuiToolbar-root > button": {"flexShrink": "0", "color": "inherit"},
    ".header .MuiSvgIcon-root": {"fontSize": "22px"},
    # What keeps the page clear of the bar is as high as the bar.
    ".main .MuiToolbar-root": {
        **_HEIGHT, "margin": "0", "display": "var(--lab-bar, flex)",
        "@media (max-width: 599px)": {"minHeight": "92px", "height": "92px"},
    },
    ".header .title": {
        "display": "flex", "alignItems": "center", "gap": "8px", "marginRight": "16px",
        "color": "text.primary", "fontSize": "16px", "fontWeight": 700,
        "&::before": {"content": f'url("data:image/svg+xml,{_MARKS}")', "height": "14px"},
    },
    ".header a:has(> .title)": {"@media (max-width: 999px)": {"display": "none !important"}},
}  # fmt: skip


def page() -> pmui.Page | Framed:
    """The laboratory for one visitor; in a notebook's cell, a frame of it.

    Examples
    --------
    >>> from ucbpe_app import page
    >>> page().servable()  # in a notebook for `panel serve`; in JupyterLab, `page()`
    """
    if pn.state.curdoc is None:  # imported here: a server's sessions do not need it
        from ucbpe_app.notebook.link import has_kernel
        from ucbpe_app.serve.framed import framed

        if has_kernel():
            return framed(page)
    return laboratory()


def laboratory() -> pmui.Page:
    """The whole page, as a server's session shows it."""
    pn.extension(notifications=True)
    recall()
    name, query = _asked()
    navigation = Navigation({key: entry.label for key, entry in PAGES.items()}, name, query)
    if pn.state.curdoc is not None:
        # Runs that a visitor has asked for end when the session does.
        document = pn.state.curdoc
        pn.state.on_session_destroyed(lambda _: _end(document))
        # A lost session is not resumed, and only we say so: see connection.js.
        document.config.update(reconnect_session=False, notify_connection_status=False)
    shown: Page = getattr(import_module(PAGES[name].module), PAGES[name].name)(query, navigation)
    if message := _missing(name):
        pn.state.onload(lambda: pn.state.notifications.warning(message, duration=20_000))
    # A root of its own: without the page's colours, its own are the window's on a dark page.
    if pn.state.notifications is not None:
        pn.state.notifications.theme_config = theme.THEME_CONFIG
    before = _followers()
    made = pmui.Page(
        title=_TITLE,
        main=[navigation.heading, shown],
        header=[
            navigation.panel,
            *shown.header,
            ThemeMemory(),
            Connection(),
        ],
        theme_config=theme.THEME_CONFIG,
        theme_toggle=True,
        busy_indicator=None,
        sx=_BAR,
    )
    if pn.state.curdoc is not None:
        # The browser says what it is as soon as it can, and before it hears what is drawn.
        again = partial(pn.state.onload, partial(redraw, document))
        made.param.watch(lambda _: again(), "dark_theme")
    _name_window(made, f"{PAGES[name].label}: {_TITLE}")
    # Page follows the server's busy flag, twice per click, and walks every model of the page each
    # time: ten times the cost of a step. The timeline shows what is being computed instead.
    with param.parameterized.edit_constant(made):
        made.busy = False
    # That ends it; but each Page would still be notified, for as long as the server runs.
    for follower in _followers()[len(before) :]:
        pn.state.param.unwatch(follower)
    return made


def _missing(name: str) -> str:
    """That there is no page of the name in the address; "" if there is, or none is named."""
    asked = [text.decode("utf-8", "replace") for text in pn.state.session_args.get("page", [])]
    if asked and name not in asked:
        return f"There is no page {asked[0][:_LONGEST_NAME]!r}; this is {PAGES[name].label}."
    return ""


def _name_window(laboratory: pmui.Page, name: str) -> None:
    """Have the window's title say which page it is: Panel gives all of a server's one title."""
    server_doc = laboratory.server_doc

    def titled(
        doc: Document | None = None, title: str | None = None, location: Any = True
    ) -> Document:
        return server_doc(doc, name, location)

    laboratory.server_doc = titled


def _end(document: Document) -> None:
    """Cancel what a session has requested, and drop it."""
    leave(document)
    forget_notifications(document)


def _followers() -> list[param.parameterized.Watcher]:
    """The watchers of the server's busy flag, which all visitors share."""
    return list(pn.state.param.watchers["busy"]["value"])


def _asked() -> tuple[str, str]:
    """The name of the page that the address asks for, and the rest of its query."""
    fields = [
        (name, text.decode("utf-8", "replace"))
        for name, texts in pn.state.session_args.items()
        for text in texts
    ]
    named = [text for name, text in fields if name == "page" and text in PAGES]
    rest = [field for field in fields if field[0] not in _NOT_OF_A_RUN]
    return (named[0] if named else _FIRST), urlencode(rest)


def serve_page() -> None:
    """Serve `page` to the visitor of this session, unless its server has: see `app_hooks`."""
    bound_logs()
    write_every_change()
    if pn.state.curdoc is None or not pn.state.curdoc.roots:
        laboratory().servable()


if __name__.startswith("bokeh_app"):
    serve_page()
