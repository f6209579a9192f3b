"""Kernels, policies, schedules and problems of somebody else's, on the pages."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from ucbpe_app.links import decode
from ucbpe_app.run.choices import _listed, made, read
from ucbpe_app.study.plan import decode_study
from ucbpe_core import RBF, FiniteBeta, InputError, Kernel, Matern
from ucbpe_core.gp.kernels import Sum
from ucbpe_core.support import plugins
from ucbpe_core.support.plugins import Registry


def test_a_link_to_a_plugin_that_is_not_there_opens_with_the_default() -> None:
    moment, errors = decode("problem=multimodal&kernel=narrow&policy=certain")
    assert (moment.settings.kernel, moment.settings.policy) == ("RBF", "GP-UCB-PE")
    said = {error.got: (error.expected, error.remedy) for error in errors}
    expected, remedy = said["kernel=narrow"]
    assert expected.startswith("Kernel to be one of RBF, Matérn")
    needs = "one of a plugin needs a server that was started with --plugin"
    assert remedy == f"the link opens with kernel=rbf; {needs}"
    assert said["policy=certain"][1] == f"the link opens with policy=gp-ucb-pe; {needs}"
    _, errors = decode_study("page=study&policies=gp-ucb-pe&problem=slope")
    assert errors[0].remedy.endswith(needs)


def test_only_what_can_be_made_without_arguments_is_listed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    registry: Registry[type[Kernel]] = Registry("kernel", "nobody.has.this", Kernel)
    plugins._registries.remove(registry)
    registry.register("mine", RBF)
    registry.register("pair", Sum)
    registry.register("MINE", Matern)
    broken = EntryPoint("broken", "no_such_module:Kernel", "nobody.has.this")
    monkeypatch.setattr(plugins, "_entry_points", lambda group, path: (broken,))
    assert _listed(registry, {"mine": "Mine"}) == {"Mine": RBF}
    assert "MINE is not listed: another has that name" in caplog.text
    assert "broken is not listed: " in caplog.text
    assert "No module named 'no_such_module'" in caplog.text


def test_what_a_constructor_refuses_is_an_error_with_a_remedy() -> None:
    def fussy(scale: float = 1.0, other: int = 3) -> float:
        return other / (scale - 2)

    assert made(fussy, {"scale": 5.0, "delta": 0.1}, ("delta", "scale")) == 1
    with pytest.raises(InputError, match=r"fussy\(scale=2.0\) to be possible; got ZeroDivision"):
        made(fussy, {"scale": 2.0}, ("scale",))


def test_what_the_settings_cannot_say_is_refused() -> None:
    assert read(FiniteBeta(0.2, 0.5), ("delta", "beta", "scale")) == {"delta": 0.2, "scale": 0.5}
    with pytest.raises(InputError, match="what the settings can say"):
        read(FiniteBeta(0.2, 0.5), ("delta",))
    with pytest.raises(InputError, match="what the settings can say"):
        read(RBF((0.2, 0.5)), ("lengthscale", "variance"))
