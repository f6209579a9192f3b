"""Functions of a visitor's own, tables, as problems that links can name.

A link carries no data: it has a name, which is the digest of the function. The visitor's browser
keeps the function itself as a text, and a server keeps those used lately in memory.
"""

from __future__ import annotations

import base64
import json
import re
import reprlib
import threading
from collections import OrderedDict
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import numpy as np

from ucbpe_app.run.choices import PROBLEM_NAMES
from ucbpe_core import GaussianProcess
from ucbpe_core.errors import InputError, grouped
from ucbpe_core.gp.kernels.stationary import Stationary
from ucbpe_core.problems import Problem, from_table
from ucbpe_core.support.validation import count, non_negative

if TYPE_CHECKING:
    from ucbpe_core.support.validation import Floats

_NAME = re.compile(r"own-[0-9a-f]{32}")
MOST_BYTES = 6_000_000  # of a text: 20,000 rows of 20 inputs and a value take 4.5 MB
MOST_NUMBERS = 20_000_000  # that a run keeps for stepping back: 160 MB
# Of a server's memory; more functions than a class has open at a time.
_KEPT, _KEPT_BYTES = 200, 200_000_000


def is_own(name: object) -> bool:
    """Whether this is the name of a function of somebody's own."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def own_in(query: str) -> str:
    """The function of somebody's own that a link names, or ""."""
    named = (text for name, text in parse_qsl(query.removeprefix("?")) if name == "problem")
    return next(filter(is_own, named), "")


def packed(problem: Problem) -> str:
    """A problem as a text: all that a run depends on, numbers as their 64 bits."""
    kernel = problem.gp.kernel
    scales = kernel.lengthscale if isinstance(kernel, Stationary) else 1.0
    content = {
        "name": problem.name,
        "axes": problem.axes,
        "inputs": problem.candidates.shape[1],
        "candidates": _bits(problem.candidates),
        "values": _bits(problem.values),
        "lengthscales": _bits(np.broadcast_to(scales, problem.candidates.shape[1])),
        "noise_variance": problem.noise_variance,
        "direction": problem.direction,
        "grid": problem.grid,
    }
    return json.dumps(content)


def unpacked(text: str) -> Problem:
    """The problem of a text of `packed`, which may come from anybody.

    Raises
    ------
    InputError
        For anything else.
    """
    if len(text) > MOST_BYTES:
        raise InputError(f"at most {MOST_BYTES / 1e6:g} MB", "more", "leave out rows or columns")
    try:
        match json.loads(text):
            case {
                "name": str(name), "axes": [*axes], "inputs": int(d), "candidates": str(X),
                "values": str(y), "lengthscales": str(scales), "noise_variance": float(noise),
                "direction": "maximize" | "minimize" as direction, "grid": [*grid],
            } if all(isinstance(axis, str) for axis in axes):  # fmt: skip
                pass
            case other:
                raise _damaged(other)
        "".join((name, *axes)).encode()  # no halves of letters, which no page can show
        candidates = _numbers(X).reshape(-1, count(d, "inputs"))
        problem = from_table(
            candidates, _numbers(y), noise_variance=non_negative(noise, "noise_variance"),
            name=name, axes=tuple(axes),
        )  # fmt: skip
        default: Any = problem.gp.kernel
        kernel = replace(default, lengthscale=tuple(_numbers(scales).tolist()))
        gp = replace(problem.gp, kernel=kernel)
        kernel.gram(candidates[:1])  # refuses another number of lengthscales
        shape = tuple(count(length, "a length of the grid") for length in grid)
        return replace(problem, gp=gp, direction=direction, grid=shape)
    except (ValueError, RecursionError):  # of JSON, base64, or a shape
        raise _damaged(text) from None


def _bits(values: Floats) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f8").tobytes()).decode("ascii")


def _numbers(text: str) -> Floats:
    return np.frombuffer(base64.b64decode(text, validate=True), dtype="<f8").astype(float)


def _damaged(content: object) -> InputError:
    return InputError("a whole table", reprlib.repr(content), "load it again")


class OwnProblems:
    """The functions used most recently, by name, shared by all sessions of a process; thread-safe.

    At most `size` that hold at most `limit` bytes together, besides the last one.
    """

    def __init__(self, size: int = _KEPT, limit: int = _KEPT_BYTES) -> None:
        self._size, self._limit = size, limit
        self._problems: OrderedDict[str, Problem] = OrderedDict()
        self._lock = threading.Lock()

    def __contains__(self, name: str) -> bool:
        with self._lock:
            return name in self._problems

    def keep(self, text: str) -> str:
        """Keep the function of a text; return its name.

        Raises
        ------
        InputError
            For a text that is none of `packed`.
        """
        name, problem = f"own-{sha256(text.encode()).hexdigest()[:32]}", unpacked(text)
        with self._lock:
            self._problems.setdefault(name, problem)
            self._problems.move_to_end(name)
            held = sum(map(_nbytes, self._problems.values()))
            while len(self._problems) > max(1, self._size) or (
                held > self._limit and len(self._problems) > 1
            ):
                held -= _nbytes(self._problems.popitem(last=False)[1])
        return name

    def find(self, name: str) -> Problem:
        """The function of a name.

        Raises
        ------
        InputError
            If it is not there (any more).
        """
        with self._lock:
            if name in self._problems:
                self._problems.move_to_end(name)
                return self._problems[name]
        expected = "the table of this link, which is kept in the browser that made it"
        remedy = "load it again on the page Your problem, and open the other pages there"
        raise InputError(expected, "none of that name here", remedy)


def _nbytes(problem: Problem) -> int:
    return problem.candidates.nbytes + problem.values.nbytes


OWN = OwnProblems()


def label_of(name: str) -> str:
    """What the pages call a problem."""
    if not is_own(name):
        return PROBLEM_NAMES[name]
    return f"Yours: {OWN.find(name).name}" if name in OWN else "Your table"


def tied(gp: GaussianProcess) -> tuple[GaussianProcess, Floats]:
    """A prior with the geometric mean for the lengthscales of its inputs, and their ratios to it.

    The ratios have shape (d,), or (1,) where there is one lengthscale for all.
    """
    kernel = gp.kernel
    if not isinstance(kernel, Stationary) or not np.ndim(kernel.lengthscale):
        return gp, np.ones(1)
    scales = np.array(kernel.lengthscale)
    equal = np.ptp(scales) == 0
    middle = float(scales[0] if equal else np.exp(np.mean(np.log(scales))))
    isotropic: Any = replace(kernel, lengthscale=middle)
    return replace(gp, kernel=isotropic), scales / middle


def check_size(rows: int, picks: int, batches: int) -> None:
    """Refuse a run whose posteriors would not fit the memory of a server."""
    needed = rows * (picks + 5 * batches)  # a row for each pick, five arrays for each batch
    if needed > MOST_NUMBERS:
        raise InputError(
            f"at most {grouped(MOST_NUMBERS)} numbers kept for stepping back",
            f"{grouped(needed)}: {grouped(rows)} rows × ({picks} picks + 5 × {batches} batches)",
            "lower K or T, or take fewer rows",
        )
