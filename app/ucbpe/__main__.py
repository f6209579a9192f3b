"""``python -m ucbpe``: as the command ``ucbpe``, by the interpreter that runs it."""

import sys

from ucbpe_app.cli import main

sys.exit(main())
