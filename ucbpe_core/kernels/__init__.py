"""Covariance functions: one file per kernel, one line per kernel in `KERNELS`."""

from ucbpe_core.kernels.base import Kernel, Product, Sum
from ucbpe_core.kernels.matern import Matern
from ucbpe_core.kernels.polynomial import Polynomial
from ucbpe_core.kernels.rbf import RBF
from ucbpe_core.kernels.stationary import Stationary
from ucbpe_core.plugins import Registry, register

KERNELS: Registry[type[Kernel]] = Registry("kernel", "ucbpe.kernels", Kernel)
register("rbf", RBF)
register("matern", Matern)
register("polynomial", Polynomial)
register("sum", Sum)
register("product", Product)

__all__ = ["KERNELS", "RBF", "Kernel", "Matern", "Polynomial", "Product", "Stationary", "Sum"]
