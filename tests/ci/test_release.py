"""What is published is fit for it: the readme's links on an index page, the addresses, the hook, the issue forms."""

from __future__ import annotations

import email
import importlib.machinery
import importlib.util
import re
import shlex
import subprocess
import tomllib
from email.message import Message
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from toolcall_conformance.cli import main

ROOT = Path(__file__).resolve().parents[2]
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*-*.yml"))
#: Their names are put together here, so that this file passes as well.
REGISTRIES = [
    ".".join(labels)
    for labels in (
        *(("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("npmjs", "com"), ("yarnpkg", "com")),
        *(("crates", "io"), ("rubygems", "org"), ("proxy", "golang", "org"), ("packagist", "org"), ("nuget", "org")),
        *(("anaconda", "org"), ("jsr", "io"), ("repo1", "maven", "org"), ("repo", "maven", "apache", "org")),
    )
]


def module(path: Path) -> ModuleType:
    """A file of code that is in no package."""
    loader = importlib.machinery.SourceFileLoader(f"published_{path.name.partition('.')[0]}", str(path))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    loaded = importlib.util.module_from_spec(spec)
    loader.exec_module(loaded)
    return loaded


def metadata(text: str, repository: str = "https://github.com/me/mine") -> Message:
    """Core metadata with a readme."""
    head = f"Version: 1.2\nProject-URL: Repository, {repository}\n\n"
    return email.message_from_bytes(f"{head}{text}".encode())


def tracked_files() -> list[str]:
    """What git knows. Skips the test where this is no checkout."""
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode or not done.stdout:
        pytest.skip("not a git checkout, so there is no list of files")
    return done.stdout.splitlines()


def test_links_of_the_readme_work_on_an_index_page() -> None:
    pytest.importorskip("hatchling")
    absolute, release = module(ROOT / "hatch_build.py").with_absolute_links, module(ROOT / ".ci" / "release")
    tracked = frozenset(tracked_files())
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    # Within the repository they are relative: whoever reads a clone, or a branch, stays in it.
    assert not re.search(r"\]\([^)]*/blob/", text)
    page = absolute(text, "https://github.com/me/mine", "1.2")
    assert page.count("](https://github.com/me/mine/blob/v1.2/docs/") == text.count("](docs/") > 30
    assert list(release.flaws_of_links(metadata(page), tracked)) == []
    assert len(list(release.flaws_of_links(metadata(text), tracked))) == len(re.findall(r"\]\((?!https:|#)", text))
    odd = "## A b\n[a](#a-b) [b](#c) [c](no.md) [d](https://x.example/) [e](docs/ci.md#anchor) [f](mailto:a@b.example)"
    assert absolute("[a](#b) [b](c.md) [c](https://x.example) [d](mailto:x)", "R", "1") == (
        "[a](#b) [b](R/blob/v1/c.md) [c](https://x.example) [d](mailto:x)"
    )
    flaws = list(release.flaws_of_links(metadata(absolute(odd, "https://github.com/me/mine", "1.2")), tracked))
    assert [flaw.partition(" ")[2] for flaw in flaws] == [
        "there is no heading #c",
        "https://github.com/me/mine/blob/v1.2/no.md is no file of this commit",
        "mailto:a@b.example is relative, and leads nowhere on an index page",
    ]


def test_a_placeholder_is_reported_in_a_sentence_and_a_real_address_is_not() -> None:
    release = module(ROOT / ".ci" / "release")
    flaws = release.flaws_of_addresses
    ours = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    repository = ours["tool"]["hatch"]["metadata"]["hooks"]["custom"]["repository"]
    page = (ROOT / release.PAGE).read_text(encoding="utf-8")
    # Whether or not the owner has written it: the page says the same as the metadata.
    assert [flaw for flaw in flaws(metadata("", repository), page) if "placeholder" not in flaw] == []
    owner = repository.split("/")[-2]
    unnamed, named = (page.replace(f"{owner}/", f"{who}/") for who in ("OWNER", "me"))
    [sentence] = flaws(metadata("", "https://github.com/OWNER/toolcall-conformance"), unnamed)
    assert "the owner must replace the placeholder OWNER in `repository`" in sentence
    real = metadata("", "https://github.com/me/toolcall-conformance")
    assert list(flaws(real, named)) == []
    assert list(flaws(real, unnamed)) == [
        "docs/ci.md: `uses: me/toolcall-conformance@` is not there",
        "docs/ci.md: `repo: https://github.com/me/toolcall-conformance` is not there",
    ]


def test_the_metadata_is_valid_and_complete() -> None:
    pytest.importorskip("packaging")
    flaws = module(ROOT / ".ci" / "release").flaws_of_metadata
    lines = [
        *("Metadata-Version: 2.4", "Name: a", "Version: 1.2", "Summary: s", "License-Expression: MIT", "Keywords: a"),
        *("Requires-Python: >=3.11", "Classifier: Typing :: Typed", "Description-Content-Type: text/markdown", "", "x"),
    ]
    whole = "\n".join(lines).encode()
    assert list(flaws(whole, whole, "# C\n\n## 1.2\n")) == []
    assert list(flaws(whole, whole, "## 1.2 (unreleased)\n## 1.2.1\n")) == [
        "CHANGELOG.md: no heading is just 1.2; take `(unreleased)` away"
    ]
    assert list(flaws(whole + b"y", whole, "## 1.2\n")) == ["metadata: sdist and wheel do not say the same"]
    short = whole.replace(b"Keywords: a\n", b"").replace(b"text/markdown", b"text/plain")
    assert list(flaws(short, short, "## 1.2\n")) == [
        "metadata: no keywords",
        "metadata: the description is text/plain, not Markdown",
    ]
    wrong = whole.replace(b"License-Expression: MIT", b"License-Expression: Mine")
    assert "license-expression" in " ".join(flaws(wrong, wrong, "## 1.2\n"))


def test_no_file_names_the_host_of_a_package_registry() -> None:
    assert tracked_files()
    words = [word for name in REGISTRIES for word in ("-e", name)]
    hits = subprocess.run(
        ["git", "grep", "-I", "-F", "-l", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (hits.returncode, hits.stdout) == (1, ""), hits.stderr


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.stem)
def test_an_issue_form_asks_for_the_bodies_and_prints_a_command_that_works(
    form: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content: dict[str, Any] = yaml.safe_load(form.read_text(encoding="utf-8"))
    fields = {field["id"]: field for field in content["body"] if field["type"] != "markdown"}
    assert {"version", "source", "produced", "judged"} < set(fields)
    assert all(field["validations"]["required"] for field in fields.values())
    [text] = [field["attributes"]["value"] for field in content["body"] if field["type"] == "markdown"]
    [command] = re.findall(r"```sh\n(.*)\n```", text)
    source, produced = (
        str(ROOT / "corpus" / "scenarios" / "shell" / "seed" / name / "01-request.json")
        for name in ("anthropic", "gemini")
    )
    for upstream, body, code, line in (
        ("anthropic", source, 0, "no findings"),
        ("gemini", produced, 1, "translation/setting-lost"),  # the limit of tokens, which this golden file has not
    ):
        words = shlex.split(command.replace("FORMAT", "anthropic", 1).replace("FORMAT", upstream, 1))
        assert words[:1] + words[-2:] == ["toolcall-conformance", "SOURCE.json", "PRODUCED.json"]
        assert main([*words[1:-2], source, body]) == code
        assert line in capsys.readouterr().out


def test_there_is_a_form_for_each_error_of_the_judge() -> None:
    assert [form.stem for form in FORMS] == ["false-alarm", "missed-fault"]


def test_the_hook_runs_quick_on_the_translator_that_the_user_names(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []

    def keep(words: list[str]) -> int:
        ran.append(list(words))
        return 0

    monkeypatch.setattr(pytest, "main", keep)
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert {"id", "name", "entry", "language"} <= hook.keys()
    program, *words = shlex.split(hook["entry"])
    assert (program, hook["pass_filenames"]) == ("toolcall-conformance", False)
    assert main([*words, "mine:T"]) == 0
    assert ran[0][-2:] == ["--toolcall-translator=mine:T", "toolcall::@quick"]


def test_the_address_is_written_in_one_place() -> None:
    texts = (ROOT / name for name in ("hatch_build.py", "action.yml", ".pre-commit-hooks.yaml", "README.md"))
    assert [path.name for path in texts if "toolcall-conformance/" in path.read_text(encoding="utf-8")] == []


def test_the_phase_is_run_only_where_it_is_named() -> None:
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "if wants release" not in text
    completed = subprocess.run(["bash", "-n", str(ROOT / ".ci" / "run")], capture_output=True, text=True, check=False)
    assert (completed.returncode, completed.stderr) == (0, "")
