"""Kernels, policies, schedules and problems of somebody else's, on the pages."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from tests.core.test_plugins import CODE, REGISTER
from tests.processes import printed
from ucbpe_app.links import decode
from ucbpe_app.pages.study.link import decode_study
from ucbpe_app.run.choices import _listed, made, read
from ucbpe_core import RBF, FiniteBeta, InputError, Kernel, Matern, plugins
from ucbpe_core.kernels import Sum
from ucbpe_core.plugins import Registry

# Run in a process of its own, whose pages list the plugin.
START = """
import sys
from ucbpe_core.plugins import use_plugin
use_plugin(sys.argv[1])
from ucbpe_app.run.prior import suggested
from ucbpe_app.run.settings import Settings
OWN = {"kernel": "narrow", "policy": "Certain", "schedule": "informed"}
settings = Settings()
settings.accept(**{**suggested("slope"), **OWN, "batches": 2, "batch_size": 3, "initial": 2})
spec = settings.spec()
"""
STEP = """
from ucbpe_app.links import Moment, decode, encode
from ucbpe_app.run.screen import SHOWN_FOR
from ucbpe_app.run.cache import load
from ucbpe_app.export.words import run_line
from ucbpe_app.pages.theory.state import gather
from ucbpe_core.kernels import KERNELS
from ucbpe_core.schedules import SCHEDULES

assert (settings.kernel, settings.schedule) == ("narrow", "informed")
moment, errors = decode(encode(Moment(spec)))
assert moment.settings == spec and errors == ()
replay = load(spec)
trace = replay.trace
assert trace.gp.kernel == KERNELS["narrow"](settings.lengthscale, settings.variance)
assert trace.beta == SCHEDULES["informed"](settings.scale)
assert trace.decisions[1].beta > trace.decisions[0].beta
assert all("narrow" in SHOWN_FOR[name][1] for name in ("lengthscale", "variance"))
assert "narrow" not in SHOWN_FOR["nu"][1] and "informed" not in SHOWN_FOR["delta"][1]
assert "slope" in SHOWN_FOR["problem_seed"][1]
assert "Narrow(" in run_line(replay)
assert "not judged here" in " ".join(gather(replay).band)
"""


@pytest.mark.slow
def test_a_plugin_is_listed_runs_and_is_in_links(tmp_path: Path) -> None:
    """On the Step page; the file of docs/extend.md is on every page, see test_extend.py."""
    path = tmp_path / "for_pages.py"
    path.write_text(CODE + REGISTER, encoding="utf-8")
    printed(START + STEP, str(path))


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
