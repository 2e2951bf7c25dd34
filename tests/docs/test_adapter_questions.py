"""What docs/python.md answers to writers of adapters is true: its examples run, and its table is counted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from starters import run_suite
from toolcall_conformance import events

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
EXAMPLE = (ROOT / "docs" / "examples" / "translator.py").read_text(encoding="utf-8")
WITHOUT_ERRORS = EXAMPLE.partition("    def error(self")[0]
HEAD = "    def error(self, status, body):\n        "
#: The rows of the table, in its order.
ERRORS = (
    EXAMPLE,
    WITHOUT_ERRORS + HEAD + 'return 500, {"error": {"message": "upstream error", "type": "server_error"}}\n',
    WITHOUT_ERRORS + HEAD + "return status, body\n",
    WITHOUT_ERRORS
    + HEAD
    + 'said = {"type": "text", "text": body["error"]["message"]}\n        '
    + 'usage = {"input_tokens": 1, "output_tokens": 1}\n        '
    + 'reply = {"id": "msg_1", "model": "m", "content": [said], "stop_reason": "end_turn", "usage": usage}\n        '
    + "return 200, to_chat(reply)\n",
)
ITEMS = [
    f"toolcall::errors/upstream-{name}::response"
    for name in (
        *("invalid-key", "invalid-request", "overloaded", "rate-limit", "rate-limit-after-tool"),
        *("server-error", "unauthorized"),
    )
]


def test_the_table_of_errors(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    (table,) = re.findall(r"<!-- counted: errors -->\n(.*?)\n\n", PAGE, re.DOTALL)
    expected = [tuple(map(int, row.split("|")[2:5])) for row in table.splitlines()[2:]]
    monkeypatch.syspath_prepend(pytester.path)
    counted = []
    for number, module in enumerate(ERRORS):
        pytester.makepyfile(**{f"errors_{number}": module})
        output = run_suite(pytester, f"errors_{number}:Adapter", *ITEMS).stdout.str()
        counted.append(tuple(int((re.findall(rf"(\d+) {word}", output) or [0])[0]) for word in WORDS))
    assert counted == expected


WORDS = ("passed(?=.*not applicable)", "warned", "failed(?=.*not applicable)")


@pytest.mark.parametrize(
    ("session", "rule"),
    [
        ('return to_anthropic(body, self.model) | {"temperature": 0.5}', "SHOULD  translation/setting-added"),
        ('raise Refused("needs max_tokens")', "MUST"),
        ('print("{lost"); return to_anthropic(body, self.model)', ""),
    ],
)
def test_settings_and_prints(
    session: str, rule: str, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, small_corpus: Path
) -> None:
    del small_corpus
    monkeypatch.syspath_prepend(pytester.path)
    changed = EXAMPLE.replace("return to_anthropic(body, self.model)", session)
    assert changed != EXAMPLE
    pytester.makepyfile(questions=changed)
    result = run_suite(pytester, "questions:Adapter", "toolcall::shell/seed::request")
    assert result.ret == (rule == "MUST")
    assert rule in result.stdout.str()


def test_events_in_and_text_out() -> None:
    class Translation:
        def feed(self, event: dict[str, Any]) -> Iterator[str]:
            yield f"data: {event['a']}\n\n"

    match = re.search(r"<!-- example: text -->\n```python\n(.*?)```", PAGE, re.DOTALL)
    assert match is not None
    names: dict[str, Any] = {"events": events}
    exec(f"class Session:\n{match[1]}", names)
    session = names["Session"]()
    session.translation = Translation()
    assert list(session.stream([b'data: {"a"', b": 1}\n\n", b'data: {"a":2}\n\n'])) == [b"data: 1\n\n", b"data: 2\n\n"]
