"""Files that would hang a command or end it with a traceback: each is one clear sentence."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import threading
import time
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from toolcall_conformance.basics import foreign_files
from toolcall_conformance.basics.settings_files import UnreadableFileError, find_settings
from toolcall_conformance.basics.settings_sources import SettingError, SettingsTable
from toolcall_conformance.cli import main
from toolcall_conformance.drivers.errors import SpecError
from toolcall_conformance.drivers.gateway.config import load_config
from toolcall_conformance.judge.policy import PolicyError, load_policy
from toolcall_conformance.library import CorpusError, load_corpus, vendored
from toolcall_conformance.library.files import read_json
from toolcall_conformance.recording.cassettes.recorder.api import Answer, Api
from toolcall_conformance.recording.cassettes.recorder.endpoint import NoEndpointError, endpoint
from toolcall_conformance.recording.cassettes.redaction.filters import FilterError, Filters
from toolcall_conformance.reports import known_failures
from toolcall_conformance.reports.files import ReportError
from toolcall_conformance.reports.writers import json_report


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _write_bytes(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


HOSTILE: dict[str, Callable[[Path], object]] = {
    "pipe": _fifo,
    "zeros": lambda path: path.symlink_to("/dev/zero"),
    "directory": lambda path: path.mkdir(),
    "circle of links": lambda path: path.symlink_to(path),
    "empty": _write_bytes(b""),
    "NUL": _write_bytes(b"\0" * 100),
    "latin-1": _write_bytes("[pytest]\nä = 1".encode("latin-1")),
    "brackets": _write_bytes(b"a = " + b"[" * 100_000),
    "dots": _write_bytes(b"[" + b".".join([b"a"] * 2000) + b"]\nb = 1\n"),
    "digits": _write_bytes(b"a = " + b"9" * 10_000),
    "deep": _write_bytes(b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    "less deep": _write_bytes(b'{"a": ' + b"[" * 900 + b"]" * 900 + b"}"),
    "large": _write_bytes(b'"' + b"a" * 5000 + b'"'),
}

FORMATS = ("anthropic", "openai_chat")
NAMES = known_failures.RuleNames(["a/b"])
READERS: dict[str, tuple[str, Callable[[Path], Any], type[Exception]]] = {
    "corpus": ("x.json", read_json, CorpusError),
    "known failures": ("x.toml", lambda path: known_failures.load(path, NAMES), known_failures.KnownFailuresError),
    "known lines": ("x.txt", lambda path: known_failures.load(path, NAMES), known_failures.KnownFailuresError),
    "policy": ("x.toml", lambda path: load_policy(load_corpus(), path), PolicyError),
    "policy in JSON": ("x.json", lambda path: load_policy(load_corpus(), path), PolicyError),
    "gateway": ("x.toml", lambda path: load_config(path, FORMATS), SpecError),
    "filters": ("x.toml", Filters.load, FilterError),
    "report": ("x.json", json_report.read, ReportError),
    "manifest": ("manifest.json", lambda path: vendored.read(path.parent), vendored.VendoredError),
    "settings": ("pyproject.toml", lambda path: SettingsTable(path.parent).find("strict"), SettingError),
    "ini": ("pytest.ini", lambda path: find_settings(path.parent), UnreadableFileError),
}


@pytest.mark.parametrize("reader", READERS)
def test_no_file_ends_a_command_with_a_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: str) -> None:
    monkeypatch.setattr(foreign_files, "MAX_BYTES", 250_000)
    file, read, kind = READERS[reader]
    for name, make in HOSTILE.items():
        folder = tmp_path / name
        folder.mkdir()
        make(folder / file)
        message = _reader_error(read, folder / file, kind)
        assert (
            message is not None or (name not in ("pipe", "zeros", "latin-1")) or (reader == "ini" and name != "latin-1")
        )
        assert message is None or (str(folder) in message and len(message) < 6000), name


WRITERS: dict[str, list[str]] = {
    "badge": ["badge", "loop.json", "new.svg"],
    "report": ["report", "report.json", "loop.html"],
    "merge": ["merge", "report.json", "-o", "loop.json"],
    "corpus": ["corpus", "loop"],
    "new-adapter": ["new-adapter", "--language", "python", "loop"],
}


@pytest.mark.parametrize("writer", WRITERS)
def test_no_circle_of_links_is_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], writer: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("loop", "loop.json", "loop.html"):
        Path(name).symlink_to(name)
    with contextlib.suppress(SystemExit):
        assert main(WRITERS[writer]) not in (0, 1)
    stderr = capsys.readouterr().err
    assert stderr.count("\n") == 1, stderr
    assert "loop" in stderr
    assert all(path.is_symlink() for path in tmp_path.iterdir())


def _reader_error(read: Callable[[Path], Any], path: Path, kind: type[Exception]) -> str | None:
    """What the reader's own error says of a file; None for a file that it takes."""
    try:
        read(path)
    except kind as error:
        return str(error)
    return None


def test_a_file_beyond_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign_files, "MAX_BYTES", 2**20)
    (tmp_path / "x").write_bytes(b"a" * 2**20)
    assert len(foreign_files.read_bytes(tmp_path / "x")) == 2**20
    (tmp_path / "x").write_bytes(b"a" * (2**20 + 1))
    with pytest.raises(OSError, match="more than 1 MiB"):
        foreign_files.read_bytes(tmp_path / "x")
    with pytest.raises(OSError, match="more than 1 MiB"):
        foreign_files.verify_readable(tmp_path / "x")
    with pytest.raises(OSError, match="character that no file's name can have"):
        foreign_files.read_bytes(Path("a\0b"))


def test_a_pipe_is_read_to_its_end_and_needs_a_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write() -> None:
        with pipe.open("wb", buffering=0) as file:
            for chunk in (b"a" * 100_000, b"b"):
                time.sleep(0.05)
                file.write(chunk)

    writer = threading.Thread(target=write)
    writer.start()
    assert foreign_files.read_bytes(pipe, pipes=True) == b"a" * 100_000 + b"b"
    writer.join()
    monkeypatch.setattr(foreign_files, "WRITER_WAIT_SECONDS", 0.05)
    with pytest.raises(OSError, match="without data"):
        foreign_files.read_bytes(pipe, pipes=True)


JUDGED = {
    "pipe": "without data",
    "directory": "Is a directory",
    "zeros": "more than 0 MiB",
    "brackets": "not JSON",
    "deep": "nested",
}


@pytest.mark.parametrize("name", [*JUDGED, "less deep", "empty", "NUL", "latin-1"])
def test_judge_says_what_is_wrong_with_a_body(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.setattr(foreign_files, "MAX_BYTES", 250_000)
    monkeypatch.setattr(foreign_files, "WRITER_WAIT_SECONDS", 0.05)
    HOSTILE[name](tmp_path / "body.json")
    assert main(["judge", "--client", "anthropic", str(tmp_path / "body.json")]) == 4
    stderr = capsys.readouterr().err
    assert "body.json" in stderr
    assert JUDGED.get(name, "") in stderr


def test_judge_takes_a_schema_of_150_levels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(150):
        schema = {"type": "object", "properties": {"a": schema}}
    body = {"model": "m", "max_tokens": 3, "messages": [{"role": "user", "content": "x"}]}
    body["tools"] = [{"name": "f", "description": "d", "input_schema": schema}]
    (tmp_path / "body.json").write_text(json.dumps(body))
    assert main(["judge", "--client", "anthropic", str(tmp_path / "body.json")]) == 0
    assert "no findings" in capsys.readouterr().out


def _private(folder: Path, **fields: Any) -> None:
    """A private corpus with one case, ``mine/one``: one of ours, with what is ``fields`` in its scenario."""
    case = folder / "scenarios" / "mine" / "one"
    shutil.copytree(load_corpus().cases["shell/seed"].path, case)
    scenario = json.loads((case / "scenario.json").read_text(encoding="utf-8"))
    (case / "scenario.json").write_text(json.dumps(scenario | {"id": "mine/one"} | fields))


def test_a_tool_with_a_long_name_has_no_file(tmp_path: Path) -> None:
    _private(tmp_path, tools=["a" * 5000])
    with pytest.raises(CorpusError, match=r"scenario\.json: ") as caught:
        _ = load_corpus(extra=[tmp_path]).cases
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("part", ["01-request.json", "01-response.sse"])
@pytest.mark.parametrize("kind", ["pipe", "zeros"])
def test_a_body_of_a_private_case_is_a_regular_file(tmp_path: Path, part: str, kind: str) -> None:
    folder = tmp_path / "anthropic"
    folder.mkdir()
    for name in {"01-request.json", "01-response.json"} - {part}:
        (folder / name).write_text("{}")
    HOSTILE[kind](folder / part)
    from toolcall_conformance.library.cases import Case

    with pytest.raises(CorpusError, match=rf"{part}: cannot be read \(not a regular file\)"):
        Case(tmp_path, {"id": "mine/one"}).exchanges("anthropic")


def test_a_lone_surrogate_is_printed_escaped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _private(tmp_path, title="half \ud800")
    assert main(["explain", "--corpus", str(tmp_path), "mine/one"]) == 0
    assert "half \\ud800" in capsys.readouterr().out


@pytest.mark.parametrize(("model", "base"), [("\udcff", None), ("m", "http://[::1"), ("m", "http://h:99999")])
def test_record_refuses_words_that_make_no_address(model: str, base: str | None) -> None:
    with pytest.raises(NoEndpointError, match=r"^--(?:model|base-url): "):
        endpoint("gemini", load_corpus().transports, {"GEMINI_API_KEY": "key"}, model, base)


def test_a_comment_after_the_date_of_retry_after_is_read() -> None:
    api: Any = SimpleNamespace(_failure=lambda _: None)
    until = format_datetime(datetime.now(UTC) + timedelta(seconds=50), usegmt=True)
    for header in (until, f"{until} (or so)"):
        wait = Api._wait(api, Answer(429, {"retry-after": header}, b""))
        assert wait is not None
        assert 45 < wait <= 50
    assert Api._wait(api, Answer(429, {"retry-after": "soon GMT"}, b"")) is None


@pytest.mark.parametrize("items", [0, [], [3], [{}]])
@pytest.mark.parametrize("command", [["report", "{}", "out.html"], ["diff", "{}", "{}"], ["badge", "{}", "out.svg"]])
def test_a_document_that_is_no_report_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str], items: Any
) -> None:
    path = tmp_path / "report.json"
    count = len(items) if isinstance(items, list) else items
    path.write_text(json.dumps({"format": "1", "items": items, "footer": {"items": count, "complete": True}}))
    code = main([command[0], *(word.format(path) if word == "{}" else str(tmp_path / word) for word in command[1:])])
    assert code not in (0, 1)
    assert "report.json: " in capsys.readouterr().err


def test_a_small_file_takes_little_memory(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"a")
    tracemalloc.start()
    try:
        assert foreign_files.read_bytes(tmp_path / "x") == b"a"
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()
