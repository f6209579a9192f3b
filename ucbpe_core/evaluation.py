"""Values of a user's function at many points, here or in other processes."""

from __future__ import annotations

import ast
import inspect
import multiprocessing
import pickle
import sys
from concurrent import futures
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.validation import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ucbpe_core.validation import Floats

    Map = Callable[..., Iterable[float]]

# Names of which a condition holds in the script itself, and not where it is imported.
_TELLING = {"__name__", "parent_process", "current_process"}
_IN_THREADS = "define it in a module, or pass workers=pool.map of a ThreadPoolExecutor"


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
            if isinstance(error, StopIteration):  # which ends what it is passed through in silence
                raise RuntimeError(f"fun raised {error!r}") from error
            raise


@dataclass(frozen=True)
class _Raised:
    """What fun raised, in place of a value."""

    error: BaseException


class _Caught:
    """A call whose error is its value: an iterator over values would end with the first."""

    def __init__(self, call: Call) -> None:
        self.call = call

    def __call__(self, x: Floats) -> Any:
        try:
            return self.call(x)
        except Exception as error:  # noqa: BLE001 - of the user's
            return _Raised(error)


class Arrived(NamedTuple):
    """Points that were evaluated, their n values, and what kept others from having one, if any.

    Values that are infinite or NaN are NaN.
    """

    points: list[Floats]
    values: list[float]
    error: BaseException | None = None

    @classmethod
    def of(cls, found: Iterable[tuple[Floats, Any]], error: BaseException | None = None) -> Arrived:
        """Points, and what was returned or raised there; `error` comes after these."""
        points: list[Floats] = []
        values, errors = list[float](), list[BaseException]()
        for x, outcome in found:
            if isinstance(outcome, _Raised):
                errors.append(outcome.error)
                continue
            try:
                values.append(_number(outcome))
                points.append(x)
            except InputError as wrong:
                errors.append(wrong)
        return cls(points, values, errors[0] if errors else error)


class Together:
    """Evaluations that wait for each other, by a function like `map`."""

    def __init__(self, call: Call, workers: Map) -> None:
        # In this process an error ends the batch. Where its other points are evaluated at the same
        # time, their values are kept.
        self._call, self._workers = call if workers is map else _Caught(call), workers
        self._points: list[Floats] = []

    def __len__(self) -> int:
        return len(self._points)

    def start(self, points: Floats) -> None:
        """Evaluate at points (n, d)."""
        self._points = list(points)

    def arrived(self) -> Arrived:
        """All of them, or those before an error."""
        points, self._points = self._points, []
        outcomes = list[Any]()
        try:
            for outcome in self._workers(self._call, points):
                outcomes.append(outcome)
        except BaseException as error:  # noqa: BLE001 - the values before it are kept
            return Arrived.of(zip(points, outcomes, strict=False), error)
        if len(outcomes) != len(points):
            got, remedy = f"{len(outcomes)} for {len(points)} points", "pass a function like map"
            return Arrived([], [], InputError("one value for each point from workers", got, remedy))
        return Arrived.of(zip(points, outcomes, strict=True))

    def ended(self, *, wait: bool) -> Arrived:
        """Nothing is running between batches."""
        return Arrived([], [])


class Submitted:
    """Evaluations by an executor, that wait for each other or come in any order."""

    def __init__(self, call: Call, executor: Executor, *, together: bool) -> None:
        self._call, self._executor = call, executor
        self._until = futures.FIRST_EXCEPTION if together else futures.FIRST_COMPLETED
        self._running: dict[Future[float], Floats] = {}

    def __len__(self) -> int:
        return len(self._running)

    def start(self, points: Floats) -> None:
        """Evaluate at points (n, d), too."""
        for x in points:
            self._running[self._executor.submit(self._call, x)] = x

    def arrived(self) -> Arrived:
        """Those that are ready, once one is or all are, in the order in which they were started."""
        futures.wait(self._running, return_when=self._until)
        return self._ready()

    def ended(self, *, wait: bool) -> Arrived:
        """Start no more: what is ready, or what had begun, once it is."""
        self._running = {one: x for one, x in self._running.items() if not one.cancel()}
        if wait:
            futures.wait(self._running)
        return self._ready()

    def _ready(self) -> Arrived:
        done = [one for one in self._running if one.done()]
        return Arrived.of([(self._running.pop(one), _outcome(one)) for one in done])


def _outcome(future: Future[float]) -> Any:
    """What was returned or raised."""
    try:
        return future.result()
    except BaseException as error:  # noqa: BLE001 - Ctrl-C reaches all processes of a terminal
        return _Raised(error)


@contextmanager
def evaluating(
    workers: int | Map | Executor, call: Call, *, together: bool = True
) -> Iterator[Together | Submitted]:
    """Evaluations by `workers`: a function like `map`, an executor, or so many new processes, -1
    for one for each core, which end with the context. 1 stands for this process.

    Raises
    ------
    InputError
        For another number or object, a function like `map` if they do not wait for each other, a
        function that cannot be sent to another process, or a script whose processes would start
        more (`check_main_guard`).
    """
    if isinstance(workers, Executor):
        yield Submitted(call, workers, together=together)
        return
    if callable(workers) and together:
        yield Together(call, workers)
        return
    if callable(workers) or isinstance(workers, bool | float | str):
        remedy = "pass 4, or an executor" + ", or its pool.map" * together
        raise InputError("workers as a whole number or an executor", repr(workers), remedy)
    number = multiprocessing.cpu_count() if workers == -1 else count(workers, "workers")
    if number == 1:
        with ThreadPoolExecutor(1) as pool:
            yield Together(call, map) if together else Submitted(call, pool, together=False)
        return
    try:
        pickle.dumps(call)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        wanted = "a function that other processes can load"
        raise InputError(wanted, str(error), _IN_THREADS) from None
    if multiprocessing.get_start_method() != "fork":
        check_main_guard()
    with ProcessPoolExecutor(number) as pool:
        yield Submitted(call, pool, together=together)


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


def check_main_guard() -> None:
    """Refuse a call from the top level of a script that new processes would make again.

    Processes that are not forked import the script that started them. Without
    ``if __name__ == "__main__":`` each would start processes of its own, which multiprocessing
    stops, with a traceback for each.

    Raises
    ------
    InputError
        If the line of the script that led here has no such condition around it, or before it.
    """
    main = sys.modules.get("__main__")
    path, line = getattr(main, "__file__", None), None
    for caller in inspect.stack(context=0):
        if caller.function == "<module>" and caller.frame.f_globals is vars(main):
            line = caller.lineno
    if path is None or line is None:  # a notebook, or a call by another module or thread
        return
    try:
        tree = ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError, ValueError):  # a zip archive, for one
        return
    conditions = [node for node in ast.walk(tree) if isinstance(node, ast.If)]
    if not any(node.lineno <= line and _names(node.test) & _TELLING for node in conditions):
        raise InputError(
            'a script that starts workers below if __name__ == "__main__":',
            f"line {line} of {Path(path).name} without it",
            "add that line, as each worker imports the script first; or start none",
        )


def _names(condition: ast.expr) -> set[str]:
    return {getattr(part, "id", getattr(part, "attr", "")) for part in ast.walk(condition)}
