"""One computation on its way, which can be cancelled, and what several ask for at the same time."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import UCBPEError
from ucbpe_core.support.limits import checkpoint

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Hashable


class Superseded(Exception):  # noqa: N818 - it is news, not an error
    """Raised inside a run that nobody waits for any more."""


class Job:
    """One computation on its way: `share` done (0 to 1), and `stop` to give it up."""

    def __init__(self) -> None:
        self.share = 0.0
        self._stopped = threading.Event()

    @property
    def stopped(self) -> bool:
        """Whether nobody waits for it any more."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """Give it up: its next `check` raises `Superseded`."""
        self._stopped.set()

    def progress(self, done: int, total: int) -> None:
        """For `simulate(progress=...)`: take note, and leave if asked to stop."""
        self.share = done / total
        self.check()
        checkpoint()

    def check(self) -> None:
        """Leave if asked to stop."""
        if self._stopped.is_set():
            raise Superseded


_TICK = 0.1  # s


class InFlight:
    """Computations under way by what they are of; used on one event loop."""

    def __init__(self) -> None:
        self._under_way: dict[Hashable, tuple[asyncio.Future[Any], Job]] = {}

    async def join(
        self,
        key: Hashable,
        job: Job,
        compute: Callable[[], Awaitable[Any]],
    ) -> Any:
        """What `compute` gives, or what another's computation of the same key under way gives.

        If that one is given up, as its visitor has left, this one computes. `job` is notified how
        far it is, and can be stopped.

        Raises
        ------
        Superseded
            If `job` was stopped meanwhile.
        UCBPEError
            What the computation raised, whoever's it was.
        """
        while key in self._under_way:
            other, its_job = self._under_way[key]
            while not other.done():
                await asyncio.wait([other], timeout=_TICK)
                job.share = its_job.share
                if job.stopped:
                    raise Superseded
            if not other.cancelled():
                return other.result()
        flight = asyncio.get_running_loop().create_future()
        self._under_way[key] = flight, job
        try:
            result = await compute()
        except UCBPEError as error:
            flight.set_exception(error)
            flight.exception()  # seen: there may be nobody else who waits
            raise
        else:
            flight.set_result(result)
            return result
        finally:
            flight.cancel()  # unless it is done
            del self._under_way[key]
