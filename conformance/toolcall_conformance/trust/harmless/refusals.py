"""What the official client takes of a golden body without one of its members, and the judge refuses.

Each is a rule that goes beyond the client's types. ``corpus/mutations/refused.json`` has the reasons; what has none is
to be loosened, or to be explained there.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Corpus, read_json
from toolcall_conformance.trust.harmless.variants import NotationTable
from toolcall_conformance.trust.nodes import PlacedValue, matches, nodes, pattern_of
from toolcall_conformance.trust.operators.catalogue import Unfit, apply_operator
from toolcall_conformance.trust.witnesses import sdk_of
from toolcall_conformance.trust.witnesses.sdk_types import problems

CHANGES = {"drop": "absent", "to-null": "null", "empty": "empty"}
"""The operators on a member, and what it is then."""

EACH = 2
"""How many members of one kind are tried."""


@dataclass(frozen=True, slots=True)
class RefusedChange:
    """A kind of member that the client lets be ``change``, and the rule that does not."""

    format: str
    direction: str
    change: str
    pattern: str
    rule: str
    count: int
    example: str


@dataclass(frozen=True, slots=True)
class RefusalReason:
    """An entry of ``corpus/mutations/refused.json``: why some rules go beyond the client's types. No paths are all."""

    format: str
    direction: str
    rules: frozenset[str]
    changes: frozenset[str]
    paths: tuple[str, ...]
    reason: str

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> RefusalReason:
        rules, changes = frozenset(raw["rules"]), frozenset(raw["changes"])
        return cls(raw["format"], raw["direction"], rules, changes, tuple(raw.get("paths", ())), raw["reason"])

    def explains(self, refusal: RefusedChange) -> bool:
        """Whether it is about this kind of member."""
        return (
            (refusal.format, refusal.direction) == (self.format, self.direction)
            and refusal.rule in self.rules
            and refusal.change in self.changes
            and (not self.paths or any(matches(path, refusal.pattern) for path in self.paths))
        )


def reasons(corpus: Corpus) -> list[RefusalReason]:
    """The reasons that are written down. Raises CorpusError for a file that is not there or not right."""
    return [RefusalReason.of(raw) for raw in read_json(corpus.root / "mutations" / "refused.json")["refused"]]


def unexplained_refusals(
    refusals: Sequence[RefusedChange], accepted_reasons: Sequence[RefusalReason]
) -> list[RefusedChange]:
    """Those that no reason is about."""
    return [refusal for refusal in refusals if not any(reason.explains(refusal) for reason in accepted_reasons)]


@dataclass
class _Body:
    """A golden body with the problems that the client and the judge find in it."""

    corpus: Corpus
    format: str
    direction: str
    value: Any

    # Most bodies have no member that others have not shown already, and are asked for neither.
    @cached_property
    def _client_problems(self) -> set[Any]:
        return self.client_problems(self.value)

    @cached_property
    def _broken_rules(self) -> set[str]:
        return self.broken_rules(self.value)

    def client_problems(self, value: Any) -> set[Any]:
        sdk = sdk_of(self.format)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # one client warns of words that it does not know, and takes them
            if self.direction == "request":
                return set(sdk.request_problems(value))
            return set(problems(sdk.reply_type(), value))

    def broken_rules(self, value: Any) -> set[str]:
        return {
            finding.rule for finding in check_body(self.corpus, self.format, self.direction, value) if finding.is_must
        }

    def only_by_us(self, value: Any) -> set[str]:
        """The rules that a changed body breaks, if the client takes it."""
        return (
            set()
            if self.client_problems(value) - self._client_problems
            else self.broken_rules(value) - self._broken_rules
        )


def find_refusals(corpus: Corpus, cases: Sequence[str] = ()) -> tuple[int, list[RefusedChange]]:
    """How many bodies were tried, and what is refused, over the goldens, or those of some cases.

    Raises MissingSDKError.
    """
    tried = 0
    refusals: dict[tuple[str, str, str, str, str], RefusedChange] = {}
    for place, body, change, pattern, changed in _changes(corpus, cases):
        tried += 1
        for rule in body.only_by_us(changed):
            key = (body.format, body.direction, change, pattern, rule)
            refusal = refusals.get(key, RefusedChange(*key, 0, place))
            refusals[key] = replace(refusal, count=refusal.count + 1)
    return tried, sorted(
        refusals.values(),
        key=lambda refusal: (refusal.format, refusal.direction, refusal.rule, refusal.change, refusal.pattern),
    )


def _changes(corpus: Corpus, cases: Sequence[str]) -> Iterator[tuple[str, _Body, str, str, Any]]:
    """Each change of each member: where, the body, what it becomes, the member, and the changed body."""
    user_keys = NotationTable(corpus).user_keys
    for name in corpus.formats:
        counts: Counter[tuple[str, str]] = Counter()
        for place, body in _goldens(corpus, cases, name):
            for node in _members(body, user_keys, counts):
                for operator, change in CHANGES.items():
                    if operator != "empty" or node.kind in ("text", "list", "object"):
                        with suppress(Unfit):
                            yield (
                                place,
                                body,
                                change,
                                pattern_of(node.pointer),
                                apply_operator(operator, body.value, node.pointer),
                            )


def _goldens(corpus: Corpus, cases: Sequence[str], name: str) -> Iterator[tuple[str, _Body]]:
    for case in corpus.cases.values():
        if name not in case.formats or name in case.dialects or (cases and case.id not in cases):
            continue
        for exchange in case.exchanges(name):
            for direction, body in (("request", exchange.request), ("response", exchange.response)):
                if body is not None:
                    yield f"{case.id}/{exchange.number:02}", _Body(corpus, name, direction, body)


def _members(body: _Body, user_keys: Collection[str], counts: Counter[tuple[str, str]]) -> Iterator[PlacedValue]:
    """The members of the format's own objects; of those of one pattern a few in all."""
    for node in nodes(body.value):
        parent_keys = node.pointer.split("/")[1:-1]
        if parent_keys[:1] == ["input"]:  # of one format it is the conversation itself
            parent_keys = parent_keys[1:]
        if node.place == "member" and not set(user_keys) & set(parent_keys):
            counts[body.direction, pattern_of(node.pointer)] += 1
            if counts[body.direction, pattern_of(node.pointer)] <= EACH:
                yield node
