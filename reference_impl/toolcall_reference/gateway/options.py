"""The options of the command: a file, or the simple part of one."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolcall_reference.gateway.config import Config, ConfigError
from toolcall_reference.gateway.config_file import LISTEN, load_toml, read_config


def parse_options(arguments: list[str]) -> argparse.Namespace:
    """Parse the command's options. Exits with 2 if they are wrong, with 0 after --help."""
    parser = argparse.ArgumentParser(
        prog="python -m toolcall_reference.gateway",
        description="Serve clients of all formats, and translate what they ask for a provider of any of them.",
        epilog="Read docs/reference-gateway.md for the file and for examples.",
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="a TOML file")
    parser.add_argument(
        "--upstream", action="append", default=[], metavar="FORMAT[=URL]", help="a provider; may be given several times"
    )
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="CLIENT=MODEL",
        help="the provider's model for a client's (* for any)",
    )
    parser.add_argument(
        "--listen", metavar="HOST:PORT", help=f"where to listen (default: {LISTEN}); port 0 takes a free one"
    )
    parser.add_argument(
        "--policy",
        type=Path,
        metavar="FILE",
        help="what happens to tools on purpose (docs/policies.md)",
    )
    parser.add_argument("--verbose", action="store_true", help="print a line for each exchange, with what it lost")
    return parser.parse_args(arguments)


def build_config(options: argparse.Namespace, environment: Mapping[str, str] | None = None) -> Config:
    """The configuration from the options or their file. Raises ConfigError."""
    settings, where = _read_tables(options), str(options.config or "the options")
    if options.listen is not None:
        settings["listen"] = options.listen
    return read_config(settings, where, environment)


def _read_tables(options: argparse.Namespace) -> dict[str, Any]:
    """The configuration's tables, from the file or from the options."""
    if options.config is not None:
        if options.upstream or options.model:
            raise ConfigError("--config and --upstream or --model exclude each other; write all into the file")
        return load_toml(options.config)
    if not options.upstream:
        raise ConfigError("no upstream; write --upstream FORMAT or FORMAT=URL, or --config FILE; --help says more")
    tables: dict[str, dict[str, Any]] = {}
    for text in options.upstream:
        name, equals, url = text.partition("=")
        if name in tables:
            raise ConfigError(f"--upstream {text}: {name} is there twice; a file (--config) can name two of a format")
        tables[name] = {"url": url} if equals else {}
    for text in options.model:
        client, equals, model = text.partition("=")
        if not equals or len(tables) != 1:
            raise ConfigError(
                f"--model {text}: write CLIENT=MODEL, beside one --upstream; a file (--config) can say more"
            )
        next(iter(tables.values())).setdefault("models", {})[client] = model
    return {"upstream": tables}
