"""Words that decide a verdict are in the corpus: no list of words and no pattern with words is in the laws' code.

So do bounds and points: a number in the laws' code needs a reason why it decides nothing that another judge must know.

Allowed are words that a body is made of: keys and values of the formats' schemas and of JSON Schema. So are names of
the code itself: its exports, the parameters of its functions, the ids of rules and the names of equivalences.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import toolcall_conformance
from every import every
from toolcall_conformance.basics.findings import Verdict
from toolcall_conformance.basics.jsonvalue import parse
from toolcall_conformance.library import load_corpus

CORPUS = load_corpus()
JUDGE = Path(toolcall_conformance.__file__).parent
LAWS = [
    *sorted((JUDGE / "judge" / "translation").rglob("*.py")),
    *sorted((JUDGE / "judge" / "mcp").rglob("*.py")),
    *sorted((JUDGE / "checks").rglob("*captions.py")),
    JUDGE / "judge" / "bridges.py",
]
TOOL = [
    path
    for folder in ("reports", "engine")
    for path in sorted((JUDGE / folder).rglob("*.py"))
    if "known_failures" not in path.parts
]
MANY = 3
"""A collection with so many words is a list of words."""

WORD = re.compile(r"[a-z][a-z0-9 _/-]+")
COMPILING = {
    f"re.{name}" for name in ("compile", "search", "match", "fullmatch", "findall", "finditer", "sub", "subn", "split")
}


SMALL = 2
"""Numbers up to this one count and index."""

NUMBERS = {
    ("call_likeness.py", 10): "a bound of effort among calls that are all alike",
    ("calls.py", 3): "how often JSON is opened to find out why arguments differ; they differ anyway",
    ("text_chunks.py", 64): "the length of an index's keys",
    ("captions.py", 32): "the size of a cache",
    ("text_search.py", 3): "the length of an index's keys",
    ("text_search.py", 4): "the length of an index's keys",
    ("text_search.py", 8): "the length of an index's keys",
    ("text_search.py", 16): "the length of an index's keys, and how many of one text are tried",
    ("text_search.py", 32): "the length of an index's keys",
    ("text_search.py", 65_536): "a bound of memory; texts are gone through to their end",
    ("echo.py", 40): "a bound of effort: how deep a schema is compared that a reply repeats",
    ("similar_names.py", 8): "a bound of effort: so few names are compared one by one",
    ("similar_names.py", 4_096): "the size of a cache",
    ("argument_conversion.py", 40): "a bound of effort: how deep arguments are taken back",
    ("media_identity.py", 4): "base64 is written in fours, by definition",
    ("media_identity.py", 12): "how much of a value is shown",
    ("identity.py", 20): "how many differences are reported",
    ("losses.py", 53): "the whole numbers that a double holds, by definition",
    ("state_return.py", 40): "how much of a value is shown",
    ("schemas.py", 4096): "the size of a cache",
    ("schema_branches.py", 80): "how much of a value is shown",
    ("sequences.py", 500): "a bound of effort; below it and above it equal words in order are found",
    ("normal_schemas.py", 100_000): "a bound of effort that no real schema reaches",
    ("normal_schemas.py", 20): "the digits of a number of 64 bits",
    ("state.py", 40): "how much of a value is shown",
    ("state.py", 20): "how much of each end of a value is shown",
    ("text_moves.py", 80): "how much of a text is shown",
    ("text_places.py", 80): "how much of a text is shown",
    ("upstream_errors.py", 400): "where the statuses of errors begin, by RFC 9110",
    ("upstream_errors.py", 500): "where the statuses of a server's errors begin, by RFC 9110",
    ("upstream_errors.py", 599): "where the statuses of errors end, by RFC 9110",
}
"""Numbers that may stand in code, by file."""


def keys_and_values(schema: Any) -> Iterator[str]:
    """The words of a JSON Schema: its own keywords, the members and the values that it knows."""
    if isinstance(schema, dict):
        for key, entry in schema.items():
            yield key
            yield from keys_and_values(entry)
    elif isinstance(schema, list):
        for entry in schema:
            yield from keys_and_values(entry)
    elif isinstance(schema, str) and WORD.fullmatch(schema) and " " not in schema:
        yield schema


@cache
def known_words() -> frozenset[str]:
    files = [*CORPUS.root.glob("formats/*/*.schema.json"), *CORPUS.root.glob("schemas/*.schema.json")]
    words = {word for path in files for word in keys_and_values(parse(path.read_bytes()))}
    return frozenset(words | {rule.partition("/")[2] for rule in CORPUS.rules} | KEYWORDS | CORPUS.equivalences.keys())


#: Keywords of JSON Schema that no schema of ours needs.
KEYWORDS = {"contains", "if", "then", "else"}


def names(tree: ast.AST) -> set[str]:
    """What the code calls by these words: its parameters, functions and imported modules."""
    argument_names = {node.arg for node in ast.walk(tree) if isinstance(node, (ast.arg, ast.keyword)) and node.arg}
    argument_names |= {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    return argument_names | {
        alias.name for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names
    }


def word_lists(tree: ast.AST) -> Iterator[tuple[int, list[str]]]:
    """Collections of words that are none of a body's and none of the code's, with their lines."""
    allowed = known_words() | names(tree)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Set, ast.List, ast.Tuple)):
            entries: list[ast.expr | None] = [*node.elts]
        elif isinstance(node, ast.Dict):
            entries = [*node.keys, *node.values]
        else:
            continue
        texts = [entry.value for entry in entries if isinstance(entry, ast.Constant) and isinstance(entry.value, str)]
        words = [text for text in texts if WORD.fullmatch(text)]
        strange = [word for word in words if word not in allowed]
        if len(words) >= MANY and strange:
            yield node.lineno, strange


def literal_patterns(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Patterns with three letters in a row, escapes aside."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and node.args and ast.unparse(node.func) in COMPILING):
            continue
        parts = [part.value for part in ast.walk(node.args[0]) if isinstance(part, ast.Constant)]
        pattern = "".join(part for part in parts if isinstance(part, str))
        if re.search(r"[A-Za-z]{3}", re.sub(r"\\.", " ", pattern)):
            yield node.lineno, pattern


def numbers(tree: ast.AST) -> set[float]:
    """The numbers in code that do more than count to two."""
    constants = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {number for number in constants if isinstance(number, (int, float)) and abs(number) > SMALL}


def equivalence_names(tree: ast.AST) -> Iterator[str]:
    """The names under which code asks for equivalences: texts, and constants of its module."""
    constants = {
        target.id: node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "equivalence":
            (name,) = node.args
            if isinstance(name, ast.Constant):
                yield str(name.value)
            elif isinstance(name, ast.Name):
                yield str(constants.get(name.id, name.id))


@every("path", LAWS, id=lambda path: str(path.relative_to(JUDGE)))
def test_words_are_data(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert list(word_lists(tree)) == []
    assert list(literal_patterns(tree)) == []


def own_words() -> frozenset[str]:
    """The words of the tool's own files and settings, of its verdicts, and of pytest's."""
    names = ("reports/report.schema.json", "reports/changes/diff.schema.json", "basics/settings.schema.json")
    schemas = (parse((JUDGE / name).read_bytes()) for name in names)
    words = {word for schema in schemas for word in keys_and_values(schema)}
    return frozenset(words | {*Verdict} | PYTESTS | COLOURS | SHIELDS | SARIF)


PYTESTS = {"setup", "teardown", "skip", "skipif", "xfail", "xfailed", "xpassed"}
COLOURS = {"head", "good", "bad"}
SHIELDS = {"schemaVersion", "color", "isError"}  # https://shields.io/badges/endpoint-badge
# Of SARIF 2.1.0, and of GitHub (`recommendation`): reports/sarif names the pages.
SARIF = {
    "error",
    "warning",
    "note",
    "recommendation",
    "external",
    "accepted",
    "help",
    "invocations",
    "justification",
    "locations",
    "suppressions",
}


@every("path", TOOL, id=lambda path: str(path.relative_to(JUDGE)))
def test_reports_know_no_words_but_their_own(path: Path) -> None:
    """The corpus says what is reported first, what means the same and what follows."""
    lists = word_lists(ast.parse(path.read_text(encoding="utf-8")))
    strange = [(line, [word for word in words if word not in own_words()]) for line, words in lists]
    assert [each for each in strange if each[1]] == []


def test_bounds_are_data() -> None:
    bounds = {(path.name, number) for path in LAWS for number in numbers(ast.parse(path.read_text(encoding="utf-8")))}
    assert bounds - NUMBERS.keys() == set()
    assert NUMBERS.keys() - bounds == set(), "these are not there any more"


def test_code_asks_for_equivalences_that_there_are_and_uses_their_data() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in LAWS]
    equivalences = {name for tree in trees for name in equivalence_names(tree)}
    with_data = {
        entry.name for entry in CORPUS.equivalences.values() if entry.words or entry.patterns or entry.parameters
    }
    assert equivalences == with_data


def test_every_list_pattern_and_bound_is_used() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in LAWS)
    for owner, entry in {**CORPUS.equivalences, "alignment": CORPUS.alignment}.items():
        for name in (*entry.words, *entry.patterns, *entry.parameters):
            assert f'"{name}"' in code, f"{owner}: nobody reads {name}"


@pytest.mark.parametrize(
    "code",
    [
        'FINE = {"fine", "good", "okay"}',
        'FINE = {"fine": "good", "okay": 1}',
        'FINE = ("all is well", "fine", "good")',
        'import re\nFINE = re.compile(r"\\b(?:fine|ok)\\b")',
        'import re\nfound = re.search(r"result \\d", text)',
    ],
)
def test_a_list_of_words_is_seen(code: str) -> None:
    tree = ast.parse(code)
    assert [*word_lists(tree), *literal_patterns(tree)]


def test_a_bound_is_seen() -> None:
    tree = ast.parse("LONGEST = 12\ndef is_long(text: str) -> bool:\n    return len(text) > 20 or text[0] == text[2]")
    assert numbers(tree) == {12, 20}


def test_words_of_bodies_and_of_the_code_are_none() -> None:
    tree = ast.parse('KEYS = ("type", "text", "anyOf", "items")\nimport re\nWORD = re.compile(r"\\w+|\\bat\\b")')
    assert not list(word_lists(tree))
    assert not list(literal_patterns(tree))
