"""Kernels, policies, schedules and problems of somebody else's: found by name, and checked."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from tests.documents import blocks
from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    GaussianProcess,
    InputError,
    Policy,
    Trace,
    problems,
    register,
    simulate,
    use_plugin,
)
from ucbpe_core.gp.kernels import KERNELS
from ucbpe_core.policies import POLICIES, Pick
from ucbpe_core.policies.schedules import SCHEDULES
from ucbpe_core.problems import PROBLEMS

# The file of docs/extend.md, which registers what it defines, and the same without that.
REGISTERED = "\n".join(blocks("extend.md"))
CODE = re.sub(r"@register\(.*\)\n", "", REGISTERED)
ENTRY_POINTS = tomllib.loads(*blocks("extend.md", "toml"))["project"]["entry-points"]


def install(folder: Path, module: str, points: dict[str, dict[str, str]], code: str) -> None:
    """As pip leaves a distribution: its module, and what its metadata declare."""
    (folder / f"{module}.py").write_text(code, encoding="utf-8")
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    lines = [
        line
        for group, declared in points.items()
        for line in (f"[{group}]", *(f"{name} = {where}" for name, where in declared.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")


def test_an_installed_distribution(folder: Path) -> None:
    """Nobody loads it: its entry points are enough for a run, which is saved and read back."""
    install(folder, "mine", ENTRY_POINTS, CODE)
    names = kernel, policy, problem, schedule = [*itertools.chain(*ENTRY_POINTS.values())]
    for registry, name in zip((KERNELS, POLICIES, PROBLEMS, SCHEDULES), names, strict=True):
        assert name in list(registry)
    assert "mine" not in sys.modules  # until it is needed
    gp = GaussianProcess(RBF(0.5) + KERNELS.find(kernel)(lengthscale=0.4), 0.01)
    branin, greedy = PROBLEMS.find(problem)(resolution=5), POLICIES.find(policy)(batch_size=2)
    trace = simulate(branin, greedy, gp, SCHEDULES.find(schedule)(), batches=3, initial=2)
    assert trace.decisions[2].beta > trace.decisions[0].beta > 1
    trace.save(folder / "run.json")
    again = Trace.load(folder / "run.json")
    assert (again.digest, again.gp) == (trace.digest, gp)
    assert (again.policy, again.beta) == (trace.policy, trace.beta)
    text = (folder / "run.json").read_text(encoding="utf-8")
    assert all(f'"{name}"' in text for name in (kernel, policy, schedule))


def test_a_file_beside_the_script(folder: Path) -> None:
    """It is on the search path under its own name, and perhaps imported already."""
    (folder / "mine_beside.py").write_text(CODE, encoding="utf-8")
    use_plugin(str(folder / "mine_beside.py"))
    (folder / "mine_imported.py").write_text(CODE, encoding="utf-8")
    module = import_module("mine_imported")
    use_plugin(str(folder / "mine_imported.py"))
    assert KERNELS.find("mine_imported:WavePacket") is module.WavePacket


def test_a_saved_run_imports_nothing_that_it_names(folder: Path) -> None:
    """Read where the plugin is not loaded, it is refused."""
    (folder / "mine_once.py").write_text(CODE, encoding="utf-8")
    use_plugin("mine_once")
    gp = GaussianProcess(KERNELS.find("mine_once:WavePacket")(), 0.1)
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
    (place / "half_way.py").write_text(REGISTERED + "1 / 0", encoding="utf-8")
    with pytest.raises(InputError, match="importable; got ZeroDivisionError"):
        use_plugin(str(place / "half_way.py"))
    assert "Wave packet" not in KERNELS
    assert "Branin" not in PROBLEMS


def test_a_broken_distribution_harms_nobody_else(folder: Path) -> None:
    """Until it is asked for; then the message says whose fault it is."""
    install(folder, "broken_d", {"ucbpe.kernels": {"narrow": "broken_d:Narrow"}}, "1 / 0")
    assert KERNELS.find("rbf") is RBF
    assert KERNELS.name_of(RBF, "kernel") == "rbf"
    with pytest.raises(InputError, match=r"entry point 'narrow' of ucbpe.kernels.*ZeroDivision"):
        KERNELS.find("narrow")


def test_what_is_of_another_kind_or_unknown_is_refused() -> None:
    with pytest.raises(InputError, match="x to be a Kernel class"):
        KERNELS.register("x", GPUCBPE)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="x to be a function"):
        PROBLEMS.register("x", 3)  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        KERNELS["x"]
    with pytest.raises(InputError, match=r"a kernel among rbf, .*got 'x'; name one"):
        KERNELS.find("x")


GP = GaussianProcess(RBF(0.3), 0.01)
GOOD = tuple(Pick(j, "a", 0.5, float("nan")) for j in (2, 5, 7))


@dataclass(frozen=True)
class Given(Policy):
    """Returns what it is told to."""

    name = "Given"
    rules = MappingProxyType({"a": "as told"})
    repeats = False
    batch_size: int = 3
    returned: Any = GOOD

    def picks(self, context: Any) -> Any:
        return self.returned


def but(**changes: Any) -> tuple[Pick, ...]:
    return (*GOOD[:2], replace(GOOD[2], **changes))


WRONG: dict[str, tuple[Any, str]] = {
    "too few": (GOOD[:2], "3 picks from Given.picks, its batch_size; got 2"),
    "nothing": (None, "a tuple of picks from Given.picks; got NoneType"),
    "an index alone": ((*GOOD[:2], 7), "pick 2 of Given.picks to be a Pick; got int"),
    "another role": (but(role="b"), "pick 2 .* role among a; got 'b'"),
    "half": (but(index=1.5), r"from 0 to 8; got 1\.5"),
    "a negative std": (but(std=-0.1), "the std of pick 2 .* of at least 0"),
    "twice": (but(index=5), "no candidate twice .* repeats = False; got candidate 5 twice"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_return_is_refused_and_nothing_changes(case: str) -> None:
    returned, message = WRONG[case]
    bandit = Bandit(np.linspace(0, 1, 9), GP, Given(returned=returned))
    with pytest.raises(InputError, match=message):
        bandit.ask()
    assert (bandit.t, bandit.pending) == (1, ())
    table = problems.from_table(np.linspace(0, 1, 9), np.arange(9.0))
    with pytest.raises(InputError, match=message):
        simulate(table, Given(returned=returned), GP, batches=1, initial=1)


def test_a_right_one_is_taken() -> None:
    for returned in (GOOD, list(GOOD), but(index=np.int64(3))):
        bandit = Bandit(np.linspace(0, 1, 9), GP, Given(returned=returned))
        assert bandit.ask().indices.tolist() == [pick.index for pick in returned]


class Undeclared(Given):
    """With a constructor of its own."""

    def __init__(self, strength: float = 1.0) -> None:
        object.__setattr__(self, "strength", strength)


def with_default(base: type, **options: Any) -> type:
    """A dataclass with one more field."""
    return dataclass(frozen=True)(
        type("Made", (base,), {"__annotations__": {"extra": Any}, "extra": field(**options)})
    )


UNSAVED: dict[str, tuple[Callable[[], Any], str]] = {
    "own constructor": (lambda: Undeclared, "a parameter strength that is none; declare it"),
    "an array": (
        lambda: with_default(RBF, default_factory=lambda: np.zeros(2)),
        "a default of Made.extra that a file can hold; got ndarray",
    ),
    "a policy of a policy's base": (
        lambda: with_default(RBF, default=Given()),
        "a default of Made.extra",
    ),
}


@pytest.mark.parametrize("case", UNSAVED)
@pytest.mark.usefixtures("registries")
def test_what_cannot_be_saved_is_not_registered(case: str) -> None:
    make, message = UNSAVED[case]
    kind = make()
    with pytest.raises(InputError, match=message):
        register("mine", kind)
    assert "mine" not in KERNELS
    assert "mine" not in POLICIES


@pytest.mark.usefixtures("registries")
def test_what_can_be_saved_is() -> None:
    for default in (1, 0.5, "a", None, True, (1.0, 2.0), [], RBF(0.5)):
        how = "default_factory" if isinstance(default, list) else "default"
        kind = with_default(RBF, **{how: list if how == "default_factory" else default})
        register(f"mine {default}", kind)
        assert KERNELS[f"mine {default}"] is kind
    for name in ("", 3, None):
        with pytest.raises(InputError, match="the name of a kernel"):
            register(name, RBF)  # type: ignore[call-overload]
