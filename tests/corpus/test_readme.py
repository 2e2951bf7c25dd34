"""The corpus's README is true and short: the runners run, and it names every file. Its keys: ``tests/keys``."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from every import every
from toolcall_conformance.basics.jsonstyle import dump, dump_line
from toolcall_conformance.library import default_root, read_json
from toolcall_conformance.library.verdicts import Verdict, read_verdicts
from turns import VARIABLE, share, today

ROOT = default_root()
README = (ROOT / "README.md").read_text(encoding="utf-8")
#: The pages that hold the runners, by the language of each.
PAGES = {"python": README, "typescript": (ROOT / "typescript.md").read_text(encoding="utf-8")}
#: So many words a first reader gets.
MAX_WORDS = 2_500
MAX_LINES = 80
#: In so many days the runners judge every verdict. Our own judge does so every day, in tests/doubles/test_doubles.py.
PARTS = 5
#: One family of cases is enough here: what every body is worth, tests/corpus/test_goldens.py asks.
FAMILY = "ids"


def code(language: str) -> str:
    (block,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGES[language], re.MULTILINE | re.DOTALL)
    return str(block)


def section(text: str, heading: str) -> str:
    match = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^##? |\Z)", text, re.MULTILINE | re.DOTALL)
    assert match, f"corpus/README.md has no section {heading!r}"
    return match[1]


@pytest.fixture(scope="module")
def python_runner(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command of the Python runner."""
    path = tmp_path_factory.mktemp("python") / "runner.py"
    path.write_text(code("python"), encoding="utf-8")
    return [sys.executable, "-I", str(path)]


@pytest.fixture(scope="module")
def typescript_runner(typescript: Callable[[Path], list[str]], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command of the TypeScript runner."""
    path = tmp_path_factory.mktemp("typescript") / "runner.ts"
    path.with_name("package.json").write_text('{"type": "module", "private": true}\n', encoding="utf-8")
    path.write_text(code("typescript"), encoding="utf-8")
    return typescript(path)


def run(command: list[str], corpus: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """As the README says it: next to the corpus, by its name alone."""
    words = [*command, corpus.name, *arguments]
    return subprocess.run(words, cwd=corpus.parent, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture
def small_corpus(tmp_path: Path) -> Path:
    """A corpus of one case and three verdicts, to be broken."""
    root = tmp_path / "corpus"
    shutil.copytree(ROOT / "scenarios/shell/seed", root / "scenarios/shell/seed")
    for folder in ("formats", "translation"):
        (root / folder).symlink_to(ROOT / folder)
    verdicts: dict[str, Verdict] = {}
    for verdict in read_verdicts(ROOT):
        verdicts.setdefault(verdict["kind"], verdict)
    write_verdicts(root / "verdicts" / "few.jsonl", verdicts.values())
    return root


def write_verdicts(path: Path, verdicts: Iterable[Verdict]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{dump_line(verdict)}\n" for verdict in verdicts), encoding="utf-8")


@pytest.mark.parametrize("language", ["python", "typescript"])
def test_a_runner_is_short(language: str) -> None:
    lines = code(language).splitlines()
    assert len(lines) <= MAX_LINES
    assert max(map(len, lines)) <= 120


@pytest.fixture(scope="module")
def corpus_of_today(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our corpus with a part of its verdicts, another one each day: the runners take long for all."""
    root = tmp_path_factory.mktemp("parted") / "corpus"
    root.mkdir()
    for path in ROOT.iterdir():
        if path.name != "verdicts":
            (root / path.name).symlink_to(path)
    write_verdicts(root / "verdicts" / "some.jsonl", share([*read_verdicts(ROOT)], PARTS, today()))
    return root


@pytest.fixture(scope="module")
def runner_output(python_runner: list[str], corpus_of_today: Path) -> subprocess.CompletedProcess[str]:
    """What the Python runner says of our corpus."""
    return run(python_runner, corpus_of_today, FAMILY)


def test_the_python_runner_finds_the_corpus_right(
    runner_output: subprocess.CompletedProcess[str], corpus_of_today: Path
) -> None:
    assert (runner_output.returncode, runner_output.stderr) == (0, ""), f"{VARIABLE}={today()}"
    counts = {
        what: int(count) for count, _, what in (line.partition(" ") for line in runner_output.stdout.splitlines())
    }
    bodies = len(list(ROOT.glob(f"scenarios/{FAMILY}/*/*/*.*")))
    print(runner_output.stdout)
    assert 0 < counts["bodies of cases"] <= bodies
    assert sum(counts.values()) - counts["bodies of cases"] == len(list(read_verdicts(corpus_of_today)))
    assert counts["broken verdicts of schema rules"] > 200 / PARTS
    assert len(counts) == 5


def test_the_typescript_runner_agrees(
    runner_output: subprocess.CompletedProcess[str], typescript_runner: list[str], corpus_of_today: Path
) -> None:
    done = run(typescript_runner, corpus_of_today, FAMILY)
    assert (done.returncode, done.stderr) == (0, ""), f"{VARIABLE}={today()}"
    assert done.stdout == runner_output.stdout


@pytest.mark.parametrize("language", ["python", "typescript"])
def test_a_runner_names_what_is_wrong(language: str, small_corpus: Path, request: pytest.FixtureRequest) -> None:
    """A golden that breaks a MUST, a fault that no schema finds, and a harmless verdict with a fault."""
    command = request.getfixturevalue(f"{language}_runner")
    if language == "python":  # the other runner finds a whole corpus right in a test of its own
        assert run(command, small_corpus).returncode == 0
    golden = small_corpus / "scenarios" / "shell" / "seed" / "anthropic" / "01-request.json"
    golden.write_text(dump({**read_json(golden), "max_tokens": "many"}), encoding="utf-8")
    verdict = {"direction": "request", "client": "gemini", "upstream": "anthropic", "output": read_json(golden)}
    expected = {"broken": ["anthropic/tool-name"], "harmless": []}
    wrong = [{**verdict, "kind": kind, "expect": rules, "name": f"a/{kind}/x"} for kind, rules in expected.items()]
    write_verdicts(small_corpus / "verdicts" / "a.jsonl", wrong)
    done = run(command, small_corpus)
    assert done.returncode == 1
    for name in (golden.relative_to(small_corpus).as_posix(), "a/broken/x", "a/harmless/x"):
        assert name in done.stderr


def test_a_first_reader_gets_through_it() -> None:
    assert len(README.split()) <= MAX_WORDS


def test_the_layout_names_every_file() -> None:
    layout = section(README, "Layout")
    for path in ROOT.iterdir():
        assert path.name == "README.md" or path.name in layout, path
    for path in [*ROOT.glob("formats/*/*"), *ROOT.glob("translation/*")]:
        assert path.name in layout, path


@every("path", sorted(ROOT.rglob("*.md")), id=lambda path: path.relative_to(ROOT).as_posix())
def test_lines_fit_a_screen(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > 120 and not line.startswith("|")] == []
