"""Every JSON file of the corpus is in one style, and the two writers of it agree."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolcall_conformance.basics.jsonstyle import WIDTH, StyleError, dump, find_unstyled, main, restyle
from toolcall_conformance.basics.jsonvalue import parse
from toolcall_conformance.library import default_root
from toolcall_reference.rendering.jsonfile import json_text

ROOT = default_root()
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=50),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=20), inner, max_size=5),
    max_leaves=30,
)


def test_every_file_of_the_corpus_is_in_the_style() -> None:
    wrong = [path.relative_to(ROOT) for path, _ in find_unstyled([ROOT])]
    message = "\n".join(map(str, wrong[:20]))
    assert not wrong, (
        f"{len(wrong)} files are not in the style; python -m toolcall_conformance.basics.jsonstyle {ROOT}\n{message}"
    )


def test_no_test_fails_because_values_are_drawn_slowly() -> None:
    assert settings.default is not None
    assert settings.default.deadline is None
    assert HealthCheck.too_slow in settings.default.suppress_health_check
    assert HealthCheck.too_slow in settings(max_examples=3).suppress_health_check


@given(VALUES)
def test_the_writers_of_judge_and_reference_agree(value: object) -> None:
    text = dump(value)
    assert text == json_text(value)
    assert text == restyle(text)
    assert parse(text) == value


def test_the_style() -> None:
    long = "nobody can break a text, so its line may be longer than one on which several values stand. " * 2
    text = f"""\
{{
  "few": [1, 2],
  "nothing": {{}},
  "many": [
    {{"text": "what fits on a line stands on one line", "number": 12345678901234567890}},
    "{long}"
  ]
}}
"""
    assert dump(parse(text)) == text == json_text(parse(text))


@pytest.mark.parametrize(("more", "lines"), [(0, 4), (1, 7)])
def test_a_line_has_room_for_its_indent_its_key_and_its_comma(more: int, lines: int) -> None:
    """Two lists that just fit; one character more, and the first no longer does."""
    first = "x" * (WIDTH - len('  "key": ["", 1],') + more)
    last = "x" * (WIDTH - len('  "more": ["", 2]'))
    value = {"key": [first, 1], "more": [last, 2]}
    text = dump(value)
    assert text == json_text(value)
    assert len(text.splitlines()) == lines


@pytest.mark.parametrize("number", ["1.0", "1e0", "1E+2", "-0.0", "123456789012345678901234567890", "0.10"])
def test_numbers_keep_their_spelling(number: str) -> None:
    assert restyle(f'[ {number},"1.0" ]') == f'[{number}, "1.0"]\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r'"\u00e9\/\u2028"', '"é/\u2028"'),
        (r'"\u0007\u0022\u005c\n"', r'"\u0007\"\\\n"'),
        (r'"\ud83d\ude00 \ud83d"', r'"😀 \ud83d"'),
        (r'{"\udc00": 1}', r'{"\udc00": 1}'),
    ],
)
def test_only_what_json_demands_is_escaped(text: str, expected: str) -> None:
    assert restyle(text) == expected + "\n" == json_text(parse(text))
    assert restyle(expected) == expected + "\n"
    expected.encode()


@pytest.mark.parametrize("text", ["{", '{"a": 1, "a": 2}', "[NaN]", ""])
def test_what_is_no_json_is_not_rewritten(text: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StyleError, match=r"wrong\.json: "):
        main([str(tmp_path)])
    assert path.read_text(encoding="utf-8") == text


def test_the_command_mends_what_it_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong, right = tmp_path / "in" / "wrong.json", tmp_path / "right.json"
    wrong.parent.mkdir()
    wrong.write_bytes(b'{"a":\r\n1e0}')
    right.write_bytes(b'{"a": 1}\n')
    assert main(["--check", str(tmp_path)]) == 1
    assert wrong.read_bytes() == b'{"a":\r\n1e0}'
    assert main([str(tmp_path)]) == 0
    assert wrong.read_bytes() == b'{"a": 1e0}\n'
    assert capsys.readouterr().out.split() == [str(wrong), str(wrong)]
    assert main(["--check", str(tmp_path)]) == 0
