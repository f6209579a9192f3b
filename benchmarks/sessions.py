"""Thirty visitors who step twice a second, beside one alone, on one process of the server.

The visitors are websockets in a process of their own; each steps through Himmelblau's 101x101
candidates, four panels, decision plane and regret. Alone and together alternate, so that what else
the machine does meets both.
"""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.step_latency import served
from benchmarks.visitors import Visitor

VISITORS, EVERY, SECONDS, ROUNDS = 30, 0.5, 10.0, 3


async def stepping(visitor: Visitor, seconds: float, times: list[float]) -> None:
    """Step twice a second, from a moment of one's own on."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    await asyncio.sleep(random.Random(id(visitor)).uniform(0, EVERY))
    while (due := loop.time() + EVERY) < end + EVERY:
        times.append(await visitor.step())
        await asyncio.sleep(max(due - loop.time(), 0))


async def measure(url: str) -> tuple[list[float], list[float]]:
    """Seconds per step of one visitor alone and of one among thirty."""
    visitors = [await Visitor.arrive(f"{url}/?preset=himmelblau") for _ in range(VISITORS)]
    alone, together = list[float](), list[float]()
    await asyncio.gather(*(stepping(one, 3.0, []) for one in visitors))  # warm up
    for _ in range(ROUNDS):
        await stepping(visitors[0], SECONDS, alone)
        await asyncio.gather(*(stepping(one, SECONDS, together) for one in visitors))
    for one in visitors:
        one.leave()
    return alone, together


def main() -> None:
    """Print medians, 95th percentiles and their ratio."""
    with served() as (url, _):
        alone, together = asyncio.run(measure(url))
    print(f"a step every {EVERY} s, until all of the answer is there: median / p95 in ms")
    tails = []
    for name, times in (("one session", alone), (f"{VISITORS} sessions", together)):
        tails.append(quantiles(times, n=20)[-1])
        print(
            f"  {name:12} {1e3 * median(times):6.1f} / {1e3 * tails[-1]:.1f}  ({len(times)} steps)"
        )
    print(f"  p95 of {VISITORS} / p95 of one: {tails[1] / tails[0]:.2f}")


if __name__ == "__main__":
    main()
