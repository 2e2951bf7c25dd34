"""The page: one template, filled with a run, with its style, its script and its data inside."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace
from importlib.resources import files
from typing import NamedTuple

from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.html.cause_cards import cause_cards
from toolcall_conformance.reports.html.data import pack_run
from toolcall_conformance.reports.html.tables import loss_table, route_matrix, verdict_counts
from toolcall_conformance.reports.html.words import script_json, visible
from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.text.headline import first_example, headline, mend_first
from toolcall_conformance.reports.timing import date_in_words, duration_in_words
from toolcall_conformance.reports.vocabulary import FIELDS, WORDS

_FOLDER = files(__package__)
# In the order of their dependencies.
_SCRIPTS = ("dom.js", "data.js", "body.js", "stream.js", "item.js", "filter.js", "page.js")


def page(run: RunRecord, corpus: Corpus) -> str:
    """Return the page about a run, which needs no network; ``corpus`` has the rules."""
    # Only pages need the library.
    from jinja2 import Environment, StrictUndefined

    from toolcall_conformance.reports.html.markup import command, prose, whole

    # The gravest level first, new causes before known ones within it: what is known is wrong still.
    run = replace(run, roots=sorted(run.roots, key=lambda root: (root.level_number, root.is_known)))
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {
        "visible": visible,
        "pluralize": pluralize,
        "prose": prose,
        "whole": whole,
        "command": command,
    }
    style, script = _read_file("page.css"), "\n".join(map(_read_file, _SCRIPTS))
    cards = cause_cards(run, corpus.rules)
    text: str = environment.from_string(_read_file("page.html.jinja")).render(
        policy=_content_policy(style, script),
        style=style,
        script=script,
        data=script_json(pack_run(run, corpus.rules)._asdict()),
        header=run.header,
        items=len(run.items),
        complete=run.is_complete,
        verdicts=verdict_counts(run),
        fields=FIELDS,
        corner=WORDS["table"]["corner"],
        timing=_timing(run),
        causes=[card for card in cards if card.level != "NOTE"],
        notes=[card for card in cards if card.level == "NOTE"],
        new_causes=[card.number for card in cards if card.is_new],
        headline=headline(run),
        mend_first=mend_first(run, corpus.rules),
        first_example=first_example(run),
        matrix=route_matrix(run),
        losses=loss_table(run),
        stale=run.stale,
        families=sorted({item.case.partition("/")[0] for item in run.items}),
        rules=sorted({finding["rule"] for item in run.items for finding in item.findings}),
        formats=sorted({name for item in run.items for name in (item.client, item.upstream)}),
    )
    return text


class Timing(NamedTuple):
    """The start of the run, its date in words, its duration, and its command; empty if unknown."""

    started: str
    date: str
    duration: str
    command: str


def _timing(run: RunRecord) -> Timing:
    facts = run.header.get("run", {})
    started = str(facts.get("started", ""))
    return Timing(
        started,
        date_in_words(started) if started else "",
        duration_in_words(facts["seconds"]) if "seconds" in facts else "",
        # Older reports have only the beginning of a command for some items.
        str(facts.get("command") or run.header.get("command", "")),
    )


def _read_file(file_name: str) -> str:
    return (_FOLDER / file_name).read_text(encoding="utf-8")


def _content_policy(style: str, script: str) -> str:
    """Return the content security policy: only this style and this script. https://www.w3.org/TR/CSP3/"""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
