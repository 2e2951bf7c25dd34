"""``python -m toolcall_reference.gateway``: read the configuration, listen, and serve until told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from typing import Any

from toolcall_reference.gateway.config import Config, ConfigError
from toolcall_reference.gateway.options import build_config, parse_options
from toolcall_reference.policy import Policy, PolicyError
from toolcall_reference.translator import ReferenceTranslator

_LEAVE_SECONDS = 3.0
_BACKLOG = 1024
_MANY_FILES = 1_000_000


def main(arguments: list[str] | None = None) -> int:
    """Serve; the exit status: 0 when told to stop, 2 after a mistake in the configuration."""
    options = parse_options(sys.argv[1:] if arguments is None else arguments)
    try:
        import aiohttp  # noqa: F401 - an extra, which only this module needs
    except ImportError as error:
        is_missing = isinstance(error, ModuleNotFoundError) and error.name == "aiohttp"
        trouble = "is not installed" if is_missing else f"cannot be imported ({type(error).__name__}: {error})"
        return _print_refusal(
            f"the gateway is served by aiohttp, which {trouble}: pip install 'toolcall-conformance[http]'"
        )
    try:
        config = build_config(options)
        policy = Policy.load(options.policy) if options.policy is not None else None
    except (ConfigError, PolicyError) as error:
        return _print_refusal(str(error))
    try:
        asyncio.run(_serve(config, policy, verbose=options.verbose))
    except OSError as error:
        reason = error.strerror or str(error)
        return _print_refusal(
            f"cannot listen on {config.host}:{config.port} ({reason}); choose another port with --listen"
        )
    except KeyboardInterrupt:
        pass
    return 0


def _print_refusal(sentence: str) -> int:
    print(f"toolcall gateway: {sentence}", file=sys.stderr)
    return 2


async def _serve(config: Config, policy: Policy | None, *, verbose: bool) -> None:
    """Listen until a signal comes. Raises OSError where that is not possible."""
    from aiohttp import web

    from toolcall_reference.gateway.idle_connections import IdleConnections
    from toolcall_reference.gateway.server import Gateway

    files = _raise_file_limit()
    loop = asyncio.get_running_loop()
    gateway = Gateway(config, ReferenceTranslator(policy), verbose=verbose)
    server: asyncio.Server | None = None
    runner = web.AppRunner(
        gateway.app(),
        access_log=None,
        logger=gateway.log.logger(),
        handler_cancellation=True,
        shutdown_timeout=_LEAVE_SECONDS,
    )
    await runner.setup()
    try:
        assert runner.server is not None, "it is set up"
        patience = IdleConnections(runner.server, files)
        gateway.patience = patience

        def handle_loop_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            patience.make_room(loop, context)
            gateway.log.report_loop_error(loop, context)

        loop.set_exception_handler(handle_loop_error)
        server = await loop.create_server(patience, config.host, config.port, backlog=_BACKLOG)
        host, port = server.sockets[0].getsockname()[:2]
        _announce(config, f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
        await _wait_for_stop()
    finally:
        if server is not None:
            # asyncio retries a socket that could not accept, and fails if it is closed by then.
            loop.set_exception_handler(lambda *_: None)
            server.close()
        await runner.cleanup()


def _raise_file_limit() -> int:
    """Raise the process's limit of open files to the maximum, and return it.

    Many shells allow 256 or 1,024 unless asked.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return _MANY_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return _MANY_FILES if allowed == resource.RLIM_INFINITY else allowed


async def _wait_for_stop() -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # there, KeyboardInterrupt ends the run
            loop.add_signal_handler(name, stopped.set)
    await stopped.wait()


def _announce(config: Config, address: str) -> None:
    print(f"toolcall gateway: http://{address}", file=sys.stderr)
    for upstream in config.upstreams.values():
        key = f"key from {upstream.key_from}" if upstream.key_from else "no key"
        key = "the client's key" if upstream.forward_client_key else key
        models = "".join(f"\n    {client} → {model}" for client, model in upstream.models.items())
        print(f"  {upstream.name}: {upstream.format.name} at {upstream.url}, {key}{models}", file=sys.stderr)
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
