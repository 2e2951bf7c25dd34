"""Texts without secrets stay as they are, byte for byte: source code, logs, diffs, lockfiles, prose."""

from __future__ import annotations

import json
import site
import sysconfig
from pathlib import Path

import pytest

from cassettes.carriers import interaction
from cassettes.harmless import changed_lines
from toolcall_conformance.recording.cassettes.redaction.filters import Filters
from toolcall_conformance.recording.cassettes.redaction.interactions import scrub
from toolcall_conformance.recording.cassettes.redaction.redact import Redactor

TEXTS: dict[str, list[str]] = json.loads(Path(__file__).with_name("harmless.json").read_text(encoding="utf-8"))["texts"]
FILTERS = Filters.default()
MAX_LINES = 6_000
"""Lines of installed files that a run of the tests reads."""


@pytest.mark.parametrize("language", TEXTS)
def test_samples_stay_as_they_are(language: str) -> None:
    for text in (*TEXTS[language], "\n".join(TEXTS[language])):
        assert Redactor(FILTERS).text(text) == text
        raw = interaction(response=json.dumps({"content": text, "arguments": json.dumps({"result": text})}))
        assert scrub(raw, Redactor(FILTERS))["response"]["body"] == raw["response"]["body"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('x {"user_id": 918273645, "a": 1} y', 'x {"user_id": 1, "a": 1} y'),
        ('x {"user_id": "u7Kq2Lm9Zx1"} y', 'x {"user_id": "REDACTED-userid-1"} y'),
        ('x {"a": {"password": "s3same-open", "b": []}} y', 'x {"a": {"password": "REDACTED-password-1", "b": []}} y'),
    ],
)
def test_json_in_prose_stays_json(text: str, expected: str) -> None:
    assert Redactor(FILTERS).text(text) == expected
    json.loads(expected[2:-2])


def test_installed_files_stay_as_they_are() -> None:
    """Of what is installed next to the tests; `python tests cassettes.harmless` reads all of a machine."""
    folder = Path(sysconfig.get_paths()["purelib"] or site.getsitepackages()[0])
    paths = [*folder.glob("p*/*.py"), *folder.glob("*/*.pyi"), *folder.glob("*.dist-info/RECORD")]
    lines, wrong = 0, []
    for path in sorted(paths):
        text = path.read_text(encoding="utf-8")
        if len(text) < 200_000:
            lines += text.count("\n") + 1
            wrong += [
                (path.name, line)
                for line, redacted_line in changed_lines(text, Redactor(FILTERS))
                if "-email-" not in redacted_line
            ]
        if lines > MAX_LINES:
            break
    assert lines > MAX_LINES / 2
    assert len(wrong) <= lines / 10_000, wrong
