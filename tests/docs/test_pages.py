"""The pages that people read: short lines, links that lead somewhere, and every option described."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from every import every

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
WIDEST = 120
MAX_LINES = {"README.md": 150, "ARCHITECTURE.md": 150}


def page_name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """The numbered lines of a page outside code and tables."""
    code = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            code = not code
        elif not code and not line.startswith("|"):
            yield number, line


def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as code hosts make them."""
    headings = (line.lstrip("#").strip() for _, line in prose(path) if line.startswith("#"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@every("page", PAGES, id=page_name)
def test_lines_of_prose_fit(page: Path) -> None:
    assert [f"{page_name(page)}:{number}" for number, line in prose(page) if len(line) > WIDEST] == []


@every("page", PAGES, id=page_name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        there = (page.parent / file).resolve() if file else page
        assert there.exists(), f"{page_name(page)}: {target}"
        assert not anchor or anchor in anchors(there), f"{page_name(page)}: {target}"


@pytest.mark.parametrize(("page", "most"), MAX_LINES.items())
def test_a_stranger_reads_it_in_one_go(page: str, most: int) -> None:
    assert len((ROOT / page).read_text(encoding="utf-8").splitlines()) <= most


def test_the_doors_for_contributions_are_short() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    doors, _, policy = text.partition("## The stop rule")
    assert re.findall(r"^## (.*)$", doors, re.MULTILINE) == ["A false alarm", "A case", "A rule", "A tolerance"]
    assert len(doors.split()) <= 400
    assert policy
    for tool in re.findall(r"python tests ([a-z.]+)", text):
        assert (ROOT / "tests" / f"{tool.replace('.', '/')}.py").is_file(), tool


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/developing.md", "docs/hostile-input.md", "docs/clients.md"])
def test_commands_for_contributors_are_those_of_the_clone(page: str) -> None:
    """A `pytest` or `python` of the system knows neither the project nor its plugins."""
    text = (ROOT / page).read_text(encoding="utf-8")
    bare = r"(?:^|[`;&|:] *|=\S+ )((?:python3?|pytest|ruff|mypy|toolcall-conformance)(?:\s+[^`\n]+|`))"
    commands = [re.sub(r"\s+", " ", command) for command in re.findall(bare, text, re.MULTILINE)]
    assert [command for command in commands if not command.startswith("python3 -m venv")] == []


def test_every_page_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [
        page_name(page) for page in PAGES if page.parent.name == "docs" and f"({page_name(page)})" not in readme
    ] == []


def test_every_option_is_described(pytestconfig: pytest.Config) -> None:
    declared = {
        name
        for group in pytestconfig._parser._groups  # pytest has no public list of a group's options
        for option in group.options
        for name in option.names()
        if name.startswith("--toolcall-")
    }
    page = (ROOT / "docs" / "choosing-what-runs.md").read_text(encoding="utf-8")
    assert declared
    assert set(re.findall(r"^\| `(--toolcall-[a-z-]+)", page, re.MULTILINE)) == declared
