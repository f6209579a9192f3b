"""The engine's modules in Chromium, each as the file that it is; pages load them as blobs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Page, Route

_ROOT = Path(__file__).parents[2]
_ORIGIN = "http://engine.test"
_WIDGETS = "app/ucbpe_app/widgets"
_ENGINE = "app/ucbpe_app/engine"


class Modules:
    """A page that can import modules of this checkout, and nothing else."""

    def __init__(self, page: Page) -> None:
        self._page = page
        page.route(f"{_ORIGIN}/**", self._answer)
        page.goto(f"{_ORIGIN}/")

    def call(self, module: str, function: str, given: Any = None) -> Any:
        """What ``function(module, given)`` returns, of JSON's types.

        A module of the engine goes by its name, another by its path in the checkout.
        """
        path = module if "/" in module else f"{_ENGINE}/{module}"
        call = f"async ([url, given]) => ({function})(await import(url), given)"
        return self._page.evaluate(call, [f"{_ORIGIN}/{path}", given])

    def differing(self, cases: Sequence[dict[str, Any]]) -> list[str]:
        """Which of `tests.live.cases` the engine does otherwise than the core, and in what."""
        compare = "({differences}, cases) => differences(cases)"
        return list(self.call("tests/live/check.js", compare, cases))

    @staticmethod
    def _answer(route: Route) -> None:
        path = route.request.url.removeprefix(f"{_ORIGIN}/")
        if path.endswith(".js"):
            own = _ROOT / path  # what an engine shares with the dashboard is among its widgets
            shared = _ROOT / _WIDGETS / own.name
            route.fulfill(path=own if own.exists() else shared, content_type="text/javascript")
        else:
            route.fulfill(body="", content_type="text/html")
