"""To explore fast: settings undone and redone, factors to try, and a run kept behind the next."""
