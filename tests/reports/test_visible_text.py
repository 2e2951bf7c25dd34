"""Text fit to be shown: what is seen stays readable, what is not seen has an escape, and nothing is a command."""

from __future__ import annotations

import json
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostile_text import ATTACK, harmless
from toolcall_conformance.basics.visible_text import shorten, strip_colours, visible, visible_json, visible_lines

PIECES = [
    "::",
    ":",
    "##",
    "[",
    "vso",
    " ",
    "\t",
    "\n",
    "\r",
    "\x1b[0m",
    "\u2028",
    "\u00a0",
    "\u200b",
    "\ud800",
    "\u202e",
    "é",
]
# Joiners are seen in some places and hidden in others: see the texts below.
UNUSUAL = st.lists(st.sampled_from(PIECES)).map("".join) | st.text(st.characters(exclude_characters="\u200c\u200d"))


@given(UNUSUAL)
def test_a_line_is_one_and_harmless(text: str) -> None:
    output = visible(text)
    assert len(output.splitlines()) <= 1
    harmless(output, must_say="")
    output.encode("utf-8")
    assert visible(output) == output


@given(UNUSUAL)
def test_a_text_of_several_lines_keeps_them_and_is_harmless(text: str) -> None:
    output = visible_lines(text)
    harmless(output, must_say="")
    assert output.count("\n") == text.count("\n")
    output.encode("utf-8")


@given(st.recursive(UNUSUAL | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(UNUSUAL, inner)))
def test_json_keeps_its_value(value: object) -> None:
    for plain in (True, False):
        output = visible_json(json.dumps(value, indent=1, ensure_ascii=plain))
        harmless(output, must_say="")
        assert json.loads(output) == value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\r\nb\tc", "a\\r\\nb\\tc"),
        ("\x1b]0;title\x07", "\\u001b]0;title\\u0007"),
        ("\x9b31m\x7f", "\\u009b31m\\u007f"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("pay\u200dpal", "pay\\u200dpal"),
        # Pictures are joined by U+200D alone.
        ("🀀\u200c÷", "🀀\\u200c÷"),
        ("👩\u200c🚀", "👩\\u200c🚀"),
        ("a\ufe01b", "a\\ufe01b"),
        ("\u3164", "\\u3164"),
        ("\ue000", "\\ue000"),
        ("\U000e0041", "\\U000e0041"),
        ("\ud83d", "\\ud83d"),
        ("##[add-mask]x", "#\\u0023[add-mask]x"),
        ("say ##vso[task.setvariable]x", "say #\\u0023vso[task.setvariable]x"),
        ("##teamcity[x]", "#\\u0023teamcity[x]"),
        ("\u00a0 ::error::x", "\u00a0 :\\u003aerror::x"),
        ("a::b ## c", "a::b ## c"),
    ],
)
def test_an_escape_for_what_is_not_seen_and_for_commands(text: str, expected: str) -> None:
    assert visible(text).replace("\\u003a:", ":\\u003a") == expected


LANGUAGES = [
    "día",
    "привет",
    "日本語 中文 한국어",
    "שלום עולם",
    "می\u200cخواهم",
    "क्\u200dष",
    "葛\U000e0100城",
    "e\u0301",
]
EMOJI = ["👨\u200d👩\u200d👧", "👩🏽\u200d🚀", "❤\ufe0f\u200d🔥", "🙂\u200d↔\ufe0f", "1\ufe0f\u20e3", "a\u00a0b\u3000c"]


@pytest.mark.parametrize("text", [*LANGUAGES, *EMOJI])
def test_what_people_write_stays_readable(text: str) -> None:
    assert visible(text) == visible_lines(text) == visible_json(text) == text


def test_every_character_without_a_look_has_an_escape() -> None:
    for number in range(0x110000):
        character = chr(number)
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"):
            assert visible(character).isascii(), hex(number)


def test_colours_go_before_commands_are_looked_for() -> None:
    assert visible_lines(strip_colours("\x1b[1;31mred\x1b[0m\n:\x1b[0m:error::x")) == "red\n\\u003a:error::x"


def test_a_long_text_has_its_beginning_its_end_and_its_length() -> None:
    assert shorten("a" * 50 + "b" * 50, 20) == f"{'a' * 10} … (100 characters) … bbbbb"


@pytest.mark.timing
@pytest.mark.parametrize("piece", ["\n", " ", "字", "#", "  \n", "##a", ":", "\x1b[", ATTACK])
def test_the_work_is_linear(piece: str) -> None:
    text = piece * (400_000 // len(piece))
    started = time.process_time()
    visible(text), visible_lines(text), visible_json(text), strip_colours(text)
    assert time.process_time() - started < 5
