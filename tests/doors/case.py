"""The door for a case: ``python tests doors.case FAMILY/CASE [--like CASE]``.

A case that is not there gets a skeleton: the scenario of ``--like`` with ids of its own. One that is there is looked
at, rendered in all formats, and entered under the faults that it guards against; then the tests on it run.
"""

from __future__ import annotations

import io
import random
import string
import sys
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import jsonschema

from doors import common
from doubles.catalogue import doubles
from doubles.kills import rules_in
from reference import paths
from shapes import broad
from toolcall_conformance.basics.jsonvalue import equal
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
        name: {key: id if id is None else _renew_id(id, drawn) for key, id in table.items()}
        for name, table in like["ids"].items()
    }
    guard = {
        "class": f"{common.TODO}: a class of corpus/bug-classes.json; or give the key `shape` a shape of tests/shapes/",
        "url": f"https://{common.TODO}",
    }
    scenario = {
        **like,
        "id": case,
        "title": f"{common.TODO}: what is special, in one line",
        "guards": [guard],
        "ids": ids,
    }
    del scenario["files"]
    return scenario | {"since": load_corpus().version}


def _renew_id(id: str, drawn: random.Random) -> str:
    """Another id of the same form: what comes before the last `_01` or `_` stays."""
    head, sep, tail = id.rpartition("_")
    size = 2 if tail.startswith("01") else 0
    kinds = (string.digits, string.ascii_lowercase, string.ascii_uppercase)
    new = [next((drawn.choice(kind) for kind in kinds if letter in kind), letter) for letter in tail[size:]]
    return f"{head}{sep}{tail[:size]}{''.join(new)}"


def unknown_classes(guards: list[dict[str, str]]) -> list[str]:
    """The classes that a scenario guards against and nobody knows."""
    classes = read_json(CLASSES)["classes"]
    return [
        f"corpus/bug-classes.json has no class {guard['class']!r}"
        f"{common.near(guard['class'], classes) or ': take one that it has, or enter it there'}"
        for guard in guards
        if guard.get("class", next(iter(classes))) not in classes
    ]


def unknown_shapes(guards: list[dict[str, str]]) -> list[str]:
    """The shapes that a scenario is for and nobody knows."""
    shapes = {*broad.PATTERNS, *named_shapes()}
    return [
        f"tests/shapes/ has no shape {guard['shape']!r}{common.near(guard['shape'], shapes) or '.'} Enter a new one in "
        "broad.json there, with the patterns by which a body shows it; or, if no pattern can say it, in named.json, "
        "with a sentence"
        for guard in guards
        if guard.get("shape", "") not in shapes and "shape" in guard
    ]


def named_shapes() -> dict[str, str]:
    """What the shapes are that no pattern knows."""
    return dict(read_json(common.ROOT / "tests" / "shapes" / "named.json"))


def unshown_shapes(case: str, guards: list[dict[str, str]]) -> list[str]:
    """The shapes with patterns that a rendered case is for and no body of it has."""
    claimed = {guard["shape"] for guard in guards if "shape" in guard} & {*broad.PATTERNS}
    played = Corpus(common.CORPUS).cases[case]
    return [
        f"{common.display_path(folder_of(case))}: no body has the shape {shape!r} as tests/shapes/broad.json knows it"
        for shape in sorted(claimed - broad.of_case(played))
    ]


def unpaired(scenario: dict[str, Any]) -> Iterator[str]:
    """The results without a call, the calls without a tool, and the calls of which ``ids`` has too many or too few."""
    place = "the conversation"
    entries = [entry for turn in scenario["conversation"] for entry in turn["content"]]
    keys = {entry["call"]["key"] for entry in entries if "call" in entry}
    for key in [entry["result"]["call"] for entry in entries if "result" in entry]:
        if key not in keys:
            yield f"{place}: a result answers the call {key!r}, and there is none{common.near(key, keys)}"
    for name, table in scenario["ids"].items():
        for key in sorted({*table} ^ keys):
            yield f"/ids/{name}: " + (f"the call {key!r} has no id" if key in keys else f"there is no call {key!r}")
    for tool in scenario["tools"]:
        if not (common.CORPUS / "tools" / f"{tool}.json").is_file():
            there = [path.stem for path in (common.CORPUS / "tools").glob("*.json")]
            yield f"/tools: there is no file corpus/tools/{tool}.json{common.near(tool, there)}"


def unchanged(scenario: dict[str, Any]) -> Iterator[str]:
    """The case from which a scenario was copied, if nothing but words and ids differs from it."""
    for case in Corpus(common.CORPUS).cases.values():  # its own, for what it reads is from before the rendering
        if case.id != scenario["id"] and equal(_content(case.scenario), _content(scenario)):
            yield f"the scenario is that of {case.id}, with other ids: change what the case is for"


def _content(scenario: Mapping[str, Any]) -> dict[str, Any]:
    own = {"id", "title", "since", "features", "guards", "ids", "files"}
    return {key: value for key, value in scenario.items() if key not in own}


def strange_arguments(case: str) -> Iterator[str]:
    """The calls with arguments that the schema of their tool does not take, which may be what a case is for."""
    played = Corpus(common.CORPUS).cases[case].scenario
    parameters = {}
    for tool in played["tools"]:
        declared = read_json(common.CORPUS / "tools" / f"{tool}.json")
        parameters[declared["name"]] = declared.get("parameters", True)
    for turn in played["conversation"]:
        for call in [entry["call"] for entry in turn["content"] if "call" in entry and "arguments" in entry["call"]]:
            for error in jsonschema.Draft202012Validator(parameters.get(call["name"], True)).iter_errors(
                call["arguments"]
            ):
                yield f"the call {call['key']!r} is not by its tool's schema: {error.message[:120]}"


def add_guards(case: str, guards: list[dict[str, str]]) -> Iterator[str]:
    """Enter a case under each class of fault that it guards against, with a fault that dies in it; what is lacking.

    Raises KeyError for a class that nobody knows: see ``unknown_classes``.
    """
    content = read_json(CLASSES)
    for name in _forget(case, guards, content["classes"]):
        common.write(CLASSES, content)
        print(f"took    {case} out of {name}, which it does not name any more")
    for name in [guard["class"] for guard in guards if "class" in guard]:
        entry = content["classes"][name]
        if case not in entry.get("guards", {}):
            fault = _killing_fault(case, set(entry.get("guards", {}).values()))
            if fault is None:
                yield (
                    f"corpus/bug-classes.json at /classes/{name}/guards: enter {case} with a fault that dies in it; "
                    f"none of those that are there does; .venv/bin/python tests doubles.kills --case {case} lists all"
                )
            else:
                entry.setdefault("guards", {})[case] = fault
                entry.pop("unguarded", None)
                common.write(CLASSES, content)
                print(f"entered {case} under {name}, for {fault} dies in it")


def _forget(case: str, guards: list[dict[str, str]], classes: dict[str, Any]) -> list[str]:
    """Take a case out of the classes that it does not name; the names of these."""
    named = {guard.get("class") for guard in guards}
    stale = [name for name, entry in classes.items() if case in entry.get("guards", {}) and name not in named]
    for name in stale:
        del classes[name]["guards"][case]
    return stale


def _killing_fault(case: str, faults: set[str]) -> str | None:
    played = Corpus(common.CORPUS).cases[case]
    mutants = [double for double in doubles() if double.name in faults and double.kind != "harmless"]
    return next((double.name for double in mutants if rules_in(double, played)), None)


def add_losses(case: str) -> None:
    """Enter a new case in the list of what detours of the reference lose."""
    counts_by_case = paths.recorded_losses()
    if case not in counts_by_case:
        cases = Corpus(common.CORPUS).cases
        counts_by_case |= paths.count_losses([cases[case]])
        common.write(paths.KEPT, {name: counts_by_case[name] for name in cases if name in counts_by_case})


def loadable(case: str) -> list[str]:
    """Why the corpus cannot be read with the case; names that nobody knows, for example."""
    try:
        _ = Corpus(common.CORPUS).cases[case]
    except CorpusError as error:
        return [str(error)]
    return []


def _refusal(case: str, like: str, *, new: bool) -> str:
    """Why no scenario is written for a case that is not there; empty if one is."""
    cases, other = load_corpus().cases, folder_of(like) / "scenario.json"
    if refusal := common.refusal(case, "scenario", "id", cases, new=new):
        return refusal
    if other.is_file():
        return ""
    scope, sep, slug = like.rpartition("/")
    hint = common.near(
        slug, [name.removeprefix(scope + sep) for name in cases if name.startswith(scope + sep)], scope + sep
    )
    return f"--like {like}: there is no file {common.display_path(other)}{hint}"


def main(words: list[str]) -> int:
    parser = common.parser("doors.case", __doc__, "a case")
    parser.add_argument("case", help="its id, FAMILY/CASE")
    parser.add_argument("--like", metavar="CASE", help=f"the case that a new one is made of ({LIKE})")
    options = parser.parse_args(words)
    path, again = folder_of(options.case) / "scenario.json", f"doors.case {options.case}"
    if options.case.count("/") != 1:
        parser.error(f"{options.case!r}: the id of a case is FAMILY/CASE")
    if path.is_file() and (options.like or options.new):
        parser.error(f"{options.case} is there: --like and --new are for a case that is not")
    families, family = read_json(common.CORPUS / "families.json"), options.case.partition("/")[0]
    if family not in families:
        hint = common.near(family, families) or ": say there what it is about"
        return common.report_missing([f"corpus/families.json has no family {family!r}{hint}"], again)
    if not path.is_file():
        if refusal := _refusal(options.case, options.like or LIKE, new=options.new):
            parser.error(refusal)
        like = options.like or LIKE
        common.write(path, skeleton(options.case, read_json(folder_of(like) / "scenario.json")))
        print(f"copied  the conversation from {like}: change it, and `features` with it")
        return common.report_missing(common.mistakes(path, "scenario"), again)
    # Rendering adds `files`.
    if lacking := [mistake for mistake in common.mistakes(path, "scenario") if "'files' is a required" not in mistake]:
        return common.report_missing(lacking, again)
    scenario = read_json(path)
    guards = scenario["guards"]
    # Before the rendering, which takes its time and writes files.
    if lacking := [*unknown_classes(guards), *unknown_shapes(guards), *unpaired(scenario), *unchanged(scenario)]:
        return common.report_missing(lacking, again)
    common.style(path)
    with redirect_stdout(io.StringIO()) as written:
        code = render.main([str(common.CORPUS), options.case])
    if code:
        common.report_missing(["mend the scenario as the line above says"], again)
        return code
    if names := written.getvalue().split():
        print(f"wrote   {len(names)} files in {common.display_path(path.parent)}")
    lacking = loadable(options.case) or [*unshown_shapes(options.case, guards), *add_guards(options.case, guards)]
    if lacking:
        return common.report_missing(lacking, again)
    for note in strange_arguments(options.case):
        print(f"note    {note}")
    add_losses(options.case)
    chosen = f"{options.case} or bug_classes or named_shapes or test_every_feature or test_the_list_names"
    return common.tested("tests/corpus", "tests/reference/test_paths.py", "-k", chosen)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
