"""Too much is refused before it is taken, and what was there goes on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    GaussianProcess,
    problems,
    simulate,
)
from ucbpe_core.errors import TooLargeError

GP, PROBLEM = GaussianProcess(RBF(0.2), 0.01), problems.himmelblau()


@pytest.mark.parametrize(
    ("use", "what"),
    [
        (lambda: Bandit(range(10**12), GP, GPUCBPE(2)), "for candidates; got .*; pass fewer rows"),
        (lambda: simulate(PROBLEM, GPUCBPE(4), batches=10**11), "simulate fewer batches"),
    ],
)
def test_what_cannot_fit_is_refused_before_it_is_made(use: Callable[[], object], what: str) -> None:
    with pytest.raises(TooLargeError, match=what):
        use()


# In a process apart: what a library of BLAS allows is decided when it is loaded.
THREADS = """
from threadpoolctl import threadpool_info
from ucbpe_core import BoxBandit, GaussianProcess, InputError, RBF
from ucbpe_core.policies import GreedyUCB
from ucbpe_core.support.limits import LARGE, one_thread

def threads():
    return max(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")

class Counting(GreedyUCB):
    def role(self, k, batch):
        print("asked", threads())
        return super().role(k, batch)

print("before", threads())
box = BoxBandit([(0, 1)], GaussianProcess(RBF(0.2), 0.01), Counting(1), fit="never", samples=64)
box.ask()
print("after", threads())
try:
    with one_thread(10), one_thread(10):
        box.tell([9], [0.0])
except InputError:
    print("after an error", threads())
with one_thread(10), one_thread(LARGE):
    print("inside", threads())
with one_thread(LARGE):
    print("large", threads())
"""


def test_a_box_is_searched_with_one_thread_and_what_was_set_comes_back() -> None:
    """Also where one is inside another, and where one ends in an error."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", THREADS], env=environment, stdout=subprocess.PIPE, check=True
    )
    before, *said = done.stdout.decode().splitlines()
    many = before.split()[-1]  # 1 on a machine with one core
    assert said == [
        "asked 1", f"after {many}", f"after an error {many}", "inside 1", f"large {many}",
    ]  # fmt: skip
