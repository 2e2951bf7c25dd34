"""Folders of golden files as other projects keep them, made of the corpus's own bodies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from toolcall_conformance.library import load_corpus

CASE = load_corpus().cases["parallel/three-tools"]
WORDS = {"anthropic": "messages", "openai_chat": "completions", "openai_responses": "responses", "gemini": "gemini"}
PAIRS = """
redacted = ['\\[[a-z]+\\]']

[formats]
messages = "anthropic"
completions = "openai_chat"
responses = "openai_responses"
bedrock = false

[[pairs]]
source = "requests/{client}/{name}.json"
output = "requests/{client}/{name}.{upstream}.snap"
output_body = "/request"
"""


def request(name: str) -> Any:
    return json.loads(json.dumps(CASE.exchanges(name)[0].request))


def reply(name: str) -> Any:
    return json.loads(json.dumps(CASE.exchanges(name)[0].response))


def stream(name: str) -> str:
    return CASE.exchanges(name)[0].stream().decode()


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def insta(body: Any) -> str:
    """A snapshot of insta, with the input in its front matter as some projects have it."""
    return f"---\nsource: src/tests.rs\ndescription: a case\ninfo:\n  model: x\n---\n{json.dumps(body, indent=2)}\n"


def pretty(value: Any, indent: int = 0, *, old: bool = False) -> str:
    """A value as Jest's pretty-format prints it; ``old`` as until Jest 28."""
    space, inner = "  " * indent, "  " * (indent + 1)
    if isinstance(value, dict):
        lines = [
            f"{inner}{_text(key, old=old)}: {pretty(member, indent + 1, old=old)},\n" for key, member in value.items()
        ]
        return (
            f"{'Object ' if old else ''}{{\n{''.join(lines)}{space}}}" if lines else f"{'Object ' if old else ''}{{}}"
        )
    if isinstance(value, list):
        lines = [f"{inner}{pretty(item, indent + 1, old=old)},\n" for item in value]
        return f"{'Array ' if old else ''}[\n{''.join(lines)}{space}]" if lines else f"{'Array ' if old else ''}[]"
    return _text(value, old=old) if isinstance(value, str) else json.dumps(value)


def _text(text: str, *, old: bool) -> str:
    return '"' + (text.replace("\\", "\\\\").replace('"', '\\"') if old else text) + '"'


def snapshot_file(entries: dict[str, str]) -> str:
    """A file of Jest's: the content of template literals is escaped once more."""

    def escaped(text: str) -> str:
        return text.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")

    exports = "".join(f"exports[`{escaped(name)}`] = `\n{escaped(value)}\n`;\n\n" for name, value in entries.items())
    return f"// Jest Snapshot v1, https://goo.gl/fbAQLP\n\n{exports}"


def agents(folder: Path) -> Path:
    """A project with snapshots of insta: two right ones, a wrong one, one of a format that is not judged."""
    write(folder / "pairs.toml", PAIRS)
    write(folder / "requests/messages/tools.json", json.dumps(request("anthropic")))
    wrong = request("openai_chat")
    del wrong["tools"]
    for word, body in (("completions", request("openai_chat")), ("gemini", request("gemini")), ("bedrock", {"a": 1})):
        write(folder / f"requests/messages/tools.{word}.snap", insta({"request": body, "parsed": {"model": "x"}}))
    write(folder / "requests/messages/lost.json", json.dumps(request("anthropic")))
    write(folder / "requests/messages/lost.completions.snap", insta({"request": wrong}))
    return folder / "pairs.toml"
