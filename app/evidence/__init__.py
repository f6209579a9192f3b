"""The theory on a run: what the Theory page shows, as frozen records."""

from app.evidence.assemble import gather
from app.evidence.records import Bound, Evidence, Gain, State, Statement
from app.evidence.tally import Tally

__all__ = ["Bound", "Evidence", "Gain", "State", "Statement", "Tally", "gather"]
