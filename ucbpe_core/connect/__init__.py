"""Conversion to and from other libraries, one module each, imported on demand.

sklearn    kernels and fitted regressors of scikit-learn, both ways
gpytorch   models of GPyTorch and BoTorch, both ways
botorch    test functions of BoTorch as problems, and problems as functions of tensors
pandas     problems as tables of pandas, both ways
optuna     a sampler for Optuna, and Optuna's objectives as problems
terms      sums and products of kernels, with constants and noise among them
"""
