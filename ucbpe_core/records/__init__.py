"""Files: how traces and experiments are written and read.

A file is JSON. What it holds is declared once, as frozen dataclasses: those of `run` for a trace,
the entries of `ucbpe_core.experiment` for an experiment. `convert` turns them into tables, lists,
text and numbers and back, with cattrs, which is imported at the first save or load. Kernels,
policies and schedules are written under the name that they are registered with (`tables`), so those
of a plugin need no code here.

    convert   frozen dataclasses <-> plain values, strictly; errors give the path in the file
    tables    registered classes <-> tables {kind, parameter, ..}
    packing   arrays as lists, masks as Base64, grids as axes
    text      records as JSON text in files, which are replaced whole (`atomic`)
    run       the file of a `Trace`
    run_csv   a `Trace` for a spreadsheet (`sheets`)
"""
