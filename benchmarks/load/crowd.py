"""Many visitors of one server, each a websocket as a browser has one."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass, field

from benchmarks._visitors import Stepper

PAGES = ("", "preset=himmelblau", "K=5&event=2.pick.1", "preset=figure-2")
_TOGETHER = 4  # arrivals at a time, where nobody measures them


@dataclass
class Crowd:
    """Visitors who are there, of a server at `url`."""

    url: str
    visitors: list[Stepper] = field(default_factory=list)

    async def fill(self, count: int) -> None:
        """Have `count` more arrive, a few at a time."""
        gate = asyncio.Semaphore(_TOGETHER)

        async def one(number: int) -> None:
            async with gate:
                address = f"{self.url}/?{PAGES[number % len(PAGES)]}"
                self.visitors.append(await Stepper.arrive(address))

        await asyncio.gather(*map(one, range(count)))

    async def arrive(self, count: int, within: float) -> list[float]:
        """Have `count` more arrive at random moments; seconds until each has a page that answers.

        It answers when it has answered a press of Next.
        """
        draw = random.Random(0)
        moments = sorted(draw.uniform(0, within) for _ in range(count))

        async def one(number: int, moment: float) -> float:
            await asyncio.sleep(moment)
            start = time.perf_counter()
            visitor = await Stepper.arrive(f"{self.url}/?{PAGES[number % len(PAGES)]}")
            await visitor.step()
            self.visitors.append(visitor)
            return time.perf_counter() - start

        return list(await asyncio.gather(*(one(*each) for each in enumerate(moments))))

    def leave(self, count: int | None = None) -> None:
        """Have some close their pages, or all."""
        some = self.visitors if count is None else self.visitors[:count]
        for visitor in some:
            visitor.leave()
        self.visitors = self.visitors[len(some) :]


async def stepping(visitors: list[Stepper], every: float, seconds: float) -> list[float]:
    """All of them step, each from a moment of its own on; seconds that each step took."""
    times: list[float] = []
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds

    async def one(number: int, visitor: Stepper) -> None:
        await asyncio.sleep(random.Random(number).uniform(0, every))
        while (due := loop.time() + every) < end + every:
            times.append(await visitor.step())
            await asyncio.sleep(max(due - loop.time(), 0))

    await asyncio.gather(*(one(*each) for each in enumerate(visitors)))
    return times
