"""Which sources are tried: draws by number and seed, each with a name that is enough to make it again."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from toolcall_conformance.judge import Judge
from toolcall_conformance.trust.dialects import JOINED, Dialects
from toolcall_conformance.trust.mutation import as_sent, without_own
from toolcall_conformance.trust.nodes import PlacedValue, nodes, pattern_of
from toolcall_conformance.trust.operators.catalogue import OPERATORS, Unfit, apply_operator
from toolcall_conformance.trust.sources.bodies import WAYS, SourceBody, case_bodies, file_bodies, files
from toolcall_conformance.trust.table import MutationTable

AS_IT_IS = "as-it-is"
PLAIN = 4
"""Of so many draws one leaves its source unchanged."""
DIALECT = "dialect"
"""The name of the mutation that gives a reply the habits of compatible servers, which replace the pointer."""
SPOKEN = 4
"""Of so many replies in a format that other servers speak, one is in a dialect."""
ANYTHING = 4
"""Of so many mutations one may break the source's own format; for the others one is looked for that does not."""
_LOOKED_AT = 12
_TRIES = 40
_TOP = {"request": 1, "response": 1, "stream": 4}


@dataclass(frozen=True, slots=True)
class Draw:
    """A source on a route. ``holder`` is a case or a file, ``number`` which of its bodies, counted from 1."""

    holder: str
    number: int
    source: SourceBody
    client: str
    upstream: str
    mutation: str
    body: Any

    @property
    def habits(self) -> tuple[str, ...]:
        """The habits of compatible servers that the reply has."""
        operator, _, habits = self.mutation.partition("@")
        return tuple(habits.split(JOINED)) if operator == DIALECT else ()

    @property
    def name(self) -> str:
        """``HOLDER::WAY::CLIENT-to-UPSTREAM::NUMBER::OPERATOR@POINTER``."""
        return f"{self.holder}::{self.source.way}::{self.client}-to-{self.upstream}::{self.number:02}::{self.mutation}"


class Draws:
    """Draws sources from the corpus and from folders, evenly between these; of bodies, from all their places.

    Operators that need a donor or a whole conversation are left out. With ``dialects`` there are no other mutations
    than those into dialects, and no sources as they are.
    """

    def __init__(
        self,
        judge: Judge,
        table: MutationTable,
        folders: Sequence[Path] = (),
        cases: Sequence[str] = (),
        *,
        dialects: bool = False,
    ) -> None:
        corpus = judge.corpus
        self._judge, self._corpus = judge, corpus
        self._operators = [
            operator for operator in table.operators if operator.is_in("request") and not operator.donates
        ]
        self._shelves = [tuple(cases) or tuple(corpus.cases), *(tuple(map(str, files(folder))) for folder in folders)]
        self._shelves = [shelf for shelf in self._shelves if shelf]
        self._bodies = lru_cache(maxsize=300)(self._bodies_of)
        self._dialects = {name: Dialects(corpus, name) for name in corpus.formats}
        self._spoken = 1 if dialects else SPOKEN
        self._alone = dialects

    def draw(self, seed: int, number: int) -> Draw | None:
        """The draw of that number; None where nothing was found to draw."""
        lot = random.Random(f"{seed} {number}")  # noqa: S311 - no secret is drawn
        for _ in range(_TRIES):
            holder = lot.choice(lot.choice(self._shelves))
            bodies = self._bodies(holder)
            ways = sorted({body.way for body in bodies if not self._alone or self._draws_dialect(body)})
            if not ways:
                continue
            way = lot.choice(ways)
            indexes = [at for at, body in enumerate(bodies) if body.way == way]
            at = lot.choice([at for at in indexes if not self._alone or self._draws_dialect(bodies[at])])
            draw = self._on_a_route(holder, at, bodies[at], lot)
            if draw is not None:
                return draw
        return None

    def again(self, name: str) -> Draw:
        """The draw of that name. Raises LookupError."""
        parts = name.rsplit("::", 4)
        if len(parts) != 5:
            form = "HOLDER::WAY::ROUTE::NUMBER::OPERATOR@POINTER"
            raise LookupError(f"{name!r} is no draw; one is {form}, or {AS_IT_IS} in the place of the last")
        holder, way, route, number, mutation = parts
        client, _, upstream = route.partition("-to-")
        bodies = self._bodies(holder)
        if not number.isdecimal() or not 0 < int(number) <= len(bodies) or way not in WAYS:
            counted = "one body that is" if len(bodies) == 1 else f"{len(bodies)} bodies that are"
            raise LookupError(f"{name!r}: {holder} holds {counted} recognised, and not this one")
        source = bodies[int(number) - 1]
        format_name = client if way == "request" else upstream
        if source.way != way or format_name != source.format or not {client, upstream} <= {*self._corpus.formats}:
            raise LookupError(f"{name!r}: body {number} of {holder} is a {source.way} of {source.format}")
        try:
            body = self._change(source, mutation)
        except (Unfit, AttributeError, TypeError):  # an operator of lists at a member, and so on
            raise LookupError(f"{name!r}: the operator changes nothing there") from None
        except LookupError as error:
            raise LookupError(f"{name!r}: {error.args[0]}") from None
        return Draw(holder, int(number), source, client, upstream, mutation, body)

    def _bodies_of(self, holder: str) -> Sequence[SourceBody]:
        if holder in self._corpus.cases:
            return case_bodies(self._corpus.cases[holder])
        try:
            return file_bodies(self._corpus, Path(holder))
        except OSError as error:
            raise LookupError(f"{holder!r} is no case, and no file that can be read ({error.strerror})") from None

    def _on_a_route(self, holder: str, index: int, source: SourceBody, generator: random.Random) -> Draw | None:
        other = generator.choice(self._corpus.formats)
        client, upstream = (source.format, other) if source.way == "request" else (other, source.format)
        if self._draws_dialect(source) and generator.randrange(self._spoken) == 0:
            habits = self._dialects[source.format].draw(generator, source.way, source.body)
            mutation = f"{DIALECT}@{JOINED.join(habits)}"
            if habits:
                return Draw(holder, index + 1, source, client, upstream, mutation, self._change(source, mutation))
        if self._alone:
            return None
        if generator.randrange(PLAIN) == 0:
            return Draw(holder, index + 1, source, client, upstream, AS_IT_IS, source.body)
        looked_at = 1 if generator.randrange(ANYTHING) == 0 else _LOOKED_AT
        draw = None
        for mutation, body in islice(self._mutations(source, generator), looked_at):
            draw = Draw(holder, index + 1, source, client, upstream, mutation, body)
            if not self._breaks(source, body):
                break
        return draw

    def _draws_dialect(self, source: SourceBody) -> bool:
        """Whether it is a reply such as its format's own provider sends, and other servers have habits of their own."""
        is_plain = source.case is None or source.format not in source.case.dialects
        return is_plain and source.way != "request" and bool(self._dialects[source.format].habits)

    def _change(self, source: SourceBody, mutation: str) -> Any:
        """The body after a mutation. Raises Unfit where it changes nothing, LookupError for what is no mutation."""
        if mutation == AS_IT_IS:
            return source.body
        operator, _, place = mutation.partition("@")
        if operator != DIALECT:
            if operator not in OPERATORS:
                raise LookupError(f"there is no operator {operator!r}")
            return _mutate(source, operator, place)
        if not self._draws_dialect(source):
            raise LookupError("only replies have dialects")
        return self._dialects[source.format].apply(place.split(JOINED), source.way, source.body)

    def _breaks(self, source: SourceBody, body: Any) -> bool:
        try:
            return bool(broken_rules(self._judge, source, body))
        except Exception:  # whoever tries this draw meets the judge's own fault again, and reports it
            return False

    def _mutations(self, source: SourceBody, generator: random.Random) -> Iterator[tuple[str, Any]]:
        """Mutations of a source by lot: each by its name, with the body."""
        places = _by_pattern(source)
        for _ in range(_TRIES if places else 0):
            node = generator.choice(places[generator.choice([*places])])
            fitting = [operator for operator in self._operators if operator.fits(node)]
            if not fitting:
                continue
            name = generator.choice(fitting).name
            try:
                yield f"{name}@{node.pointer}", _mutate(source, name, node.pointer)
            except Unfit:
                continue


def broken_rules(judge: Judge, source: SourceBody, body: Any, model: str | None = None) -> tuple[str, ...]:
    """The MUSTs of its own format that a body breaks in the place of a source."""
    if source.way == "request":
        judgement = judge.body(source.format, "request", body, model=model)
    else:
        judgement = judge.sent(source.format, source.way, body, model=model)
    return tuple(dict.fromkeys(finding.rule for finding in judgement.findings if finding.is_must))


def _by_pattern(source: SourceBody) -> dict[str, list[PlacedValue]]:
    """The places of a body by which member they are, whatever the index: long lists weigh no more than short ones."""
    nodes_by_pattern: dict[str, list[PlacedValue]] = {}
    for node in nodes(source.body):
        if source.way != "stream" or node.pointer.count("/") > 1:
            nodes_by_pattern.setdefault(pattern_of(without_own(node.pointer, _TOP[source.way])), []).append(node)
    return nodes_by_pattern


def _mutate(source: SourceBody, operator: str, pointer: str) -> Any:
    """The source after a mutation. Raises Unfit where it changes nothing, or nothing that can be sent."""
    changed = apply_operator(operator, source.body, pointer)
    if source.way == "stream":
        return as_sent(changed, source.body)
    if not isinstance(changed, dict):
        raise Unfit
    return changed
