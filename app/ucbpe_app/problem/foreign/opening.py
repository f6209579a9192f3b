"""A place for the file of another tool's run, what is asked of it, and why it was not taken."""

from __future__ import annotations

from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.problem import texts
from ucbpe_app.problem.layout import Question, column, run
from ucbpe_app.problem.views import Upload
from ucbpe_core.tables.dialect import UndecidedError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import param
    from panel.viewable import Viewable

    from ucbpe_app.problem.foreign.state import ForeignRun

_MOST_BYTES = 10_000_000
_MOST_ANSWERS = 6  # in sight; the others are in Python
_HINT = "Optuna (database, journal), Ax (JSON), bayesian-optimization, or a CSV with a row a trial"


class OpenRun(pn.viewable.Viewer):
    """Opens a run of another tool; `ready` is called before it is shown."""

    def __init__(self, foreign: ForeignRun, ready: Callable[[], None]) -> None:
        super().__init__()
        self.foreign, self._ready = foreign, ready
        self.upload = Upload(
            self._load, label="Open a run of another tool", hint=_HINT,
            accept=".csv,.json,.log,.db,.sqlite,.sqlite3,.jsonl", limit=_MOST_BYTES,
        )  # fmt: skip
        self.question, self.fault = Question(_MOST_ANSWERS), texts.card()
        self.progress = pmui.LinearProgress(
            variant="determinate", value=0, visible=False, sizing_mode="stretch_width", margin=0
        )
        self._panel = column(self.upload, self.progress, self.question, self.fault)
        foreign.param.watch(self._show, ["error", "retraced"])
        foreign.param.watch(self._show_busy, "busy")

    def __panel__(self) -> Viewable:
        return self._panel

    def _load(self, name: str, content: bytes) -> None:
        run(partial(self._take, self.foreign.open(PurePath(name).name[:80], content)))

    async def _take(self, read: Awaitable[bool]) -> None:
        if await read:
            self._ready()

    def _answer(self, field: str, answer: str) -> Awaitable[None]:
        return self._take(self.foreign.answer(field, answer))

    def _show(self, *_: param.parameterized.Event) -> None:
        """Ask what the file does not say, or say why it was not taken."""
        error = self.foreign.error
        asked = error if isinstance(error, UndecidedError) else None
        answers = {} if asked is None else dict(list(asked.answers.items())[:_MOST_ANSWERS])
        with pn.io.hold():
            self.question.ask(
                "" if asked is None else asked.question,
                {label: partial(self._answer, asked.field, key) for key, label in answers.items()}
                if asked else {},
            )  # fmt: skip
            self.fault.object = texts.fault(None if asked else error)

    def _show_busy(self, event: param.parameterized.Event) -> None:
        share = event.new
        self.progress.param.update(visible=share is not None, value=round(100 * (share or 0)))
