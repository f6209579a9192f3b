"""Covariance functions: RBF, Matérn of any smoothness, polynomial; sums and products of them."""

from ucbpe_core.kernels.base import Kernel, Product, Sum
from ucbpe_core.kernels.matern import Matern
from ucbpe_core.kernels.polynomial import Polynomial
from ucbpe_core.kernels.rbf import RBF

__all__ = ["RBF", "Kernel", "Matern", "Polynomial", "Product", "Sum"]
