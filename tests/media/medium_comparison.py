"""Whole runs of one translator through several media, and what must be the same in their reports."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import forked_runs
from toolcall_conformance.library import load_corpus

HERE = Path(__file__).parent

# Findings of these rules quote the driver's own sentences, and in this interpreter the line of code.
SPOKEN = ("translation/crashed", "translation/bad-output", "translation/refused", "translation/timed-out")

CARRIED = ("request", "response", "stream", "agent_loop", "round_trip")

HEADERS = {
    "x-upstream": None,
    "x-conversation": "{conversation}",
    "x-client-model": "{client_model}",
    "x-upstream-model": "{model}",
}


def report(folder: Path, spec: str, *selection: str, lent: str = "", cuts: str = "default") -> dict[str, Any]:
    """The report of a run of its own in ``folder``.

    By default streams are cut less finely where they go through another medium, and faults show at another cut.
    """
    paths = [str(folder), str(HERE), os.environ.get("PYTHONPATH", "")]
    environment = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}
    done = forked_runs.run(
        [
            *("-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:anyio"),
            *("--toolcall-timeout", "30", "--toolcall-cuts", cuts),
            *("--toolcall-translator", spec, "--toolcall-report", "report.json", *selection),
        ],
        folder,
        {**environment, "LENT": lent, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
    )
    assert done.returncode in (0, 1), done.stdout[-4000:] + done.stderr[-2000:]
    document: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return document


@functools.cache
def reference_report(folder: Path, spec: str, *what: str, cuts: str = "default") -> str:
    """The report of a run in process, as JSON; made once for all media that it is compared with."""
    return json.dumps(report(folder, spec, *what, cuts=cuts))


def gateway(folder: Path, lent: str, *without: str) -> str:
    """Write the file of a gateway that lends a translator, ``without`` some routes; its spec."""
    formats = load_corpus().formats
    lines = [
        'name = "lent"',
        f"command = {json.dumps([sys.executable, str(HERE / 'gateway_medium.py'), lent, '{port}', '{upstream}'])}",
        f"not = {json.dumps(without)}",
        *(f"[client.{name}]" for name in formats),
    ]
    for name in formats:
        headers = ", ".join(f'{key} = "{text or name}"' for key, text in HEADERS.items())
        lines.append(f"[upstream.{name}]\nheaders = {{{headers}}}")
    (folder / "gateway.toml").write_text("\n".join(lines), encoding="utf-8")
    return "gateway:gateway.toml"


def _comparable_finding(finding: dict[str, Any]) -> dict[str, Any]:
    """A finding without the driver's own sentences, and without the headers that only HTTP has."""
    own = {"message": "", "signature": "", "code": ""} if finding["rule"] in SPOKEN else {}
    return {**finding, **own, **({"near": ""} if finding["element"] == "error" else {})}


def verdicts(document: dict[str, Any]) -> dict[str, Any]:
    """What must be the same, by item: all but durations, declared losses, and the medium's own words."""
    return {
        item["nodeid"]: {
            "verdict": item["verdict"],
            "outcome": item["outcome"],
            "findings": [_comparable_finding(finding) for finding in item["findings"]],
        }
        for item in document["items"]
    }


def differences(first: dict[str, Any], other: dict[str, Any], *, carried: Sequence[str] = CARRIED) -> list[str]:
    """Where the verdicts of two reports differ, of the checks that both media carry."""
    for report in (first, other):
        report["items"] = [item for item in report["items"] if item["check"] in carried]
    left, right = verdicts(first), verdicts(other)
    lines = [f"{name} is in one report only" for name in sorted(left.keys() ^ right.keys())]
    return lines + [
        f"{name}: {left[name]} {right[name]}" for name in left.keys() & right.keys() if left[name] != right[name]
    ]
