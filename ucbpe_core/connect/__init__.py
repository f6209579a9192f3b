"""Connections with other libraries, one module each, imported on demand.

optuna     a sampler for Optuna, and Optuna's objectives as problems
"""
