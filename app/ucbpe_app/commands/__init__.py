"""The subcommands of ``ucbpe``: each module has one function that adds its parser."""
