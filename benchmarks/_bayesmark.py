"""Problems of NeurIPS 2020's black-box optimisation challenge: settings of scikit-learn's models.

The spaces, models and metrics are those of the package `bayesmark` 0.0.8 (`sklearn_funcs.py`,
Uber Technologies, 2019, Apache License 2.0; https://github.com/uber/bayesmark), which does not run
with the numpy and scikit-learn of today. What is minimised is the loss in five-fold
cross-validation on four fifths of the data.

Where it differs:

- An input on a logit scale is given to all methods as its logit, as a space has no such scale.
- `normalize`, which the linear models no longer have, is a step before them: columns of length 1.
- Classes one against the rest are `OneVsRestClassifier`.
- scikit-learn no longer has AdaBoost's SAMME.R, the default of that time, the data set boston, and
  soon the probabilities of SVM and the argument `penalty`: no nll of SVM, lasso for regression.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit
from sklearn import datasets, ensemble, linear_model, neighbors, neural_network, svm, tree
from sklearn.base import BaseEstimator
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv, train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks._functions import Task
from ucbpe_core.spaces import Category, Integer, Real, Space

Range = tuple[Any, ...]  # a scale, low and high; "whole log" is a whole number on a logarithm
LOGIT = "logit "  # begins the name of an input that is given as its logit

_SMALL = ("logit", 0.01, 0.49)
_TREE: dict[str, Range] = {
    "max_depth": ("whole", 1, 15),
    "min_samples_split": ("logit", 0.01, 0.99),
    "min_samples_leaf": _SMALL,
    "min_weight_fraction_leaf": _SMALL,
    "max_features": ("logit", 0.01, 0.99),
    "min_impurity_decrease": ("linear", 0.0, 0.5),
}
_MLP: dict[str, Range] = {
    "hidden_layer_sizes": ("whole", 50, 200),
    "alpha": ("log", 1e-5, 1e1),
    "batch_size": ("whole", 10, 250),
    "learning_rate_init": ("log", 1e-5, 1e-1),
    "tol": ("log", 1e-5, 1e-1),
    "validation_fraction": ("logit", 0.1, 0.9),
}
_RIDGE: dict[str, Range] = {
    "alpha": ("log", 1e-2, 1e2),
    "fit_intercept": ("truth",),
    "normalize": ("truth",),
    "max_iter": ("whole log", 10, 5000),
    "tol": ("log", 1e-4, 1e-1),
}
_LOGISTIC: dict[str, Range] = {"C": ("log", 1e-2, 1e2), "intercept_scaling": ("log", 1e-2, 1e2)}
_BETAS = {"beta_1": ("logit", 0.5, 0.99), "beta_2": ("logit", 0.9, 1 - 1e-6)}
SPACES: dict[str, dict[str, Range]] = {
    "kNN": {"n_neighbors": ("whole", 1, 25), "p": ("whole", 1, 4)},
    "SVM": {"C": ("log", 1.0, 1e3), "gamma": ("log", 1e-4, 1e-3), "tol": ("log", 1e-5, 1e-1)},
    "DT": _TREE,
    "RF": _TREE,
    "MLP-adam": {**_MLP, **_BETAS, "epsilon": ("log", 1e-9, 1e-6)},
    "MLP-sgd": {**_MLP, "power_t": ("logit", 0.1, 0.9), "momentum": ("logit", 0.001, 0.999)},
    "ada": {"n_estimators": ("whole", 10, 100), "learning_rate": ("log", 1e-4, 1e1)},
    "linear": _LOGISTIC,
}
# Of regression, where it has others.
REGRESSION: dict[str, dict[str, Range]] = {
    "lasso": {**_RIDGE, "tol": ("log", 1e-5, 1e-1), "positive": ("truth",)},
    "linear": _RIDGE,
}

_FOREST: dict[str, Any] = {"n_estimators": 10}
_ADAM: dict[str, Any] = {"solver": "adam", "early_stopping": True}
_SGD: dict[str, Any] = {"solver": "sgd", "early_stopping": True, "learning_rate": "invscaling"}
_TANH = {**_SGD, "activation": "tanh"}
# By model: the class, and what is fixed. SVM has no probabilities, and so no nll.
CLASSIFIERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "kNN": (neighbors.KNeighborsClassifier, {}),
    "SVM": (svm.SVC, {}),
    "DT": (tree.DecisionTreeClassifier, {}),
    "RF": (ensemble.RandomForestClassifier, _FOREST),
    "MLP-adam": (neural_network.MLPClassifier, _ADAM),
    "MLP-sgd": (neural_network.MLPClassifier, _SGD),
    "ada": (ensemble.AdaBoostClassifier, {}),
    "linear": (linear_model.LogisticRegression, {"solver": "liblinear"}),
}
REGRESSORS: dict[str, tuple[Any, dict[str, Any]]] = {
    "kNN": (neighbors.KNeighborsRegressor, {}),
    "SVM": (svm.SVR, {}),
    "DT": (tree.DecisionTreeRegressor, {}),
    "RF": (ensemble.RandomForestRegressor, _FOREST),
    "MLP-adam": (neural_network.MLPRegressor, _ADAM),
    "MLP-sgd": (neural_network.MLPRegressor, _TANH),
    "ada": (ensemble.AdaBoostRegressor, {}),
    "lasso": (linear_model.Lasso, {}),
    "linear": (linear_model.Ridge, {}),
}
DATA = {
    "digits": datasets.load_digits,
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast": datasets.load_breast_cancer,
    "diabetes": datasets.load_diabetes,
}
SCORERS = {
    "nll": "neg_log_loss",
    "acc": "accuracy",
    "mae": "neg_mean_absolute_error",
    "mse": "neg_mean_squared_error",
}


class UnitColumns(StandardScaler):
    """Columns with mean 0 and length 1, as `normalize` made them."""

    def fit(self, X, y=None, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.scale_ *= np.sqrt(len(X))
        return self


class Problem(NamedTuple):
    """A model, the data that it is fitted to, and a metric."""

    model: str
    data: str
    metric: str

    @property
    def name(self) -> str:
        return " ".join(self)

    @property
    def regression(self) -> bool:
        return self.metric in {"mae", "mse"}

    @property
    def space(self) -> Space:
        ranges = REGRESSION.get(self.model, {}) if self.regression else {}
        named = (ranges or SPACES[self.model]).items()
        return Space.of(dict(_input(name, *given) for name, given in named))

    def estimator(self, setting: dict[str, Any], state: int) -> BaseEstimator:
        """The model with a setting; the state is for what it draws."""
        given = {
            name.removeprefix(LOGIT): expit(value).item() if name.startswith(LOGIT) else value
            for name, value in setting.items()
        }
        scaled = given.pop("normalize", False) and given["fit_intercept"]
        kind, fixed = (REGRESSORS if self.regression else CLASSIFIERS)[self.model]
        model = kind(**given, **fixed)
        if "random_state" in model.get_params():
            model.set_params(random_state=state)
        if kind is linear_model.LogisticRegression:
            return OneVsRestClassifier(model)
        return make_pipeline(UnitColumns(), model) if scaled else model


def _input(name: str, scale: str, *ends: Any) -> tuple[str, Real | Category]:
    """An input of a space, with its name there."""
    if scale == "truth":
        return name, Category((False, True))
    if scale == "logit":
        return LOGIT + name, Real(*(float(logit(end)) for end in ends))
    kind = Integer if scale.startswith("whole") else Real
    return name, kind(*ends, log=scale.endswith("log"))


def task_of(problem: Problem, seed: int) -> Task:
    """The problem as a task whose least value is not known: 0 stands for it.

    A model that draws at random draws anew for each setting, so that its losses are noisy; the
    split of the data is always the same.
    """
    space, rng = problem.space, np.random.default_rng([seed, 17])
    X, y = DATA[problem.data](return_X_y=True)
    X, _, y, _ = train_test_split(X, y, test_size=0.2, random_state=0)
    score = get_scorer(SCORERS[problem.metric])
    folds = list(check_cv(5, y, classifier=not problem.regression).split(X, y))

    def loss(setting: dict[str, Any]) -> float:
        model = problem.estimator(setting, int(rng.integers(2**31)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = [score(model.fit(X[fit], y[fit]), X[held], y[held]) for fit, held in folds]
        return -float(np.mean(scores))

    def f(points: np.ndarray) -> np.ndarray:
        return np.array([loss(setting) for setting in space.settings(points)])

    return Task(problem.name, space, f, 0.0)
