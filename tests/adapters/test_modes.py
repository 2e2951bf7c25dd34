"""In which mode a published translator is judged: its adapter's entry says it, and every report shows it."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest

from reports.runs import HEADER, finding, item, run_of
from toolcall_conformance.adapters.catalogue import FOLDER, adapters, mode_of
from toolcall_conformance.engine.record_collector import translator_header
from toolcall_conformance.library import load_corpus
from toolcall_conformance.reports.text import terminal
from toolcall_conformance.reports.writers import html, json_report, markdown_report

CORPUS = load_corpus()
LITELLM = adapters()["litellm"]


@pytest.mark.parametrize("name", adapters())
def test_a_run_of_an_adapter_has_its_mode(name: str) -> None:
    adapter = adapters()[name]
    spec = adapter.translator.replace("{directory}", "/srv/judged/it")
    assert mode_of(spec, name) == adapter.mode
    assert mode_of(spec, "somebody-elses") is None
    assert mode_of(f"{spec}x", name) is None
    translator = translator_header(SimpleNamespace(spec=spec, name=name, version="1"))
    assert translator["mode"] == adapter.mode


def test_another_translator_has_no_mode() -> None:
    assert mode_of("mine:Translator", "litellm") is None
    assert "mode" not in translator_header(SimpleNamespace(spec="mine:T", name="mine", version=None))


@pytest.mark.parametrize("place", ["litellm_sdk.py", "litellm_proxy/config.template.yaml"])
def test_litellm_may_drop_nothing(place: str) -> None:
    """As its mode says; an adapter that sets it must say another mode."""
    name = {"litellm_sdk.py": "litellm"}.get(place, "litellm-proxy")
    assert "drop_params is not set" in adapters()[name].mode
    assert "drop_params" not in (FOLDER / Path(place)).read_text(encoding="utf-8")


def report_texts(header: dict[str, Any]) -> dict[str, str]:
    """The texts of all kinds of reports of a run with one failing item, and what the terminal shows."""
    failing = item("shell/seed", "request", "openai_chat", "gemini", [finding("translation/text-lost")])
    run = run_of([failing], CORPUS, **header)
    rules = dict(CORPUS.rules)
    pieces = terminal.summary_lines(run, rules, lambda *nodes: " ".join(nodes), detail=terminal.Detail.USUAL)
    kinds = {"html": html, "json": json_report, "markdown": markdown_report}
    texts = {name: kind.WRITER.text(run, CORPUS) for name, kind in kinds.items()}
    return texts | {"terminal": "\n".join("".join(piece.text for piece in line) for line in pieces)}


def test_every_report_shows_the_mode() -> None:
    who = {"spec": LITELLM.translator, "name": "litellm", "version": LITELLM.version, "mode": LITELLM.mode}
    for kind, text in report_texts({"translator": who}).items():
        assert "drop_params is not set" in " ".join(text.split()), kind
    for kind, text in report_texts({"translator": HEADER["translator"]}).items():
        assert "runs as it comes" not in text, kind


def test_the_schema_of_reports_knows_the_mode() -> None:
    who = {"spec": "a", "name": "litellm", "version": None, "mode": LITELLM.mode}
    document = json.loads(report_texts({"translator": who})["json"])
    schema = json.loads((resources.files("toolcall_conformance") / "reports" / "report.schema.json").read_text("utf-8"))
    jsonschema.validate(document["translator"], schema["properties"]["translator"])
    assert document["translator"]["mode"] == LITELLM.mode
