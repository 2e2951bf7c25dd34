"""``toolcall-conformance losses``: what a translation between two formats loses, or may lose."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolcall_conformance.basics.jsonstyle import dump
from toolcall_conformance.cli.console import say, say_json, say_lines
from toolcall_conformance.cli.parser import UsageError, did_you_mean
from toolcall_conformance.library import Corpus, load_corpus
from toolcall_conformance.library.loss_table import WAYS, pairs, table

_WIDTH = 100
_INDENT = 24
_WORDS = {"cannot": "lost", "may": "may be lost"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "What one format can express and another cannot, from corpus/formats/*/expresses.json: in a "
        "request on its way up, in a reply on its way down, and in the agent loop, where the client returns the "
        "provider's own output."
    )
    parser.add_argument("pair", metavar="CLIENT-to-UPSTREAM", nargs="?", help="one pair, in full")
    parser.add_argument("--json", action="store_true", help="print JSON as in corpus/schemas/losses.schema.json")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Print the loss table of all pairs, or all about one."""
    corpus = load_corpus()
    loss_table = table(corpus)
    if parsed.pair is not None:
        loss_table = {"pairs": {parsed.pair: _pair_losses(corpus, loss_table, parsed.pair)}}
    if parsed.json:
        say_json(dump(loss_table).rstrip("\n"))
    elif parsed.pair is None:
        say_lines("\n\n".join(_names(pair, ways) for pair, ways in loss_table["pairs"].items()))
        first = next(iter(loss_table["pairs"]))
        say("")
        say(f"*: some media types or values only. `toolcall-conformance losses {first}` prints the reasons.")
    else:
        client, upstream = parsed.pair.split("-to-")
        say_lines("\n\n".join(_explanations(client, upstream, loss_table["pairs"][parsed.pair])))
    return 0


def _pair_losses(corpus: Corpus, loss_table: dict[str, Any], pair: str) -> dict[str, Any]:
    client, _, upstream = pair.partition("-to-")
    if client == upstream and client in corpus.formats:
        raise UsageError(f"{pair}: nothing may be lost there; bodies stay identical except for the model")
    if pair not in loss_table["pairs"]:
        raise UsageError(f"there is no pair {pair!r}{did_you_mean(pair, pairs(corpus)) or _pair_advice(corpus)}")
    losses: dict[str, Any] = loss_table["pairs"][pair]
    return losses


def _pair_advice(corpus: Corpus) -> str:
    return f"; write it as {pairs(corpus)[0]}; formats are {', '.join(sorted(corpus.formats))}"


def _names(pair: str, ways: dict[str, Any]) -> str:
    """A pair in a few lines: the names only."""
    lines = [pair]
    for where in WAYS:
        for demand, words in _WORDS.items():
            names = dict.fromkeys(_name(loss) for loss in ways[where] if loss["demand"] == demand)
            if names:
                lines += _wrap(f"  {where:<8} {words}", ", ".join(names))
    return "\n".join(lines)


def _explanations(client: str, upstream: str, ways: dict[str, Any]) -> Iterator[str]:
    """A pair in full, one text for each way and demand."""
    titles = {
        "request": f"request, {client} to {upstream}",
        "reply": f"reply, {upstream} to {client}",
        "loop": f"loop, {upstream} back to itself through a client of {client}",
    }
    for where in WAYS:
        for demand, words in _WORDS.items():
            losses = [loss for loss in ways[where] if loss["demand"] == demand]
            if losses:
                yield "\n".join([f"{titles[where]}: {words}", *(line for loss in losses for line in _lines(loss))])


def _name(loss: dict[str, Any]) -> str:
    """The element, with a star if only some media types or values are lost."""
    return f"{loss['element']}*" if loss.keys() & {"types", "limit"} else str(loss["element"])


def _lines(loss: dict[str, Any]) -> Sequence[str]:
    lines = _wrap(f"  {_name(loss)}", f"written as {loss['said']}")
    if "types" in loss:
        lines += _wrap("", f"only {', '.join(loss['types'])}")
    if "limit" in loss:
        lines += _wrap("", f"only beyond {_limit(loss['limit'])}")
    if "there" in loss:
        lines += _wrap("", f"there as {loss['there']}")
    if "conventions" in loss:
        lines += _wrap("", f"conventions: {', '.join(loss['conventions'])}")
    if "why" in loss:
        lines += _wrap("", f"note: {loss['why']}")
    if "url" in loss:
        lines += _wrap("", loss["url"])
    return lines


def _limit(limit: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {_value_list(value)}" for key, value in limit.items())


def _value_list(value: Any) -> str:
    entries = value if isinstance(value, list) else [json.dumps(value)]
    return ", ".join(entry if isinstance(entry, str) else json.dumps(entry) for entry in entries)


def _wrap(name: str, text: str) -> list[str]:
    lines = textwrap.wrap(text, _WIDTH - _INDENT, break_long_words=False, break_on_hyphens=False)
    return [f"{name if index == 0 else '':<{_INDENT}} {line}" for index, line in enumerate(lines)]
