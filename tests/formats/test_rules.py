"""Every rule of a format: its examples show it, it is checked, and its level has the evidence that it needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from every import every
from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding, Level
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Corpus, default_root, read_json

FOLDERS = {name: default_root() / "formats" / name for name in formats.names()}
RULES = [read_json(path) for folder in FOLDERS.values() for path in sorted(folder.glob("rules/*.json"))]

#: What a rule must rest on to fail somebody's build; an issue thread gives a warning, lore a note.
HARD = {"schema", "sdk", "doc", "recorded"}
KINDS = HARD | {"issue", "lore"}

ELEMENTS = {
    *("tool", "choice", "setting", "system", "text", "call", "result", "media", "reasoning"),
    *("opaque", "id", "name", "finish", "usage", "history", "error", "body"),
}
KEYS = {
    *("id", "level", "face", "element", "sentence", "breach", "why", "fix", "evidence"),
    *("refs", "check", "direction", "obeys", "breaks", "since"),
}

each_rule = every("rule", RULES, id=lambda rule: rule["id"], by=lambda rule: rule["id"].partition("/")[0])
each_format = pytest.mark.parametrize("name", formats.names())


def findings(corpus: Corpus, rule: dict[str, Any], example: str) -> list[Finding]:
    name = rule["id"].split("/")[0]
    return check_body(corpus, name, rule["direction"], rule[example], model=rule.get("model"))


@each_rule
def test_the_obeying_body_has_no_fault(rule: dict[str, Any], corpus: Corpus) -> None:
    rule_findings = findings(corpus, rule, "obeys")
    assert [finding for finding in rule_findings if finding.level is Level.MUST or finding.rule == rule["id"]] == []


@each_rule
def test_the_breaking_body_is_found_out(rule: dict[str, Any], corpus: Corpus) -> None:
    rule_findings = findings(corpus, rule, "breaks")
    assert rule["id"] in {finding.rule for finding in rule_findings}
    for finding in rule_findings:
        resolve(rule["breaks"], finding.pointer)


@each_rule
def test_a_rule_is_well_formed(rule: dict[str, Any]) -> None:
    assert rule.keys() >= KEYS
    assert rule.keys() <= KEYS | {"kinds", "model", "level_in_replies"}
    assert re.fullmatch(r"[a-z_]+/[a-z0-9]+(-[a-z0-9]+)*", rule["id"])
    assert rule["level"] in set(Level)
    assert rule["face"] in {"provider", "client", "both"}
    assert rule["element"] in ELEMENTS
    assert rule["check"] in {"schema", "function"}
    assert rule["direction"] in {"request", "response", "error", "stream"}
    assert rule["sentence"].endswith(".")
    assert rule["why"].endswith(".")
    assert not rule["breach"].endswith(".")
    assert rule["breach"][0].islower() or not rule["breach"].split()[0].isalpha()


@each_rule
def test_the_level_follows_the_evidence(rule: dict[str, Any]) -> None:
    kinds = {entry["kind"] for entry in rule["evidence"]}
    assert kinds <= KINDS
    for entry in rule["evidence"]:
        assert entry.keys() == {"kind", "url", "note"}
        assert entry["url"].startswith("https://")
    if rule["level"] == Level.MUST:
        assert kinds & HARD
    if rule["level"] == Level.SHOULD:
        assert kinds - {"lore"}


@each_rule
def test_every_rule_has_a_check(rule: dict[str, Any]) -> None:
    name = rule["id"].split("/")[0]
    if rule["check"] == "schema":
        # The rule for unnamed shape errors is the one that no schema names.
        assert rule["id"] in rules_in_schemas(name) | {f"{name}/shape"}
    else:
        assert rule["id"] in rules_in_code(name)


@each_format
def test_every_check_has_a_rule(name: str) -> None:
    ids = {rule["id"] for rule in RULES if rule["id"].startswith(f"{name}/")}
    assert rules_in_schemas(name) - ids == set()
    assert rules_in_code(name) - ids == set()


@each_format
def test_every_format_has_the_rule_for_unnamed_shape_errors(name: str) -> None:
    assert f"{name}/shape" in {rule["id"] for rule in RULES}


@cache
def rules_in_code(name: str) -> set[str]:
    """The rule ids that the functions of a format check, and its stream machine."""
    wire_format = formats.get(name)
    return {rule.id for rule in wire_format.rules} | set(
        wire_format.stream.RULES if wire_format.stream is not None else ()
    )


@cache
def rules_in_schemas(name: str) -> set[str]:
    """The rule ids that the schemas of a format name."""
    return {
        rule_id
        for direction in ("request", "response", "error", "stream")
        if (FOLDERS[name] / f"{direction}.schema.json").exists()
        for rule_id in _rules_in_schema(read_json(FOLDERS[name] / f"{direction}.schema.json"))
    }


def _rules_in_schema(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        named = schema.get("x-rule")
        if isinstance(named, str):
            yield named
        elif isinstance(named, dict):
            yield from named.values()
    if isinstance(schema, (dict, list)):
        for entry in schema.values() if isinstance(schema, dict) else schema:
            yield from _rules_in_schema(entry)
