"""``record`` as a user calls it: wrong usage, folders that cannot be written, bounds, and interruptions."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from cassettes.loopback_provider import KEY, Provider, Record, base_url, replies
from cassettes.record_files import CASE, earlier, files, refusal
from toolcall_conformance.cli import main
from toolcall_conformance.library import Corpus
from toolcall_conformance.recording.cassettes.interactions import CassetteError
from toolcall_conformance.recording.cassettes.recorder import output


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_the_disk_is_full(
    number: int,
    corpus: Corpus,
    record: Record,
    upstream: Provider,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = earlier(tmp_path)

    def full(_: Any) -> None:
        raise OSError(number, os.strerror(number))

    upstream.answers = replies(corpus.cases[CASE], "anthropic", streamed=False)
    monkeypatch.setattr("os.fsync", full)
    ran = record("anthropic", "--case", CASE, "--unary")
    assert ran.code == 1
    assert f"{path}: not written: the disk is full; the earlier cassette is unchanged" in ran.out
    assert (files(tmp_path), path.read_text()) == ([f"anthropic/{CASE}.json"], "earlier")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
def test_a_file_that_cannot_grow_leaves_the_earlier_one(tmp_path: Path) -> None:
    """The real thing: the operating system stops the writing in the middle of the file."""
    program = (
        "import resource, sys; from pathlib import Path\n"
        "from toolcall_conformance.recording.cassettes.recorder import output\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
        "try: output.write(Path(sys.argv[1]), {'interactions': ['x' * 9000]})\n"
        "except output.CassetteError as error: print(error)"
    )
    path = tmp_path / "kept.json"
    path.write_text("earlier")
    ran = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)
    assert "not written: File too large; the earlier cassette is unchanged" in ran.stdout
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("kept.json", "earlier")]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such users")
def test_a_folder_that_is_not_ours() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o555)
        root = os.geteuid() == 0
        if root:  # who may write anywhere
            os.seteuid(65534)
        try:
            with pytest.raises(CassetteError, match=r"cannot be written to .*nothing was recorded"):
                output.prepare(folder / "anthropic" / "shell" / "seed.json")
        finally:
            if root:
                os.seteuid(0)
            folder.chmod(0o755)


def test_a_folder_that_cannot_be_made(record: Record, upstream: Provider, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("a file")
    ran = record("anthropic", "--case", CASE)
    assert "Give another --cassettes" in ran.out
    assert (ran.code, upstream.asked) == (1, [])  # nothing is asked of anybody, and nothing paid for


def test_the_place_of_a_cassette_is_taken(record: Record, upstream: Provider, tmp_path: Path) -> None:
    (tmp_path / "kept" / "anthropic" / f"{CASE}.json").mkdir(parents=True)
    ran = record("anthropic", "--case", CASE, "--unary")
    assert "is a folder with the name of the cassette" in ran.out
    assert (ran.code, upstream.asked) == (1, [])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["anthropic", "--case", "shell/realistc"], "there is no case 'shell/realistc'; did you mean shell/realistic"),
        (["anthropic", "--family", "shel"], "there is no family 'shel'; did you mean shell"),
        (["anthropic"], "nothing to record: give --case or --family"),
        (["anthropic", "--case", CASE, "--filters", "none.toml"], "none.toml: cannot be read (No such file"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str, record: Record, upstream: Provider) -> None:
    ran = record(*arguments)
    assert (ran.code, upstream.asked) == (4, [])
    assert message in ran.err


def test_an_unknown_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", "--format", "anthropik", "--model", "m", "--cassettes", "x", "--case", CASE]) == 4
    assert "there is no format 'anthropik'; did you mean anthropic" in capsys.readouterr().err


@pytest.mark.parametrize("missing", ["--model", "--cassettes", "--format"])
def test_the_message_for_a_wrong_command(missing: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = {"--format": "anthropic", "--model": "m", "--cassettes": "x", "--case": CASE}
    words = [word for option, value in options.items() if option != missing for word in (option, value)]
    try:
        code: object = main(["record", *words])
    except SystemExit as ended:
        code = ended.code
    assert code == 4
    assert missing in capsys.readouterr().err


@pytest.mark.parametrize(
    ("url", "message"),
    [
        (
            "ftp://a.example",
            "--base-url: 'ftp://a.example' is not a base URL; give one such as https://api.anthropic.com",
        ),
        ("a.example", "is not a base URL"),
        ("https://me:pw@a.example", "the URL must not hold user and password"),
    ],
)
def test_a_base_url_that_is_none(url: str, message: str, record: Record) -> None:
    ran = record("anthropic", "--case", CASE, url=url)
    assert (ran.code, message in ran.err) == (4, True)


def test_a_key_in_the_open_is_reported(record: Record) -> None:
    ran = record("anthropic", "--case", CASE, "--unary", url="http://gateway.invalid")
    assert "gateway.invalid is called without encryption" in ran.err


def test_a_missing_recorder(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        if name == "vcrpy":
            raise metadata.PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr(metadata, "version", version)
    ran = record("anthropic", "--case", CASE)
    assert ran.code == 4
    assert "recording needs vcrpy, which is not installed: pip install 'toolcall-conformance[cassettes]'" in ran.err


def test_an_old_recorder(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", lambda _: "9.3.1")
    ran = record("anthropic", "--case", CASE)
    assert (ran.code, "vcrpy 9.3.1 does not record httpx2; install 9.4 or newer" in ran.err) == (4, True)


def test_a_family_with_a_failure_is_recorded_for_the_rest(
    corpus: Corpus, record: Record, upstream: Provider, tmp_path: Path
) -> None:
    upstream.answers = [refusal(500, "boom")]
    count = 0
    for case in list(corpus.cases.values()):
        playable = case.family == "errors" and not any(exchange.error for exchange in case.exchanges("anthropic"))
        if playable and case.id != "errors/all-fail-alike":  # the first of them
            upstream.answers += replies(case, "anthropic", streamed=False)
            count += 1
    ran = record("anthropic", "--family", "errors", "--unary")
    assert ran.code == 1
    assert "HTTP 500 from 127.0.0.1" in ran.out
    assert f"{count} recorded, 1 failed, 7 skipped" in ran.out
    assert "skipped, the case needs an error of the provider" in ran.out
    assert len(files(tmp_path)) == count


def test_requests_are_bounded(corpus: Corpus, record: Record, upstream: Provider, tmp_path: Path) -> None:
    case = corpus.cases[CASE]
    upstream.answers = [
        *replies(case, "anthropic", streamed=False),
        *replies(case, "anthropic", streamed=True),
    ]
    ran = record("anthropic", "--case", CASE, "--max-requests", "3")
    assert len(upstream.asked) == 3
    assert "--max-requests 3 is used up" in ran.out
    assert (ran.code, files(tmp_path)) == (1, [f"anthropic/{CASE}.json"])


def test_the_rate_is_bounded(
    corpus: Corpus, record: Record, upstream: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    upstream.answers = replies(corpus.cases[CASE], "anthropic", streamed=False)
    assert record("anthropic", "--case", CASE, "--unary", "--rate", "6").code == 0
    assert [round(seconds) for seconds in slept] == [10]


def test_what_is_there_already_can_be_left_out(
    corpus: Corpus, record: Record, upstream: Provider, tmp_path: Path
) -> None:
    path = earlier(tmp_path)
    upstream.answers = replies(corpus.cases[CASE], "anthropic", streamed=True)
    ran = record("anthropic", "--case", CASE, "--missing")
    assert ran.code == 0
    assert "is already there" in ran.out
    assert (path.read_text(), len(files(tmp_path))) == ("earlier", 2)


def test_the_gateway_s_address_comes_from_the_environment(
    corpus: Corpus, upstream: Provider, record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", base_url(corpus, "openai_chat", upstream.url))
    upstream.answers = replies(corpus.cases[CASE], "openai_chat", streamed=False)
    assert record("openai_chat", "--case", CASE, "--unary", url="").code == 0
    assert upstream.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert len(files(tmp_path)) == 1


def test_an_interruption_is_no_traceback(record: Record, upstream: Provider, tmp_path: Path) -> None:
    import httpx2

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(httpx2.Client, "stream", interrupted)
        ran = record("anthropic", "--case", CASE)
    assert (ran.code, upstream.asked) == (1, [])
    assert "not recorded: interrupted" in ran.out
    assert files(tmp_path) == []
