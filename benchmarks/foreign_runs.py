"""Small runs of other tools, as test data: `python benchmarks/foreign_runs.py tests/data/runs`.

Needs an environment with Optuna, cmaes, Ax, BoTorch and bayesian-optimization: `versions.json`,
beside the files, has the versions. Each file has a few dozen trials of a function of three inputs
at most, with the failures, pruned trials, categories, logarithmic ranges and workers that such
files have.
"""

from __future__ import annotations

import gzip
import json
import math
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np

TOOLS = ("optuna", "cmaes", "ax-platform", "botorch", "torch", "bayesian-optimization")


def branin(x: float, y: float) -> float:
    """The usual test function, on [-5, 10] x [0, 15]; its minimum is 0.398."""
    bend = y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6
    return bend**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


def mixed(rate: float, layers: int, solver: str) -> float:
    """A function of a logarithmic, a whole and a categorical input; its maximum is 1."""
    shift = {"adam": 0.0, "sgd": 0.4, "lion": 0.2}[solver]
    return math.exp(-((math.log10(rate) + 2.5 - shift) ** 2)) - 0.05 * (layers - 3) ** 2 - shift / 4


def optuna_trial(trial) -> float:
    """Mixed inputs; some trials fail, some are pruned."""
    import optuna

    rate = trial.suggest_float("rate", 1e-5, 1e-1, log=True)
    layers = trial.suggest_int("layers", 1, 6)
    solver = trial.suggest_categorical("solver", ["adam", "sgd", "lion"])
    if solver == "sgd":
        trial.suggest_float("momentum", 0.0, 0.99)  # a conditional parameter
    if rate > 0.05:
        raise ArithmeticError("diverged")
    value = mixed(rate, layers, solver)
    trial.report(value, 0)
    if value < -0.2:
        raise optuna.TrialPruned
    return value


def branin_trial(trial) -> float:
    return branin(trial.suggest_float("x", -5, 10), trial.suggest_float("y", 0, 15))


def optuna_runs(folder: Path) -> None:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    path = folder / "optuna.db"
    path.unlink(missing_ok=True)
    storage = f"sqlite:///{path}"
    for name, sampler, objective, direction, trials in (
        ("tpe", optuna.samplers.TPESampler(seed=1), optuna_trial, "maximize", 40),
        ("gp", optuna.samplers.GPSampler(seed=1), branin_trial, "minimize", 25),
        ("cmaes", optuna.samplers.CmaEsSampler(seed=1), branin_trial, "minimize", 30),
    ):
        study = optuna.create_study(
            storage=storage, study_name=name, sampler=sampler, direction=direction
        )
        study.optimize(objective, n_trials=trials, catch=(ArithmeticError,))
        study.trials_dataframe().to_csv(folder / f"optuna_{name}.csv", index=False)
    journal = folder / "optuna_journal.log"
    journal.unlink(missing_ok=True)
    backend = optuna.storages.journal.JournalFileBackend(str(journal))
    study = optuna.create_study(
        storage=optuna.storages.JournalStorage(backend),
        study_name="eight workers",
        sampler=optuna.samplers.TPESampler(seed=1, constant_liar=True),
    )

    def slow(trial) -> float:
        value = branin_trial(trial)
        time.sleep(0.05 + 0.1 * (trial.number % 3))
        return value

    study.optimize(slow, n_trials=32, n_jobs=8)
    study.enqueue_trial({"x": 0.0, "y": 0.0})  # one that waits
    study.trials_dataframe().to_csv(folder / "optuna_workers.csv", index=False)


def ax_runs(folder: Path) -> None:
    from ax.api.client import Client
    from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig

    client = Client(random_seed=1)
    client.configure_experiment(
        name="mixed",
        parameters=[
            RangeParameterConfig(
                name="rate", parameter_type="float", bounds=(1e-5, 0.1), scaling="log"
            ),
            RangeParameterConfig(name="layers", parameter_type="int", bounds=(1, 6)),
            ChoiceParameterConfig(
                name="solver",
                parameter_type="str",
                values=["adam", "sgd", "lion"],
                is_ordered=False,
            ),
        ],
    )
    client.configure_optimization(objective="quality")
    for _ in range(6):
        for number, setting in client.get_next_trials(max_trials=3).items():
            if setting["rate"] > 0.05:
                client.mark_trial_failed(number)
            else:
                client.complete_trial(trial_index=number, raw_data={"quality": mixed(**setting)})
    client.save_to_json_file(str(folder / "ax.json"))
    client.summarize().to_csv(folder / "ax.csv", index=False)


def botorch_run(folder: Path) -> None:
    import torch
    from botorch.acquisition import qLogExpectedImprovement
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.models.transforms import Normalize, Standardize
    from botorch.optim import optimize_acqf
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.manual_seed(1)
    bounds = torch.tensor([[-5.0, 0.0], [10.0, 15.0]], dtype=torch.double)
    X = bounds[0] + (bounds[1] - bounds[0]) * torch.rand(6, 2, dtype=torch.double)
    batches = [0] * 6
    for batch in range(1, 7):
        Y = torch.tensor([[-branin(*x)] for x in X.tolist()], dtype=torch.double)
        model = SingleTaskGP(X, Y, input_transform=Normalize(2), outcome_transform=Standardize(1))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        rule = qLogExpectedImprovement(model, Y.max())
        new, _ = optimize_acqf(rule, bounds, q=3, num_restarts=4, raw_samples=64)
        X, batches = torch.cat([X, new.detach()]), batches + [batch] * 3
    y = np.array([-branin(*x) for x in X.tolist()])
    np.savez(folder / "botorch.npz", X=X.numpy(), y=y, batches=batches, bounds=bounds.numpy().T)


def bayesian_optimization_run(folder: Path) -> None:
    from bayes_opt import BayesianOptimization

    optimizer = BayesianOptimization(
        lambda x, y: -branin(x, y), {"x": (-5, 10), "y": (0, 15)}, random_state=1, verbose=0
    )
    optimizer.maximize(init_points=5, n_iter=15)
    optimizer.save_state(str(folder / "bayesian_optimization.json"))
    with (folder / "bayesian_optimization.log").open("w", encoding="utf-8") as file:
        for one in optimizer.res:
            row = {
                "target": float(one["target"]),
                "params": {k: float(v) for k, v in one["params"].items()},
            }
            print(json.dumps(row), file=file)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for make in (optuna_runs, ax_runs, botorch_run, bayesian_optimization_run):
        make(folder)
    for name in ("optuna.db", "ax.json"):  # as large as all the others
        path = folder / name
        (folder / f"{name}.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
        path.unlink()
    versions = {tool: version(tool) for tool in TOOLS}
    (folder / "versions.json").write_text(json.dumps(versions, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:  # as `make bench` runs it: nothing is measured here
        print(__doc__)
