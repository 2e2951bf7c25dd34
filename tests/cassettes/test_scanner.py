"""The rules of the secret scanner: how they are translated, when they hold, and that their work grows with the text."""

from __future__ import annotations

import time
import tomllib

import pytest

from cassettes.translate_rules import BEFORE, CONNECTED, END, translate_rules
from toolcall_conformance.recording.cassettes.redaction.filters import Filters
from toolcall_conformance.recording.cassettes.redaction.redact import Redactor
from toolcall_conformance.recording.cassettes.scanner import Scanner, SecretRule, entropy, rules

CONFIG = (
    r"""
[allowlist]
regexes = ['''^\$[A-Z]+$''']
stopwords = ["abcdefghij"]

[[rules]]
id = "corp-token"
regex = '''\b(corp_[a-z0-9]{12})END'''
entropy = 3
keywords = ["corp_"]
[[rules.allowlists]]
regexes = ['''corp_example''']

[[rules]]
id = "corp-key"
regex = '''(?i)BEFORE(?:corp)(?:[ \t\w.-]{0,20})CONNECTED([a-f0-9]{8})END'''
keywords = ["corp"]

[[rules]]
id = "corp-file"
path = '''\.corp$'''
keywords = ["corp"]

[[rules]]
id = "generic-api-key"
regex = '''key'''
keywords = ["key"]
""".replace("BEFORE", BEFORE)
    .replace("CONNECTED", CONNECTED)
    .replace("END", END)
)


def scanner() -> Scanner:
    configuration = translate_rules(tomllib.loads(CONFIG), "1.0")
    assert list(configuration["left_out"]) == ["corp-file", "generic-api-key"]
    return Scanner(map(SecretRule.of, configuration["rules"]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it is corp_1f6a8c2e4b7d, keep it.", "it is <corp-token>, keep it."),
        ("corp_1f6a8c2e4b7d", "<corp-token>"),
        ("corp_1f6a8c2e4b7d9", "corp_1f6a8c2e4b7d9"),
        ("corp_111111111111", "corp_111111111111"),
        ("corp_example12345", "corp_example12345"),
        ('{\\"corp_id\\": \\"0a1b2c3d\\"}', '{\\"corp_id\\": \\"<corp-key>\\"}'),
        ("the corp key is 0a1b2c3d.", "the corp key is <corp-key>."),
        ("\ud800 ä corp = 0a1b2c3d \ud800", "\ud800 ä corp = <corp-key> \ud800"),
    ],
)
def test_a_translated_rule_finds_secrets(text: str, expected: str) -> None:
    assert scanner().replace_secrets(text, lambda rule, _: f"<{rule}>") == expected


def test_a_name_apart_from_its_value_counts() -> None:
    def made(rule: str, _: str) -> str:
        return f"<{rule}>"

    assert scanner().value("corpId", "0a1b2c3d", made) == "<corp-key>"
    assert scanner().value("other", "0a1b2c3d", made) == "0a1b2c3d"
    assert scanner().replace_secrets("corp = 0a1b2c3d", made, shapes_alone=True) == "corp = 0a1b2c3d"


def test_entropy() -> None:
    assert (entropy(""), entropy("aaaa"), entropy("abcd")) == (0, 0, 2)


def test_a_rule_can_be_switched_off() -> None:
    names = {rule.name for rule in rules()}
    assert {"digitalocean-pat", "replicate-token"} < names
    assert len(names) == len(rules()) > 200


@pytest.mark.timing
@pytest.mark.parametrize("unit", ["", " ", "=", ": ", '\\": \\"', "-", "eyJ", "curl -H "])
def test_work_grows_with_the_text(unit: str) -> None:
    """Of each rule a keyword, again and again: 200 KB take at most what 20 KB take ten times."""
    for rule in list(rules())[:: max(1, len(unit)) * 9]:
        text = ((rule.keywords[0] + unit) * 200_000)[:200_000]
        start = time.process_time()
        Scanner([rule]).replace_secrets(text, lambda *_: "")
        assert time.process_time() - start < 2, rule.name  # it takes 0.05 s


def test_rules_are_left_out_by_name() -> None:
    without = Filters.default()
    assert Redactor(without).text("dop_v1_" + "0a1b2c3d" * 8) == "REDACTED-digitalocean-pat-1"
