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
    """A body (``source``) and its translation (``output``).

    ``is_choice_forced``: whether the request forced one function. ``through``: the format between source and output, if
    there is one. ``results_format``: the format of the results and declarations, if it is not the source's.
    ``circumstances`` hold for both bodies. ``extra_call_ids``: further ids by which texts of the source may name its
    calls, with the calls' ordinals. ``model``: the model of the route, if the output must name it. ``declared``: the
    elements that the translator says it lost. ``raw_arguments``: the arguments of the output's calls as text of a
    stream, by ordinal. ``client_tools`` are, of a reply, the tools of the client's request, ``groups`` the namespaces
    of these tools. ``conversions`` are, of a reply, from the provider's schemas to the client's, by the provider's
    names of tools; None if the schemas are unknown. ``arguments_as_sent`` are the arguments of the source's calls that
    conversions changed, by ordinal. ``accepted`` collects what the comparisons accept; None if nobody asks for it.
    """

    corpus: Corpus
    source: Reading
    output: Reading
    is_choice_forced: bool | None = None
    through: str | None = None
    results_format: str | None = None
    circumstances: Sequence[str] = ()
    extra_call_ids: Mapping[str, int] = field(default_factory=dict)
    model: str | None = None
    declared: frozenset[str] = frozenset()
    raw_arguments: Mapping[int, str] = field(default_factory=dict)
    client_tools: Sequence[Tool] = ()
    groups: Groups = field(default_factory=dict)
    conversions: Mapping[str, ArgumentConversion] | None = None
    arguments_as_sent: Mapping[int, Any] = field(default_factory=dict)
    accepted: list[Tolerated] | None = field(default=None, compare=False)

    def accept(
        self,
        equivalence: str,
        pointer: str,
        source: str | None = None,
        want: Any = MISSING,
        got: Any = MISSING,
        *,
        only_translated: bool = False,
    ) -> None:
        """Record a difference that the named equivalence allows.

        ``only_translated``: between two ends of one format nothing is recorded: there the difference is reported.
        """
        if self.accepted is not None and not (only_translated and self.is_same_format):
            self.accepted.append(Tolerated(equivalence, pointer, source, want, got))

    @property
    def is_request(self) -> bool:
        return self.source.direction == "request"

    @property
    def is_same_format(self) -> bool:
        """Whether the body goes from a format to the same one directly, so that nothing needs a translation."""
        return self.source.format == self.output.format and self.through is None

    @property
    def source_failed(self) -> bool:
        """Whether the provider itself refused the reply: its malformed or unexpected call must not be run."""
        return self.source.finish is not None and self.source.finish.reason == "error"

    @property
    def target(self) -> Mapping[str, Any]:
        """The corpus's facts about the output's format."""
        return self.corpus.format(self.output.format)

    @property
    def origin(self) -> Mapping[str, Any]:
        """The corpus's facts about the format of the results and declarations."""
        return self.corpus.format(self.results_format or self.source.format)

    @property
    def wire_words(self) -> Mapping[str, Any]:
        """The words that the output's format uses on the wire."""
        words: Mapping[str, Any] = self.target["wire_words"]
        return words

    def lists_texts_only(self, pointer: str | None) -> bool:
        """Whether enums of the output's schema at ``pointer`` can list texts only, by its schema language."""
        return pointer is not None and pointer.rpartition("/")[2] in self.target.get("schemas_with_text_enums", ())

    def value_at(self, pointer: str | None, default: Any = MISSING) -> Any:
        """Return the value at a place of the output's body, or ``default`` if there is none."""
        try:
            return default if pointer is None else resolve(self.output.body, pointer)
        except LookupError:
            return default

    def _is_at(self, pointer: str, got: Any) -> bool:
        """Whether ``got`` is the value at a place of the output, or the value there is its JSON text."""
        stands = self.value_at(pointer)
        return equal(stands, got) or (isinstance(stands, str) and not isinstance(got, str))

    @property
    def demands(self) -> Mapping[str, str]:
        """How far the output must carry each element of the source: ``must``, ``may`` or ``cannot``."""
        if self.through is not None:
            return loss_table.demands(self.corpus, "loop", self.through, self.output.format)
        source, output = self.source.format, self.output.format
        if self.is_request:
            return loss_table.demands(self.corpus, "request", source, output)
        return loss_table.demands(self.corpus, "reply", output, source)

    def demand(self, element: str) -> str:
        """Return how far the output must carry an element of the source: ``must``, ``may`` or ``cannot``."""
        try:
            return self.demands[element]
        except KeyError:  # pragma: no cover - the corpus's tests hold that every element is listed
            raise CorpusError(f"translation/elements.json does not know {element!r}; add an entry") from None

    def both_express(self, element: str) -> bool:
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
        """Return a finding of the rule at a place in the output. ``under``: circumstances that hold there, if any.

        If ``got`` is not the value at that place, texts in ``want`` and ``got`` are taken for words, not for values.
        """
        if isinstance(want, str) and got is not MISSING and not self._is_at(pointer, got):
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
    """The two sides with their tools and calls aligned: the input of every comparison.

    ``tool_pairs`` are the declared tools that are the same, ``tool_names`` the output's names of tools by the source's.
    ``views`` caches what comparisons derived from the pair.
    """

    tool_pairs: Sequence[tuple[Tool, Tool]] = ()
    tool_names: Mapping[str, str] = field(default_factory=dict)
    alignment: Alignment = field(default_factory=Alignment)
    views: dict[Callable[[Pair], Any], Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def view(self, make: Callable[[Pair], T]) -> T:
        """Return ``make(pair)``, computed once for all comparisons. None may change it; it must not hold the pair."""
        if make not in self.views:
            self.views[make] = make(self)
        view: T = self.views[make]
        return view

    @property
    def call_pairs(self) -> Mapping[int, int]:
        """The ordinals of the output's calls by those of the source's."""
        return self.alignment.pairs


def describe_tool(tool: Tool) -> str:
    """Return a short description of a tool: ``tool read_file``."""
    return f"tool {tool.name or 'without a name'}"


def describe_call(call: Call, position: int | None = None) -> str:
    """Return a short description of a call: ``call 2, read_file``."""
    number = (call.ordinal if position is None else position) + 1
    return f"call {number}, {call.name or 'without a name'}"
