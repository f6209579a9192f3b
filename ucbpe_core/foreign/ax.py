"""The JSON snapshot of Ax, read without Ax."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import InputError
from ucbpe_core.foreign.optuna import seconds
from ucbpe_core.foreign.run import STATES, ForeignTrial, Kind, Run
from ucbpe_core.spaces.inputs import Category, Integer, Real

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ucbpe_core.support.validation import Direction


def read(experiment: Mapping[str, Any]) -> Run:
    """The run of an experiment in a snapshot, which Ax writes as JSON.

    Raises
    ------
    InputError
        For several objectives, or an objective of several metrics.
    """
    metric, direction = _objective(experiment.get("optimization_config"))
    kinds = dict[str, Kind]()
    for one in experiment["search_space"]["parameters"]:
        if found := _kind(one):
            kinds[one["name"]] = found
    means = {
        row["arm_name"]: row["mean"]
        for _, stored in sorted(experiment["data_by_trial"].items())
        for row in _rows(stored)
        if row["metric_name"] == metric
    }
    trials = [one for trial in experiment["trials"].values() for one in _trials(trial, means)]
    return Run.of(trials, direction, kinds, tool=f"Ax, {experiment.get('name')}", output=metric)


def _objective(config: Mapping[str, Any] | None) -> tuple[str, Direction]:
    """The metric, and the direction: by name in older files, by an expression in newer ones."""
    objective = (config or {}).get("objective") or {}
    expression = str(objective.get("expression", ""))
    if "metric" in objective:
        minimize, metric = bool(objective["minimize"]), str(objective["metric"]["name"])
    else:
        minimize, metric = expression.startswith("-"), expression.removeprefix("-").strip()
    if not metric or set(metric) & set(",+*() "):
        got = expression or str(objective.get("__type", "none"))
        raise InputError("one objective, of one metric", got, "open an experiment that has one")
    return metric, "minimize" if minimize else "maximize"


def _kind(one: Mapping[str, Any]) -> Kind | None:
    """What a parameter can be; None for a fixed one, and one of which the values tell it."""
    if "lower" in one:
        whole = one["parameter_type"]["name"] == "INT"
        return (Integer if whole else Real)(one["lower"], one["upper"], bool(one["log_scale"]))
    values = list(map(str, one.get("values", ())))
    numeric = one["parameter_type"]["name"] in ("INT", "FLOAT")
    return Category(tuple(values)) if len(values) > 1 and not numeric else None


def _rows(stored: Any) -> Iterator[dict[str, Any]]:
    """What is known of a trial, a row for each metric of an arm, in the order of writing."""
    for _, data in stored["value"]:
        frame = data["df"]["value"]
        columns = json.loads(frame) if isinstance(frame, str) else frame
        for key in columns.get("arm_name", ()):
            yield {name: cells.get(key) for name, cells in columns.items()}


def _trials(trial: Mapping[str, Any], means: Mapping[str, float]) -> Iterator[ForeignTrial]:
    """A trial, one for each of its arms, which were chosen together."""
    state = STATES.get(trial["status"]["name"].lower())
    if state is None:  # a candidate, which has not begun
        return
    runs = trial.get("generator_runs") or trial.get("generator_run_structs")
    runs = [one.get("generator_run", one) for one in runs or [trial["generator_run"]]]
    times = [
        (trial.get(name) or {}).get("value") for name in ("time_run_started", "time_completed")
    ]
    start, end = (seconds(text) for text in times)
    for arm in (arm for run in runs for arm in run["arms"]):
        y = means.get(arm["name"])
        yield ForeignTrial(trial["index"], arm["parameters"], y, state, start, end, trial["index"])
