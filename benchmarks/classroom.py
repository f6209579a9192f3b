"""A class of a hundred phones on one server: ten are pages in Chromium, the rest ask by HTTP.

The teacher opens a room and asks rounds in it, as another process of the server would. Phones come
within a few seconds, ask once a second, and answer once, twice, or twice the same. Ten pages that
draw at once share the machine's cores, with the server too, as phones do not: so how long a page
takes is measured with one of them. Then Chromium is closed, and steps of the teacher's Step page
are timed while a class of as many phones plays, and in turns while it is silent: what else the
machine does falls on both alike.

With one process, with two, and with two of which one is killed in the middle of a round: the one
that has most connections, stopped before, so that requests wait in it. Each phase has a bound, and
says what it waits for; each of the three takes up to four minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import aiohttp
from playwright.async_api import Browser, Page, async_playwright
from playwright.async_api import TimeoutError as TooLate

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks._served import served
from benchmarks._table import Table
from benchmarks._visitors import Stepper
from benchmarks.load.server import load, processes
from tests.browser.conftest import CHROMIUM_ARGUMENTS
from tools import chromium
from ucbpe_app.classroom.moments import ask_moment, reveal_moment
from ucbpe_app.classroom.room import Room, Round
from ucbpe_app.classroom.store import Rooms
from ucbpe_app.run.events import Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_core import GPUCBPE, problems, simulate

KINDS = {"1": 1, "2": 2, "killed": 2}  # their processes
PHONES, PAGES = 100, 10
ARRIVING = 15.0  # s within which they come
EVERY = 1.0  # s between the questions of a phone
ROUNDS = 3  # with all pages; one fewer with a single page
OPEN, SHOWN = 8.0, 3.0  # s that a round is open, and its reveal is shown
TURNS, TURN = 5, 8.0  # of a class that plays and is silent; s of each
STEP_EVERY = 0.25  # s
_TEACHER, _WARM = "--teacher", 20  # of the process that steps; its steps before others are timed
_ROUNDED = 0.006  # of a place that is shown with two decimals
# The goals.
MOST_ARRIVING, MOST_LAG, MOST_RATIO = 60.0, 1.5, 1.3
# s until a phase is given up: that all have come, a round, and that the teacher has come.
_COMING, _PLAYING, _TEACHING = 2 * MOST_ARRIVING, 60.0, 120.0

# Times at which the page of a phone has painted another stage of the round.
_WATCH = """
() => {
  window.stages = []
  const node = document.getElementById("play")
  const frame = () => new Promise((done) => requestAnimationFrame(done))
  let last = node.className
  const note = async () => {
    const stage = node.className // which is also set as it was
    if (stage === last) { return }
    last = stage
    await frame()
    await frame()
    window.stages.push([stage, Date.now()])
  }
  new MutationObserver(note).observe(node, {attributes: true, attributeFilter: ["class"]})
}
"""


@dataclass
class School:
    """A room, its phones, and what was measured of them."""

    url: str
    rooms: Rooms
    code: str
    replay: Replay
    phones: int
    pages: int  # of them, in Chromium
    moments: tuple[dict[str, Any], dict[str, Any]]  # of the question, and of the reveal
    changes: list[tuple[int, str, float]] = field(default_factory=list)  # of the teacher's
    lags: list[float] = field(default_factory=list)
    painted: list[float] = field(default_factory=list)  # in all pages at once
    painted_alone: list[float] = field(default_factory=list)
    answers: list[dict[int, int]] = field(default_factory=list)  # of each round, as sent last
    plays: asyncio.Event = field(default_factory=asyncio.Event)
    retries: int = 0
    connections: int = 0  # that phones have made
    cpu: float = 0.0  # s in a second that the server takes for a class that plays, of all turns

    def change(self, verb: Callable[[Room], Room]) -> Room:
        """Have the teacher change the room, and remember when."""
        room = self.rooms.change(self.code, verb)
        self.changes.append((room.version, room.stage, time.time()))
        return room

    async def count(self, *_: object) -> None:
        """Count one more connection."""
        self.connections += 1

    async def round(self, seconds: float, during: Callable[[], None] = lambda: None) -> None:
        """Ask, close and reveal; `during` is called in the middle."""
        size = len(self.replay.scene.candidates)
        asked = Round(
            "1.pick.0", "place", size, "digest", self.rooms.put(self.code, self.moments[0])
        )
        self.answers.append({})
        self.change(lambda room: room.ask(asked, time.time()))
        await asyncio.sleep(seconds / 2)
        during()
        await asyncio.sleep(seconds / 2)
        self.change(lambda room: room.close(time.time()))
        await asyncio.sleep(2 * EVERY)
        name = self.rooms.put(self.code, self.moments[1])
        points = tuple(i % 101 for i in range(size))
        self.change(lambda room: room.reveal(name, points, "Half are near.", time.time()))
        await asyncio.sleep(SHOWN)

    def miscounted(self) -> int:
        """Answers that the room does not have as they were sent last, or has and were not sent."""
        room = self.rooms.find(self.code)
        assert room is not None
        votes = [dict(one.votes[-1]) for one in room.rounds]
        return sum(
            len(set(a.items()) ^ set(b.items())) for a, b in zip(votes, self.answers, strict=True)
        )


class Phone:
    """One that asks by HTTP, over a connection that it keeps, as a browser does."""

    def __init__(self, school: School, number: int) -> None:
        self.school, self.random = school, random.Random(number)
        self.key, self.view = f"the key of phone {number}", dict[str, Any]()
        counting = aiohttp.TraceConfig()
        counting.on_connection_create_end.append(school.count)
        self._session = aiohttp.ClientSession(
            f"{school.url}/class/",
            connector=aiohttp.TCPConnector(limit=1),
            auto_decompress=False,
            trace_configs=[counting],
        )

    async def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """Ask until there is an answer; None where nothing is new."""
        while True:
            try:
                async with self._session.request("POST" if body else "GET", path, json=body) as got:
                    data = await got.read()
                    if got.status in (200, 304):
                        return (
                            json.loads(data) if got.content_type.endswith("json") and data else None
                        )
                    return {"error": f"{got.status} {data!r}"}
            except aiohttp.ClientError:  # its process was killed
                self.school.retries += 1
                await asyncio.sleep(EVERY / 4)

    async def live(self, within: float) -> None:
        """Come, and ask what is new for as long as there is the class."""
        answering: asyncio.Task[None] | None = None
        try:
            await asyncio.sleep(self.random.uniform(0, within))
            await self.ask(self.school.code)
            self.view = await self.ask(f"{self.school.code}/join", {"key": self.key})
            while True:
                if not self.school.plays.is_set():
                    await self.school.plays.wait()
                    await asyncio.sleep(self.random.uniform(0, EVERY))  # not all at once
                before = self.view
                path = f"{self.school.code}/state?key={self.key}&seen={before['version']}"
                self._take(await self.ask(path.replace(" ", "%20")))
                if self.view["moment"] != before["moment"]:
                    async with self._session.get(
                        f"{self.school.code}/moment/{self.view['moment']}"
                    ) as got:
                        await got.read()
                if self.view["stage"] == "open" and self.view["round"] != before["round"]:
                    answering = asyncio.create_task(self._answer(self.view["round"]))
                await asyncio.sleep(EVERY)
        finally:
            await self._session.close()
            if answering:
                answering.cancel()

    def _take(self, news: dict[str, Any] | None) -> None:
        if not news:
            return
        assert "error" not in news, news
        for version, _, at in self.school.changes:
            if self.view["version"] < version <= news["version"]:
                self.school.lags.append(time.time() - at)
        if news["version"] > self.view["version"]:
            self.view = news

    async def _answer(self, number: int) -> None:
        """Answer once or twice, and sometimes twice the same."""
        for _ in range(self.random.choice([1, 1, 2])):
            await asyncio.sleep(self.random.uniform(0, OPEN / 4))
            value = self.random.randrange(self.view["count"])
            sent = {"key": self.key, "round": number, "vote": 1, "value": value}
            for _ in range(self.random.choice([1, 2])):
                said = await self.ask(f"{self.school.code}/answer", sent)
                if "error" in said:
                    assert "expected a round that is open" in said["error"], said
                    return
                assert said["yours"] == value, said
                self.school.answers[number - 1][self.view["phone"]["number"]] = value


async def join(browser: Browser, school: School) -> Page:
    """A phone in Chromium that has joined."""
    context = await browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = await context.new_page()
    await page.goto(f"{school.url}/class/{school.code}")
    await page.get_by_role("button", name="Join").click()
    await page.locator("#play").wait_for()
    await page.evaluate(_WATCH)
    return page


async def tap(page: Page, chance: random.Random) -> float | None:
    """Answer the round that is on, once its picture is there; the place that is said to be sent.

    None if it has come too late: ten pages draw on the same cores.
    """
    await page.wait_for_function("document.getElementById('play').className === 'open'")
    box = await page.locator("#picture").bounding_box()
    assert box is not None
    await page.mouse.click(
        box["x"] + box["width"] * chance.uniform(0.3, 0.9), box["y"] + 0.4 * box["height"]
    )
    sent = page.locator("#title", has_text="Sent: x = ")
    try:
        await page.locator("#send").click(timeout=1e3 * OPEN)
        await sent.wait_for(timeout=1e3 * OPEN)
    except TooLate:
        return None
    return float((await sent.inner_text()).split("=")[1].replace("\u2212", "-"))


async def in_chromium(
    school: School, browser: Browser, kill: Callable[[], None], rounds: int
) -> float:
    """Rounds with the pages in Chromium; `kill` is called in one. The s until all had joined."""
    began = time.time()
    school.plays.set()
    others = range(school.phones - school.pages)
    phones = [asyncio.create_task(Phone(school, n).live(ARRIVING)) for n in others]
    async with within(_COMING, "all phones to join"):
        pages = [await join(browser, school) for _ in range(school.pages)]
        while (room := school.rooms.find(school.code)) and room.joined < school.phones:
            await asyncio.sleep(0.1)
            for phone in phones:
                assert not phone.done() or phone.result() is None
    arrived, chance = time.time() - began, random.Random(0)
    for number in range(rounds):
        async with within(_PLAYING, f"round {number + 1} of {rounds}, with all pages"):
            await play(school, pages, chance, kill if number == rounds // 2 else lambda: None)
    for page in pages[1:]:
        school.painted += await painted(school, page)
    await pages[0].evaluate("window.stages.length = 0")
    for number in range(max(1, rounds - 1)):
        async with within(_PLAYING, f"round {number + 1}, with one page"):
            await play(school, pages[:1], chance)
    school.painted_alone += await painted(school, pages[0])
    await end(phones)
    return arrived


@asynccontextmanager
async def within(seconds: float, what: str) -> AsyncIterator[None]:
    """Say what is waited for, and give up after so many seconds."""
    print(f"waiting for {what}, at most {seconds:g} s", file=sys.stderr, flush=True)
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise SystemExit(
            f"expected {what} within {seconds:g} s, got none; is all quiet?"
        ) from error


async def end(phones: list[asyncio.Task[None]]) -> None:
    """End the phones, and say if one had ended by an error."""
    for phone in phones:
        phone.cancel()
    for said in await asyncio.gather(*phones, return_exceptions=True):
        if isinstance(said, Exception):  # a task that was cancelled has none
            raise said


async def play(
    school: School,
    pages: list[Page],
    chance: random.Random,
    during: Callable[[], None] = lambda: None,
) -> None:
    """One round, which the pages answer, too."""
    taps = [asyncio.create_task(tap(page, chance)) for page in pages]
    await school.round(OPEN, during)
    await note_taps(school, pages, await asyncio.gather(*taps))


async def painted(school: School, page: Page) -> list[float]:
    """Seconds from each change of the teacher's until a page had painted it; the page is closed."""
    seconds = []
    for stage, at in await page.evaluate("window.stages"):
        before = [when for _, name, when in school.changes if name == stage and when < at / 1e3]
        seconds += [at / 1e3 - when for when in before[-1:]]  # none as it joins
    await page.context.close()
    return seconds


async def note_taps(school: School, pages: list[Page], sent: list[float | None]) -> None:
    """What pages say that they have sent: the candidate there, which the room has to have, too."""
    room = school.rooms.find(school.code)
    assert room is not None
    xs = school.replay.scene.candidates[:, 0]
    for page, place in zip(pages, sent, strict=True):
        view = room.view(await page.evaluate("JSON.parse(localStorage['ucbpe-class']).key"))
        if place is None:
            continue
        value = int(abs(xs - place).argmin())
        if view["yours"] is not None and abs(xs[view["yours"]] - place) < _ROUNDED:
            value = view["yours"]  # of two that are shown alike
        school.answers[-1][view["phone"]["number"]] = value


async def timed(school: School, server: int, turns: int) -> tuple[list[float], list[float]]:
    """Seconds of the teacher's steps while the class plays, and while it is silent, in turns."""
    spans: list[tuple[float, float]] = []  # of the turns in which it plays
    phones = [asyncio.create_task(Phone(school, n).live(2.0)) for n in range(school.phones)]
    # In a process of its own: phones are many, and would have the teacher wait here.
    command = (sys.executable, __file__, _TEACHER, f"{school.url}/?preset=start")
    teacher = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert teacher.stdout is not None
    try:
        async with within(_TEACHING, f"the teacher's first {_WARM} steps"):
            assert await teacher.stdout.readline(), "the teacher has ended"
        begin = time.time()
        for turn in range(2 * turns):
            start, before = time.time(), cpu(server)
            if turn % 2 == 0:
                school.plays.clear()
                await asyncio.sleep(TURN)
                school.cpu -= (cpu(server) - before) / TURN / turns
            else:
                school.plays.set()
                async with within(_PLAYING, f"turn {turn // 2 + 1} of {turns}, with steps"):
                    await school.round(TURN - 2 * EVERY - SHOWN)
                spans.append((start, time.time()))
                school.cpu += (cpu(server) - before) / (spans[-1][1] - start) / turns
    finally:
        teacher.terminate()
        said = (await teacher.stdout.read()).decode().splitlines()
        await teacher.wait()
    await end(phones)
    playing, silent = list[float](), list[float]()
    for at, took in (map(float, line.split()) for line in said):
        is_playing = any(start <= at <= end for start, end in spans)
        if at > begin:
            (playing if is_playing else silent).append(took)
    return playing, silent


def kill_busiest(server: int) -> None:
    """Stop the worker that has most connections; half a second later, kill it.

    What is asked in between waits in it, and breaks.
    """
    busiest = max(processes(server)[1:], key=sockets)
    os.kill(busiest, signal.SIGSTOP)
    asyncio.get_running_loop().call_later(EVERY / 2, os.kill, busiest, signal.SIGKILL)


def sockets(process: int) -> int:
    """How many sockets a process has."""
    links = Path(f"/proc/{process}/fd").iterdir()
    return sum(str(link.readlink()).startswith("socket:") for link in links)


def cpu(server: int) -> float:
    """Seconds of a processor that a server and its workers have taken."""
    ticks = 0
    for one in processes(server):
        fields = Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


async def teach(address: str) -> None:
    """Step for as long as this process is let; print when each step began, and how long it took."""
    stepper = await Stepper.arrive(address)
    for _ in range(_WARM):
        await stepper.step()
    print("here", flush=True)
    while True:
        start = time.time()
        print(start, await stepper.step(), flush=True)
        await asyncio.sleep(STEP_EVERY)


def p95(times: list[float]) -> float:
    """The 95th percentile."""
    return quantiles(times, n=20)[-1]


class Report:
    """The table, and the goals that were missed."""

    def __init__(self, phones: int, kinds: list[str]) -> None:
        self.missed: list[str] = []
        self.name = ""  # of the server
        self.table = Table(
            "-".join(["classroom", *kinds]),
            f"A class of {phones} phones on one server",
            ["processes", "what", "figure", "goal", "load average"],
            "Load average: of the last minute, all of the machine; phones and Chromium are on it.",
        )

    def add(self, what: str, figure: float, most: float | None = None) -> None:
        """Add a figure; one above `most` is missed."""
        is_over = most is not None and figure > most
        said = "" if most is None else f"{'MISSED: ' if is_over else ''}at most {most:g}"
        self.table.add(self.name, what, figure, said, round(load(), 1))
        if is_over:
            self.missed.append(f"{self.name}: {what}")


async def a_class(
    school: School, server: int, to: Report, given: argparse.Namespace, *, is_killed: bool
) -> None:
    """All that is measured of one server, of whose processes one may be killed."""
    before = 0

    def kill() -> None:
        nonlocal before
        before = school.connections
        if is_killed:
            kill_busiest(server)

    async with async_playwright() as playwright:
        path, arguments = str(chromium.find()), CHROMIUM_ARGUMENTS
        browser = await playwright.chromium.launch(executable_path=path, args=arguments)
        arrived = await in_chromium(school, browser, kill, given.rounds)
        await browser.close()
    to.add("all have joined, s", arrived, MOST_ARRIVING)
    sent = sum(map(len, school.answers))
    to.add(f"of {sent} answers, not counted once", school.miscounted(), 0)
    to.add("a change on a phone by HTTP beside Chromium, median, s", median(school.lags))
    to.add("a change on a phone by HTTP beside Chromium, last, s", max(school.lags))
    to.add(f"a change painted in {school.pages} pages at once, median, s", median(school.painted))
    to.add(f"a change painted in {school.pages} pages at once, p95, s", p95(school.painted))
    to.add("a change painted in one page, median, s", median(school.painted_alone))
    to.add("a change painted in one page, last, s", max(school.painted_alone), MOST_LAG)
    if is_killed:
        again = school.connections - before
        to.add("connections that phones made again after the kill", again)
        to.add("answers that the kill broke, sent again", school.retries)
        if not again:
            to.missed.append("the process that was killed had no phones")
    school.lags.clear()
    playing, silent = await timed(school, server, given.turns)
    to.add("a step beside a silent class, p95, ms", 1e3 * p95(silent))
    to.add(f"a step beside {school.phones} phones, p95, ms", 1e3 * p95(playing))
    to.add("p95 beside phones / silent", p95(playing) / p95(silent), MOST_RATIO)
    to.add("the same at the median", median(playing) / median(silent))
    to.add("processor of the server that the class takes, %", 100 * school.cpu)
    to.add("a change on a phone by HTTP then, last, s", max(school.lags), MOST_LAG)
    to.add("answers then not counted once", school.miscounted(), 0)


def measure(kind: str, given: argparse.Namespace, to: Report) -> None:
    """A server of one of the kinds."""
    number, is_killed = KINDS[kind], kind == "killed"
    to.name = f"{number}, one killed" if is_killed else str(number)
    problem, policy = problems.multimodal(), GPUCBPE(batch_size=4)
    replay = Replay(simulate(problem, policy, batches=2, initial=3, seed=1))
    index = next(i for i, event in enumerate(replay.events) if event.kind is Kind.PICK)
    moments = ask_moment(replay, index - 1, Layers()), reveal_moment(replay, index, Layers())
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = folder
        options = ("--num-procs", str(number), "--class")
        with served("-m", "ucbpe_app.cli", "app", "--port", options=options) as (url, server):
            (file,) = Path(folder).glob("ucbpe-class-*.sqlite")
            rooms = Rooms(file)
            code = rooms.open(time.time())[0].code
            school = School(url, rooms, code, replay, given.phones, given.pages, moments)
            asyncio.run(a_class(school, server, to, given, is_killed=is_killed))
            rooms.close()


def main() -> int:
    """Print and keep the table, or only print one of another class; 1 if a goal was missed."""
    if sys.argv[1:2] == [_TEACHER]:
        asyncio.run(teach(sys.argv[2]))
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)}; or all")
    sizes = {"phones": PHONES, "pages": PAGES, "rounds": ROUNDS, "turns": TURNS}
    for name, size in sizes.items():
        parser.add_argument(f"--{name}", type=int, default=size, help="default: %(default)s")
    given = parser.parse_args()
    report = Report(given.phones, given.kinds)
    for kind in given.kinds or KINDS:
        measure(kind, given, report)
    if all(getattr(given, name) == size for name, size in sizes.items()):
        report.table.keep(missed=len(report.missed))
    print(*report.missed, sep="\n")
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
