import optuna
import optunahub


def objective(trial: optuna.Trial) -> float:
    x = trial.suggest_float("x", -5, 10)
    y = trial.suggest_float("y", 0, 15)
    kind = trial.suggest_categorical("kind", ["a", "b"])
    return (x - 3) ** 2 + (y - 2) ** 2 + (kind == "a")


if __name__ == "__main__":
    module = optunahub.load_module(package="samplers/ucbpe")
    sampler = module.GPUCBPESampler(batch_size=4, n_startup_trials=8, seed=0)
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=28)
    print(study.best_trial.value, study.best_trial.params)
