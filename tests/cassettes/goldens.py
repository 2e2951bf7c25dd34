"""Cassettes of the corpus's own goldens: what a provider that answers as the corpus says would leave behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cassettes.foreign import ForeignExchange, vcrpy_json
from toolcall_conformance.library import Corpus

URLS = {
    "anthropic": "https://api.anthropic.com/v1/messages",
    "openai_chat": "https://api.openai.com/v1/chat/completions",
    "openai_responses": "https://api.openai.com/v1/responses",
    "gemini": "https://generativelanguage.googleapis.com/v1beta/models/{model}:generateContent",
}


def exchanges(corpus: Corpus, case: str, format_name: str, *, streamed: bool = False) -> list[ForeignExchange]:
    """The golden exchanges of a case as they would be recorded."""
    entries = []
    patch = corpus.transports[format_name]["stream"]["body"] if streamed else {}
    url = URLS[format_name].format(model=corpus.cases[case].model(format_name))
    if streamed:
        url = url.replace(":generateContent", ":streamGenerateContent?alt=sse")
    for exchange in corpus.cases[case].exchanges(format_name):
        request = {**exchange.request, **patch}
        if streamed:
            assert exchange.stream_path is not None
            entries.append(ForeignExchange(url, request, 200, "text/event-stream", exchange.stream_path.read_bytes()))
        else:
            answer = json.dumps(exchange.response, ensure_ascii=False).encode()
            entries.append(ForeignExchange(url, request, 200, "application/json", answer))
    return entries


def write(path: Path, recorded: list[ForeignExchange], **about: Any) -> None:
    """A cassette; ``about`` is what our recorder says of it."""
    cassette = json.loads(vcrpy_json(recorded))
    if about:
        cassette["toolcall"] = about
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(cassette), encoding="utf-8")
