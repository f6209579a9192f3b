"""The theory on a run: what the Theory page shows, as frozen records."""

from ucbpe_app.pages.theory.assemble import gather
from ucbpe_app.pages.theory.records import Bound, Evidence, Gain, State, Statement
from ucbpe_app.pages.theory.tally import Tally

__all__ = ["Bound", "Evidence", "Gain", "State", "Statement", "Tally", "gather"]
