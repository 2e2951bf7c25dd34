"""The programs of the page on a vendored corpus run: goldens pass as they are, the rest is asked of the judge."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from toolcall_conformance.library import default_root

PAGE = (Path(__file__).parents[2] / "docs" / "vendored-corpus.md").read_text(encoding="utf-8")
LANGUAGES = ("go", "typescript")
FILES = {"go": "main.go", "typescript": "runner.ts"}
#: Another spelling of a request, and one without its tools. The goldens are in Python's style: a key, a colon, a space.
FAULTY = {
    "go": (
        "\treturn body, nil\n",
        """\tif client == "openai_chat" {
\t\treturn bytes.Replace(body, []byte("{"), []byte(`{"stream": false, `), 1), nil
\t}
\tif client == "anthropic" {
\t\treturn bytes.Replace(body, []byte(`"tools"`), []byte(`"metadata"`), 1), nil
\t}
\treturn body, nil
""",
    ),
    "typescript": (
        "  return client === upstream ? body : undefined;\n",
        """  if (client !== upstream) return undefined;
  if (client === "openai_chat") return body.replace("{", '{"stream": false, ');
  if (client === "anthropic") return body.replace('"tools"', '"metadata"');
  return body;
""",
    ),
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One case of the corpus, with its first requests."""
    root = tmp_path_factory.mktemp("vendored")
    case = "scenarios/shell/seed"
    for path in [*default_root().glob(f"{case}/*/01-request.json"), default_root() / case / "scenario.json"]:
        target = root / path.relative_to(default_root())
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return root


def write_program(language: str, folder: Path, change: tuple[str, str] = ("", "")) -> Path:
    """The program of the page as a file."""
    (code,) = re.findall(rf"^<!-- example: {FILES[language]} -->\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert change[0] in code
    file = folder / FILES[language]
    file.write_text(code.replace(*change) if change[0] else code, encoding="utf-8")
    (folder / "go.mod").write_text("module runner\n\ngo 1.19\n", encoding="utf-8")
    (folder / "package.json").write_text('{"type": "module"}\n', encoding="utf-8")
    return file


@pytest.fixture(params=LANGUAGES)
def play(
    request: pytest.FixtureRequest, tmp_path: Path, corpus: Path
) -> Callable[[bool], subprocess.CompletedProcess[str]]:
    """Runs a program over the case, as it is or faulty."""

    def run(faulty: bool) -> subprocess.CompletedProcess[str]:
        language: str = request.param
        make: Callable[[Path], list[str]] = request.getfixturevalue(language)
        file = write_program(language, tmp_path, FAULTY[language] if faulty else ("", ""))
        command = make(tmp_path if language == "go" else file)
        environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
        return subprocess.run(
            [*command, str(corpus), "shell"], env=environment, capture_output=True, text=True, check=False, timeout=120
        )

    return run


def counts(output: str) -> dict[str, int]:
    line = output.rstrip().splitlines()[-1]
    return {
        what: int(count) for what, count in re.findall(r"'?(not done|same as the golden|right|wrong)'?: ?(\d+)", line)
    }


def test_goldens_are_right_without_the_judge(play: Callable[[bool], subprocess.CompletedProcess[str]]) -> None:
    done = play(False)
    assert (done.returncode, done.stderr) == (0, "")
    assert counts(done.stdout) == {"not done": 12, "same as the golden": 4}


def test_the_judge_distinguishes_a_notation_from_a_fault(
    play: Callable[[bool], subprocess.CompletedProcess[str]],
) -> None:
    done = play(True)
    assert counts(done.stdout) == {"not done": 12, "same as the golden": 2, "right": 1, "wrong": 1}
    assert done.returncode == 1
    assert "translation/tool-lost" in done.stdout
    assert "anthropic/01-request.json" in done.stdout


def test_the_types_are_right(tmp_path: Path, node_modules: Path) -> None:
    file = write_program("typescript", tmp_path)
    (tmp_path / "node_modules").symlink_to(node_modules)
    options = (
        "--strict",
        "--module",
        "nodenext",
        "--target",
        "es2022",
        "--types",
        "node",
        "--skipLibCheck",
        "--noEmit",
    )
    tsc = [str(node_modules / ".bin" / "tsc"), *options, str(file)]
    done = subprocess.run(tsc, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
