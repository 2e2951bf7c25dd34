"""The mutants and the harmless variants of ``corpus/verdicts/``, by the rules that they break or come near."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from toolcall_conformance.library import Corpus, read_json
from toolcall_conformance.library.verdicts import Verdict, verdict_files, verdict_lines

_ID = re.compile(rb'"([a-z0-9_]+/[a-z0-9-]+)"')


class VerdictIndex:
    """The verdicts of a corpus. Their lines are read once; only those that mention the id in question are parsed."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._breaking: dict[str, list[Verdict]] = {}

    @cached_property
    def _lines(self) -> Mapping[str, list[bytes]]:
        """The lines that mention a rule or a case, by its id. To parse them all would take longer."""
        lines_by_id: dict[str, list[bytes]] = {}
        for path in verdict_files(self._corpus.root):
            for line in verdict_lines(path):
                for word in set(_ID.findall(line)):
                    lines_by_id.setdefault(word.decode(), []).append(line)
        return lines_by_id

    def _verdicts_about(self, word: str) -> Iterator[Verdict]:
        yield from map(json.loads, self._lines.get(word, ()))

    def mutants(self, rule: str) -> list[Verdict]:
        """The mutants that a rule finds, alone or as one of several; the smallest first."""
        if rule not in self._breaking:
            verdicts = [verdict for verdict in self._verdicts_about(rule) if rule in broken_rules(verdict)]
            self._breaking[rule] = sorted(
                verdicts, key=lambda verdict: (len(broken_rules(verdict)), _size(verdict), verdict["name"])
            )
        return self._breaking[rule]

    def harmless(self, rule: str) -> list[Verdict]:
        """The harmless variants that come near a rule, the smallest first."""
        verdicts = [verdict for verdict in self._verdicts_about(rule) if rule in verdict.get("beside", ())]
        return sorted(verdicts, key=_size)

    def mutants_of_case(self, case: str) -> list[Verdict]:
        """The mutants that were made of a case, the smallest first."""
        verdicts = [
            verdict for verdict in self._verdicts_about(case) if verdict["case"] == case and broken_rules(verdict)
        ]
        return sorted(verdicts, key=_size)

    @cached_property
    def _classes(self) -> Mapping[str, Mapping[str, Any]]:
        path = self._corpus.root / "bug-classes.json"
        return read_json(path)["classes"] if path.is_file() else {}

    @cached_property
    def _classes_by_verdict(self) -> Mapping[str, tuple[str, ...]]:
        """The names of the bug classes that each verdict shows, by the verdict's name."""
        classes_by_verdict: dict[str, dict[str, None]] = {}
        for name, entry in self._classes.items():
            for verdict in entry.get("guards", {}).values():
                classes_by_verdict.setdefault(verdict, {})[name] = None
        return {verdict: tuple(names) for verdict, names in classes_by_verdict.items()}

    @cached_property
    def _threads(self) -> Mapping[str, tuple[str, ...]]:
        """The reports of each class, as the cases that guard against it name them."""
        urls_by_class: dict[str, dict[str, None]] = {}
        for case in self._corpus.cases.values():
            for guard in case.scenario.get("guards", ()):
                if "class" in guard:
                    urls_by_class.setdefault(guard["class"], {})[guard["url"]] = None
        return {name: tuple(urls) for name, urls in urls_by_class.items()}

    def bug_class(self, name: str) -> Mapping[str, Any]:
        """A class of faults as ``bug-classes.json`` has it, or for an unknown one its name alone."""
        return self._classes.get(name, {"wrong": f"{name}."})

    def incidents(self, rule: str) -> list[tuple[str, str]]:
        """What real translators did that breaks a rule, each with an address; those of small bodies first."""
        texts_by_url: dict[str, str] = {}
        for verdict in self.mutants(rule):
            if "thread" in verdict:
                texts_by_url.setdefault(verdict["thread"], f"{verdict['title']}.")
            for name in self._classes_by_verdict.get(verdict["name"], ()):
                self._add_threads(name, texts_by_url)
        for name, entry in self._classes.items():
            if rule in entry.get("rules", ()):
                self._add_threads(name, texts_by_url)
        return [(text, url) for url, text in texts_by_url.items()]

    def _add_threads(self, name: str, texts_by_url: dict[str, str]) -> None:
        """Add the threads of a class to those that are named already, by address."""
        for url in self._threads.get(name, ()):
            texts_by_url.setdefault(url, self._classes[name]["wrong"])


def broken_rules(verdict: Verdict) -> list[str]:
    """The rules that find a mutant, or that warn of it; none for a harmless variant."""
    return [] if verdict["kind"] == "harmless" else verdict["expect"] or verdict["may_warn"]


def heading(verdict: Verdict) -> str:
    """A verdict's file, place and title: ``verdicts/FAMILY.jsonl, FAULT/FORMAT: title``."""
    family, _, rest = verdict["name"].partition("/")
    return f"verdicts/{family}.jsonl, {rest}: {verdict['title']}"


def _size(verdict: Verdict) -> int:
    return len(json.dumps(verdict["output"])) if verdict["direction"] != "stream" else 100_000
