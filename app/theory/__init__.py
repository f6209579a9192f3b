"""The theory on a run: what the Theory page shows, as frozen records."""

from app.theory.assemble import gather
from app.theory.records import Bound, Evidence, Gain, State, Statement
from app.theory.tally import Tally

__all__ = ["Bound", "Evidence", "Gain", "State", "Statement", "Tally", "gather"]
