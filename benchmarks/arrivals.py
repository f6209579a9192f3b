"""Thirty visitors arrive within a minute, then ten reload their page over and over; one who was
there before goes on stepping.

Arrivals are at random moments, the same in each run; each is a websocket in a process of its own,
as a browser without its painting. Printed are the time from asking for a page to holding all of it,
the steps of the visitor who was there, and the processor time of the server for each page, which
depends least on what else the machine does.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles

from tornado.httpclient import AsyncHTTPClient

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks._visitors import Stepper, page_of

VISITORS, WITHIN, EVERY = 30, 60.0, 0.5  # s
LATEST_PAGE = 10.0  # s, the most that there may be
RELOADING, SECONDS, PAUSE = 10, 30.0, 0.02
SLOWER = 5.0  # times as long as alone that a step may be, p95, while they reload
PAGES = ("", "preset=himmelblau", "K=5&event=2.pick.1", "preset=figure-2")


async def arriving(url: str, moments: list[float]) -> tuple[list[float], list[Stepper]]:
    """Seconds until each visitor's page is there, and the visitors."""

    async def one(moment: float, query: str) -> tuple[float, Stepper]:
        await asyncio.sleep(moment)
        start = time.perf_counter()
        visitor = await Stepper.arrive(f"{url}/?{query}")
        return time.perf_counter() - start, visitor

    asked = (one(moment, PAGES[i % len(PAGES)]) for i, moment in enumerate(moments))
    times, visitors = zip(*await asyncio.gather(*asked), strict=True)
    return list(times), list(visitors)


async def stepping(visitor: Stepper, times: list[float]) -> None:
    """Step twice a second until cancelled."""
    while True:
        times.append(await visitor.step())
        await asyncio.sleep(EVERY)


async def reloading(url: str) -> None:
    """Print what those who reload do to the steps of another; nobody waits for their websockets."""
    AsyncHTTPClient.configure(None, max_clients=2 * RELOADING)
    visitor = await Stepper.arrive(f"{url}/?preset=start")
    alone: list[float] = []
    steps: list[float] = []
    pages: list[float] = []

    async def reload() -> None:
        while True:
            start = time.perf_counter()
            await page_of(f"{url}/?preset=start")
            pages.append(time.perf_counter() - start)

    for times, others in ((alone, 0), (steps, RELOADING)):
        tasks = [asyncio.create_task(reload()) for _ in range(others)]
        until = time.perf_counter() + SECONDS
        while time.perf_counter() < until:
            times.append(await visitor.step())
            await asyncio.sleep(PAUSE)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    visitor.leave()
    low, high = (quantiles(times, n=20)[-1] for times in (alone, steps))
    print(f"{RELOADING} reload for {SECONDS:.0f} s, {len(pages)} pages")
    print(f"  page, median / last      {median(pages):6.2f} / {max(pages):5.2f} s")
    print(f"  another's step, median / p95 / last, alone"
          f" {median(alone):6.3f} / {low:5.3f} / {max(alone):5.3f} s")  # fmt: skip
    print(f"  another's step, median / p95 / last       "
          f" {median(steps):6.3f} / {high:5.3f} / {max(steps):5.3f} s")  # fmt: skip
    print(f"  p95 / p95 alone          {high / low:6.2f} (at most {SLOWER})")


async def measure(url: str, server: int, count: int, within: float) -> None:
    """Print what one round gives."""
    there = await Stepper.arrive(f"{url}/?preset=himmelblau")
    await Stepper.arrive(f"{url}/")
    alone: list[float] = []
    task = asyncio.create_task(stepping(there, alone))
    await asyncio.sleep(10)
    task.cancel()
    steps: list[float] = []
    draw = random.Random(0)
    moments = sorted(draw.uniform(0, within) for _ in range(count))
    before = spent(server)
    task = asyncio.create_task(stepping(there, steps))
    pages, visitors = await arriving(url, moments)
    task.cancel()
    each = (spent(server) - before) / count
    for visitor in visitors:
        visitor.leave()
    print(f"{count} arrivals within {within:.0f} s")
    print(f"  page, median / last      {median(pages):6.2f} / {max(pages):5.2f} s"
          f"   (at most {LATEST_PAGE})")  # fmt: skip
    print(f"  another's step, median / last, alone {median(alone):6.3f} / {max(alone):5.3f} s")
    print(f"  another's step, median / last        {median(steps):6.3f} / {max(steps):5.3f} s")
    print(f"  processor time of a page {each:6.2f} s")


def spent(server: int) -> float:
    """Processor time of a server and its workers, in s, as Linux counts it."""
    workers = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    # After the name in brackets: state, parent, .., user time, system time, in ticks.
    fields = [Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
              for one in (server, *workers)]  # fmt: skip
    ticks = sum(int(one[11]) + int(one[12]) for one in fields)
    return ticks / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(root: Path, processes: int) -> Iterator[tuple[str, int]]:
    """The laboratory of a checkout as its command serves it, in a process apart."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "ucbpe_app.cli", "app", "--port", str(port)]
    command += ["--num-procs", str(processes)]
    packages = {"PYTHONPATH": os.pathsep.join((str(root / "app"), str(root)))}
    with subprocess.Popen(
        command, cwd=root, env={**os.environ, **packages}, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()  # one line, once it listens
        try:
            yield f"http://127.0.0.1:{port}", process.pid
        finally:
            process.terminate()


def main() -> None:
    """Print times of pages and steps, of this checkout and of another to compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path, help="another checkout, measured in turn")
    parser.add_argument("--visitors", type=int, default=VISITORS, help="(default: %(default)s)")
    parser.add_argument("--within", type=float, default=WITHIN, help="s (default: %(default)s)")
    parser.add_argument("--num-procs", type=int, default=2, help="(default: %(default)s)")
    arguments = parser.parse_args()
    own = Path(__file__).resolve().parents[1]
    for root in filter(None, (arguments.against, own)):
        print(root if arguments.against else "", flush=True)
        with served(root, arguments.num_procs) as (url, server):
            asyncio.run(measure(url, server, arguments.visitors, arguments.within))
        with served(root, 1) as (url, _):
            asyncio.run(reloading(url))


if __name__ == "__main__":
    main()
