"""``toolcall-conformance explain``: what a rule, a case, an item or a word of the vocabulary means, and why."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator, Mapping
from functools import cached_property

from toolcall_conformance.basics.jsonstyle import dump
from toolcall_conformance.cli.console import say_json, say_lines
from toolcall_conformance.cli.explain import vocabulary
from toolcall_conformance.cli.explain.cases import explain_case, explain_family
from toolcall_conformance.cli.explain.model import Explanation
from toolcall_conformance.cli.explain.rules import explain_rule
from toolcall_conformance.cli.explain.verdict_index import VerdictIndex
from toolcall_conformance.cli.parser import UsageError, did_you_mean
from toolcall_conformance.cli.settings import CommandSettings, add_corpus
from toolcall_conformance.library import Circumstance, Corpus
from toolcall_conformance.library.equivalences import Equivalence

_WIDTH = 100
_KINDS = (
    "rule, case, family, equivalence, circumstance, feature, element, format, check, variant, verdict, level or word "
    "of losses"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = f"Explain a {_KINDS}, or an item by its id: what it means, why, and what to do."
    parser.add_argument(
        "id",
        metavar="ID",
        nargs="+",
        help="for example gemini/result-names-call, shell/seed, shell, text-beside-call or blocked; "
        "or an item, as pytest prints it",
    )
    parser.add_argument(
        "--examples", action="store_true", help="also print a body that obeys a rule and one that breaks it"
    )
    parser.add_argument("--all", action="store_true", help="print all evidence and reports, not a few")
    parser.add_argument("--json", action="store_true", help="print JSON: a list of explanations, with all evidence")
    add_corpus(parser)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Print the explanations of the ids."""
    settings = CommandSettings(parsed)
    columns = shutil.get_terminal_size((_WIDTH, 24)).columns
    options = {"examples": parsed.examples, "everything": parsed.all or parsed.json}
    explainer = Explainer(settings.corpus(), _command(settings), columns, **options)
    # "not applicable" is one word, whether in quotes or not.
    together = " ".join(parsed.id)
    names = [together] if len(parsed.id) > 1 and explainer.knows(together) else parsed.id
    explanations = [explanation for name in names for explanation in explainer.explain(name)]
    if parsed.json:
        say_json(dump([explanation.to_json() for explanation in explanations]).rstrip("\n"))
    else:
        say_lines("\n\n".join(explanation.text(columns) for explanation in explanations))
    return 0


def _command(settings: CommandSettings) -> str:
    """The beginning of the command that runs something, with SPEC in place of a translator that no setting names."""
    words = settings.pytest_command("corpus")
    return words if settings.find("translator") else words.replace("pytest", "pytest --toolcall-translator SPEC", 1)


class Explainer:
    """Explains names of one corpus on a terminal that is ``columns`` wide.

    ``command`` begins a pytest command; the rest is as in the options.
    """

    def __init__(
        self, corpus: Corpus, command: str, columns: int = _WIDTH, *, examples: bool = False, everything: bool = False
    ) -> None:
        self._corpus = corpus
        self._command = command
        self._columns = columns
        self._examples = examples
        self._everything = everything
        self._verdict_index = VerdictIndex(corpus)

    @cached_property
    def _equivalences(self) -> Mapping[str, Equivalence]:
        return self._corpus.equivalences

    @cached_property
    def _circumstances(self) -> Mapping[str, Circumstance]:
        return self._corpus.circumstances

    def knows(self, name: str) -> bool:
        """Whether it is a word of the vocabulary."""
        return name in self.names

    @property
    def names(self) -> Mapping[str, str]:
        """Every name that can be explained, but for items, with its kind; of a name with several kinds the last."""
        corpus = self._corpus
        kinds = {
            "former id": corpus.retired,
            "rule": corpus.rules,
            "case": corpus.cases,
            "family": corpus.families,
            "equivalence": self._equivalences,
            "circumstance": self._circumstances,
            "feature": corpus.manifest["features"],
            "element": corpus.elements,
            "format": corpus.formats,
            **corpus.words,
        }
        return {name: kind for kind, names in kinds.items() for name in names}

    def explain(self, name: str) -> list[Explanation]:
        """Everything that a name means. Raises UsageError for a name that means nothing, with the nearest ones."""
        explanations = list(self._meanings(name))
        if not explanations and "::" in name:
            from toolcall_conformance.cli.explain.items import explain_item, item_of

            item = item_of(self._corpus, name)
            explanations = list(self._meanings(item.case))
            if item.check:
                explanations.insert(0, explain_item(self._corpus, name, item, self._command))
        if not explanations:
            advice = did_you_mean(name, self.names.keys()) or "; `toolcall-conformance list` shows what there is"
            raise UsageError(f"there is no {_KINDS} {name!r}{advice}")
        return explanations

    def _meanings(self, name: str) -> Iterator[Explanation]:
        corpus = self._corpus
        if name in corpus.rules:
            yield self._rule(name)
        if name in corpus.retired:
            current_ids = corpus.retired[name]
            yield Explanation(name, "former id", f"(former id; the rule is now {' and '.join(current_ids)})", ())
            yield from map(self._rule, current_ids)
        if name in corpus.cases:
            yield explain_case(self._verdict_index, corpus.cases[name], self._command)
        if name in corpus.families:
            yield explain_family(corpus, self._verdict_index, name, self._command)
        yield from self._words(name)

    def _rule(self, rule_id: str) -> Explanation:
        rule = self._corpus.rule(rule_id)
        options = {"examples": self._examples, "everything": self._everything}
        return explain_rule(
            self._corpus, self._verdict_index, self._circumstances, rule, columns=self._columns, **options
        )

    def _words(self, name: str) -> Iterator[Explanation]:
        corpus = self._corpus
        if name in self._equivalences:
            yield vocabulary.explain_equivalence(corpus, self._equivalences[name], self._columns)
        if name in self._circumstances:
            yield vocabulary.explain_circumstance(self._circumstances[name])
        if name in corpus.manifest["features"]:
            yield vocabulary.explain_feature(corpus, name, self._command)
        if name in corpus.elements:
            yield vocabulary.explain_element(corpus, name)
        if name in corpus.formats:
            yield vocabulary.explain_format(corpus, name, self._command)
        for kind, words in corpus.words.items():
            if name in words:
                yield vocabulary.explain_word(kind, name, words[name], self._command)
