"""The places of a run of pytest: a translator in every way of running it, known failures, test classes, recordings."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

import miniature
from hostility import texts, values
from hostility.files import write_cassette
from hostility.place import Place
from hostility.python_translators import LIMIT, prepare, value_of

SPEC = "hostility.small_translator:Small"
QUIET = ("-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:anyio")
ALONE = ("-p", "no:xdist")
WAYS: dict[str, tuple[tuple[str, ...], float, int]] = {
    "translator in pytest": (ALONE, 40.0, 3),
    "isolated translator": ((*ALONE, "--toolcall-isolated", "--toolcall-memory=1024"), 90.0, 2),
    "translator in a worker": (("-n", "1"), 90.0, 1),
}
"""By who speaks: the options, the seconds that a run may take, and the weight."""
KNOWN = {
    "rule": "alpha/text-kept",
    "signature": "text 1 alpha /text value",
    "reason": "known",
    "ticket": "https://example.com/1",
    "added": "2026-01-01",
    "expires": "2999-01-01",
    "wide": True,
    "items": ["box/one::request::beta-to-alpha", "crate/*"],
}
SUITE = """
from hostility import values
from toolcall_conformance.suite import ConformanceSuite


class TestMine(ConformanceSuite):
    translator = "hostility.small_translator:Small"
    cases = ["box"]
    checks = ["request"]
    test_output = None
    {attribute} = {value}
"""


def _prepare_pytest(folder: Path, where: str, how: str, value: str) -> None:
    """The corpus in miniature for this process and, by a conftest.py, for workers; the translator and its deed."""
    prepare(folder, where, how, value)
    # The engine tries each route before the first item; what ends the process is done within items alone.
    os.environ["HOSTILITY_TIMES"] = "2" if how in ("ends", "dies") else "7"
    miniature.write_corpus(folder / "mini")
    (folder / "conftest.py").write_text(miniature.CONFTEST)


def run_judge(options: tuple[str, ...], *arguments: str) -> int:
    """Run pytest with all reports; its exit code. No item may lack a verdict."""
    reports = [f"--toolcall-report={name}" for name in ("r.json", "r.html", "r.md")]
    code = int(pytest.main([*QUIET, *options, f"--toolcall-timeout={LIMIT}", *reports, *arguments]))
    with contextlib.suppress(FileNotFoundError):
        report = json.loads(Path("r.json").read_text(encoding="utf-8"))
        assert all(item["verdict"] != "error" for item in report["items"]), "an item without a verdict"
        return code
    assert code in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERRUPTED), f"no report, and exit code {code}"
    return code


def _translator(kind: str, where: str, how: str) -> Place:
    options, seconds, weight = WAYS[kind]

    def play(folder: Path, value: str, _draw: Random) -> int:
        _prepare_pytest(folder, where, how, value)
        return run_judge(options, f"--toolcall-translator={SPEC}", "--toolcall-artifacts=bodies", "toolcall::box")

    return Place(kind, f"{where}-{how}", value_of(how), play, seconds=seconds, weight=weight)


def _known_failures(written: str) -> Callable[[Path, str, Random], int]:
    """A file of known failures, read or rewritten, for a translator that fails."""

    def play(folder: Path, value: str, draw: Random) -> int:
        _prepare_pytest(folder, "request", "returns", "none")
        name = draw.choice(["known.toml", "known.txt"])
        texts.make_toml(folder / name, KNOWN, value, draw, header="[[known]]") if written == "toml" else _lines(
            folder / "known.txt", value, draw
        )
        file_name = name if written == "toml" else "known.txt"
        more = draw.choice([[], ["--toolcall-known-failures-update"]])
        return run_judge(
            ALONE, f"--toolcall-translator={SPEC}", f"--toolcall-known-failures={file_name}", *more, "toolcall::box"
        )

    return play


def _lines(path: Path, value: str, draw: Random) -> None:
    good = ["box/one::request::beta-to-alpha", "alpha/text-kept", "# known"]
    if value in texts.FILES:
        texts.FILES[value](path, " ".join(good).encode())
    else:
        good[draw.randrange(3)] = texts.word(value, draw)
        path.write_text(" ".join(good) + "\n", errors="surrogateescape")


def _class(attribute: str) -> Place:
    """A test class of the user's, one attribute of which is hostile."""

    def play(folder: Path, value: str, _draw: Random) -> int:
        _prepare_pytest(folder, "none", "is", "none")
        (folder / "test_mine.py").write_text(SUITE.format(attribute=attribute, value=f"values.value({value!r})"))
        return int(pytest.main([*QUIET, *ALONE, f"--toolcall-timeout={LIMIT}", "test_mine.py"]))

    drawn = values.draw_value if attribute == "translator" else lambda draw: draw.choice(values.names())
    return Place("test class", attribute, drawn, play, seconds=40.0, weight=2)


def _class_translator(where: str, how: str) -> Place:
    """A test class of the user's, the translator of which is hostile."""

    def play(folder: Path, value: str, _draw: Random) -> int:
        _prepare_pytest(folder, where, how, value)
        (folder / "test_mine.py").write_text(SUITE.format(attribute="nothing", value=None))
        return int(pytest.main([*QUIET, *ALONE, f"--toolcall-timeout={LIMIT}", "test_mine.py"]))

    return Place("test class", f"{where}-{how}", value_of(how), play, seconds=40.0, weight=2)


def _recording(folder: Path, value: str, draw: Random) -> int:
    """A cassette that is judged, and played through a translator; a good one is next to it."""
    (folder / "kept").mkdir()
    write_cassette(folder / "kept", value, draw)
    write_cassette(folder / "kept", None, draw, "good.json")
    reference = "--toolcall-translator=toolcall_reference:ReferenceTranslator"
    more = draw.choice([[], [reference]])
    return run_judge(ALONE, "--toolcall-cassettes=kept", *more, "toolcall::recorded")


HOWS = ("returns", "raises", "does")


def _draw_text_name(draw: Random) -> str:
    return draw.choice(texts.names())


def places() -> Iterator[Place]:
    """All places of a run of pytest."""
    for kind in WAYS:
        for where in ("request", "response", "open", "losses", "made_up", "constructor"):
            for how in HOWS:
                yield _translator(kind, where, how)
        if kind != "translator in pytest":
            for where in ("request", "response", "open"):
                yield _translator(kind, where, "ends" if kind == "isolated translator" else "dies")
                if kind == "isolated translator":
                    yield _translator(kind, where, "wrecks")
    for written in ("toml", "lines"):
        yield Place("known failures", written, _draw_text_name, _known_failures(written), weight=2)
    for attribute in ("translator", "cases", "routes", "checks"):
        yield _class(attribute)
    for where in ("request", "open"):
        for how in HOWS:
            yield _class_translator(where, how)
    yield Place("judged cassette", "file", _draw_text_name, _recording, seconds=60.0, weight=2)
