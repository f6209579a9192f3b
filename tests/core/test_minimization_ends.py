"""Whatever ends `minimize`, every value is in the result; and processes that are not forked."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from threading import Barrier, Event
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.core.reference import examples
from ucbpe_core import RBF, GaussianProcess, UCBPEError, minimize
from ucbpe_core.errors import IllConditionedError

SMALL: dict[str, Any] = {"batches": 2, "batch_size": 2, "initial": 4}
HOW = ["here", "here, one by one", "executor", "executor, one by one"]
SHAPES: dict[str, Callable[[float], float]] = {
    "constant": lambda x: 1.0,
    "rounding": lambda x: 0.3 if x < 0.5 else 0.1 + 0.2,
    "offset": lambda x: 1e10 + 1e-5 * (x - 0.3) ** 2,
    "outlier": lambda x: 1e300 if x > 0.8 else x,
    "least": lambda x: -1e300 if x > 0.8 else x,
    "infinite": lambda x: np.inf if x > 0.5 else x,
    "nan": lambda x: np.nan,
    "step": lambda x: float(x > 0.5),
    "slope": lambda x: x,
    "signs": lambda x: float(np.sign(x - 0.5)),
}


@pytest.mark.parametrize("shape", ["rounding", "offset"])
def test_first_values_that_are_equal_but_for_rounding_give_no_scale(shape: str) -> None:
    """As exactly equal ones: the search goes on with the prior that it has."""
    result = minimize(lambda x: SHAPES[shape](x[0]), [(0, 1)], **SMALL)
    assert (result.nfev, result.status, result.error) == (8, 0, None)
    equal = minimize(lambda x: 1.0, [(0, 1)], **SMALL)
    np.testing.assert_allclose(result.X, equal.X, atol=1e-9)


@pytest.mark.filterwarnings("ignore::ucbpe_core.PriorWarning")  # no prior fits values of 1e-300
@pytest.mark.filterwarnings("ignore::ucbpe_core.IllConditionedWarning")  # nor squares of 1e-155
@pytest.mark.filterwarnings("ignore::ucbpe_core.RepeatsWarning")
@examples(40)
@given(
    shape=st.sampled_from(sorted(SHAPES)),
    power=st.integers(-300, 300),
    noise=st.booleans(),
    fails=st.integers(2, 12),
    how=st.sampled_from(HOW),
)
@example("rounding", 0, False, 12, "here")
@example("outlier", 0, True, 12, "executor")
@example("signs", 300, True, 12, "here")
@example("slope", 150, True, 12, "executor, one by one")
@example("slope", -300, False, 6, "here, one by one")
@example("constant", -154, False, 12, "here")
def test_every_value_is_in_the_result(
    shape: str, power: int, noise: bool, fails: int, how: str
) -> None:
    """Of any size, and where call number `fails` raises an error; there are eight at most."""
    calls, returned = list[float](), list[tuple[float, float]]()

    def fun(x: np.ndarray) -> float:
        calls.append(x[0])
        if len(calls) == fails:
            raise ZeroDivisionError
        y = SHAPES[shape](float(x[0])) * 10.0**power
        returned.append((x[0], y if np.isfinite(y) else np.nan))
        return y

    with ThreadPoolExecutor(1) as pool, np.errstate(over="ignore"):
        here, together = how.startswith("here"), not how.endswith("one by one")
        options = {"workers": 1 if here else pool, "together": together}
        result = minimize(fun, [(0, 1)], **SMALL, **options, noise=noise)
    np.testing.assert_array_equal(np.column_stack([result.X[:, 0], result.y]), returned)
    values = dict(returned)
    np.testing.assert_equal(values[result.x[0]], result.fun)
    raised = len(returned) < len(calls)
    assert isinstance(result.error, ZeroDivisionError if raised else UCBPEError | None)
    assert result.success is (result.error is None and bool(np.isfinite(result.y).any()))
    if result.error is None:
        assert (result.nfev, result.nit) == (8, 2)
    else:
        assert result.status == 3
        assert type(result.error).__name__ in result.message


def never(x: np.ndarray) -> float:
    raise ZeroDivisionError(f"at {x[0]}")


@pytest.mark.parametrize("together", [True, False])
def test_an_error_before_any_value_is_raised(together: bool) -> None:
    """With where it was, in the point or setting that fun was called at."""
    with ThreadPoolExecutor(2) as pool:
        for workers in (pool, 1):
            with pytest.raises(ZeroDivisionError) as caught:
                minimize(never, [(0, 1)], workers=workers, together=together, x0=[0.25], initial=1)
            assert caught.value.__notes__ == ["fun was called at [0.25]"]
    with pytest.raises(ZeroDivisionError) as caught:
        minimize(lambda _: 1 / 0, {"heat": (0, 1)}, x0={"heat": 0.25})
    assert caught.value.__notes__ == ["fun was called at {'heat': 0.25}"]


@pytest.mark.parametrize("together", [True, False])
def test_what_runs_beside_an_error_is_kept(together: bool) -> None:
    """Three evaluations have begun when one raises an error; a fourth may begin or not."""
    begun, raised, returned = Barrier(3), Event(), list[float]()

    def fun(x: np.ndarray) -> float:
        if x[0] in (0.1, 0.2, 0.3):
            begun.wait(60)
        if x[0] == 0.1:
            raised.set()
            raise ZeroDivisionError
        raised.wait(60)
        returned.append(float(x[0]))
        return returned[-1]

    with ThreadPoolExecutor(3) as pool:
        start = [[0.1], [0.2], [0.3], [0.4]]
        result = minimize(fun, [(0, 1)], x0=start, initial=0, workers=pool, together=together)
    assert {0.2, 0.3} <= {*returned}
    assert sorted(result.y) == sorted(returned)
    assert result.y.tolist() == result.X[:, 0].tolist()
    assert (result.status, result.success, result.fun) == (3, False, 0.2)
    assert result.message.startswith("ended by ZeroDivisionError: ; fun was called at [0.1]; 0 bat")


def dies(x: np.ndarray) -> float:
    if x[0] not in (0.1, 0.2, 0.3):
        os._exit(1)
    return float(x[0])


@pytest.mark.parametrize("together", [True, False])
def test_a_process_that_dies_ends_the_search(together: bool) -> None:
    start = [[0.1], [0.2], [0.3]]
    result = minimize(dies, [(0, 1)], x0=start, initial=0, workers=2, together=together)
    assert sorted(result.y) == [0.1, 0.2, 0.3]
    assert isinstance(result.error, BrokenProcessPool)
    assert (result.status, result.fun, result.nit) == (3, 0.1, 0)


def test_ctrl_c_is_passed_on_with_the_result_so_far() -> None:
    calls = list[float]()

    def fun(x: np.ndarray) -> float:
        if len(calls) == 5:
            raise KeyboardInterrupt
        calls.append(float(x[0]))
        return calls[-1]

    with pytest.raises(KeyboardInterrupt) as caught:
        minimize(fun, [(0, 1)], **SMALL)
    result = caught.value.result  # type: ignore[attr-defined]
    assert result.y.tolist() == calls
    assert (result.nfev, result.success) == (5, True)
    assert caught.value.__notes__ == ["minimize: `result` of this exception has 5 evaluations"]


class Wrong(RBF):
    """No kernel: a correlation below -1."""

    def profile(self, r: np.ndarray) -> np.ndarray:
        return 1 - 2 * r


def test_a_covariance_that_cannot_be_factored_ends_the_search() -> None:
    result = minimize(lambda x: x[0], [(0, 5)], gp=GaussianProcess(Wrong(), 0.0), **SMALL)
    assert isinstance(result.error, IllConditionedError)
    assert (result.nfev, result.fun) == (4, result.y.min())


def test_values_of_no_scale_end_the_search_with_the_remedy() -> None:
    result = minimize(lambda x: 1e-300 * x[0], [(0, 1)], **SMALL)
    assert (result.nfev, result.status, result.fun) == (4, 3, result.y.min())
    assert "give y in another unit; 0 batches" in result.message


def test_values_above_1e150_steer_nothing_and_are_kept() -> None:
    result = minimize(lambda x: 1e300 if x[0] > 0.8 else x[0], [(0, 1)], **SMALL)
    assert (result.nfev, result.status) == (8, 0)
    assert result.y.max() == 1e300
    assert "values above 1e+150 were left out" in result.message
    assert result.gp.kernel.variance < 1


def test_an_error_in_the_callback_or_in_feasible_ends_the_search() -> None:
    def wrong(_: Any) -> None:
        raise ValueError("of the user's")

    result = minimize(lambda x: x[0], [(0, 1)], callback=wrong, **SMALL)
    assert (result.nfev, result.nit, result.status) == (6, 1, 3)
    assert result.message.startswith("ended by ValueError: of the user's; 1 batches")
    begun = list[float]()

    def fun(x: np.ndarray) -> float:
        begun.append(x[0])
        return begun[-1]

    def feasible(x: np.ndarray) -> bool:
        return True if not begun else bool(wrong(x))

    result = minimize(fun, [(0, 1)], feasible=feasible, **SMALL)
    assert (result.nfev, result.status, str(result.error)) == (4, 3, "of the user's")


def test_stop_iteration_in_fun_is_an_error() -> None:
    """Only that of the callback ends the search as asked."""

    def fun(x: np.ndarray) -> float:
        return next(iter([])) if x[0] > 0.8 else float(x[0])

    result = minimize(fun, [(0, 1)], **SMALL)
    assert result.nfev > 0
    assert result.status == 3
    assert result.message.startswith("ended by StopIteration")


ROOT = Path(__file__).parents[2]
MINIMIZE = """
import multiprocessing
from ucbpe_core import minimize
def squares(x):
    return float(x @ x)
multiprocessing.set_start_method("{method}")
result = minimize(squares, [(-1, 1)], batches=0, initial=4, workers=2)
print(result.nfev)
"""
STUDY = """
from ucbpe_core.study import execute, PolicyPlan, ProblemPlan, Store, Study
problems, policies = [ProblemPlan("C", "multimodal")], [PolicyPlan("P", "Random search")]
study = Study("S", problems, policies, replicates=1, batches=1, batch_size=1, initial=1)
with Store.create_or_open("study.db", study) as store:
    execute(study, store, workers=1)
"""


def run(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    (folder / "script.py").write_text(script, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "script.py"],
        cwd=folder, env={"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def guarded(script: str) -> str:
    """Imports and definitions first, and what follows in the usual block."""
    lines = script.strip().splitlines()
    top = [one for one in lines if one.startswith(("import", "from", "def", " "))]
    rest = [f"    {one}" for one in lines if one not in top]
    return "\n".join([*top, 'if __name__ == "__main__":', *rest])


def test_a_study_in_a_script_without_the_guard_says_what_is_missing(tmp_path: Path) -> None:
    """Beside what multiprocessing itself says in each process that it started."""
    done = run(tmp_path, STUDY)
    assert done.returncode == 1
    assert "WorkersError" in done.stderr
    assert 'that a script starts them below if __name__ == "__main__":' in done.stderr


def test_processes_that_are_not_forked_run_a_function(tmp_path: Path) -> None:
    """3.14 starts them by forkserver where it forked before."""
    done = run(tmp_path, guarded(MINIMIZE.format(method="forkserver")))
    assert (done.returncode, done.stdout, done.stderr) == (0, "4\n", "")
