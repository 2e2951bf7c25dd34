"""What the official clients do with the body that breaks a rule: the page docs/witnesses.md.

``python tests witnesses.claims`` rewrites it.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Level
from toolcall_conformance.basics.streaming import dump
from toolcall_conformance.library import Corpus, Rule, load_corpus
from toolcall_conformance.trust.witnesses import ClientResult, witness

PAGE = Path(__file__).resolve().parents[2] / "docs" / "witnesses.md"

#: Who reads a body besides its provider. A rule that names one, or what an SDK does, says that somebody is harmed.
WIDTH = 120
READERS = re.compile(r"\b(clients?|sdks?|agents?|chats)\b", re.IGNORECASE)
#: What CPython adds to an AttributeError since 3.13; the page is the same under every Python.
ADDED_BY_PYTHON = " and no __dict__ for setting new attributes"
BROKEN_AT = re.compile(r"byte (\d+) is no UTF-8")

HEAD = """\
# What the official clients do with bodies that break a rule

Many MUST rules say that a client breaks. This page shows, for each of them, the rule's own breaking example to the
official Python client of its format ([how](verdicts.md#what-the-official-client-says)).

Made with {versions}.
`python tests witnesses.claims` makes it anew, and a test compares it with the clients that are installed.
"""
BREAKS = """
## The client breaks

It raised, or its user gets something else than was meant.

| Rule | Why it is a MUST | What the client did |
|---|---|---|
"""
BEARS = """
## The client bears the body

Its user sees what was meant, or the harm is not in calls, text, end or message. These rules rest on their other
evidence: a schema or a page of the provider, a recorded rejection of what the client sends next, or another client.

| Rule | Why it is a MUST | What the client did | What the rule rests on |
|---|---|---|---|
"""
SENT = """
## Requests

A request is read by the provider alone. What the client's types say of the breaking example, for the rules whose
evidence names an SDK:

| Rule | What its types say |
|---|---|
"""
TAKEN = """
The types take the examples of these rules, which rest on the rest of their evidence, or on what the SDK's own
documentation says: {rules}.
"""


@dataclass(frozen=True, slots=True)
class ObservedRule:
    """A rule, and what the official client did with the body that breaks it and with the one that obeys it."""

    rule: Rule
    broken: ClientResult
    obeying: ClientResult | None


def observed_rules(corpus: Corpus) -> Iterator[ObservedRule]:
    """Every MUST rule that binds what a client reads and names a reader; and those about requests with an SDK's types.

    What only a driver can break has no example, and is left out.
    """
    for rule in corpus.rules.values():
        direction = rule.raw.get("direction")
        if direction and rule.level_in(direction) is Level.MUST and _is_claim(rule):
            yield _observe_rule(rule)


def _is_claim(rule: Rule) -> bool:
    by_sdk = any(entry["kind"] == "sdk" for entry in rule.evidence)
    if rule.raw["direction"] == "request":
        return by_sdk
    return rule.face != "provider" and (by_sdk or READERS.search(rule.why) is not None)


def _observe_rule(rule: Rule) -> ObservedRule:
    direction = rule.raw["direction"]
    name, right, wrong = _bodies(rule, direction)
    expected, golden = None, right if direction != "stream" else None
    if direction == "stream":
        whole = formats.assemble(name, right)
        expected = formats.read(name, "error" if whole.end == "failed" else "stream", _reply(right, whole))
        right, wrong = _bytes(right), _bytes(wrong)
    obeying = None if right is None else witness(name, direction, right, golden=golden, expected=expected)
    return ObservedRule(rule, witness(name, direction, wrong, golden=golden, expected=expected), obeying)


def _reply(stream: Any, whole: Any) -> Any:
    return {"body": whole.error} if whole.end == "failed" else stream


def _bodies(rule: Rule, direction: str) -> tuple[str, Any, Any]:
    """The format, the obeying body and the breaking one; an output that must not be there is None."""
    right, wrong = rule.raw["obeys"], rule.raw["breaks"]
    scope = rule.id.partition("/")[0]
    if scope != "translation":
        return scope, right, wrong
    return wrong["upstream" if direction == "request" else "client"], right["output"], wrong["output"]


def _bytes(stream: dict[str, Any]) -> bytes:
    """The bytes of a stream, with the beginning of an event at its end, or the byte that breaks it in its place."""
    data = dump(stream["events"]) + str(stream.get("rest", "")).encode()
    match = BROKEN_AT.fullmatch(stream.get("broken", ""))
    return data if match is None else data[: int(match[1])] + b"\xff" + data[int(match[1]) :]


def page(claims: list[ObservedRule]) -> str:
    """The whole page."""
    read = [claim for claim in claims if claim.rule.raw["direction"] != "request"]
    sent = [claim for claim in claims if claim.rule.raw["direction"] == "request"]
    versions = sorted({claim.broken.client for claim in claims})
    text = HEAD.format(versions=", ".join(versions[:-1]) + f" and {versions[-1]}")
    text += BREAKS + "".join(_row(claim) for claim in read if not claim.broken.accepted)
    text += BEARS + "".join(_row(claim, _evidence(claim.rule)) for claim in read if claim.broken.accepted)
    text += SENT + "".join(
        f"| `{claim.rule.id}` | {_observation_text(claim.broken)} |\n" for claim in sent if not claim.broken.accepted
    )
    accepted_rules = ", ".join(f"`{claim.rule.id}`" for claim in sent if claim.broken.accepted)
    return (
        text
        + "\n"
        + "\n".join(textwrap.wrap(TAKEN.format(rules=accepted_rules).strip(), WIDTH, break_on_hyphens=False))
        + "\n"
    )


def _row(claim: ObservedRule, *more: str) -> str:
    cells = [f"`{claim.rule.id}`", claim.rule.why, _observation_text(claim.broken), *more]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def _observation_text(observation: ClientResult) -> str:
    text = f"{observation.client.split()[0]}: {'; '.join(observation.says)}"
    return text.replace(ADDED_BY_PYTHON, "").replace("<", "&lt;")


def _evidence(rule: Rule) -> str:
    links = [f"[{entry['kind']}]({entry['url']})" for entry in rule.evidence if "url" in entry]
    return ", ".join(links)


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(list(observed_rules(load_corpus()))), encoding="utf-8")
    print(f"{PAGE} is written")


if __name__ == "__main__":
    main()
