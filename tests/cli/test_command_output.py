"""Nothing foreign reaches a terminal raw through a subcommand: bodies, cases, reports, names, settings, translators."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from cassettes.conftest import record, upstream  # noqa: F401 - fixtures
from cassettes.loopback_provider import PlannedReply, Provider, Record
from hostile_text import ATTACK, harmless
from reports.report_items import finding, item, run
from toolcall_conformance.cli import main
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.writers import json_report

Shown = Callable[..., str]


@pytest.fixture
def run_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shown:
    """Run a command; what it prints, which is harmless and has the attack in it."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str, must_say: str = "pwned") -> str:
        with contextlib.suppress(SystemExit):
            main(arguments)
        captured = capsys.readouterr()
        harmless(captured.out + captured.err, must_say=must_say)
        return captured.out

    return command


NAMED = ATTACK.replace("/", "").replace("\x00", "")  # a name of a file


def add_attack(value: Any) -> Any:
    """A body whose texts, ids and names carry the attack."""
    if isinstance(value, dict):
        return {key: add_attack(member) for key, member in value.items()}
    if isinstance(value, list):
        return [add_attack(member) for member in value]
    return value + ATTACK if isinstance(value, str) else value


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for member in value.values() if isinstance(value, dict) else value:
            yield from texts(member)


def test_judge(run_shown: Shown, corpus: Corpus, tmp_path: Path) -> None:
    body = corpus.cases["shell/realistic"].exchanges("anthropic")[-1].request
    other = corpus.cases["shell/realistic"].exchanges("gemini")[-1].request
    source, output = tmp_path / f"{NAMED}.json", tmp_path / "output.json"
    source.write_text(json.dumps(body), encoding="utf-8")
    output.write_text(json.dumps(add_attack(other)), encoding="utf-8")
    ends = ("--client", "anthropic", "--upstream", "gemini")
    run_shown("judge", *ends, "--tolerated", str(source), str(output))
    printed = run_shown("judge", *ends, "--json", str(source), str(output))
    assert any(text.endswith(ATTACK) for text in texts(json.loads(printed))), "JSON keeps values"
    run_shown("judge", "--client", "gemini", str(output))
    output.write_text(f'{{"{ATTACK}": ', encoding="utf-8")
    run_shown("judge", *ends, str(source), str(output), must_say="")
    run_shown("judge", *ends, str(tmp_path / f"no{NAMED}"), str(output))
    run_shown("judge", "--client", ATTACK, str(output))


@pytest.mark.parametrize(
    "arguments",
    [
        ("explain", ATTACK),
        ("explain", f"toolcall::{ATTACK}::request::anthropic-to-gemini"),
        ("list", ATTACK),
        ("losses", ATTACK),
        ("schema", ATTACK),
        ("adapters", ATTACK),
        ("corpus", "--check", ATTACK),
        ("new-adapter", "--language", "python", f"/dev/null/{ATTACK}"),
        ("report", ATTACK, "x.md"),
        ("badge", ATTACK, "x.svg"),
        ("smoke", f"{ATTACK}:T"),
        ("smoke", f"exec:{ATTACK}"),
        ("smoke", f"gateway:{ATTACK}"),
        ("record", "--format", "gemini", "--model", "m", "--case", ATTACK, "--cassettes", "x"),
        (ATTACK,),
    ],
    ids=lambda arguments: " ".join(arguments).split(ATTACK)[0],
)
def test_what_a_command_does_not_know(run_shown: Shown, arguments: tuple[str, ...]) -> None:
    run_shown(*arguments)


def test_settings(run_shown: Shown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.toolcall]\n{json.dumps(ATTACK)} = 1\n", encoding="utf-8")
    run_shown("list", "rules")
    (tmp_path / "pyproject.toml").write_text(f"[tool.toolcall]\ncorpus = [{json.dumps(ATTACK)}]\n", encoding="utf-8")
    run_shown("list", "cases")
    (tmp_path / "pyproject.toml").unlink()
    monkeypatch.setenv("TOOLCALL_TRANSLATOR", ATTACK)
    run_shown("smoke")


def test_private_cases(run_shown: Shown, corpus: Corpus, tmp_path: Path) -> None:
    folder = tmp_path / "private" / "scenarios" / "ours" / "one"
    folder.mkdir(parents=True)
    scenario = {**corpus.cases["shell/seed"].scenario, "id": "ours/one", "title": ATTACK}
    (folder / "scenario.json").write_text(json.dumps(scenario), encoding="utf-8")
    for name in corpus.formats:
        (folder / name).mkdir()
        for path in (corpus.cases["shell/seed"].path / name).iterdir():
            (folder / name / path.name).write_bytes(path.read_bytes())
    run_shown("list", "cases", "--corpus", "private")
    run_shown("explain", "ours/one", "--corpus", "private")
    json.loads(run_shown("explain", "ours/one", "--json", "--corpus", "private"))
    scenario["id"] = f"ours/{ATTACK}"
    (folder / "scenario.json").write_text(json.dumps(scenario), encoding="utf-8")
    run_shown("list", "cases", "--corpus", "private", must_say="")


@pytest.fixture
def reports(tmp_path: Path) -> tuple[str, str]:
    """Two reports of runs in which everything foreign is an attack."""
    paths = []
    for number in (1, 2):
        finding_entry = finding(
            message=f"{ATTACK}{number}", got=ATTACK, want=[ATTACK], pointer=f"/{ATTACK}{number}", subject=ATTACK,
            signature=f"translation/call-lost {number}", body=ATTACK, near=ATTACK, code=f"{ATTACK}:3", note=ATTACK,
        )  # fmt: skip
        unknown = finding(f"ours/{ATTACK}", message=ATTACK)
        run_record = run(
            [
                item("box/one", finding_entry, unknown),
                item("box/two", verdict="blocked", outcome="skipped", reason=ATTACK),
            ],
            translator={"spec": ATTACK, "name": ATTACK, "version": f"{ATTACK}{number}"},
            command=f"pytest --toolcall-translator {ATTACK}",
            stale=[ATTACK],
        )
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_text(json.dumps(json_report.document(run_record)), encoding="utf-8")
    return str(paths[0]), str(paths[1])


def test_reports(run_shown: Shown, reports: tuple[str, str], tmp_path: Path) -> None:
    old, new = reports
    run_shown("diff", old, new, "--all")
    json.loads(run_shown("diff", old, new, "--json"))
    run_shown("diff", old, new, "--md")
    run_shown("merge", old, new, "-o", "x.json")
    run_shown("merge", old, "-o", f"{NAMED}.json")
    run_shown("report", old, f"{NAMED}.md")
    markdown = (tmp_path / f"{NAMED}.md").read_text(encoding="utf-8")
    harmless(markdown)
    run_shown("badge", old, "badge.svg", "badge.json", "--label", ATTACK)
    ET.parse(tmp_path / "badge.svg")
    for name in ("badge.svg", "badge.json"):
        harmless((tmp_path / name).read_text(encoding="utf-8"))


TRANSLATOR = f"""
import logging
import sys

ATTACK = {ATTACK!r}

print(ATTACK)


class Session:
    def request(self, body):
        print(ATTACK)
        sys.stdout.buffer.write(ATTACK.encode())
        logging.getLogger(ATTACK).error(ATTACK)
        raise ValueError(ATTACK)


class Unsupported(Exception):
    pass


class T:
    name, version = ATTACK, ATTACK

    def open(self, route):
        if route.upstream == "gemini":
            raise Unsupported(ATTACK)
        return Session()
"""


def test_smoke(run_shown: Shown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "smoked_hostile.py").write_text(TRANSLATOR, encoding="utf-8")
    run_shown("smoke", "smoked_hostile:T")
    (tmp_path / "smoked_broken.py").write_text(f"raise ValueError({ATTACK!r})", encoding="utf-8")
    run_shown("smoke", "smoked_broken:T")


CHILD = f"""
import contextlib
import json
import sys

ATTACK = {ATTACK!r}
print(ATTACK, file=sys.stderr, flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    print("noise " + ATTACK.replace("\\n", " "), flush=True)
    answer = {{"seq": asked["seq"]}}
    if asked.get("op") == "hello":
        answer |= {{"name": ATTACK, "version": ATTACK, "protocol": 1}}
    else:
        answer |= {{"failed": ATTACK, "traceback": ATTACK}}
    print(json.dumps(answer), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="exec: needs pipes that can be polled")
def test_smoke_of_a_child(run_shown: Shown, tmp_path: Path) -> None:
    (tmp_path / "child.py").write_text(CHILD, encoding="utf-8")
    run_shown("smoke", f"exec:{sys.executable} child.py")


def test_record(record: Record, upstream: Provider) -> None:  # noqa: F811
    error = {"error": {"message": ATTACK, "type": ATTACK, "code": ATTACK}}
    called = {"type": "message", "role": "assistant", "content": [{"type": "tool_use", "id": ATTACK, "name": ATTACK,
              "input": {}}], "stop_reason": "tool_use", "usage": {}, "model": ATTACK, "id": ATTACK}  # fmt: skip
    json_type = {"content-type": "application/json"}
    for answer in (
        PlannedReply(json.dumps(error).encode(), 400, json_type),
        PlannedReply(json.dumps(called).encode(), 200, json_type),
        PlannedReply(ATTACK.encode(), 200, json_type),
        PlannedReply(ATTACK.encode(), 500, {"content-type": "text/\x9b31m;pwned"}),
    ):
        upstream.answers = [answer]
        ran = record("anthropic", "--case", "shell/realistic", "--unary")
        harmless(ran.out + ran.err, must_say="not recorded")
