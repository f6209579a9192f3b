"""The paper's section 5 and what its claims need, run, summarised and tabulated.

    python -m tools.reproduction                      # as `make reproduce`
    python -m tools.reproduction --only section5 --out build/mine

What is missing is run, which takes about two hours on two cores; after an interruption the same
command goes on. Abalone needs a network, or UCBPE_DATA_DIR to name the folder that holds
abalone.data.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools.reproduction import certificates
from tools.reproduction.paper import STUDIES
from tools.reproduction.summary import RESULTS
from tools.reproduction.write import CERTIFICATES, fill_document, write_study
from ucbpe_app.commands.study import add_engine_options, run_study
from ucbpe_core.errors import UCBPEError


def main(argv: list[str] | None = None) -> int:
    """Run or resume, and summarise what is complete; return the highest exit code."""
    how = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "python -m tools.reproduction", None, __doc__, formatter_class=how
    )
    parser.add_argument(
        "--out", metavar="FOLDER", type=Path, default=RESULTS,
        help="folder for the results, with a store and a folder per study (default: where they "
        "are kept)",
    )  # fmt: skip
    parser.add_argument(
        "--only", metavar="STUDY", action="append", choices=list(STUDIES),
        help="run this study instead of all (repeatable)",
    )  # fmt: skip
    parser.add_argument(
        "--document", metavar="FILE.md", type=Path, action="append", default=[],
        help="update the tables in this file from all summaries in FOLDER (repeatable: "
        "docs/reproduction.md, tools/reproduction/README.md)",
    )  # fmt: skip
    add_engine_options(parser)
    arguments = parser.parse_args(argv)
    try:
        return _run(arguments)
    except UCBPEError as error:
        sys.stderr.write(f"{parser.prog}: {error}\n")
        return 2


def _run(arguments: argparse.Namespace) -> int:
    code = 0
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in arguments.only or STUDIES:
        store = arguments.out / f"{name}.db"
        code = max(code, run_study(STUDIES[name](), store, arguments))
        if code > 1:
            return code
        write_study(name, store, arguments.out / name)
    if not arguments.only:
        certificates.write(arguments.out / CERTIFICATES, certificates.REPLICATES)
    for document in arguments.document:
        fill_document(document, arguments.out)
    return code


if __name__ == "__main__":
    sys.exit(main())
