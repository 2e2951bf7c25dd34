"""``bug-classes.json``: every class that a case names is known, and what guards against it does so."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from doubles.catalogue import doubles
from doubles.kills import rules_in
from every import every
from toolcall_conformance.library import Corpus, default_root

CLASSES: dict[str, dict[str, Any]] = json.loads((default_root() / "bug-classes.json").read_bytes())["classes"]
DOUBLES = {double.name: double for double in doubles() if double.kind != "harmless"}
GUARDED = [name for name, entry in CLASSES.items() if "guards" in entry]


def test_cases_name_what_they_guard(corpus: Corpus) -> None:
    """The cases of a class are those that name it."""
    named: dict[str, set[str]] = defaultdict(set)
    for case in corpus.cases.values():
        for guard in case.scenario["guards"]:
            if "class" in guard:
                named[guard["class"]].add(case.id)
    listed = {name: set(entry.get("guards", ())) for name, entry in CLASSES.items()}
    assert set(named) <= set(listed), "add the class to bug-classes.json"
    wrong = {name: named[name] ^ cases for name, cases in listed.items() if named[name] != cases}
    assert not wrong, "a case names the class and is not listed, or is listed and does not name it"


@every("name", GUARDED, id=str)
def test_a_translator_with_the_fault_dies_in_the_case(name: str, corpus: Corpus) -> None:
    alive = [
        f"{fault} in {case}"
        for case, fault in CLASSES[name]["guards"].items()
        if fault not in DOUBLES or not rules_in(DOUBLES[fault], corpus.cases[case])
    ]
    assert not alive


def test_a_class_names_rules_that_there_are(corpus: Corpus) -> None:
    assert not {
        f"{name}: {rule}"
        for name, entry in CLASSES.items()
        for rule in entry.get("rules", ())
        if rule not in corpus.rules
    }
