"""Renders the wire files of a scenario: ``python -m toolcall_reference.render CORPUS_DIR [CASE…]``.

Only files whose provenance in ``scenario.json`` is ``rendered``, or that it does not list yet, are written; a file that
somebody typed or recorded is never touched.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from . import formats
from .dress import DRESSES
from .formats.gemini.encode import demands_signatures
from .intermediate import Body
from .scenario import Builder
from .target import Target

RELEASED = "2026-11-21"
DEFAULT_MODELS = {
    "anthropic": "claude-sonnet-4-5-20250929",
    "openai_chat": "gpt-4.1-2025-04-14",
    "openai_responses": "gpt-4.1-2025-04-14",
    "gemini": "gemini-2.5-flash",
}


def render(scenario: dict[str, Any], tools: dict[str, dict[str, Any]], format_name: str) -> dict[str, Body]:
    """Complete wire bodies by file name: ``01-request.json``, ``01-response.json``, ``02-request.json``, …

    ``tools`` are the declarations by name. Raises ValueError or KeyError where the scenario is not well formed.
    """
    model = scenario.get("models", {}).get(format_name, DEFAULT_MODELS.get(format_name, ""))
    signs = format_name == "gemini" and demands_signatures(model)
    builder = Builder(scenario, tools, format_name, signs=signs)
    spoken = formats.get(format_name)
    spelling = _spelling(scenario, format_name)
    if spelling - spoken.SPELLINGS:
        raise ValueError(f"{format_name} cannot be spelt {', '.join(sorted(spelling - spoken.SPELLINGS))}")
    found: dict[str, Body] = {}
    for number, (conversation, reply) in enumerate(builder.exchanges(), start=1):
        target = Target(model, exact=True, spelling=spelling)
        request = spoken.encode_request(conversation, target)
        found[f"{number:02}-request.json"] = request
        response = spoken.encode_response(reply, Target(model, exact=True, is_reply=True, asked=request))
        found[f"{number:02}-response.json"] = DRESSES[format_name](response, reply.key, request)
    return found


def _spelling(scenario: dict[str, Any], format_name: str) -> frozenset[str]:
    """The words of ``declare`` (how tools are declared) and ``spell`` (the rest) for one format."""
    declared = scenario.get("declare", {}).get(format_name)
    words = [*([declared] if declared else []), *scenario.get("spell", {}).get(format_name, [])]
    return frozenset(words)


def text_of(body: Body) -> str:
    """A body as the corpus stores it."""
    return json.dumps(body, ensure_ascii=False, indent=2) + "\n"


def _write(path: Path, text: str) -> bool:
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
    return True


def _entry(case: Path, format_name: str, listed: dict[str, Any]) -> dict[str, str]:
    """What to say of a new file: the format's API version, and the date of the case's other files."""
    version = case.parents[2] / "formats" / format_name / "format.json"
    found = {"provenance": "rendered", "source": "toolcall_reference.render"}
    if version.is_file():
        found["api_version"] = json.loads(version.read_text(encoding="utf-8"))["api_version"]
    dates = [entry["date"] for entry in listed.values() if "date" in entry]
    return {**found, "date": max(dates, default=RELEASED)}


def render_case(case: Path, tools: dict[str, dict[str, Any]]) -> Iterator[Path]:
    """Write the rendered files of one case; yields those that changed."""
    path = case / "scenario.json"
    scenario = json.loads(path.read_text(encoding="utf-8"))
    files = scenario.setdefault("files", {})
    listed = dict(files)
    for format_name in scenario.get("models") or DEFAULT_MODELS:
        for name, body in render(scenario, tools, format_name).items():
            key = f"{format_name}/{name}"
            entry = files.setdefault(key, _entry(case, format_name, listed))
            if entry.get("provenance") != "rendered":
                continue
            if _write(case / key, text_of(body)):
                yield case / key
    if files != listed and _write(path, text_of(scenario)):
        yield path


def main(arguments: Iterable[str]) -> int:
    """Render the cases named (``family/case``), or all; prints what changed."""
    corpus, *wanted = list(arguments) or [""]
    root = Path(corpus) / "scenarios"
    if not corpus or not root.is_dir():
        print("usage: python -m toolcall_reference.render CORPUS_DIR [CASE…]", file=sys.stderr)
        return 2
    tools = {}
    for declaration in sorted((Path(corpus) / "tools").glob("*.json")):
        tools[declaration.stem] = json.loads(declaration.read_text(encoding="utf-8"))
    cases = [root / name for name in wanted] or sorted(path.parent for path in root.glob("*/*/scenario.json"))
    failed = 0
    for case in cases:
        try:
            for changed in render_case(case, tools):
                print(changed)
        except (ValueError, KeyError, TypeError, OSError) as error:
            failed += 1
            print(f"{case}: {type(error).__name__}: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
