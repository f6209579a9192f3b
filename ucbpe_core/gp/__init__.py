"""Gaussian processes: kernels, the exact posterior over candidates, and the relevant region R+.

kernels       covariance functions, and what their parameters are
process       `GaussianProcess`: prior mean, kernel, noise variance
posterior     mean and std over candidates, after data and hallucinated picks
conditioning  the rows behind it: what one more observation changes
rows          where rows are kept, and how many fit
lazy          the next picks of exploration, with few rows brought up to date
region        R, R+ and the bounds that they are made of
ties          which of equal candidates is picked
linalg        triangular solves and factors
fitting       hyperparameters from data, and whether a process fits its data
inducing      an approximate posterior for tens of thousands of observations
"""
