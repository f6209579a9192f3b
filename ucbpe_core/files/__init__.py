"""Files: how histories are written and read.

A file is JSON. What it holds is declared once, as frozen dataclasses (`schema`), which are written
and read by cattrs, imported at the first save or load. Kernels, policies and schedules are written
under the name that they are registered with, so those of a plugin need no code here.

    tables   frozen dataclasses <-> plain values, strictly; errors give the path in the file
    text     text and JSON in files, which are replaced whole
    schema   what a file holds
    history  the file of a `Bandit`, `BoxBandit` or `Experiment`
    sheets   the table of a history, for pandas and for a spreadsheet
    trace    the file of a `Trace`, and its table; also HTML
"""
