"""Kernels, policies, schedules and problems of somebody else's, found by name."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from ucbpe_core import (
    GPUCBPE,
    RBF,
    GaussianProcess,
    InputError,
    Trace,
    problems,
    simulate,
    use_plugin,
)
from ucbpe_core.kernels import KERNELS
from ucbpe_core.policies import POLICIES
from ucbpe_core.problems import PROBLEMS, is_random
from ucbpe_core.schedules import SCHEDULES

CODE = '''
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ucbpe_core import BetaSchedule, RBF, problems
from ucbpe_core.policies import Policy
from ucbpe_core.policies.picking import pick_largest


@dataclass(frozen=True)
class Narrow(RBF):
    """An RBF of a third of the lengthscale."""

    def profile(self, r):
        return super().profile(3 * r)


@dataclass(frozen=True)
class Certain(Policy):
    """K times the greatest mean."""

    name = "Certain"
    rules = MappingProxyType({"mean": "argmax over X of the mean"})
    batch_size: int = 10

    def picks(self, context):
        belief, picks = context.posterior, []
        for _ in range(self.batch_size):
            picks.append(pick_largest(belief.mean, belief, "mean"))
            belief = belief.hallucinate([picks[-1].index])
        return tuple(picks)


@dataclass(frozen=True)
class Informed(BetaSchedule):
    """beta_t = 1 + gain."""

    scale: float = 1.0

    def unscaled(self, run):
        return 1 + run.gain


def slope(seed=0, size=20):
    x = np.linspace(0, 1, size)
    return problems.from_table(x, x * (1 + seed), name="slope")
'''
REGISTER = """
from ucbpe_core.kernels import KERNELS
from ucbpe_core.policies import POLICIES
from ucbpe_core.problems import PROBLEMS
from ucbpe_core.schedules import SCHEDULES

KERNELS.register("narrow", Narrow)
POLICIES.register("Certain", Certain)
SCHEDULES.register("informed", Informed)
PROBLEMS.register("slope", slope)
"""
ENTRY_POINTS = """
[ucbpe.kernels]
narrow = {module}:Narrow
[ucbpe.policies]
Certain = {module}:Certain
[ucbpe.schedules]
informed = {module}:Informed
[ucbpe.problems]
slope = {module}:slope
"""
NAMES = ("narrow", "Certain", "informed", "slope")


def install(folder: Path, module: str, points: str = ENTRY_POINTS, code: str = CODE) -> None:
    """As pip leaves a distribution: its module, and what its metadata declare."""
    (folder / f"{module}.py").write_text(code, encoding="utf-8")
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(points.format(module=module), encoding="utf-8")


def run_and_read_again(names: tuple[str, str, str, str], folder: Path) -> None:
    """A run with all four, saved and read back: the same picks, by the same names."""
    kernel, policy, schedule, problem = names
    gp = GaussianProcess(RBF(0.5) + KERNELS.find(kernel)(lengthscale=0.4), 0.01)
    trace = simulate(
        PROBLEMS.find(problem)(size=12),
        POLICIES.find(policy)(batch_size=2),
        gp,
        SCHEDULES.find(schedule)(),
        batches=3,
        initial=2,
    )
    assert trace.decisions[2].beta > trace.decisions[0].beta > 1
    trace.save(folder / "run.json")
    again = Trace.load(folder / "run.json")
    assert again.digest == trace.digest
    assert again.gp == gp
    assert (again.policy, again.beta) == (trace.policy, trace.beta)
    text = (folder / "run.json").read_text(encoding="utf-8")
    assert all(f'"{name}"' in text for name in names[:3])


def test_an_installed_distribution(folder: Path) -> None:
    """Nobody loads it: its entry points are enough."""
    install(folder, "somebody_s")
    for registry, name in zip((KERNELS, POLICIES, SCHEDULES, PROBLEMS), NAMES, strict=True):
        assert name in list(registry)
    assert "somebody_s" not in sys.modules  # until it is needed
    run_and_read_again(NAMES, folder)
    assert is_random("slope")


def test_a_file_beside_the_script(folder: Path) -> None:
    """It is on the search path under its own name, and perhaps imported already."""
    (folder / "mine_beside.py").write_text(CODE, encoding="utf-8")
    use_plugin(str(folder / "mine_beside.py"))
    (folder / "mine_imported.py").write_text(CODE, encoding="utf-8")
    module = import_module("mine_imported")
    use_plugin(str(folder / "mine_imported.py"))
    assert KERNELS.find("mine_imported:Narrow") is module.Narrow


def test_a_saved_run_imports_nothing_that_it_names(folder: Path) -> None:
    """Read where the plugin is not loaded, it is refused."""
    (folder / "mine_once.py").write_text(CODE, encoding="utf-8")
    use_plugin("mine_once")
    gp = GaussianProcess(KERNELS.find("mine_once:Narrow")(), 0.1)
    trace = simulate(problems.figure1(), GPUCBPE(2), gp, batches=1, initial=0)
    trace.save(folder / "run.json")
    code = f"from ucbpe_core import Trace; Trace.load({str(folder / 'run.json')!r})"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert "none named mine_once; name that module or file with --plugin" in done.stderr


def test_a_plugin_that_fails_registers_nothing(folder: Path) -> None:
    place = folder / "elsewhere"
    place.mkdir()
    (place / "half_way.py").write_text(CODE + REGISTER + "1 / 0", encoding="utf-8")
    with pytest.raises(InputError, match="importable; got ZeroDivisionError"):
        use_plugin(str(place / "half_way.py"))
    assert "narrow" not in KERNELS
    assert "slope" not in PROBLEMS


def test_a_broken_distribution_harms_nobody_else(folder: Path) -> None:
    """Until it is asked for; then the message says whose fault it is."""
    install(folder, "broken_d", "[ucbpe.kernels]\nnarrow = broken_d:Narrow\n", "1 / 0")
    assert KERNELS.find("rbf") is RBF
    assert KERNELS.name_of(RBF, "kernel") == "rbf"
    with pytest.raises(InputError, match=r"entry point 'narrow' of ucbpe.kernels.*ZeroDivision"):
        KERNELS.find("narrow")


def test_what_is_built_in_is_registered_alike() -> None:
    """By name; a name that is taken stays what it is, and the kind is checked."""
    KERNELS.register("rbf", RBF)
    with pytest.raises(InputError, match="a new name for a kernel; got 'rbf'"):
        KERNELS.register("rbf", KERNELS["matern"])
    assert KERNELS["rbf"] is RBF
    with pytest.raises(InputError, match="x to be a Kernel class"):
        KERNELS.register("x", GPUCBPE)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="x to be a function"):
        PROBLEMS.register("x", 3)  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        KERNELS["x"]
    with pytest.raises(InputError, match=r"a kernel among rbf, .*got 'x'; name one"):
        KERNELS.find("x")
