"""Values of a user's function at many points, here or in other processes."""

from __future__ import annotations

import ast
import inspect
import multiprocessing
import pickle
import sys
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
        if self.settings is not None:
            return self.fun(self.settings(x[None])[0], *self.args)
        return self.fun(np.array(x), *self.args)


class Together:
    """Evaluations that wait for each other, by a function like `map`."""

    def __init__(self, call: Call, workers: Map) -> None:
        self._call, self._workers = call, workers
        self._points: list[Floats] = []

    def __len__(self) -> int:
        return len(self._points)

    def start(self, points: Floats) -> None:
        """Evaluate at points (n, d)."""
        self._points = list(points)

    def arrived(self) -> tuple[Floats, Floats]:
        """All of them: points (n, d) and values (n,)."""
        points, self._points = self._points, []
        return np.array(points), _values(self._workers(self._call, points), len(points))


class OneByOne:
    """Evaluations whose results come in any order, by an executor."""

    def __init__(self, call: Call, executor: Executor) -> None:
        self._call, self._executor = call, executor
        self._running: dict[Future[float], Floats] = {}

    def __len__(self) -> int:
        return len(self._running)

    def start(self, points: Floats) -> None:
        """Evaluate at points (n, d), too."""
        self._running |= {self._executor.submit(self._call, x): x for x in points}

    def arrived(self) -> tuple[Floats, Floats]:
        """Those that are ready, once one is, in the order in which they were started."""
        ready, _ = wait(self._running, return_when=FIRST_COMPLETED)
        done = [one for one in self._running if one in ready]
        points = np.array([self._running.pop(one) for one in done])
        return points, _values((one.result() for one in done), len(done))


@contextmanager
def evaluating(
    workers: int | Map | Executor, call: Call, *, together: bool = True
) -> Iterator[Together | OneByOne]:
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
        yield Together(call, workers.map) if together else OneByOne(call, workers)
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
            yield Together(call, map) if together else OneByOne(call, pool)
        return
    try:
        pickle.dumps(call)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        wanted = "a function that other processes can load"
        raise InputError(wanted, str(error), _IN_THREADS) from None
    if multiprocessing.get_start_method() != "fork":
        check_main_guard()
    with ProcessPoolExecutor(number) as pool:
        yield Together(call, pool.map) if together else OneByOne(call, pool)


def _values(found: Iterable[Any], number: int) -> Floats:
    """The values (n,); NaN for those that are infinite or NaN.

    Raises
    ------
    InputError
        For anything but one real number at each point.
    """
    values = np.array([_number(value) for value in found])
    if len(values) != number:
        got = f"{len(values)} for {number} points"
        raise InputError("one value for each point from workers", got, "pass a function like map")
    values[~np.isfinite(values)] = np.nan
    return values


def _number(value: Any) -> float:
    """One real number, also an array of one; NaN and infinities pass."""
    try:
        array = np.asarray(value)
    except ValueError:  # a ragged list
        array = np.empty(0)
    if array.size != 1 or array.dtype.kind not in "biuf":
        raise InputError("fun to return one real number", f"{value!r:.60}", "return a float")
    return float(array.item())


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
