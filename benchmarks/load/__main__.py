"""A class on one server, and then on several processes: ``python -m benchmarks.load``.

A class arrives within a minute; others are idle; all of the first step; they leave and come back.
One visitor who steps beside another's largest run, race, study, count, upload and export, and
beside ten who load a page again and again, closes it.
All visitors are websockets of this one process, without painting: a browser is elsewhere.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from statistics import median, quantiles

from benchmarks._table import Table
from benchmarks._visitors import Stepper
from benchmarks.load import greedy
from benchmarks.load.crowd import Crowd, stepping
from benchmarks.load.server import laboratory, load, memory

# The goals, in ms, in MB, in s.
MOST_STEP_MS, MOST_MB, MOST_KEPT_MB, LATEST_PAGE = 150.0, 5.0, 0.2, 10.0
_ALONE_EVERY = 0.5  # s between steps of one visitor alone
_WARM = 6  # visitors of each process before memory is counted
_ENDED = 30.0  # s after which a session that was left has ended, and been collected
_WAVES = 2


def options() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--visitors", type=int, default=100, help="who step (%(default)s)")
    parser.add_argument("--idle", type=int, default=200, help="who only look (%(default)s)")
    parser.add_argument("--every", type=float, default=2.0, help="s between steps (%(default)s)")
    parser.add_argument("--seconds", type=float, default=600.0, help="of stepping (%(default)s)")
    parser.add_argument("--arriving", type=int, default=30, help="a class (%(default)s)")
    parser.add_argument("--within", type=float, default=60.0, help="s it arrives in (%(default)s)")
    parser.add_argument("--alone", type=float, default=30.0, help="s of one alone (%(default)s)")
    parser.add_argument(
        "--greedy", type=float, default=30.0, help="s beside each greedy visitor (%(default)s)"
    )
    parser.add_argument(
        "--num-procs", type=int, nargs="+", default=[1, 2], help="one after the other (%(default)s)"
    )
    return parser.parse_args()


class Report:
    """The table, and the goals that were missed."""

    def __init__(self) -> None:
        self.missed: list[str] = []
        self.table = Table(
            "load",
            "A class on one server",
            ["processes", "what", "figure", "goal", "load average"],
            "Load average: of the last minute, all of the machine; visitors run on it, too.",
        )

    def add(self, processes: int, what: str, figure: float, goal: float | None = None) -> None:
        """Add a figure; one above its goal is missed."""
        over = goal is not None and figure > goal
        said = "" if goal is None else f"{'MISSED: ' if over else ''}at most {goal:g}"
        self.table.add(processes, what, figure, said, round(load(), 1))
        if over:
            self.missed.append(f"{processes} processes: {what} {figure:.3g}, at most {goal:g}")


def p95(times: list[float]) -> float:
    """The 95th percentile."""
    return quantiles(times, n=20)[-1]


async def a_class(
    url: str, server: int, processes: int, said: argparse.Namespace, to: Report
) -> None:
    """One class: it arrives, is idle, steps and leaves."""
    crowd, warm = Crowd(url), _WARM * processes
    await crowd.fill(warm)
    alone = await stepping(crowd.visitors[:1], _ALONE_EVERY, said.alone)
    to.add(processes, "a step of one visitor, median, ms", 1e3 * median(alone))
    to.add(processes, "a step of one visitor, p95, ms", 1e3 * p95(alone))

    before = memory(server)
    to.add(processes, "memory with the first visitors, MB", before)
    pages = await crowd.arrive(said.arriving, said.within)
    to.add(processes, f"{said.arriving} arrive: s until a page answers, median", median(pages))
    to.add(processes, f"{said.arriving} arrive: s until the last answers", max(pages), LATEST_PAGE)
    there = said.visitors + said.idle
    await crowd.fill(there - len(crowd.visitors))
    each = (memory(server) - before) / (there - warm)
    to.add(processes, f"{there} visitors: memory of each further one, MB", each, MOST_MB)

    times = await stepping(crowd.visitors[: said.visitors], said.every, said.seconds)
    to.add(processes, f"a step of {said.visitors} visitors, median, ms", 1e3 * median(times))
    what = f"a step of {said.visitors} visitors, p95, ms"
    to.add(processes, what, 1e3 * p95(times), MOST_STEP_MS)
    to.add(processes, "p95 of all / p95 of one", p95(times) / p95(alone))
    each = (memory(server) - before) / (there - warm)
    to.add(processes, f"after {said.seconds:.0f} s of steps, MB", each, MOST_MB)
    crowd.leave()
    await asyncio.sleep(_ENDED)
    await kept(crowd, server, processes, said, to)


async def kept(
    crowd: Crowd, server: int, processes: int, said: argparse.Namespace, to: Report
) -> None:
    """What the server keeps of visitors who have left, by those who come after the first."""
    first = memory(server)
    to.add(processes, "memory once all have left, MB", first)
    for _ in range(_WAVES):
        await crowd.fill(said.arriving)
        await stepping(crowd.visitors, said.every, 2 * said.every)
        crowd.leave()
        await asyncio.sleep(_ENDED)
    each = (memory(server) - first) / (_WAVES * said.arriving)
    what = f"kept of each of {_WAVES * said.arriving} who came after and left, MB"
    to.add(processes, what, each, MOST_KEPT_MB)


async def beside_greedy(url: str, processes: int, seconds: float, to: Report) -> None:
    """One visitor steps beside another who asks for the most there is."""
    visitor = await Stepper.arrive(f"{url}/?preset=himmelblau")
    await stepping([visitor], _ALONE_EVERY, 3.0)
    alone = p95(await stepping([visitor], _ALONE_EVERY, seconds))
    for name, kind in greedy.KINDS.items():
        async with kind(url):
            beside = p95(await stepping([visitor], _ALONE_EVERY, seconds))
        what = f"p95 of a step beside another's largest {name} / alone"
        to.add(processes, what, beside / alone)
    visitor.leave()


def main() -> int:
    """Print and keep the table; 1 if a goal was missed."""
    said, report = options(), Report()
    for processes in said.num_procs:
        with laboratory(processes) as (url, server):
            asyncio.run(a_class(url, server, processes, said, report))
        if said.greedy:
            with laboratory(processes) as (url, _):
                asyncio.run(beside_greedy(url, processes, said.greedy, report))
    counts = f"{said.visitors} step every {said.every:g} s for {said.seconds:g} s"
    report.table.keep(visitors=f"{counts}, {said.idle} are idle", missed=len(report.missed))
    for one in report.missed:
        print(f"missed: {one}", file=sys.stderr)
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
