"""The options of plugins are settings after the choice of their owner, each with its control."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import param
import pytest

from ucbpe_app.run import setting as options
from ucbpe_app.run.setting import setting, settings_of, with_options


@dataclass(frozen=True)
class Own:
    """A policy of somebody else's."""

    batch_size: int = 3
    greedy: bool = True
    share: float = field(default=0.2, metadata={"label": "ε", "bounds": (0, 1)})
    kind: str = field(default="b", metadata={"choices": ("a", "b")})
    other: object = None


@pytest.fixture
def spec(monkeypatch: pytest.MonkeyPatch) -> type[Any]:
    owners = {"Mine": Own, "a1": Own, "2-step": Own}
    monkeypatch.setattr(options, "_OWNERS", {"policy": owners})

    class Spec:
        policy: str = setting(param.Selector(default="Mine", objects=list(owners)), "Policy")
        batch_size: int = setting(param.Integer(4), "Policy", part="policy")

    made: type[Any] = dataclass(frozen=True)(with_options(Spec))
    return made


def test_they_have_the_names_of_their_owners_as_an_address_has_them(spec: type[Any]) -> None:
    own = ("greedy", "share", "kind")
    owners = ("mine", "a1", "policy_2_step")
    expected = [f"{owner}_{name}" for owner in owners for name in own]
    assert [one.name for one in fields(spec)] == ["policy", *expected, "batch_size"]


def test_each_has_the_values_that_it_can_have(spec: type[Any]) -> None:
    found = settings_of(spec)
    switch, share, kind = (found[f"mine_{name}"].parameter for name in ("greedy", "share", "kind"))
    assert isinstance(switch, param.Selector)
    assert switch.names == {"No": False, "Yes": True}
    assert isinstance(share, param.Number)
    assert (share.label, share.bounds, share.default) == ("ε", (0, 1), 0.2)
    assert isinstance(kind, param.Selector)
    assert (kind.objects, kind.default) == (["a", "b"], "b")
    assert found["a1_share"].shown_for == ("policy", ("a1",))
