"""Plays the compliance tests of Open Responses (https://github.com/openresponses/openresponses).

They are no package: a folder holds a checkout, in which ``zod`` is installed, and Bun runs ``bin/compliance-test.ts``.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from clients.comply import ComplianceResult, run_suite
from toolcall_conformance import Judge

NAME = "open-responses"
FORMAT = "openai_responses"
SCRIPT = Path("bin/compliance-test.ts")
SECONDS = 120


def missing_requirement(folder: Path | None) -> str:
    """Why the tests cannot run; empty if they can."""
    if folder is None:
        return "no folder is named (--open-responses, or TOOLCALL_OPEN_RESPONSES)"
    if not (folder / SCRIPT).is_file():
        return f"{folder} has no {SCRIPT}"
    if not (folder / "node_modules" / "zod").is_dir():
        return f"zod is not installed in {folder}: run `bun install` or `npm install zod` there"
    return "" if bun_of(folder) else f"there is no bun, neither on PATH nor in {folder / 'node_modules'}"


def bun_of(folder: Path) -> str | None:
    """The program that runs TypeScript."""
    own = folder / "node_modules" / ".bin" / "bun"
    return str(own) if own.exists() else shutil.which("bun")


def applies(test: str) -> bool:
    """Whether a test needs no WebSocket and no ``/responses/compact``, which the gateway does not serve."""
    return not test.startswith(("websocket-", "compact-"))


async def comply(upstream: str, checkout: Path, judge: Judge, folder: Path) -> ComplianceResult:
    """Play the tests before a provider; ``folder`` is for scratch. Raises RuntimeError if they print no results."""
    words = [bun_of(checkout) or "bun", "run", str(checkout / SCRIPT), "--json", "--base-url"]
    return await run_suite(FORMAT, upstream, words, "/v1", judge, folder, SECONDS)
