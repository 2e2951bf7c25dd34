"""What is published: the readme's links, the metadata, the issue forms, and the hook of pre-commit."""

from __future__ import annotations

import importlib.util
import shlex
import subprocess
from email.message import Message
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from toolcall_conformance import cli

ROOT = Path(__file__).resolve().parents[2]
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*-*.yml"))
PLACE = "https://example.org/o/r"


def loaded(path: Path) -> ModuleType:
    loader = SourceFileLoader(path.stem, str(path))
    spec = importlib.util.spec_from_loader(path.stem, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def release() -> ModuleType:
    return loaded(ROOT / ".ci" / "release")


def metadata(readme: str) -> Message:
    found = Message()
    found["Version"] = "0.1.0"
    found["Project-URL"] = f"Repository, {PLACE}"
    found.set_payload(readme)
    return found


def test_links_of_the_readme_lead_to_the_files_of_the_tag(release: ModuleType) -> None:
    pytest.importorskip("hatchling")
    build = loaded(ROOT / "hatch_build.py")
    text = "[a](docs/run.md#x) [b](https://a.b/c) [c](#d) [e](mailto:f@g)"
    assert build.with_absolute_links(text, PLACE, "1.2") == (
        f"[a]({PLACE}/blob/v1.2/docs/run.md#x) [b](https://a.b/c) [c](#d) [e](mailto:f@g)"
    )
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    if not (ROOT / ".git").exists():
        pytest.skip("no git checkout, so nobody knows which files a tag has")
    assert list(release.flaws_of_links(metadata(build.with_absolute_links(readme, PLACE, "0.1.0")))) == []
    for link, flaw in (
        ("docs/run.md", "is relative"),
        (f"{PLACE}/blob/v0.1.0/docs/gone.md", "is no file of this commit"),
        ("#gone", "there is no heading #gone"),
    ):
        [told] = release.flaws_of_links(metadata(f"# Here\n[x]({link}) [y](#here)"))
        assert flaw in told


def test_metadata_that_an_index_refuses_is_told(release: ModuleType) -> None:
    fine = b"Metadata-Version: 2.4\nName: x\nVersion: 0.0.7\nSummary: s\nLicense-Expression: MIT\n"
    fine += b"Requires-Python: >=3.11\nKeywords: k\nClassifier: Typing :: Typed\n"
    fine += b"Description-Content-Type: text/markdown\n\nreadme\n"
    [changelog] = release.flaws_of_metadata(fine, fine)
    assert changelog == "CHANGELOG.md: no heading is just 0.0.7; take `(unreleased)` away"
    for old, new, flaw in (
        (b"Version: 0.0.7", b"Version: next", "'next' is invalid"),
        (b"Keywords: k\n", b"", "metadata: no keywords"),
        (b"markdown", b"plain", "is text/plain, not Markdown"),
    ):
        assert any(flaw in told for told in release.flaws_of_metadata(fine, fine.replace(old, new))), flaw


def test_a_placeholder_is_told_until_an_owner_is_there(release: ModuleType) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("no git checkout")
    told = {line.partition(":")[0] for line in release.placeholders()}
    owner = 'repository = "https://github.com/OWNER/' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert ("pyproject.toml" in told) is owner


def test_the_address_stands_in_one_place() -> None:
    texts = (ROOT / name for name in ("hatch_build.py", "action.yml", ".pre-commit-hooks.yaml", "README.md"))
    assert [path.name for path in texts if "toolcall-conformance/" in path.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_for_the_bodies_and_prints_the_command(form: Path) -> None:
    """The keys are those of GitHub's form schema (https://docs.github.com/en/communities, "syntax for forms")."""
    found: dict[str, Any] = yaml.safe_load(form.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= found.keys()
    asked = {part["id"]: part for part in found["body"] if part["type"] != "markdown"}
    assert {"version", "source", "produced", "judged"} < asked.keys()
    assert all(part["attributes"]["label"] and part["validations"]["required"] for part in asked.values())
    command = next(
        line for line in found["body"][0]["attributes"]["value"].splitlines() if "judge" in line and "--" in line
    )
    body = str(ROOT / "corpus" / "scenarios" / "shell" / "seed" / "anthropic" / "01-request.json")
    values = {"FORMAT": "anthropic", "SOURCE.json": body, "PRODUCED.json": body}
    assert cli.main([values.get(word, word) for word in shlex.split(command)[1:]]) == 0


def test_the_hook_runs_quick_on_the_translator_that_the_user_names(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []

    def main(words: list[str]) -> int:
        ran.append(list(words))
        return 0

    monkeypatch.setattr(pytest, "main", main)
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert {"id", "name", "entry", "language"} <= hook.keys()
    program, *words = shlex.split(hook["entry"])
    assert (program, hook["pass_filenames"]) == ("toolcall-conformance", False)
    assert cli.main([*words, "mine:T"]) == 0
    assert ran[0][-2:] == ["--toolcall-translator=mine:T", "toolcall::@quick"]


def test_the_phase_is_run_only_where_it_is_named() -> None:
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "if wants release" not in text
    said = subprocess.run(["bash", "-n", str(ROOT / ".ci" / "run")], capture_output=True, text=True, check=False)
    assert (said.returncode, said.stderr) == (0, "")
