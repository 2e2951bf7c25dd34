"""A body and its translation, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from toolcall_conformance.basics.findings import MISSING, NOT_KNOWN, Finding, Tolerated, Words
from toolcall_conformance.basics.jsonvalue import equal, resolve
from toolcall_conformance.basics.reading import Call, Reading, Tool
from toolcall_conformance.judge.levels import make_finding
from toolcall_conformance.judge.translation.calls.align import Alignment
from toolcall_conformance.judge.translation.calls.argument_conversion import ArgumentConversion
from toolcall_conformance.library import Corpus, CorpusError, loss_table

T = TypeVar("T")


Groups = Mapping[tuple[str | None, str | None], str | None]
"""The namespaces of the client's tools, by the namespaces and names of the provider's."""


@dataclass(frozen=True, slots=True)
class Sides:
    """A body and its translation. ``source`` was given to the translator, ``output`` came out of it.

    ``forced``: whether the request forced one function. ``through``: the format between source and output, if there is
    one. ``said_in``: the format of the results and declarations, if it is not the source's. ``circumstances`` hold for
    both bodies. ``called``: further ids by which texts of the source may name its calls, with the calls' ordinals.
    ``model``: the model of the route, if the output must name it. ``declared``: what the translator says it lost.
    ``raw_arguments``: the unparsed JSON texts of the arguments of the output's calls, by ordinal, if it was streamed.
    ``conversions`` are, of a reply, from the schemas of the provider's side to the client's, by the provider's names of
    tools; None where nobody knows the schemas. ``groups`` are, of a reply, the namespaces of the client's tools.
    ``as_sent`` are the arguments of the source's calls that conversions changed, by ordinal. ``accepted`` collects what
    the comparisons accept; None where nobody asked for it.
    """

    corpus: Corpus
    source: Reading
    output: Reading
    forced: bool | None = None
    through: str | None = None
    said_in: str | None = None
    circumstances: Sequence[str] = ()
    called: Mapping[str, int] = field(default_factory=dict)
    model: str | None = None
    declared: frozenset[str] = frozenset()
    raw_arguments: Mapping[int, str] = field(default_factory=dict)
    asked: Sequence[Tool] = ()
    groups: Groups = field(default_factory=dict)
    conversions: Mapping[str, ArgumentConversion] | None = None
    as_sent: Mapping[int, Any] = field(default_factory=dict)
    accepted: list[Tolerated] | None = field(default=None, compare=False)

    def accept(
        self,
        name: str,
        pointer: str,
        source: str | None = None,
        want: Any = MISSING,
        got: Any = MISSING,
        *,
        only_translated: bool = False,
    ) -> None:
        """Record a difference that the equivalence ``name`` allows, where it is allowed.

        ``only_translated``: between two ends of one format it is reported, as the change of a body that needed none.
        """
        if self.accepted is not None and not (only_translated and self.is_same_format):
            self.accepted.append(Tolerated(name, pointer, source, want, got))

    @property
    def is_request(self) -> bool:
        return self.source.direction == "request"

    @property
    def is_same_format(self) -> bool:
        """Whether nothing had to be translated, or only by way of another format."""
        return self.source.format == self.output.format and self.through is None

    @property
    def source_failed(self) -> bool:
        """Whether the provider itself refused the reply: a malformed or unexpected call of it is not to be run."""
        return self.source.finish is not None and self.source.finish.reason == "error"

    @property
    def target(self) -> Mapping[str, Any]:
        """What the corpus says of the output's format in general."""
        return self.corpus.format(self.output.format)

    @property
    def origin(self) -> Mapping[str, Any]:
        """What the corpus says in general of the format of the results and declarations."""
        return self.corpus.format(self.said_in or self.source.format)

    @property
    def words(self) -> Mapping[str, Any]:
        """What the output's format calls things on the wire."""
        words: Mapping[str, Any] = self.target["wire_words"]
        return words

    def lists_texts_only(self, pointer: str | None) -> bool:
        """Whether the schema at a place of the output is in a language that has no enums but of texts."""
        return pointer is not None and pointer.rpartition("/")[2] in self.target.get("schemas_with_text_enums", ())

    def stands(self, pointer: str | None, default: Any = MISSING) -> Any:
        """What stands at a place of the output, just as it is written there."""
        try:
            return default if pointer is None else resolve(self.output.body, pointer)
        except LookupError:
            return default

    def _stands_in_words(self, pointer: str, got: Any) -> bool:
        """Whether a value stands at a place of the output, as it is or as the JSON text of it."""
        stands = self.stands(pointer)
        return equal(stands, got) or (isinstance(stands, str) and not isinstance(got, str))

    @property
    def demands(self) -> Mapping[str, str]:
        """How far the output must carry each element that the source has: ``must``, ``may`` or ``cannot``."""
        if self.through is not None:
            return loss_table.demands(self.corpus, "loop", self.through, self.output.format)
        source, output = self.source.format, self.output.format
        if self.is_request:
            return loss_table.demands(self.corpus, "request", source, output)
        return loss_table.demands(self.corpus, "reply", output, source)

    def demand(self, element: str) -> str:
        """How far the output must carry an element that the source has: ``must``, ``may`` or ``cannot``."""
        try:
            return self.demands[element]
        except KeyError:  # pragma: no cover - the corpus's tests hold that every element is listed
            raise CorpusError(f"translation/elements.json does not know {element!r}; add an entry") from None

    def both(self, element: str) -> bool:
        """Whether both formats express an element natively."""
        return self.demand(element) == "must"

    def finding(
        self,
        rule_id: str,
        pointer: str,
        message: str = "",
        *,
        want: Any = NOT_KNOWN,
        got: Any = NOT_KNOWN,
        source: str | None = None,
        subject: str = "",
        under: Iterable[str] = (),
    ) -> Finding:
        """A finding of the rule at a place in the output. ``under``: circumstances that hold there, if any.

        Texts of which ``got`` is not what stands there are words, and no values.
        """
        if isinstance(want, str) and got is not MISSING and not self._stands_in_words(pointer, got):
            want, got = Words(want), Words(got) if isinstance(got, str) else got
        return make_finding(
            self.corpus,
            rule_id,
            pointer,
            message,
            direction=self.output.direction,
            under=(*self.circumstances, *under),
            want=want,
            got=got,
            source=source,
            subject=subject,
            format=self.output.format,
        )


@dataclass(frozen=True, slots=True)
class Pair(Sides):
    """The two sides, with their tools and calls aligned: what every comparison gets.

    ``twins`` are the declared tools that are the same, ``names`` the output's names of tools by the source's. ``views``
    caches what comparisons derived from the pair.
    """

    twins: Sequence[tuple[Tool, Tool]] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    alignment: Alignment = field(default_factory=Alignment)
    views: dict[Callable[[Pair], Any], Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def view(self, make: Callable[[Pair], T]) -> T:
        """``make(pair)``, made once for all comparisons; none may change it, and it must not hold the pair."""
        if make not in self.views:
            self.views[make] = make(self)
        view: T = self.views[make]
        return view

    @property
    def calls(self) -> Mapping[int, int]:
        """The ordinals of the output's calls by those of the source's."""
        return self.alignment.pairs


def tool_words(tool: Tool) -> str:
    """A tool in words: ``tool read_file``."""
    return f"tool {tool.name or 'without a name'}"


def call_words(call: Call, position: int | None = None) -> str:
    """A call in words: ``call 2, read_file``."""
    number = (call.ordinal if position is None else position) + 1
    return f"call {number}, {call.name or 'without a name'}"
