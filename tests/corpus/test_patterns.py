"""Patterns of equivalences mean the same in Python, ECMAScript and RE2; their words are in the one spelling."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
import re2

from toolcall_conformance.basics.jsonvalue import parse
from toolcall_conformance.library import load_corpus

CORPUS = load_corpus()
PATTERNS = [
    pytest.param(entry, id=f"{owner}-{name}")
    for owner, criteria in {**CORPUS.equivalences, "alignment": CORPUS.alignment}.items()
    for name, entry in criteria.raw.get("patterns", {}).items()
]
NODE = shutil.which("node")
#: Finds all matches of a pattern in texts, as [start, end, group 1] in code points.
SCRIPT = """
const {regex, flags, texts} = JSON.parse(require("fs").readFileSync(0, "utf8"));
const at = (text, end) => Array.from(text.slice(0, end)).length;
console.log(JSON.stringify(texts.map(text => Array.from(text.matchAll(new RegExp(regex, "gu" + flags)), found =>
  [at(text, found.index), at(text, found.index + found[0].length), found[1] ?? null]))));
"""
AWKWARD = [
    "",
    "Error: x",
    "Error.\n\nx",
    "[image/png 3]",
    "(see the picture)",
    "Result no. 2",
    "CALL #12 and output 3",
    "é: x",
    "\n",
    "<a>b</a>\n<c\nd>",
]


def strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from strings_in(entry)


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """What the pairs of the corpus say, and texts at which engines could part."""
    pairs = [parse(path.read_bytes()) for path in CORPUS.root.glob("equivalences/*/*/*.json")]
    return sorted(
        {text for pair in pairs for body in ("source", "output") for text in strings_in(pair[body])} | {*AWKWARD}
    )


def python_matches(entry: dict[str, Any], text: str) -> list[list[Any]]:
    matches = re.finditer(entry["regex"], text, re.IGNORECASE if entry.get("ignore_case") else 0)
    return [[match.start(), match.end(), match[1] if match.re.groups else None] for match in matches]


@pytest.mark.parametrize("entry", PATTERNS)
def test_re2_finds_the_same(entry: dict[str, Any], texts: list[str]) -> None:
    options = re2.Options()
    options.case_sensitive = not entry.get("ignore_case")
    compiled = re2.compile(entry["regex"], options)
    for text in texts:
        spans = [
            [match.start(), match.end(), match.group(1) if compiled.groups else None]
            for match in compiled.finditer(text)
        ]
        assert spans == python_matches(entry, text), text


@pytest.mark.skipif(NODE is None, reason="no node here to ask what ECMAScript makes of a pattern")
@pytest.mark.parametrize("entry", PATTERNS)
def test_ecmascript_finds_the_same(entry: dict[str, Any], texts: list[str]) -> None:
    query = {"regex": entry["regex"], "flags": "i" if entry.get("ignore_case") else "", "texts": texts}
    assert NODE is not None
    answer = subprocess.run([NODE, "-e", SCRIPT], input=json.dumps(query), capture_output=True, text=True, check=True)
    for text, spans in zip(texts, json.loads(answer.stdout), strict=True):
        assert spans == python_matches(entry, text), text


def test_the_schema_refuses_what_engines_understand_differently() -> None:
    import jsonschema

    schema = parse((CORPUS.root / "schemas" / "equivalence.schema.json").read_bytes())
    equivalence = dict(CORPUS.equivalence("media-placeholder").raw)
    jsonschema.validate(equivalence, schema)
    for regex in (
        r"(?<=a)b",
        r"a(?!b)",
        r"\bimage",
        r"\w+",
        r"\s",
        r"(?i)a",
        r"(?P<a>b)",
        r"a++",
        r"\d",
        r"(a)\1",
        r"\p{L}",
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(equivalence | {"patterns": {"x": {"meaning": "A test.", "regex": regex}}}, schema)


def test_words_are_in_lower_case_and_in_order() -> None:
    for equivalence in CORPUS.equivalences.values():
        for entry in equivalence.raw.get("words", {}).values():
            assert entry["words"] == [word.lower() for word in entry["words"]]
            assert len(set(entry["words"])) == len(entry["words"])
