"""What many ask for at the same time is computed once."""

from __future__ import annotations

import asyncio
import threading

from tests.app.waiting import run
from ucbpe_app.tasks.job import Job
from ucbpe_app.tasks.worker import Worker
from ucbpe_core.errors import InputError

PATIENCE = 60  # s


class Counted:
    """A computation that waits to be let go, and counts how often it has begun."""

    def __init__(self) -> None:
        self.begun, self.go_on = 0, threading.Event()

    def __call__(self, job: Job) -> str:
        self.begun += 1
        while not self.go_on.wait(0.01):
            job.check()
        return "run"


async def asked(state: Worker, compute: Counted, key: str = "key") -> str | None:
    with state.latest(Job()) as job:
        result: str = await state.work(compute, job, job=job, key=key)
        return result
    return None


async def begun(compute: Counted, count: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while compute.begun < count:
            await asyncio.sleep(0.01)


def test_a_class_that_opens_one_link_has_its_run_computed_once() -> None:
    compute, class_ = Counted(), [Worker() for _ in range(30)]

    async def all_of_them() -> list[str | None]:
        asking = [asyncio.create_task(asked(one, compute)) for one in class_]
        await begun(compute, 1)
        compute.go_on.set()
        return await asyncio.gather(*asking)

    assert run(all_of_them()) == ["run"] * 30
    assert compute.begun == 1


def test_who_waits_for_another_can_ask_for_something_else() -> None:
    compute, first, other = Counted(), Worker(), Worker()

    async def story() -> list[str | None]:
        leading = asyncio.create_task(asked(first, compute))
        await begun(compute, 1)
        waiting = asyncio.create_task(asked(other, compute))
        await asyncio.sleep(0)
        other.give_up()
        assert await waiting is None
        compute.go_on.set()
        return [await leading]

    assert run(story()) == ["run"]
    assert compute.begun == 1


def test_an_error_reaches_all_who_asked() -> None:
    states, go_on = [Worker() for _ in range(3)], threading.Event()

    def wrong(_: Job) -> None:
        assert go_on.wait(PATIENCE)
        raise InputError("right", "wrong", "fix it")

    async def one(state: Worker) -> None:
        with state.latest(Job()) as job:
            await state.work(wrong, job, job=job, key="wrong")

    async def story() -> list[BaseException | None]:
        asking = [asyncio.create_task(one(state)) for state in states]
        await asyncio.sleep(0.05)
        go_on.set()
        return await asyncio.gather(*asking, return_exceptions=True)

    errors = run(story())
    assert [type(error) for error in errors] == [InputError] * 3


def test_how_far_it_is_is_shown_to_all() -> None:
    compute, first, other = Counted(), Worker(), Worker()
    shares = list[float | None]()
    other.param.watch(lambda event: shares.append(event.new), "busy")

    async def lead(job: Job) -> str | None:
        with first.latest(job):
            result: str = await first.work(compute, job, job=job, key="key")
            return result
        return None

    async def story() -> None:
        job = Job()
        leading = asyncio.create_task(lead(job))
        await begun(compute, 1)
        job.share = 0.5
        waiting = asyncio.create_task(asked(other, compute))
        async with asyncio.timeout(PATIENCE):
            while 0.5 not in shares:
                await asyncio.sleep(0.01)
        compute.go_on.set()
        await asyncio.gather(leading, waiting)

    run(story())
    assert shares[-1] is None
