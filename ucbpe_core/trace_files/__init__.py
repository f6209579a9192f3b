"""Finished runs as files: JSON that reads back as an equal `Trace`, and CSV for a spreadsheet.

`to_json` writes one JSON object, with every number such that it reads back exactly::

    format, version, digest     "ucbpe-trace", 1 (2 with refits), SHA-256 of the trace
    problem                     candidates, true values, noise variance, names, suggested prior
    prior, policy, beta, seed   what was run
    initial                     what was measured before batch 1: candidates and y
    batches                     for each t: beta, y_dot, R and R+, and the picks with their y
    refits                      version 2 alone: each prior fitted during the run, and from which t

`docs/trace.md` has a line for each field. Matrices are not stored: the belief is conditioned
again on the same measurements in the same order, and what the file says of it at every pick must
agree. With 10,000 candidates on a grid and 30 batches of 10 a file has about 0.36 MB: 20 bytes
for each true value, a third of a byte for each candidate in each batch, 170 bytes for each pick.

`to_csv` writes one row for each measurement; see its docstring for the columns.
"""

from ucbpe_core.trace_files.files import from_json, to_json
from ucbpe_core.trace_files.measurements import to_csv

__all__ = ["from_json", "to_csv", "to_json"]
