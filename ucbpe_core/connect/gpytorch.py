"""Models of GPyTorch and BoTorch, both ways.

Conversions are in double precision and give the same predictions to rounding. A `Normalize`
of the inputs and a `Standardize` of the outcome become part of the prior, in the units of the data.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core import kernels as ours
from ucbpe_core.connect.terms import Terms
from ucbpe_core.errors import InputError
from ucbpe_core.extras import optional
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.kernels.parameters import has_length_each
from ucbpe_core.validation import points, values

torch, gpytorch = (optional(name, "botorch") for name in ("torch", "gpytorch"))

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.validation import Floats

_HALVES = (0.5, 1.5, 2.5)
# Kernels here and there, and what their fields are called there.
_SAME: tuple[tuple[type[ours.Kernel], str, dict[str, str]], ...] = (
    (ours.RBF, "RBFKernel", {"lengthscale": "lengthscale"}),
    (ours.Matern, "MaternKernel", {"lengthscale": "lengthscale", "nu": "nu"}),
    (ours.RationalQuadratic, "RQKernel", {"lengthscale": "lengthscale", "alpha": "alpha"}),
    (ours.Periodic, "PeriodicKernel", {"lengthscale": "lengthscale", "period": "period_length"}),
    (ours.Polynomial, "PolynomialKernel", {"degree": "power", "offset": "offset"}),
    (ours.Linear, "LinearKernel", {"variance": "variance"}),
    (ours.Constant, "ConstantKernel", {"variance": "constant"}),
)
_ARGUMENTS = ("nu", "power")  # of their constructors; the rest are parameters


def from_gpytorch(model: Any) -> GaussianProcess:
    """The prior of an exact GP of GPyTorch or BoTorch, with its hyperparameters as they are.

    Parameters
    ----------
    model : one output, a zero or constant mean, and a kernel that is here too, or several of them,
        scaled, added and multiplied. Condition the result on X and y as the model was given them,
        before its transforms

    Raises
    ------
    InputError
        For another mean, kernel, likelihood or transform, or several outputs.

    Examples
    --------
    >>> import torch
    >>> from botorch.models import SingleTaskGP
    >>> from ucbpe_core.connect.gpytorch import from_gpytorch
    >>> X = torch.tensor([[0.0], [0.5], [1.0]], dtype=torch.double)
    >>> model = SingleTaskGP(X, torch.sin(6 * X), outcome_transform=None)
    >>> ours = from_gpytorch(model).condition(X, torch.sin(6 * X).ravel()).predict([0.25])
    >>> theirs = model.posterior(torch.tensor([[0.25]], dtype=torch.double))
    >>> bool(abs(ours.mean[0] - theirs.mean.item()) < 1e-8)
    True
    """
    mean, scale = _outcome(getattr(model, "outcome_transform", None))
    noise = getattr(model.likelihood, "noise", None)
    if noise is None or noise.numel() != 1:
        got = type(model.likelihood).__name__
        remedy = "pass the noise of each value to condition(X, y, noise_variance)"
        raise InputError("a likelihood with one noise variance", got, remedy)
    match model.mean_module:
        case gpytorch.means.ConstantMean():
            mean += scale * _float(model.mean_module.constant)
        case gpytorch.means.ZeroMean():
            pass
        case _:
            got = type(model.mean_module).__name__
            raise InputError("a zero or constant mean", got, "use ConstantMean")
    prior = _terms(model.covar_module).process(mean, _float(noise), scale)
    sides = _sides(getattr(model, "input_transform", None))
    return prior if sides is None else replace(prior, kernel=_stretched(prior.kernel, sides))


def to_botorch(gp: GaussianProcess, X: ArrayLike, y: ArrayLike) -> Any:
    """A `SingleTaskGP` with this prior, given values y (n,) at X (n, d), in double precision.

    It has no transforms: inputs and outcome are in the units of the data.

    Raises
    ------
    InputError
        For a kernel that GPyTorch does not have, or shapes that do not agree.

    Examples
    --------
    >>> import torch
    >>> from ucbpe_core import GaussianProcess, RBF
    >>> from ucbpe_core.connect.gpytorch import to_botorch
    >>> gp = GaussianProcess(RBF(0.5), noise_variance=0.1)
    >>> model = to_botorch(gp, [0.0, 1.0], [0.2, 0.7])
    >>> theirs = model.posterior(torch.tensor([[0.5]], dtype=torch.double))
    >>> ours = gp.condition([0.0, 1.0], [0.2, 0.7]).predict([0.5])
    >>> bool(abs(ours.mean[0] - theirs.mean.item()) < 1e-8)
    True
    """
    models = optional("botorch.models", "botorch")
    X = points(X, "X")
    Y = values(y, "y", len(X))
    mean = gpytorch.means.ConstantMean().double()
    mean.initialize(constant=torch.tensor(gp.mean, dtype=torch.double))
    tightest = gpytorch.constraints.GreaterThan(1e-12)
    likelihood = gpytorch.likelihoods.GaussianLikelihood(noise_constraint=tightest).double()
    likelihood.noise = max(gp.noise_variance, 2e-12)
    return models.SingleTaskGP(
        _tensor(X),
        _tensor(Y)[:, None],
        likelihood=likelihood,
        covar_module=_theirs(gp.kernel, X.shape[1]).double(),
        mean_module=mean,
        outcome_transform=None,
    ).eval()


def _outcome(transform: Any) -> tuple[float, float]:
    """Mean and standard deviation removed by a `Standardize`; 0 and 1 without one."""
    if transform is None:
        return 0.0, 1.0
    means, stds = getattr(transform, "means", None), getattr(transform, "stdvs", None)
    if means is None or stds is None or means.numel() != 1:
        got = type(transform).__name__
        raise InputError("a Standardize of one outcome", got, "use another outcome transform")
    return _float(means), _float(stds)


def _sides(transform: Any) -> Floats | None:
    """The divisor of each input (d,) in a `Normalize`; None without one.

    What it subtracts does not matter to a stationary kernel.
    """
    if transform is None:
        return None
    found = getattr(transform, "coefficient", None)
    if found is None or getattr(transform, "reverse", False):
        got = type(transform).__name__
        raise InputError("a Normalize of the inputs", got, "transform them before the model")
    return np.asarray(found.detach(), dtype=float).ravel()


def _stretched(kernel: ours.Kernel, sides: Floats) -> ours.Kernel:
    """The same kernel for inputs that are not divided by `sides`."""
    if isinstance(kernel, ours.Sum | ours.Product):
        return replace(
            kernel, left=_stretched(kernel.left, sides), right=_stretched(kernel.right, sides)
        )
    if not kernel.stationary:
        remedy = "leave input_transform out, and normalise X before"
        raise InputError("a stationary kernel behind a Normalize", repr(kernel), remedy)
    lengths = filter(partial(has_length_each, type(kernel)), vars(kernel))
    own = {name: tuple((sides * getattr(kernel, name)).tolist()) for name in lengths}
    return replace(kernel, **own)


def _terms(kernel: Any) -> Terms:
    """A tree of GPyTorch's kernels as `Terms`."""
    theirs = gpytorch.kernels
    if kernel.active_dims is not None:
        got = f"active_dims={kernel.active_dims.tolist()}"
        raise InputError("kernels of all inputs", got, "give the others a long lengthscale")
    match kernel:
        case theirs.ScaleKernel():
            return _terms(kernel.base_kernel) * Terms(ours.Constant(_float(kernel.outputscale)))
        case theirs.AdditiveKernel():
            return sum((_terms(term) for term in kernel.kernels), Terms())
        case theirs.ProductKernel():
            first, *others = (_terms(factor) for factor in kernel.kernels)
            for factor in others:
                first = first * factor
            return first
    for kind, name, names in _SAME:
        if type(kernel) is getattr(theirs, name):
            values = {own: _value(getattr(kernel, its)) for own, its in names.items()}
            return Terms(_with_power(kind(**values), 0.5))
    wanted = f"{', '.join(name for _, name, _ in _SAME)}, scaled, added or multiplied"
    raise InputError(wanted, type(kernel).__name__, "write your own Kernel for it")


def _theirs(kernel: ours.Kernel, d: int) -> Any:
    theirs = gpytorch.kernels
    if isinstance(kernel, ours.Sum):
        return _theirs(kernel.left, d) + _theirs(kernel.right, d)
    if isinstance(kernel, ours.Product):
        return _theirs(kernel.left, d) * _theirs(kernel.right, d)
    found = next((same for same in _SAME if same[0] is type(kernel)), None)
    if found is None or getattr(kernel, "nu", 0.5) not in _HALVES:
        known = ", ".join(kind.__name__ for kind, *_ in _SAME)
        wanted = f"{known}, with nu 1/2, 3/2 or 5/2, or sums and products of them"
        raise InputError(wanted, repr(kernel), "write it as a GPyTorch kernel")
    _, name, names = found
    values = {its: getattr(_with_power(kernel, 2.0), own) for own, its in names.items()}
    arguments = {its: values.pop(its) for its in _ARGUMENTS if its in values}
    if "lengthscale" in values:
        arguments["ard_num_dims"] = d
    base = getattr(theirs, name)(**arguments).double()
    for its, value in values.items():
        base.initialize(**{its: _tensor(np.broadcast_to(value, getattr(base, its).shape))})
    if "variance" in names:
        return base
    scaled = theirs.ScaleKernel(base).double()
    scaled.outputscale = torch.tensor(vars(kernel)["variance"], dtype=torch.double)
    return scaled


def _with_power(kernel: ours.Kernel, power: float) -> ours.Kernel:
    """A periodic kernel with a power of its lengthscale, which GPyTorch has squared."""
    if not isinstance(kernel, ours.Periodic):
        return kernel
    return replace(kernel, lengthscale=np.power(kernel.lengthscale, power).tolist())


def _value(given: Any) -> Any:
    """A parameter, or an argument of a constructor."""
    found = np.ravel(given.detach() if torch.is_tensor(given) else given).tolist()
    return found[0] if len(found) == 1 else tuple(found)


def _tensor(array: Floats) -> Any:
    return torch.tensor(np.asarray(array), dtype=torch.double)


def _float(tensor: Any) -> float:
    return float(tensor.detach().cpu().double().reshape(()) if tensor.numel() == 1 else tensor)
