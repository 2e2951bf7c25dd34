"""Who in the judge can open a connection: each of these modules limits it, and follows no redirect."""

from __future__ import annotations

import ast
from pathlib import Path

import toolcall_conformance

ROOT = Path(toolcall_conformance.__file__).parent
LIBRARIES = ("aiohttp", "ftplib", "http", "httpx", "httpx2", "requests", "socket", "ssl", "urllib3", "websockets")
#: Adapters run in environments of their own, about one library each; what they send is answered in memory.
CONNECTING = {
    "recording/cassettes/recorder/api.py": "recording a real API",
    "drivers/child/families.py": "a pair of sockets, between a runner and its supervisor",
    "drivers/gateway/driver.py": "the client of a gateway",
    "drivers/gateway/process.py": "binds ports, to find one that is free",
    "drivers/gateway/readiness.py": "whether a gateway is ready",
    "drivers/python/offline.py": "looks no host up: it names one that is not there",
    "drivers/upstream/server.py": "listens on loopback",
}


def imported_modules(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def connects(names: set[str]) -> bool:
    opens = {"urllib.request", "urllib.request.urlopen", "urllib.request.build_opener", "urllib.request.urlretrieve"}
    return bool(names & opens) or any(name.partition(".")[0] in LIBRARIES for name in names)


def test_only_these_modules_can_connect() -> None:
    paths = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        if "corpus" not in path.relative_to(ROOT).parts[:1] and connects(imported_modules(path))
    }
    assert {name for name in paths if not name.startswith("adapters/")} == set(CONNECTING)
