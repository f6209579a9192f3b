"""The subcommands of ``ucbpe``; `arguments` says what the module of each has."""
