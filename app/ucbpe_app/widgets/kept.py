"""What the browser keeps of its visitor: the theme, and functions for links that name one."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import panel as pn
import param

from ucbpe_app.private.panel import Component
from ucbpe_app.run.own import MOST_BYTES, OWN, OwnProblems, own_in
from ucbpe_app.widgets.parts import Parts, script
from ucbpe_core.errors import UCBPEError

COOKIE = "ucbpe-theme"


def recall() -> None:
    """Build this session's page in the theme that its browser has shown last.

    A field ``theme`` of the address comes first.
    """
    if pn.state.curdoc is not None and "theme" not in pn.state.session_args:
        pn.config.theme = "dark" if pn.state.cookies.get(COOKIE) == "dark" else "default"


_PATIENCE = 10.0  # s that a page waits for its browser


class Kept(Component):
    """Has the browser keep functions, and asks for that of a link if the server does not have it.

    The browser also remembers what was chosen by the page's toggle of the theme. It shows nothing.

    Parameters
    ----------
    query : of the link
    problems : those that the server has
    """

    kept = param.Dict({}, doc="The function to keep: its name and its text.")
    wanted = param.String("", doc="The name of the function that the browser should send.")

    _esm = script("parts.js", "database.js", "theme_memory.js", "kept_function.js")

    def __init__(self, query: str = "", problems: OwnProblems = OWN) -> None:
        name = own_in(query)
        super().__init__(wanted="" if name in problems else name, width=0, height=0, margin=0)
        self._problems, self._parts = problems, Parts(MOST_BYTES)
        self._answered = asyncio.Event()

    def keep(self, text: str) -> str:
        """Keep the function of a text of `packed`, here and in the browser; return its name."""
        name = self._problems.keep(text)
        if self.kept.get("name") != name:
            self.kept = {"name": name, "text": text}
        return name

    async def bring(self) -> None:
        """Wait until the function that is wanted is here, or the browser does not have it."""
        if self.wanted and self.wanted not in self._problems:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._answered.wait(), _PATIENCE)

    def receive(self, data: Any) -> None:
        """Take a part of a function, or the answer that there is none."""
        if "missing" not in data:
            # What is not a function, or not that of the link, leaves it missing: the page says so.
            with suppress(UCBPEError):
                content = self._parts.add(data)
                if content is None:
                    return
                self._problems.keep(content.decode("utf-8", "replace"))
        self._answered.set()
