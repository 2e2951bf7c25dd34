"""A translator that nobody here wrote: the judge finds its known faults, on the rules that name them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("llm_rosetta", reason="needs the extra llm-rosetta")

# Faults of the pinned version, each seen by hand in the bodies: where, and the rule that must name it.
KNOWN = {
    # An object result without the key "output" leaves the conversation empty-handed.
    ("shell/json-result", "request", "gemini", "anthropic"): "translation/result-content",
    # STOP beside a functionCall becomes a plain stop: the agent ends with the call undone.
    ("shell/realistic", "response", "openai_chat", "gemini"): "translation/finish-reason",
    ("shell/realistic", "response", "anthropic", "openai_responses"): "translation/finish-reason",
    # A Gemini tool with parametersJsonSchema reaches the others without parameters.
    ("shell/two-rounds", "request", "gemini", "openai_chat"): "translation/schema-property-lost",
    # A parameter that is called like a keyword is cleaned away.
    ("grep/keyword-properties", "request", "anthropic", "gemini"): "translation/schema-property-lost",
    # A subset of tools turns into auto.
    ("grep/choice-subset", "request", "openai_chat", "openai_responses"): "translation/tool-choice",
    # An id that comes back in a later turn is looked up in the wrong turn.
    ("shell/ids-reused", "request", "openai_chat", "gemini"): "gemini/result-names-call",
}


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str, str, str], dict[str, Any]]:
    folder: Path = tmp_path_factory.mktemp("rosetta")
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--toolcall-translator",
            "toolcall_conformance.adapters.llm_rosetta:Translator",
            "--toolcall-report",
            "report.json",
            *sorted({f"toolcall::{case}" for case, *_ in KNOWN}),
        ],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    found = json.loads((folder / "report.json").read_text(encoding="utf-8"))["items"]
    return {(item["case"], item["check"], item["client"], item["upstream"]): item for item in found}


@pytest.mark.parametrize("where", KNOWN, ids="-".join)
def test_known_fault_is_named(
    where: tuple[str, str, str, str], items: dict[tuple[str, str, str, str], dict[str, Any]]
) -> None:
    item = items[where]
    assert item["verdict"] == "fail"
    assert KNOWN[where] in {finding["rule"] for finding in item["findings"] if finding["level"] == "MUST"}


def test_it_passes_where_it_is_right(items: dict[tuple[str, str, str, str], dict[str, Any]]) -> None:
    assert items["shell/realistic", "request", "openai_chat", "anthropic"]["verdict"] in ("pass", "warn")
    assert items["shell/realistic", "request", "anthropic", "anthropic"]["verdict"] == "pass"
