"""What a policy returns is checked when it decides, and what is registered can be saved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from ucbpe_core import (
    RBF,
    Bandit,
    GaussianProcess,
    InputError,
    Policy,
    problems,
    register,
    simulate,
)
from ucbpe_core.gp.kernels import KERNELS
from ucbpe_core.policies import POLICIES, Pick

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
