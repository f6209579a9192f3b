"""Thirty visitors who step twice a second on one process of the server, and a study beside them.

The visitors are websockets in a process of their own; each steps through Himmelblau's 101x101
candidates, four panels, decision plane and regret. The study is another visitor's: its processes
use all cores but one behind everybody else, and its page is sent its progress and its
charts. Nobody paints: a visitor's browser is on the visitor's machine. One visitor alone and
thirty together, without a study and with one, take turns, so that what else the machine does
meets all of them.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks._table import Table
from benchmarks._visitors import Stepper, Student

VISITORS, EVERY, SECONDS, ROUNDS = 30, 0.5, 10.0, 3
PAGE = "preset=himmelblau"
STUDY = "problem=gaussian-mixture&policies=gp-ucb-pe,greedyucb,random-search&K=10&T=20"
REPLICATES = 256  # more than can be run in the time of a round
CALM, BUSY = 2.0, 1.5  # the most that thirty may be of one, and those beside a study of those not


async def stepping(visitor: Stepper, seconds: float, times: list[float], number: int = 0) -> None:
    """Step twice a second, from a moment of one's own on, the same in every run."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    await asyncio.sleep(random.Random(number).uniform(0, EVERY))
    while (due := loop.time() + EVERY) < end + EVERY:
        times.append(await visitor.step())
        await asyncio.sleep(max(due - loop.time(), 0))


async def together(visitors: list[Stepper], seconds: float, times: list[float]) -> None:
    """All of them step, each from a moment of its own on."""
    steps = (stepping(one, seconds, times, i) for i, one in enumerate(visitors))
    await asyncio.gather(*steps)


async def measure(url: str, rounds: int) -> dict[str, list[float]]:
    """Seconds per step: of one visitor and of thirty, without a study and beside one."""
    visitors = [await Stepper.arrive(f"{url}/?{PAGE}") for _ in range(VISITORS)]
    times: dict[str, list[float]] = {
        name: [] for name in ("one", "thirty", "one, study", "thirty, study")
    }
    await together(visitors, 3.0, [])  # warm up
    for _ in range(rounds):
        await stepping(visitors[0], SECONDS, times["one"])
        await together(visitors, SECONDS, times["thirty"])
        async with study(url):
            await stepping(visitors[0], SECONDS, times["one, study"])
            await together(visitors, SECONDS, times["thirty, study"])
    for one in visitors:
        one.leave()
    return times


@asynccontextmanager
async def study(url: str) -> AsyncIterator[None]:
    """Another visitor's study, with results on its page, that runs until the context ends."""
    seed = time.time_ns() % 1_000_000  # one of its own: what is known is not computed again
    student = await Student.arrive(f"{url}/?page=study&{STUDY}&replicates={REPLICATES}&seed={seed}")
    await student.run()
    watching = asyncio.create_task(student.watch())
    yield
    assert not watching.done(), "expected a study that still runs; give it more replicates"
    await student.cancel()
    await watching
    student.leave()


@contextmanager
def served() -> Iterator[str]:
    """The laboratory as its command serves it, in a process apart."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "ucbpe_app.cli", "app", "--port", str(port)]
    root = Path(__file__).resolve().parents[1]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()  # one line, once it listens
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def main() -> None:
    """Print and keep the table and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="(default: %(default)s)")
    with served() as url:
        times = asyncio.run(measure(url, parser.parse_args().rounds))
    tails = {name: quantiles(own, n=20)[-1] for name, own in times.items()}
    title = f"A step every {EVERY} s, until all of the answer is there"
    table = Table("sessions", title, ["case", "steps", "median, ms", "p95, ms"])
    for name, own in times.items():
        table.add(name, len(own), 1e3 * median(own), 1e3 * tails[name])
    table.keep(
        **{
            f"p95 of thirty / of one (at most {CALM})": tails["thirty"] / tails["one"],
            f"beside a study / without (at most {BUSY})": tails["thirty, study"] / tails["thirty"],
            "one beside a study / without": tails["one, study"] / tails["one"],
        }
    )


if __name__ == "__main__":
    main()
