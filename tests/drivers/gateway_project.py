"""A gateway in a test's project: its TOML file, and what it must not leave behind."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

# Imported before any run, so that the runs inside this process share them.
import jsonschema  # noqa: F401
from aiohttp import web  # noqa: F401

SCRIPT = Path(__file__).with_name("gateway_faulty.py")
# How a client tells it where to go.
HEADERS = {"x-upstream-url": "{upstream}", "x-model": "{model}", "x-case": "{case}"}


def write(project: Any, fault: str = "none", tables: str = "", **more: Any) -> str:
    """Write gateway.toml for a gateway with a fault; its spec. A value None leaves a key out."""
    settings: dict[str, Any] = {
        "name": "faulty",
        "version": "3",
        "command": [sys.executable, "-u", str(SCRIPT), fault, "{port}", "{upstream}"],
        **more,
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items() if value is not None]
    lines.append(tables or '[ready]\npath = "/ready"')
    for name in ("alpha", "beta"):
        headers = ", ".join(f'{key} = "{text}"' for key, text in {**HEADERS, "x-upstream": name}.items())
        lines.append(f"[client.{name}]\n[upstream.{name}]\nheaders = {{{headers}}}")
    (project.path / "gateway.toml").write_text("\n".join(lines), encoding="utf-8")
    return "gateway:gateway.toml"


def noted_lines(project: Any, name: str) -> list[str]:
    """The lines that gateways wrote into a file."""
    path = project.path / name
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def leftovers(project: Any) -> list[str]:
    """What is still there of the gateways and of the run: processes, ports, files, threads."""
    end = time.monotonic() + 3
    while (leftovers := _find_leftovers(project)) and time.monotonic() < end:
        time.sleep(0.05)
    return leftovers


def _find_leftovers(project: Any) -> list[str]:
    leftovers = [f"process {pid}" for pid in noted_lines(project, "pids") if alive(pid)]
    leftovers += [f"port {port}" for port in noted_lines(project, "ports") if listens(int(port))]
    leftovers += [f"file {path.name}" for path in (project.path / "tmp").iterdir()]
    leftovers += [
        f"thread {thread.name}" for thread in threading.enumerate() if thread.name.startswith(("toolcall", "child's"))
    ]
    return leftovers


def alive(pid: str) -> bool:
    if not Path("/proc").is_dir():
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            return False
    # An orphan that is not reaped yet is no longer running.
    state = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True, check=False).stdout.strip()
    return bool(state) and not state.startswith("Z")


def listens(port: int) -> bool:
    """Whether a process listens there. Binds and does not connect: one that never accepts takes few connections."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
