"""Every command of every page runs, as far as it can here, in the order of its page.

A block of commands that is not run says why in a comment above it, and is counted. Those that `.ci/run` takes from the
README are named by `<!-- command: NAME -->`. A run of pytest plays a few cases of the corpus, and where it would play
them all, on two routes; `pip install` is not run, but what it names is looked up.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from captured import forms
from cassettes import goldens
from pairs import folders
from toolcall_conformance.cli import main
from toolcall_conformance.library import Corpus
from toolcall_reference.render import main as render

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
NOT_RUN = {
    "CONTRIBUTING.md": 3,
    "docs/choosing-what-runs.md": 1,
    "docs/clients.md": 5,
    "docs/developing.md": 6,
    "docs/drawn-findings.md": 4,
    "docs/faults.md": 7,
    "docs/hostile-input.md": 1,
    "docs/recording.md": 2,
    "docs/releasing.md": 2,
    "docs/reference-gateway.md": 2,
    "docs/run.md": 2,
}
IN_CI = {"README.md": 8}
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
BLOCK = re.compile(r"^( *)(?:<!-- (not run|command): ([^\n]+) -->\n *)?```sh\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)

#: And what a translator without routes is asked, of its messages for OpenTelemetry.
TWO_ROUTES = "anthropic-to-gemini or gemini-to-openai_responses or otel"

MODULE = """
from toolcall_reference import ReferenceTranslator, otel

class MyTranslator(ReferenceTranslator): pass
T = Translator = MyTranslator

class MyInstrumentation:
    def open(self, route): return Session(route.client)

class Session:
    def __init__(self, name): self.name = name
    def otel(self, request, reply): return otel.of_exchange(request, reply, self.name).attributes()
"""


@dataclass(frozen=True)
class Command:
    """A command line of a page, without its comment; ``mark`` and ``reason`` are what is above its block."""

    text: str
    mark: str
    reason: str


def commands(page: Path) -> Iterator[Command]:
    for _, mark, reason, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for line in block.replace("\\\n", " ").splitlines():
            for part in line.split(" && ") if mark != "command" else [line]:
                yield Command(part.strip(), mark, reason)


def page_name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def marks_by_page(mark: str) -> dict[str, int]:
    counts = {page_name(page): sum(command.mark == mark for command in commands(page)) for page in PAGES}
    return {page: count for page, count in counts.items() if count}


class Shell:
    """Runs command lines in this process, in a folder that has what the pages take for granted."""

    def __init__(self, pytester: pytest.Pytester, corpus: Corpus, request: pytest.FixtureRequest) -> None:
        self._pytester = pytester
        self._corpus = corpus
        self._request = request
        self._folder = pytester.path
        for name in ("pkg.py", "my_package/__init__.py", "my_package/my_module.py"):
            self._write(name, MODULE)
        self._write("pyproject.toml", '[tool.toolcall]\ntranslator = "pkg:T"\n')
        recorded = goldens.exchanges(corpus, "shell/seed", "anthropic")
        goldens.write(self._folder / "recorded" / "a.json", recorded)
        goldens.write(self._folder / "tests" / "cassettes" / "weather.yaml", recorded)
        for name, write in (("client.har", forms.har), ("upstream.har", forms.har), ("provider.jsonl", forms.lines)):
            self._write(name, write(forms.exchanges("anthropic" if name == "client.har" else "openai_chat")))
        folders.agents(self._folder / "tests" / "golden").unlink()

    def run(self, text: str) -> int:
        """Run a command line; its exit code, 4 or 5 for a command that is wrong."""
        program, *words = shlex.split(text, comments=True)
        runs: dict[str, Callable[[list[str]], int]] = {
            "toolcall-conformance": self._toolcall,
            "pytest": self._pytest,
            "pip": self._pip,
            "npm": self._npm,
            "python": self._python,
            "cd": self._cd,
        }
        return runs[program](words)

    def _toolcall(self, words: list[str]) -> int:
        if words[0] == "judge":
            self._bodies(words)
        if words[0] in ("diff", "merge"):
            self._reports(words)
        return main(words)

    def _reports(self, words: list[str]) -> None:
        """The reports that a command reads, where the page has not written them: as the one that it has."""
        for before, word in pairwise(words):
            if word.endswith(".json") and before != "-o" and not Path(word).exists():
                shutil.copy("report.json", word)

    def _pytest(self, words: list[str]) -> int:
        quiet = ["-p", "no:hypothesispytest", "-p", "no:anyio"]
        few = ["-k", TWO_ROUTES] if "toolcall::" in words and "-k" not in words else []
        return int(self._pytester.runpytest_inprocess(*quiet, *few, *words).ret)

    def _pip(self, words: list[str]) -> int:
        assert words[0] == "install"
        for word in words[1:]:
            match = re.fullmatch(r"(?:\./)?toolcall-conformance(?:\[(.+)\])?", word)
            assert match, word
            assert match[1] is None or set(match[1].split(",")) <= EXTRAS.keys(), word
        return 0

    def _npm(self, words: list[str]) -> int:
        assert words == ["install"]
        modules: Path = self._request.getfixturevalue("node_modules")
        Path("node_modules").symlink_to(modules)
        return 0

    def _python(self, words: list[str]) -> int:
        assert words[:2] == ["-m", "toolcall_reference.render"], words
        scenario = self._folder / "private" / "scenarios" / "ours" / "first" / "scenario.json"
        small = json.loads((ROOT / "corpus" / "scenarios" / "shell" / "seed" / "scenario.json").read_bytes())
        scenario.parent.mkdir(parents=True)
        del small["files"]
        scenario.write_text(json.dumps({**small, "id": "ours/first"}), encoding="utf-8")
        return render(words[2:])

    def _cd(self, words: list[str]) -> int:
        os.chdir(words[0])
        return 0

    def _bodies(self, words: list[str]) -> None:
        """The captured bodies that a command of `judge` reads: those of a client of Anthropic's and of Gemini."""
        client, upstream = (self._corpus.cases["shell/seed"].exchanges(name)[0] for name in ("anthropic", "gemini"))
        error = {"status": 429, "body": {"error": {"code": 429, "message": "slow", "status": "RESOURCE_EXHAUSTED"}}}
        error_body = {
            "status": 429,
            "body": {"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}},
        }
        produced = error_body if "--error" in words else client.response if "--response" in words else upstream.request
        for name, body in (
            ("request", client.request),
            ("body", client.request),
            ("asked", client.request),
            ("sent", upstream.request),
            ("reply", upstream.response),
            ("error", error),
            ("produced", produced),
        ):
            self._write(f"{name}.json", json.dumps(body))
        assert client.stream_path is not None
        assert upstream.stream_path is not None
        (self._folder / "client.sse").write_bytes(client.stream_path.read_bytes())
        (self._folder / "upstream.sse").write_bytes(upstream.stream_path.read_bytes())

    def _write(self, name: str, text: str) -> None:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.fixture
def shell(
    pytester: pytest.Pytester,
    corpus: Corpus,
    request: pytest.FixtureRequest,
    small_corpus: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Shell:
    del small_corpus
    monkeypatch.syspath_prepend(pytester.path)
    return Shell(pytester, corpus, request)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(not command.mark for command in commands(page))], ids=page_name
)
def test_the_commands_run(page: Path, shell: Shell) -> None:
    if page.name == "policies.md":
        (toml,) = re.findall(r"^```toml\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        Path("policy.toml").write_text(toml, encoding="utf-8")
    for command in commands(page):
        if command.text and not command.mark:
            assert shell.run(command.text) in (0, 1), command.text


def test_what_is_not_run_is_counted() -> None:
    """A new one needs its reason above it, and its number here."""
    assert marks_by_page("not run") == NOT_RUN
    assert marks_by_page("command") == IN_CI


def test_ci_runs_the_readme_s() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for command in commands(ROOT / "README.md"):
        assert command.mark != "command" or re.search(rf"readme(_command)? {command.reason}\b", script)
