"""The door for a case: ``python tests doors.case FAMILY/CASE [--like CASE]``.

A case that is not there gets a skeleton: the scenario of ``--like`` with ids of its own. One that is there is looked
at, rendered in all formats, and entered under the faults that it guards against; then the tests on it run.
"""

from __future__ import annotations

import argparse
import random
import string
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from doors import common
from doubles.catalogue import doubles
from doubles.kills import rules_in
from reference import paths
from toolcall_conformance.library import Corpus, CorpusError, load_corpus, read_json
from toolcall_reference import render

CLASSES = common.CORPUS / "bug-classes.json"
LIKE = "shell/realistic"


def folder_of(case: str) -> Path:
    """The folder of a case."""
    return common.CORPUS / "scenarios" / case


def skeleton(case: str, like: dict[str, Any]) -> dict[str, Any]:
    """A scenario with TODOs; without ``files``, so that all are rendered."""
    drawn = random.Random(case)
    ids = {
        name: {key: id if id is None else _other(id, drawn) for key, id in table.items()}
        for name, table in like["ids"].items()
    }
    guard = {"class": common.TODO, "url": f"https://{common.TODO}"}
    scenario = {
        **like,
        "id": case,
        "title": f"{common.TODO}: what is special, in one line",
        "guards": [guard],
        "ids": ids,
    }
    del scenario["files"]
    return scenario | {"since": load_corpus().version}


def _other(id: str, drawn: random.Random) -> str:
    """Another id of the same form: what stands before the last `_01` or `_` stays."""
    head, sep, tail = id.rpartition("_")
    size = 2 if tail.startswith("01") else 0
    kinds = (string.digits, string.ascii_lowercase, string.ascii_uppercase)
    new = [next((drawn.choice(kind) for kind in kinds if letter in kind), letter) for letter in tail[size:]]
    return f"{head}{sep}{tail[:size]}{''.join(new)}"


def unknown_classes(guards: list[dict[str, str]]) -> list[str]:
    """The classes that a scenario guards against and nobody knows."""
    classes = read_json(CLASSES)["classes"]
    return [
        f"corpus/bug-classes.json has no class {guard['class']!r}: take one that it has, or enter it there"
        for guard in guards
        if guard.get("class", next(iter(classes))) not in classes
    ]


def guarded(case: str, guards: list[dict[str, str]]) -> Iterator[str]:
    """Enter a case under each class of fault that it guards against, with a fault that dies in it; what is lacking.

    Raises KeyError for a class that nobody knows: see ``unknown_classes``.
    """
    content = read_json(CLASSES)
    for name in [guard["class"] for guard in guards if "class" in guard]:
        entry = content["classes"][name]
        if case not in entry.get("guards", {}):
            fault = _dying(case, set(entry.get("guards", {}).values()))
            if fault is None:
                yield (
                    f"corpus/bug-classes.json at /classes/{name}/guards: enter {case} with a fault that dies in it; "
                    "none of those that are there does (python tests doubles.kills lists all)"
                )
            else:
                entry.setdefault("guards", {})[case] = fault
                entry.pop("unguarded", None)
                common.write(CLASSES, content)
                print(f"entered {case} under {name}, for {fault} dies in it")


def _dying(case: str, faults: set[str]) -> str | None:
    played = Corpus(common.CORPUS).cases[case]
    mutants = [double for double in doubles() if double.name in faults and double.kind != "harmless"]
    return next((double.name for double in mutants if rules_in(double, played)), None)


def listed(case: str) -> None:
    """Enter a new case in the list of what detours of the reference lose."""
    counts_by_case = paths.kept()
    if case not in counts_by_case:
        cases = Corpus(common.CORPUS).cases
        counts_by_case |= paths.counted([cases[case]])
        common.write(paths.KEPT, {name: counts_by_case[name] for name in cases if name in counts_by_case})


def loadable(case: str) -> list[str]:
    """Why the corpus cannot be read with the case; names that nobody knows, for example."""
    try:
        _ = Corpus(common.CORPUS).cases[case]
    except CorpusError as error:
        return [str(error)]
    return []


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python tests doors.case", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("case", help="its id, FAMILY/CASE")
    parser.add_argument("--like", metavar="CASE", default=LIKE, help=f"the case that a new one is made of ({LIKE})")
    options = parser.parse_args(words)
    path, again = folder_of(options.case) / "scenario.json", f"doors.case {options.case}"
    if options.case.count("/") != 1:
        parser.error(f"{options.case!r}: the id of a case is FAMILY/CASE")
    if options.case.partition("/")[0] not in read_json(common.CORPUS / "families.json"):
        return common.told([f"corpus/families.json: say what the family of {options.case} is about"], again)
    if not path.is_file():
        other = folder_of(options.like) / "scenario.json"
        if not other.is_file():
            parser.error(f"--like {options.like}: there is no file {common.named(other)}")
        common.write(path, skeleton(options.case, read_json(other)))
        return common.told(common.mistakes(path, "scenario"), again)
    # Rendering adds `files`.
    if lacking := [mistake for mistake in common.mistakes(path, "scenario") if "'files' is a required" not in mistake]:
        return common.told(lacking, again)
    guards = read_json(path)["guards"]
    if lacking := unknown_classes(guards):  # before the rendering, which takes its time and writes files
        return common.told(lacking, again)
    common.style(path)
    if code := render.main([str(common.CORPUS), options.case]):
        common.told(["mend the scenario as the line above says"], again)
        return code
    lacking = loadable(options.case) or [*guarded(options.case, guards)]
    if lacking:
        return common.told(lacking, again)
    listed(options.case)
    chosen = f"{options.case} or bug_classes or test_every_feature or test_the_list_names"
    return common.tested("tests/corpus", "tests/reference/test_paths.py", "-k", chosen)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
