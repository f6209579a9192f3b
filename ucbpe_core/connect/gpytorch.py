"""Models of GPyTorch and BoTorch, both ways.

Conversions are in double precision and give the same predictions to rounding. A `Normalize`
of the inputs and a `Standardize` of the outcome become part of the prior, in the units of the data.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.connect.terms import Terms
from ucbpe_core.errors import InputError
from ucbpe_core.extras import optional
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.kernels import RBF, Kernel, Matern, Polynomial, Product, Stationary, Sum
from ucbpe_core.validation import points, values

torch, gpytorch = (optional(name, "botorch") for name in ("torch", "gpytorch"))

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.validation import Floats

_HALVES = (0.5, 1.5, 2.5)


def from_gpytorch(model: Any) -> GaussianProcess:
    """The prior of an exact GP of GPyTorch or BoTorch, with its hyperparameters as they are.

    Parameters
    ----------
    model : one output, a zero or constant mean, and a kernel of RBF, Matérn and polynomial ones,
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


def _stretched(kernel: Kernel, sides: Floats) -> Kernel:
    """The same kernel for inputs that are not divided by `sides`."""
    if isinstance(kernel, Sum | Product):
        return replace(
            kernel, left=_stretched(kernel.left, sides), right=_stretched(kernel.right, sides)
        )
    if isinstance(kernel, Stationary):
        return replace(kernel, lengthscale=tuple((sides * kernel.lengthscale).tolist()))
    remedy = "leave input_transform out, and normalise X before"
    raise InputError("a stationary kernel behind a Normalize", repr(kernel), remedy)


def _terms(kernel: Any) -> Terms:
    """A tree of GPyTorch's kernels as `Terms`."""
    theirs = gpytorch.kernels
    if kernel.active_dims is not None:
        got = f"active_dims={kernel.active_dims.tolist()}"
        raise InputError("kernels of all inputs", got, "give the others a long lengthscale")
    match kernel:
        case theirs.ScaleKernel():
            return _terms(kernel.base_kernel) * Terms(constant=_float(kernel.outputscale))
        case theirs.AdditiveKernel():
            return sum((_terms(term) for term in kernel.kernels), Terms())
        case theirs.ProductKernel():
            first, *others = (_terms(factor) for factor in kernel.kernels)
            for factor in others:
                first = first * factor
            return first
        case theirs.ConstantKernel():
            return Terms(constant=_float(kernel.constant))
        case theirs.MaternKernel():
            return Terms(Matern(_lengthscale(kernel), nu=kernel.nu))
        case theirs.RBFKernel():
            return Terms(RBF(_lengthscale(kernel)))
        case theirs.PolynomialKernel():
            return Terms(Polynomial(int(kernel.power), _float(kernel.offset)))
    wanted = "Scale, RBF, Matern, Polynomial and Constant kernels, added or multiplied"
    raise InputError(wanted, type(kernel).__name__, "write your own Kernel for it")


def _theirs(kernel: Kernel, d: int) -> Any:
    theirs = gpytorch.kernels
    if isinstance(kernel, Sum):
        return _theirs(kernel.left, d) + _theirs(kernel.right, d)
    if isinstance(kernel, Product):
        return _theirs(kernel.left, d) * _theirs(kernel.right, d)
    if type(kernel) is RBF:
        base = theirs.RBFKernel(ard_num_dims=d)
    elif type(kernel) is Matern and kernel.nu in _HALVES:
        base = theirs.MaternKernel(nu=kernel.nu, ard_num_dims=d)
    elif type(kernel) is Polynomial:
        base = theirs.PolynomialKernel(power=kernel.degree).double()
        base.offset = torch.tensor([kernel.offset], dtype=torch.double)
    else:
        wanted = "RBF, Matern with nu 1/2, 3/2 or 5/2, or Polynomial, or sums and products of them"
        raise InputError(wanted, repr(kernel), "write it as a GPyTorch kernel")
    if isinstance(kernel, Stationary):
        base = base.double()
        base.lengthscale = _tensor(np.broadcast_to(kernel.lengthscale, d))[None]
    scaled = theirs.ScaleKernel(base).double()
    scaled.outputscale = torch.tensor(kernel.variance, dtype=torch.double)
    return scaled


def _lengthscale(kernel: Any) -> float | tuple[float, ...]:
    found = np.asarray(kernel.lengthscale.detach(), dtype=float).ravel().tolist()
    return found[0] if len(found) == 1 else tuple(found)


def _tensor(array: Floats) -> Any:
    return torch.tensor(np.asarray(array), dtype=torch.double)


def _float(tensor: Any) -> float:
    return float(tensor.detach().cpu().double().reshape(()) if tensor.numel() == 1 else tensor)
