"""``ucbpe app``: serve the dashboard."""

from __future__ import annotations

import argparse
from pathlib import Path

from ucbpe_app.commands.arguments import add_plugin_option, checked, digits, whole_number

HELP = "serve the dashboard"
DESCRIPTION = "Serve the dashboard until interrupted. Opens no browser."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where it listens, and what it offers."""
    port = checked(digits, lambda value: 1 <= value <= 65535, "a port from 1 to 65535")
    # Bokeh's list of origins cannot hold an IPv6 address: the page would load and stay blank.
    address = checked(
        str, lambda text: bool(text) and ":" not in text, "a host name or an IPv4 address"
    )
    parser.add_argument("--port", type=port, default=5006, help="default: %(default)s")
    parser.add_argument(
        "--address",
        type=address,
        default="127.0.0.1",
        help="the interface to listen on, 0.0.0.0 for all (default: %(default)s)",
    )
    parser.add_argument(
        "--allow-websocket-origin",
        metavar="HOST[:PORT]",
        action="append",
        default=[],
        help="another name under which browsers may reach this server, besides localhost, this "
        "machine's name and numeric addresses (repeatable)",
    )
    parser.add_argument(
        "--num-procs",
        type=whole_number(1),
        default=1,
        help="processes that share the port (default: %(default)s)",
    )
    parser.add_argument(
        "--lessons",
        type=Path,
        metavar="FOLDER",
        help="offer the lessons of this folder, too: its .toml files (see docs/lessons.md)",
    )
    add_plugin_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Serve, and exit with 0 when stopped."""
    # Imported here so that --help and the other subcommands do not wait for Panel.
    from ucbpe_app.lessons import offer
    from ucbpe_app.main import PAGES, page
    from ucbpe_app.server.serve import serve

    if arguments.lessons is not None:
        offer(arguments.lessons)  # before there are workers: each then offers them
    serve(
        page,
        port=arguments.port,
        address=arguments.address,
        origins=arguments.allow_websocket_origin,
        num_procs=arguments.num_procs,
        kinds=PAGES,
    )
