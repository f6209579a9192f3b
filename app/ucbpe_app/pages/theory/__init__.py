"""The theory on a run: what the Theory page shows, as frozen records."""

from ucbpe_app.pages.theory.assemble import gather
from ucbpe_app.pages.theory.records import Bound, Gain, RunTheory, Statement, Status
from ucbpe_app.pages.theory.tally import Tally

__all__ = ["Bound", "Gain", "RunTheory", "Statement", "Status", "Tally", "gather"]
