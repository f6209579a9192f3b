"""``ucbpe app``: serve the dashboard."""

from __future__ import annotations

import argparse
import atexit
import os
import re
import tempfile
from pathlib import Path

from ucbpe_app.commands import add_plugin_option, checked, digits, whole_number

HELP = "serve the dashboard"
DESCRIPTION = "Serve the dashboard until interrupted. Opens no browser."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The address that it listens on, and what it offers."""
    _add_network(parser)
    signing_in = parser.add_mutually_exclusive_group()
    signing_in.add_argument(
        "--basic-auth",
        type=Path,
        metavar="FILE",
        help='require a name and password from this JSON file: {"user": "password"}',
    )
    signing_in.add_argument(
        "--oauth-provider",
        metavar="NAME",
        help="require sign-in there; see Panel's PANEL_OAUTH_KEY, _SECRET, _REDIRECT_URI",
    )
    parser.add_argument(
        "--log-level",
        choices=["debug", "info", "warning", "error"],
        default="warning",
        help="lowest level that is logged (default: %(default)s)",
    )
    parser.add_argument(
        "--lessons",
        type=Path,
        metavar="FOLDER",
        help="also offer the lessons in this folder, its .toml files (see docs/lessons.md)",
    )
    parser.add_argument(
        "--allow-downloads",
        action="store_true",
        help="download the table of the problem Abalone when a visitor or a link first asks for it",
    )
    add_plugin_option(parser)


def _add_network(parser: argparse.ArgumentParser) -> None:
    """Where it listens, and from where it may be reached and shown."""
    port = checked(digits, lambda value: 1 <= value <= 65535, "a port from 1 to 65535")
    # Bokeh's list of origins cannot hold an IPv6 address: the page would load and stay blank.
    address = checked(
        str, lambda text: bool(text) and ":" not in text, "a host name or an IPv4 address"
    )
    parser.add_argument("--port", type=port, default=5006, help="default: %(default)s")
    parser.add_argument(
        "--address",
        type=address,
        help="the interface to listen on, 0.0.0.0 for all (default: 127.0.0.1; with --class all)",
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
        "--class",
        dest="classes",
        action=argparse.BooleanOptionalAction,
        help="let the phones of a class in, by the addresses that are printed; --no-class has no "
        "classes at all",
    )
    parser.add_argument(
        "--num-procs",
        type=whole_number(1),
        default=1,
        help="processes that share the port (default: %(default)s)",
    )
    parser.add_argument(
        "--prefix",
        type=checked(str, _is_path, "a path such as /lab"),
        default="",
        metavar="PATH",
        help="path under which a proxy serves the dashboard, such as /lab",
    )
    parser.add_argument(
        "--frame-ancestor",
        type=checked(str, _is_origin, "an origin such as https://course.example.org"),
        metavar="ORIGIN",
        action="append",
        default=[],
        help="a site that may show the pages in a frame, such as a course system (repeatable)",
    )


def _is_path(text: str) -> bool:
    return text == "" or re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", text) is not None


def _is_origin(text: str) -> bool:
    return re.fullmatch(r"https?://[A-Za-z0-9.-]+(:\d+)?", text) is not None


def run(arguments: argparse.Namespace) -> int:
    """Serve, and exit with 0 when stopped."""
    # Imported here so that --help and the other subcommands do not wait for Panel.
    from ucbpe_app.classroom.offer import addresses
    from ucbpe_app.lessons import offer
    from ucbpe_app.main import page
    from ucbpe_app.serve.lifecycle import Users, decide_on_downloads, provide_temporary_folder
    from ucbpe_app.serve.serve import Access, serve

    provide_temporary_folder()
    if arguments.lessons is not None:
        offer(arguments.lessons)  # before there are workers: each then offers them
    decide_on_downloads(allowed=arguments.allow_downloads)
    users = arguments.basic_auth and Users(arguments.basic_auth)
    address = arguments.address or ("0.0.0.0" if arguments.classes else "127.0.0.1")
    _offer_classes(arguments, address)
    found = addresses(arguments.port, arguments.prefix) if arguments.classes else []
    serve(
        page,
        port=arguments.port,
        address=address,
        access=Access(
            origins=arguments.allow_websocket_origin,
            frames=arguments.frame_ancestor,
            prefix=arguments.prefix,
            users=users,
            oauth_provider=arguments.oauth_provider,
        ),
        num_procs=arguments.num_procs,
        log_level=arguments.log_level,
        announced=[f"A class joins at: {one}" for one in found],
    )


def _offer_classes(arguments: argparse.Namespace, address: str) -> None:
    """Have a file for classes, which all processes of the server share, or none."""
    from ucbpe_app.classroom.offer import offer_classes, withdraw_classes
    from ucbpe_core.errors import InputError

    if arguments.basic_auth or arguments.oauth_provider:
        if arguments.classes:
            remedy = "start another server for the class"
            raise InputError("--class where nobody signs in", "both", remedy)
        offer_classes(
            None, why_not="People sign in to this server, which phones of a class do not."
        )
    elif arguments.classes is False:
        offer_classes(None, why_not="This server was started with --no-class.")
    else:
        handle, path = tempfile.mkstemp(prefix="ucbpe-class-", suffix=".sqlite")
        os.close(handle)
        offer_classes(Path(path), address=address)
        atexit.register(withdraw_classes)  # also of a parent that waits for its processes
