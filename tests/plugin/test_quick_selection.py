"""``toolcall::@quick``: the items of corpus/quick.json, which there are, and no others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import pytest

from toolcall_conformance.checks import CHECKS, ONE_FORMAT, variants
from toolcall_conformance.engine.items.selection import Selection, SelectionError, parse_selection
from toolcall_conformance.library import Corpus

ITEMS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "request": {"alpha-to-beta": ["box/one"], "beta-to-alpha": ["box/two"]},
    "agent_loop": {"alpha-to-beta": ["box/two"], "alpha-to-beta-swapped": ["box/one"]},
}
CASES = {"box/one": ("alpha", "beta"), "box/two": ("alpha", "beta")}


def select(*arguments: str) -> Selection:
    return parse_selection(arguments, cases=CASES, checks=list(CHECKS), formats=["alpha", "beta"], quick=lambda: ITEMS)


@pytest.mark.parametrize(
    ("argument", "item", "has"),
    [
        ("toolcall::@quick", ("box/one",), True),
        ("toolcall::@quick", ("box/one", "response"), False),
        ("toolcall::@quick", ("box/one", "request", "alpha-to-beta"), True),
        ("toolcall::@quick", ("box/one", "request", "alpha-to-beta", ""), True),
        ("toolcall::@quick", ("box/two", "request", "alpha-to-beta", ""), False),
        ("toolcall::@quick", ("box/one", "agent_loop", "alpha-to-beta"), True),
        ("toolcall::@quick", ("box/one", "agent_loop", "alpha-to-beta", ""), False),
        ("toolcall::@quick", ("box/one", "agent_loop", "alpha-to-beta", "swapped"), True),
        ("toolcall::@quick::request", ("box/two", "agent_loop", "alpha-to-beta", ""), False),
        ("toolcall::@quick::request::beta-to-alpha", ("box/two", "request", "beta-to-alpha", ""), True),
        ("toolcall::@quick::request::beta-to-alpha", ("box/one", "request", "alpha-to-beta", ""), False),
        ("toolcall::@quick::agent_loop::alpha-to-beta", ("box/one", "agent_loop", "alpha-to-beta", "swapped"), False),
        ("toolcall::@quick::agent_loop::alpha-to-beta*", ("box/one", "agent_loop", "alpha-to-beta", "swapped"), True),
    ],
)
def test_quick_has(argument: str, item: tuple[str, ...], has: bool) -> None:
    assert select(argument).selects(*item) is has


def test_quick_goes_with_other_arguments() -> None:
    both = select("toolcall::@quick", "toolcall::box/one::response")
    assert both.selects("box/one", "response", "beta-to-beta", "")
    assert both.selects("box/two", "request", "beta-to-alpha", "")
    assert not both.selects("box/two", "response", "beta-to-alpha", "")


def test_a_corpus_with_fewer_cases_has_fewer_items() -> None:
    few = {"box/one": ("alpha", "beta")}
    selectors = ["toolcall::@quick::request::alpha-to-beta"]
    selection = parse_selection(
        selectors, cases=few, checks=list(CHECKS), formats=["alpha", "beta"], quick=lambda: ITEMS
    )
    assert selection.selects("box/one", "request", "alpha-to-beta", "")
    assert not selection.selects("box/two")


def test_a_name_like_it_is_reported() -> None:
    with pytest.raises(SelectionError, match="did you mean @quick"):
        select("toolcall::@quik")


def test_every_item_of_the_corpus_s_list_is_one(corpus: Corpus) -> None:
    """After a case is renamed or taken out: choose the items again, by `toolcall-conformance mutate --quick`."""
    ways = lru_cache(maxsize=None)(
        lambda check, case, client, upstream: variants(corpus, check, corpus.cases[case], client, upstream)
    )
    for check, names in corpus.quick.items():
        for name, cases in names.items():
            client, _, rest = (name, "", name) if check in ONE_FORMAT else name.partition("-to-")
            upstream = next(
                format_name
                for format_name in corpus.formats
                if rest == format_name or rest.startswith(f"{format_name}-")
            )
            client = upstream if check in ONE_FORMAT else client
            for case in cases:
                assert case in corpus.cases, f"{check}::{name}: there is no case {case}"
                assert rest.removeprefix(upstream).removeprefix("-") in ways(check, case, client, upstream), (
                    name,
                    case,
                )


def test_it_has_items_on_every_route(corpus: Corpus) -> None:
    for client in corpus.formats:
        for upstream in corpus.formats:
            assert all(
                corpus.quick[check].get(f"{client}-to-{upstream}") for check in ("request", "response", "stream")
            )
