"""Files: how histories are written and read.

A file is JSON. What it holds is declared once, as frozen dataclasses: those of `history`, and of
`problem` for the run of a `Trace`. `convert` turns them into tables, lists, text and numbers and
back, with cattrs, which is imported at the first save or load. Kernels, policies and schedules are
written under the name that they are registered with (`tables`), so those of a plugin need no code
here.

    convert    frozen dataclasses <-> plain values, strictly; errors give the path in the file
    tables     registered classes <-> tables {kind, parameter, ..}
    problem    candidates as rows or axes of a grid, and problems
    text       records as JSON text in files, which are replaced whole (`atomic`)
    history    the file of a `Bandit`, `BoxBandit` or `Experiment`
    run        the file of a `Trace`, which has one more part
    trials     the table of a history, for pandas and for a spreadsheet (`sheets`)
    run_table  what that of a `Trace` has besides; also xarray, and HTML
"""
