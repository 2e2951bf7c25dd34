"""``corpus/keys.md`` says what the schemas say, and they say what every key means."""

from __future__ import annotations

import re
from pathlib import Path

from every import every
from keys import page
from toolcall_conformance.library import default_root

SCHEMAS = page.schemas()
SMALL = {
    "title": "small.json: an example",
    "description": "One.\n\nTwo.",
    "type": "object",
    "properties": {
        "bare": {"type": "string"},
        "entries": {"description": "Some.", "type": "array", "items": {"$ref": "#/$defs/entry"}},
        "way": {"description": "Which.", "enum": ["up", None]},
        "words": {"description": "By name.", "additionalProperties": {"$ref": "#/$defs/texts"}, "type": "object"},
    },
    "required": ["entries"],
    "if": {"properties": {"way": {"const": "up"}}},
    "then": {"properties": {"height": {"type": "number", "description": "How far."}, "way": True}},
    "$defs": {
        "entry": {"properties": {"a": {"type": "integer", "description": "A number."}}, "required": ["a"]},
        "texts": {"type": "array", "items": {"type": "string"}},
    },
}


def test_the_page_is_the_schemas() -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.page(SCHEMAS), "write it anew: python tests keys.page"


@every("name", SCHEMAS, id=str)
def test_every_key_says_what_it_means(name: str) -> None:
    schema = SCHEMAS[name]
    assert list(page.undescribed_keys(schema, schema)) == [], f"no `description` in corpus/schemas/{name}.schema.json"


@every("name", SCHEMAS, id=str)
def test_every_schema_says_which_files_it_is_for(name: str) -> None:
    files, _, what = SCHEMAS[name]["title"].partition(": ")
    assert re.search(r"[a-z>*]\.jsonl?$", files)
    assert what


def test_a_key_without_a_word_is_found() -> None:
    assert list(page.undescribed_keys(SMALL, SMALL)) == ["/bare"]


def test_what_the_page_says_of_a_schema() -> None:
    section = page.page({"small": SMALL}).partition("## small\n")[2]
    assert section.splitlines() == [
        "",
        "`small.json`: an example.",
        "",
        "One.",
        "",
        "Two.",
        "",
        "- `bare` (text, optional):",
        "- `entries` (list of `entry`): Some.",
        "- `way` (`up` or `null`, optional): Which.",
        "- `words` (object by name, each list of text, optional): By name.",
        "- `height` (number, optional): How far.",
        "",
        "`entry`:",
        "",
        "- `a` (whole number): A number.",
    ]


def test_the_kinds_of_evidence_are_those_of_the_schema() -> None:
    """The head of the page explains each kind, and which of them a MUST needs."""
    kinds = re.findall(r"^- `(\w+)`:", page.HEAD.read_text(encoding="utf-8"), re.MULTILINE)
    rule = SCHEMAS["rule"]
    assert kinds == rule["properties"]["evidence"]["items"]["properties"]["kind"]["enum"]
    hard = rule["allOf"][0]["then"]["properties"]["evidence"]["contains"]["properties"]["kind"]["enum"]
    assert kinds[:4] == hard


@every("path", sorted(default_root().rglob("*.md")), id=lambda path: path.relative_to(default_root()).as_posix())
def test_links_of_the_corpus_s_pages_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
        file, _, anchor = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        assert there.exists(), target
        assert default_root() in (there, *there.parents), f"{target}: who has the corpus alone has no such file"
        headings = re.findall(r"^#+ (.*)$", there.read_text(encoding="utf-8"), re.MULTILINE) if anchor else []
        anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
        assert not anchor or anchor in anchors, target
