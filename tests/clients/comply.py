"""Plays `llm-comply` (PyPI), which asks a server by each API and holds its replies against schemas of its own."""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from clients.catalogue import KEY
from clients.client_runs import judge_exchange
from clients.network_isolation import proxies
from clients.replies import Answer, Wish
from clients.stage import stage
from toolcall_conformance import Judge, formats
from toolcall_conformance.basics.findings import Finding

VERSION = "0.5.0"
NAMES = {
    "anthropic": ("anthropic", "/v1"),
    "gemini": ("google-genai", ""),
    "openai_chat": ("openai-chat", "/v1"),
    "openai_responses": ("open-responses", "/v1"),
}
"""The command's name of each format, and the path of its base URL below the server's."""
SECONDS = 50


@dataclass
class ComplianceResult:
    """The command's results for a format before an upstream: each test's status and errors."""

    client: str
    upstream: str
    tests: dict[str, tuple[str, list[str]]]
    findings: list[tuple[str, Finding]]

    @property
    def passed(self) -> list[str]:
        """The tests that passed."""
        return [name for name, (status, _) in self.tests.items() if status == "passed"]

    @property
    def failed(self) -> dict[str, list[str]]:
        """The tests that failed, with their errors."""
        return {name: errors for name, (status, errors) in self.tests.items() if status == "failed"}


class Obliging:
    """A model that calls the first tool that it is given, once, and says a text otherwise."""

    def __init__(self, upstream: str) -> None:
        self._upstream = upstream
        self._ids = count(1)

    def answer(self, body: Any) -> Answer:
        """The reply to a request."""
        number = f"{next(self._ids):08d}"
        reading = formats.read(self._upstream, "request", body)
        if not reading.tools or reading.calls:
            return Answer(number, "A text.")
        schema = reading.tools[0].schema
        properties = schema.get("properties", {}) if isinstance(schema, dict) else {}
        arguments = {name: each.get("enum", ["Rome"])[0] for name, each in properties.items()}
        return Answer(number, "", (Wish(f"call_{number}", str(reading.tools[0].name), arguments),))


async def comply(client: str, upstream: str, program: Path, judge: Judge, folder: Path) -> ComplianceResult:
    """Play the command's tests of the format ``client``; ``folder`` is a scratch folder.

    Raises RuntimeError if it prints no results.
    """
    name, path = NAMES[client]
    words = [str(program), "--json", "--format", name, "--timeout", "10", "--base-url"]
    return await run_suite(client, upstream, words, path, judge, folder)


async def run_suite(
    client: str, upstream: str, words: list[str], path: str, judge: Judge, folder: Path, seconds: float = SECONDS
) -> ComplianceResult:
    """Run a command that tests a server of the format ``client``; ``words`` end where its base URL goes.

    ``path`` is that of the base URL below the server's. The command prints JSON with ``results``, each with ``id``,
    ``status`` and ``errors``. Raises RuntimeError if it does not.
    """
    folder.mkdir(parents=True)  # noqa: ASYNC240 - nothing else runs yet
    async with stage(judge.corpus, upstream, Obliging(upstream).answer, folder) as running:
        process = await asyncio.create_subprocess_exec(
            *(*words, running.url + path, "--api-key", KEY, "--model", "scripted"),
            env={"PATH": os.environ["PATH"], "HOME": str(folder), **proxies()},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            stdout, stderr = await asyncio.wait_for(process.communicate(), seconds)
        finally:
            with suppress(ProcessLookupError):
                process.kill()
    try:
        results = json.loads(stdout)["results"]
    except (ValueError, KeyError, TypeError):
        last = (stdout + stderr)[-400:].decode("utf-8", "replace")
        raise RuntimeError(f"{Path(words[0]).name} told no results: {last}") from None
    findings = [
        (f"{number} {what}", finding)
        for number, each in enumerate(running.exchanges, 1)
        if each.status == 200
        for what, finding in judge_exchange(judge, each, client, upstream)
    ]
    tests = {each["id"]: (str(each["status"]), [str(error) for error in each.get("errors") or ()]) for each in results}
    return ComplianceResult(client, upstream, tests, findings)
