"""The command line ``ucbpe``: each subcommand is one function that adds its own parser."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand and return its exit code."""
    parser = argparse.ArgumentParser(prog="ucbpe", description="The GP-UCB-PE laboratory.")
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add_app(commands)
    arguments = parser.parse_args(argv)
    code: int = arguments.run(arguments)
    return code


def add_app(commands: Commands) -> None:
    """``ucbpe app``: serve the dashboard."""
    parser = commands.add_parser(
        "app",
        help="serve the dashboard",
        description="Serve the dashboard until interrupted. Opens no browser.",
    )
    parser.add_argument("--port", type=_port, default=5006, help="default: %(default)s")
    parser.add_argument(
        "--address",
        type=_address,
        default="127.0.0.1",
        help="the interface to listen on, 0.0.0.0 for all (default: %(default)s)",
    )
    parser.add_argument(
        "--allow-websocket-origin",
        metavar="HOST[:PORT]",
        action="append",
        default=[],
        help="another name under which browsers may reach this server (repeatable)",
    )
    parser.add_argument(
        "--num-procs",
        type=_count,
        default=1,
        help="processes that share the port (default: %(default)s)",
    )
    parser.set_defaults(run=run_app)


def run_app(arguments: argparse.Namespace) -> int:
    """Serve, and exit with 0 when stopped. What cannot be served is one line, and 2."""
    # Imported here so that --help and the other subcommands do not wait for Panel.
    from app.main import page
    from app.serving import CannotListenError, serve

    try:
        serve(
            page,
            port=arguments.port,
            address=arguments.address,
            origins=arguments.allow_websocket_origin,
            num_procs=arguments.num_procs,
        )
    except CannotListenError as error:
        print(f"ucbpe app: {error}", file=sys.stderr)
        return 2


def _version() -> str:
    try:
        return f"ucbpe {version('ucbpe')}"
    except PackageNotFoundError:
        return "ucbpe, from a checkout that is not installed"


def _port(text: str) -> int:
    if text.isdecimal() and 1 <= int(text) <= 65535:
        return int(text)
    raise argparse.ArgumentTypeError(f"expected a port from 1 to 65535, got {text!r}")


def _address(text: str) -> str:
    # Bokeh's list of origins cannot hold an IPv6 address: the page would load and stay blank.
    if text and ":" not in text:
        return text
    raise argparse.ArgumentTypeError(f"expected a host name or an IPv4 address, got {text!r}")


def _count(text: str) -> int:
    if text.isdecimal() and int(text) >= 1:
        return int(text)
    raise argparse.ArgumentTypeError(f"expected a number of at least 1, got {text!r}")


if __name__ == "__main__":
    sys.exit(main())
