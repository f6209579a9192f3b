"""Models of GPyTorch and BoTorch: the same predictions on both sides. Needs torch."""

from __future__ import annotations

import numpy as np
import pytest

from ucbpe_core.kernels import Polynomial

torch = pytest.importorskip("torch", reason="torch, of the extra botorch, is not installed")
pytest.importorskip("botorch", reason="botorch, of the extra botorch, is not installed")
# Deprecations inside the libraries are theirs.
pytestmark = pytest.mark.filterwarnings("ignore")

from botorch.models import SingleTaskGP  # noqa: E402
from botorch.models.transforms import Normalize, Standardize  # noqa: E402
from botorch.test_functions import Branin  # noqa: E402
from botorch.test_functions.multi_objective import BraninCurrin  # noqa: E402
from gpytorch import kernels as theirs  # noqa: E402
from gpytorch.means import LinearMean, ZeroMean  # noqa: E402

from ucbpe_core import (  # noqa: E402
    RBF,
    GaussianProcess,
    InputError,
    Kernel,
    Matern,
    problems,
)
from ucbpe_core.connect.botorch import (  # noqa: E402
    objective_for_botorch,
    problem_from_botorch,
)
from ucbpe_core.connect.gpytorch import from_gpytorch, to_botorch  # noqa: E402
from ucbpe_core.kernels import Constant, Linear, Periodic, RationalQuadratic  # noqa: E402

rng = np.random.default_rng(0)
X, Z = rng.random((20, 2)) * [4.0, 50.0], rng.random((30, 2)) * [4.0, 50.0]
y = 7 + np.sin(X[:, 0]) * X[:, 1] / 10 + 0.1 * rng.standard_normal(20)


def tensor(array: np.ndarray) -> torch.Tensor:
    return torch.tensor(array, dtype=torch.double)


def compare(model: SingleTaskGP, gp: GaussianProcess) -> None:
    """Mean and std of f at Z, on both sides."""
    with torch.no_grad():
        found = model.eval().posterior(tensor(Z))
    own = gp.condition(X, y).predict(Z)
    np.testing.assert_allclose(own.mean, found.mean.numpy().ravel(), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(own.std**2, found.variance.numpy().ravel(), rtol=1e-7, atol=1e-9)


def model_of(kernel: theirs.Kernel | None = None, **options: object) -> SingleTaskGP:
    """With hyperparameters that are not the usual ones."""
    model = SingleTaskGP(tensor(X), tensor(y)[:, None], covar_module=kernel, **options).double()
    with torch.no_grad():
        for i, one in enumerate(model.parameters()):
            one += 0.1 * (i + 1)
        model.likelihood.noise = 0.03
    return model


def scaled(kernel: theirs.Kernel) -> theirs.Kernel:
    return theirs.ScaleKernel(kernel)


@pytest.mark.parametrize(
    "make",
    [
        lambda: None,  # BoTorch's own
        lambda: scaled(theirs.MaternKernel(nu=1.5, ard_num_dims=2)) + theirs.RBFKernel(),
        lambda: scaled(theirs.MaternKernel(nu=2.5) * theirs.RQKernel()),
        lambda: scaled(theirs.RBFKernel() + theirs.ConstantKernel()),
        lambda: scaled(theirs.PeriodicKernel(ard_num_dims=2)) + theirs.RQKernel(ard_num_dims=2),
    ],
    ids=["default", "sum", "product", "constant", "periodic"],
)
@pytest.mark.parametrize("transforms", ["none", "both"])
def test_a_model_of_theirs(make, transforms: str) -> None:
    outcome = Standardize(1) if transforms == "both" else None
    inputs = Normalize(2) if transforms == "both" else None
    model = model_of(make(), outcome_transform=outcome, input_transform=inputs)
    compare(model, from_gpytorch(model))


@pytest.mark.parametrize(
    "kernel",
    [
        RationalQuadratic((1.5, 20.0), 2.0, alpha=0.7),
        Periodic(0.8, (3.0, 70.0), 2.0) + 2 * Matern(30.0, nu=0.5) * RBF(70.0),
        Polynomial(2, 3.0, 0.001) + RBF(2.0),
        Linear(0.2) * RBF(40.0) + Constant(3.0) + Matern(9.0, nu=1.5),
    ],
    ids=repr,
)
def test_a_model_of_ours_there_and_back(kernel: Kernel) -> None:
    gp = GaussianProcess(kernel, 0.05, 5.0)
    model = to_botorch(gp, X, y)
    compare(model, gp)
    again = from_gpytorch(model)
    assert (again.noise_variance, again.mean) == pytest.approx((0.05, 5.0))
    expected = kernel.evaluate(X, Z)
    np.testing.assert_allclose(again.kernel.evaluate(X, Z), expected, rtol=1e-12, atol=1e-300)
    with torch.no_grad():
        found = model.covar_module(tensor(X), tensor(Z)).to_dense().numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-10 * expected.max())


def test_what_has_no_equal_is_refused() -> None:
    with pytest.raises(InputError, match="got CosineKernel"):
        from_gpytorch(model_of(theirs.CosineKernel(), outcome_transform=None))
    one = theirs.RBFKernel(active_dims=(0,))
    with pytest.raises(InputError, match=r"got active_dims=\[0\]"):
        from_gpytorch(model_of(one, outcome_transform=None))
    with pytest.raises(InputError, match="a zero or constant mean; got LinearMean"):
        from_gpytorch(model_of(mean_module=LinearMean(2)))
    model = model_of(scaled(theirs.PolynomialKernel(power=2)), input_transform=Normalize(2))
    with pytest.raises(InputError, match="a stationary kernel behind a Normalize"):
        from_gpytorch(model)
    known = SingleTaskGP(tensor(X), tensor(y)[:, None], torch.full((20, 1), 0.1).double())
    with pytest.raises(InputError, match="a likelihood with one noise variance"):
        from_gpytorch(known)
    with pytest.raises(InputError, match="with nu 1/2, 3/2 or 5/2"):
        to_botorch(GaussianProcess(Matern(nu=2.2)), X, y)
    assert from_gpytorch(model_of(mean_module=ZeroMean(), outcome_transform=None)).mean == 0


def test_a_test_function_of_theirs() -> None:
    """Branin over its own box, minimised; negated, maximised; with its noise."""
    problem = problem_from_botorch(Branin(noise_std=0.5), size=121)
    assert (problem.direction, problem.noise_variance, problem.name) == ("minimize", 0.25, "Branin")
    assert problem.optimum == pytest.approx(Branin()._optimal_value, abs=0.05)
    np.testing.assert_array_equal(problem.bounds, [[-5, 10], [0, 15]])
    both = tensor(problem.candidates[:9])
    np.testing.assert_allclose(problem.values[:9], Branin().evaluate_true(both).numpy())
    negated = problem_from_botorch(Branin(negate=True), size=121)
    assert negated.direction == "maximize"
    np.testing.assert_array_equal(negated.values, -problem.values)
    with pytest.raises(InputError, match="one objective without constraints"):
        problem_from_botorch(BraninCurrin())


def test_a_problem_of_ours_as_a_function_of_tensors() -> None:
    problem = problems.himmelblau()
    f = objective_for_botorch(problem)
    chosen = tensor(problem.candidates[[3, 50, 3]]).reshape(3, 1, 2)
    np.testing.assert_array_equal(f(chosen).numpy(), problem.values[[3, 50, 3]][:, None])
    with pytest.raises(InputError, match="candidates of the problem"):
        f(tensor(np.array([[0.123, 0.4]])))
