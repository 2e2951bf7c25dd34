"""Foreign text in Markdown and in the log of a CI job: it says itself, and does nothing."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from toolcall_conformance.basics.visible_text import visible
from toolcall_conformance.reports.text.markdown import code, link, prose

UNUSUAL = st.text(alphabet=st.sampled_from([*"`|\\ <>*_[]#:@~a1", "\n", "\x1b", "\u202e", "\u2028", "\ud800"]))


def code_span_text(span: str) -> str:
    """What Markdown takes a code span for (https://spec.commonmark.org/0.31.2/#code-spans)."""
    match = re.fullmatch(r"(`+)(.*?[^`])\1", span, re.DOTALL)
    assert match is not None, span
    fence, inner = match.groups()
    assert not re.search(rf"(?<!`){fence}(?!`)", inner)
    blank = inner.startswith(" ") and inner.endswith(" ") and inner.strip() != ""
    return inner[1:-1] if blank else inner


@given(UNUSUAL | st.text())
@example("`")
@example("``a`")
@example(" a ")
@example("\\`|")
def test_code_says_what_is_seen_and_nothing_else(text: str) -> None:
    span = code(text, limit=10_000)
    assert "\n" not in span
    if visible(text).strip():
        assert code_span_text(span) == visible(text)


@given(UNUSUAL | st.text())
def test_no_border_of_a_table_is_in_a_cell(text: str) -> None:
    assert re.search(r"(?<!\\)\|", code(text, cell=True)) is None


def test_a_long_text_is_cut() -> None:
    assert code("a" * 30, limit=10) == f"`{'a' * 10}…`"


def test_words_have_no_markup() -> None:
    assert prose("<b> *a* [x](y) call_id | `a_b` `") == r"\<b\> \*a\* \[x\](y) call\_id \| `a_b` \`"


def test_words_mention_nobody_and_link_nowhere() -> None:
    sentence = "ask @me or a/b#12, see https://a.example/x or www.a.example now"
    assert prose(sentence) == "ask `@me` or `a/b#12,` see `https://a.example/x` or `www.a.example` now"


def test_an_address_ends_where_it_ends() -> None:
    assert link("evidence", "https://a.example/x_(y)>z") == "[evidence](<https://a.example/x_(y)%3Ez>)"
