"""``corpus/seeds.json``: every statement is held by something that exists, every example by a golden or explained."""

from __future__ import annotations

import os
import pkgutil
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from every import every
from seeds.examples import blocks, contents, has_example, has_values, values
from seeds.page import PAGE, holder, load, page
from toolcall_conformance.library import Corpus, default_root

SEEDS = load()
STATEMENTS: list[dict[str, Any]] = SEEDS["statements"]
EXAMPLES: list[dict[str, Any]] = SEEDS["examples"]
DOCUMENTS = Path(os.environ.get("TOOLCALL_SEEDS") or Path(__file__).parents[3] / "shared" / "seeds")
needs_documents = pytest.mark.skipif(not DOCUMENTS.is_dir(), reason=f"the documents are not in {DOCUMENTS}")
PUBLIC = ("toolcall_reference.", "toolcall_conformance.")
#: How many statements nothing holds yet. It may only go down.
OPEN = 0


def statement_name(statement: dict[str, Any]) -> str:
    return f"{statement['document']}:{statement['line']}"


def lines(document: str) -> list[str]:
    return (DOCUMENTS / document).read_text(encoding="utf-8").splitlines()


def public(name: str) -> bool:
    """Whether a dotted name leads to something public: a module, a function, a class, or a field of one."""
    if not name.startswith(PUBLIC) or "._" in name:
        return False
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        owner, _, member = name.rpartition(".")
        return public(owner) and _has_field(pkgutil.resolve_name(owner), member)
    return True


def _has_field(owner: object, member: str) -> bool:
    return isinstance(owner, type) and is_dataclass(owner) and member in {field.name for field in fields(owner)}


def test_no_statement_is_open() -> None:
    still = [
        f"{statement_name(statement)}: {statement['open']}" for statement in STATEMENTS if holder(statement) == "open"
    ]
    assert len(still) == OPEN, "write down the lower count, or hold the statement:\n" + "\n".join(still)


def test_named_cases_and_rules_exist(corpus: Corpus) -> None:
    names_by_kind = {"case": set(corpus.cases), "rule": set(corpus.rules)}
    wrong = [
        f"{statement_name(statement)}: {kind} {name}"
        for statement in STATEMENTS
        for kind, names in names_by_kind.items()
        for name in statement.get(kind, ())
        if name not in names
    ]
    assert wrong == []


def test_named_functions_exist() -> None:
    wrong = [
        f"{statement_name(statement)}: {name}"
        for statement in STATEMENTS
        for name in statement.get("function", ())
        if not public(name)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "name", ["toolcall_reference.no_such_name", "toolcall_reference.Policy.no_such_field", "os.path"]
)
def test_what_is_not_public_is_found(name: str) -> None:
    assert not public(name)


def test_each_statement_occurs_once() -> None:
    keys = [(statement["document"], statement["line"], statement["says"]) for statement in STATEMENTS]
    assert len(keys) == len(set(keys))


def test_files_of_examples_exist() -> None:
    files: list[str] = [example["golden"] if "golden" in example else example["like"] for example in EXAMPLES]
    assert [file for file in files if not (default_root() / file).is_file()] == []


def test_the_page_is_current() -> None:
    """``python tests seeds.page`` rewrites it."""
    assert page(SEEDS) == PAGE.read_text(encoding="utf-8")


def test_an_example_is_distinguished_from_another() -> None:
    """Ids and models may differ, JSON texts say the same in other spelling; all else must be there."""
    example = {"id": "a", "arguments": '{"path":"x"}'}
    assert has_values(example, {"id": "b", "arguments": '{"path": "x"}', "more": 1})
    assert not has_values(example, {"id": "b", "arguments": '{"path": "y"}'})
    assert not has_values([1, 2], [2, 1])
    assert not has_values({"n": 1}, {"n": True})


@needs_documents
@pytest.mark.parametrize("document", sorted({statement["document"] for statement in STATEMENTS}))
def test_lines_exist(document: str) -> None:
    text = lines(document)
    here = [statement["line"] for statement in STATEMENTS if statement["document"] == document]
    assert [line for line in here if line > len(text) or not text[line - 1].strip()] == []


@needs_documents
def test_all_examples_are_listed() -> None:
    there = {
        (path.name, line) for path in DOCUMENTS.glob("*.txt") for line, _ in blocks(path.read_text(encoding="utf-8"))
    }
    assert {(example["document"], example["line"]) for example in EXAMPLES} == there


@needs_documents
@every("example", [example for example in EXAMPLES if "golden" in example], id=statement_name)
def test_the_golden_has_the_example(example: dict[str, Any]) -> None:
    block = dict(blocks((DOCUMENTS / example["document"]).read_text(encoding="utf-8")))[example["line"]]
    assert has_example(values(block), contents(default_root() / example["golden"]))


@needs_documents
@every("example", [example for example in EXAMPLES if "like" in example], id=statement_name)
def test_an_example_is_explained_only_where_its_golden_has_it_not(example: dict[str, Any]) -> None:
    block = dict(blocks((DOCUMENTS / example["document"]).read_text(encoding="utf-8")))[example["line"]]
    try:
        example_values = values(block)
    except ValueError:
        assert "no JSON" in example["explained"]
        return
    assert not has_example(example_values, contents(default_root() / example["like"]))
