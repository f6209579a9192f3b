"""Values of a user's function at many points, here or in other processes."""

from __future__ import annotations

import multiprocessing
import pickle
from concurrent import futures
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.support.validation import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ucbpe_core.support.validation import Floats

_IN_THREADS = "define it in a module, or pass workers=ThreadPoolExecutor(4)"


class Call:
    """fun with its further arguments; a class, so that it can be sent to another process.

    It hands out copies of the points: a function may change its x. With `settings`, which reads
    points (n, D), fun is called with what that makes of one.
    """

    def __init__(
        self,
        fun: Callable[..., float],
        args: tuple[Any, ...],
        settings: Callable[[Floats], list[dict[str, Any]]] | None = None,
    ) -> None:
        self.fun, self.args, self.settings = fun, args, settings

    def __call__(self, x: Floats) -> float:
        given = np.array(x) if self.settings is None else self.settings(x[None])[0]
        try:
            return _number(self.fun(given, *self.args))
        except Exception as error:
            where = x.tolist() if self.settings is None else self.settings(x[None])[0]
            error.add_note(f"fun was called at {where}")
            raise


class Arrived(NamedTuple):
    """Points that were evaluated, their n values, and the first error that others raised, if any.

    Values that are infinite or NaN are NaN.
    """

    points: list[Floats]
    values: list[float]
    error: BaseException | None = None


class Evaluations:
    """Evaluations by an executor, or in this process, each when it is waited for.

    They wait for each other if `together`; otherwise each is ready on its own.
    """

    def __init__(self, call: Call, executor: Executor | None, *, together: bool) -> None:
        self._call, self._executor, self._together = call, executor, together
        self._running: dict[Future[float], Floats] = {}

    def __len__(self) -> int:
        return len(self._running)

    def start(self, points: Floats) -> None:
        """Evaluate at points (n, d), too."""
        for x in points:
            if self._executor is None:
                self._running[Future()] = x
            else:
                self._running[self._executor.submit(self._call, x)] = x

    def arrived(self) -> Arrived:
        """The finished ones, once one is or all are, in the order in which they were started."""
        if self._executor is None:
            self._evaluate()
        else:
            until = futures.FIRST_EXCEPTION if self._together else futures.FIRST_COMPLETED
            futures.wait(self._running, return_when=until)
        return self._ready()

    def ended(self, *, wait: bool) -> Arrived:
        """Start no more: what is ready, or what had begun, once it is."""
        self._running = {one: x for one, x in self._running.items() if not one.cancel()}
        if wait:
            futures.wait(self._running)
        return self._ready()

    def _evaluate(self) -> None:
        """The next in this process, or all up to an error."""
        for future, x in self._running.items():
            try:
                future.set_result(self._call(x))
            except BaseException as error:  # noqa: BLE001 - the values before it are kept
                future.set_exception(error)
                return
            if not self._together:
                return

    def _ready(self) -> Arrived:
        points: list[Floats] = []
        values, errors = list[float](), list[BaseException]()
        for future in [one for one in self._running if one.done()]:
            x = self._running.pop(future)
            try:
                values.append(future.result())
                points.append(x)
            except BaseException as error:  # noqa: BLE001 - Ctrl-C reaches all processes of a terminal
                errors.append(error)
        return Arrived(points, values, errors[0] if errors else None)


@contextmanager
def evaluating(workers: int | Executor, call: Call, *, together: bool) -> Iterator[Evaluations]:
    """Evaluations by `workers`: an executor, or so many new processes, which end with the context.

    -1 stands for one for each core, and 1 for this process.

    Raises
    ------
    InputError
        For another number or object, or a function that cannot be sent to another process.
    """
    if isinstance(workers, Executor):
        yield Evaluations(call, workers, together=together)
        return
    if isinstance(workers, bool) or not isinstance(workers, int | np.integer):
        got, remedy = f"{workers!r:.60}", "pass 4, or ThreadPoolExecutor(4)"
        raise InputError("workers as a whole number or an executor", got, remedy)
    number = multiprocessing.cpu_count() if workers == -1 else count(workers, "workers")
    if number == 1:
        yield Evaluations(call, None, together=together)
        return
    try:
        pickle.dumps(call)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        wanted = "a function that other processes can load"
        raise InputError(wanted, str(error), _IN_THREADS) from None
    with ProcessPoolExecutor(number) as pool:
        yield Evaluations(call, pool, together=together)


def _number(value: Any) -> float:
    """One real number, also an array of one; NaN for NaN and infinities."""
    try:
        array = np.asarray(value)
    except ValueError:  # a ragged list
        array = np.empty(0)
    if array.size != 1 or array.dtype.kind not in "biuf":
        raise InputError("fun to return one real number", f"{value!r:.60}", "return a float")
    number = float(array.item())
    return number if np.isfinite(number) else np.nan
