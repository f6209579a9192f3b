"""The settings that give a prior: the one that a problem suggests, or one that was fitted."""

from __future__ import annotations

from dataclasses import fields
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ucbpe_app.run.choices import ALONE, JOINED, KERNELS
from ucbpe_app.run.own import tied
from ucbpe_app.run.settings import RunSpec, problem_of, settings_from
from ucbpe_core.errors import InputError
from ucbpe_core.gp.kernels import Product

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_core import GaussianProcess, Kernel
    from ucbpe_core.problems import Problem


def suggested(problem: str) -> dict[str, Any]:
    """Settings of a problem with the prior that it suggests.

    For one lengthscale per input, the settings have the geometric mean. The first call makes
    the problem, which may take a moment, or a download.

    Raises
    ------
    UCBPEError
        If the problem's data cannot be loaded.
    """
    return {"problem": problem, **_suggested(problem_of(RunSpec(problem=problem)))}


@lru_cache(maxsize=16)
def _suggested(problem: Problem) -> Mapping[str, Any]:
    return MappingProxyType(describe(tied(problem.gp)[0]))


def describe(gp: GaussianProcess) -> dict[str, Any]:
    """The settings that give this prior: a kernel, alone or joined with a second one.

    Raises
    ------
    InputError
        For a kernel that the settings cannot say.
    """
    kernel, second = parted(gp.kernel)
    for name, kind in KERNELS.items():
        if type(kernel) is kind:
            own = settings_from("kernel", name, kernel)
            prior = {"noise_variance": gp.noise_variance, "mean": gp.mean}
            return {"kernel": name, **own, **second, **prior}
    raise InputError(f"a kernel among {', '.join(KERNELS)}", repr(gp.kernel), "choose one of these")


def parted(kernel: Kernel) -> tuple[Kernel, dict[str, Any]]:
    """The first kernel, and the settings of the second; of a product the first has the variance."""
    for name, (join, kind) in JOINED.items():
        if isinstance(kernel, join) and type(kernel.right) is kind:
            own = {f"second_{item.name}": getattr(kernel.right, item.name) for item in fields(kind)}
            first = kernel.left
            if isinstance(kernel, Product):
                first = first.scaled(own.pop("second_variance"))
            return first, {"second": name, **own}
    return kernel, {"second": ALONE}
