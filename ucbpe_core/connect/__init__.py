"""Conversion to and from other libraries, one module each, imported on demand.

sklearn    kernels and fitted regressors of scikit-learn, both ways
regressor  this package's Gaussian process as an estimator of scikit-learn
gpytorch   models of GPyTorch and BoTorch, both ways
botorch    test functions of BoTorch as problems, and problems as functions of tensors
labelled   problems as tables of pandas and arrays of xarray, both ways
optuna     a sampler for Optuna, and Optuna's objectives as problems
terms      sums and products of kernels, with constants and noise among them
"""
