"""A published translator: the judge finds its known faults, on the rules that name them."""

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
    # STOP beside a functionCall becomes end_turn: the agent ends with the call undone.
    ("shell/realistic", "response", "anthropic", "gemini"): "translation/finish-reason",
    ("shell/realistic", "response", "anthropic", "openai_responses"): "translation/finish-reason",
    # A Gemini tool with parametersJsonSchema reaches the others without parameters.
    ("shell/two-rounds", "request", "gemini", "openai_chat"): "translation/schema-property-lost",
    # A parameter that is called like a keyword is cleaned away.
    ("grep/keyword-properties", "request", "anthropic", "gemini"): "translation/schema-property-lost",
    # A subset of tools turns into auto.
    ("grep/choice-subset", "request", "openai_chat", "openai_responses"): "translation/tool-choice",
    # An id that comes back in a later turn is looked up in the wrong turn.
    ("shell/ids-reused", "request", "openai_chat", "gemini"): "gemini/result-names-call",
    # A second tool_use block has the index of the first, and the first is never stopped.
    ("shell/same-tool-twice", "stream", "anthropic", "openai_chat"): "anthropic/stream-block-index",
    ("shell/same-tool-twice", "stream", "anthropic", "openai_responses"): "anthropic/stream-block-closed",
    # So the fragments of both calls go to one block, and neither is JSON any more.
    ("streaming/interleaved-calls", "stream", "anthropic", "openai_chat"): "translation/arguments",
    # Text that comes in the record with the finishReason is dropped.
    ("shell/length-cut", "stream", "openai_chat", "gemini"): "translation/text-changed",
    # The output_index is copied into the index of the call: a text before it, and calls are counted from 1.
    ("shell/realistic", "stream", "openai_chat", "openai_responses"): "openai_chat/stream-call-index",
    # response.incomplete is not read: the stream just stops.
    ("shell/length-cut", "stream", "gemini", "openai_responses"): "gemini/stream-finish",
    # The other way the reply that was cut ends as response.completed.
    ("shell/length-cut", "stream", "openai_responses", "openai_chat"): "openai_responses/stream-status",
    # The second call has the output_index of the first.
    ("shell/same-tool-twice", "stream", "openai_responses", "anthropic"): "openai_responses/stream-output-index",
}

RIGHT = {
    ("shell/realistic", "request", "openai_chat", "anthropic"): ("pass", "warn"),
    ("shell/realistic", "request", "anthropic", "anthropic"): ("pass",),
    ("shell/realistic", "stream", "anthropic", "openai_chat"): ("pass", "warn"),
    ("shell/realistic", "stream", "anthropic", "anthropic"): ("pass",),
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
            *(
                f"toolcall::{case}::{check}::{client}-to-{upstream}"
                for case, check, client, upstream in {**KNOWN, **RIGHT}
            ),
        ],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    report_items = json.loads((folder / "report.json").read_text(encoding="utf-8"))["items"]
    plain = [item for item in report_items if item["variant"] is None]
    return {(item["case"], item["check"], item["client"], item["upstream"]): item for item in plain}


@pytest.mark.parametrize("where", KNOWN, ids="-".join)
def test_known_fault_is_named(
    where: tuple[str, str, str, str], items: dict[tuple[str, str, str, str], dict[str, Any]]
) -> None:
    item = items[where]
    assert item["verdict"] == "fail"
    assert KNOWN[where] in {finding["rule"] for finding in item["findings"] if finding["level"] == "MUST"}


@pytest.mark.parametrize("where", RIGHT, ids="-".join)
def test_it_passes_where_it_is_right(
    where: tuple[str, str, str, str], items: dict[tuple[str, str, str, str], dict[str, Any]]
) -> None:
    assert items[where]["verdict"] in RIGHT[where]
