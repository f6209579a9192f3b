"""Covariance functions, one line per kernel in `KERNELS`.

parameters  fields as hyperparameters: names, units, logs
base        `Kernel`, sums, products, kernels of some of the inputs
stationary  kernels of a scaled distance, periodic kernels
radial      RBF, Matérn, rational quadratic
elementary  constant, white noise, linear, polynomial
scales      what data suggest for the hyperparameters; how steep draws are
"""

from ucbpe_core.gp.kernels.base import Active, Kernel, Parametrised, Product, Sum
from ucbpe_core.gp.kernels.elementary import Constant, Linear, Polynomial, White
from ucbpe_core.gp.kernels.stationary import RBF, Matern, Periodic, RationalQuadratic, Stationary
from ucbpe_core.support.plugins import Registry, register

KERNELS: Registry[type[Kernel]] = Registry("kernel", "ucbpe.kernels", Kernel)
register("rbf", RBF)
register("matern", Matern)
register("polynomial", Polynomial)
register("rational_quadratic", RationalQuadratic)
register("periodic", Periodic)
register("linear", Linear)
register("constant", Constant)
register("white", White)
register("sum", Sum)
register("product", Product)
register("active", Active)

__all__ = [
    "KERNELS",
    "RBF",
    "Active",
    "Constant",
    "Kernel",
    "Linear",
    "Matern",
    "Parametrised",
    "Periodic",
    "Polynomial",
    "Product",
    "RationalQuadratic",
    "Stationary",
    "Sum",
    "White",
]
