"""To run coroutines in a test, and to do what a browser asks for, to its end.

On a loop in a thread of its own, which leaves that of this thread as it is: browser tests have one
running here, and one that Panel has made must not be lost open.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from bokeh.events import Tap

from ucbpe_app.render.markup import Markup

T = TypeVar("T")

_IDLE = 5


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """asyncio.run, elsewhere."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result(timeout=180)


def in_a_session(act: Callable[[], T]) -> T:
    """Act as a message from the browser does, and wait until all that it starts is done."""

    async def whole() -> T:
        done = act()
        result: T = await done if asyncio.iscoroutine(done) else done
        idle = 0  # turns of the loop; what one is asked to start is a task in the next
        while idle < _IDLE:
            if others := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.wait(others)
            idle = 0 if others else idle + 1
            await asyncio.sleep(0)
        return result

    return run(whole())


def change(control: Any, name: str, value: object) -> None:
    """Set a parameter as a visitor does."""
    in_a_session(lambda: setattr(control, name, value))


def click(button: Any) -> None:
    """Press a Panel button as a visitor does."""
    change(button, "clicks", button.clicks + 1)


def tap(figure: Any, x: float | None) -> None:
    """Click in a figure, as Bokeh says it."""
    figure._trigger_event(Tap(figure, x=x))


def words(panel: Any) -> str:
    """All that is written in a part of a page, as HTML."""
    return "\n".join(one.object for one in panel.select(Markup))


def in_sight(part: Any, page: Any) -> bool:
    """Whether a part is on a page, and nothing that holds it is hidden."""
    holds = page is part or any(in_sight(part, one) for one in getattr(page, "objects", ()))
    return bool(page.visible) and holds
