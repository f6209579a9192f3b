"""Replicated studies: problems x policies x replicates, on any number of processes.

`Study` is the plan, `run_task` turns a task of it into a result, and `execute` has an executor run
what a `Store` lacks. The results do not depend on the order, the workers or the machine.
"""

from ucbpe_core.study.engine import Outcome, execute
from ucbpe_core.study.plan import HyperparameterPlan, PolicyPlan, ProblemPlan, Study, Task
from ucbpe_core.study.store import Store, load_study
from ucbpe_core.study.task import Result, run_task

__all__ = [
    "HyperparameterPlan",
    "Outcome",
    "PolicyPlan",
    "ProblemPlan",
    "Result",
    "Store",
    "Study",
    "Task",
    "execute",
    "load_study",
    "run_task",
]
