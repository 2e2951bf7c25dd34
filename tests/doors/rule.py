"""The door for a rule: ``python tests doors.rule FORMAT/SLUG [--direction DIRECTION] [--like RULE]``.

A rule that is not there gets a skeleton, with the shortest obeying body of the format (or that of ``--like``). One that
is there is looked at: what its file lacks, whether a check names it, whether it has its boundary pair, and whether the
judge is right about the doubles of it. A pair that is lacking gets a skeleton, and verdicts are rewritten.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from corpus_judge import judge
from doors import common
from doubles import export
from doubles.border import BorderDouble
from doubles.catalogue import PREFIXES, Double, doubles, exported_lines
from doubles.test_ratchet import DEMANDED, WANTED, covered
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import load_corpus
from turns import today

#: Where the schema of a rule lists the kinds of evidence.
KINDS = ("properties", "evidence", "items", "properties", "kind")
BORDERS = Path(__file__).resolve().parents[1] / "doubles" / "borders"
HOW_TO_CHECK = """no check names this rule. Give it one:
        - a keyword in corpus/formats/{scope}/{direction}.schema.json. In the schema object that fails write
            "x-rule": "{rule}"
              whatever of its keywords fails, or by the keyword that fails (`*` is any other):
            "x-rule": {{"maxLength": "{rule}", "*": "{scope}/other"}}
          It speaks for its own object, not for objects inside it. "x-message" says what is wrong, in the same forms.
        - or, with "check": "function", a function in conformance/toolcall_conformance/formats/{scope}/rules/
        - for translation/: "check": "judge", and a comparison in conformance/toolcall_conformance/judge/translation/"""


def path_of(rule: str) -> Path:
    """The file of a rule."""
    scope, _, slug = rule.partition("/")
    folder = scope if scope in ("translation", "drift", "otel") else f"formats/{scope}"
    return common.CORPUS / folder / "rules" / f"{slug}.json"


def skeleton(rule: str, direction: str, like: str | None) -> dict[str, Any]:
    """A rule's file with TODOs. Raises ValueError where there is no rule to take bodies from."""
    scope = rule.partition("/")[0]
    candidates = [rule.raw for rule in load_corpus().rules.values() if "obeys" in rule.raw and "direction" in rule.raw]
    candidates = [
        example for example in candidates if (example["id"] == like if like else _alike(example, scope, direction))
    ]
    if not candidates:
        raise ValueError(
            f"there is no rule {like or scope + '/… about a ' + direction} with bodies: name one by --like"
        )
    near = min(candidates, key=lambda example: len(str(example["obeys"])))
    print(f"copied  both bodies from {near['id']}")
    print("guessed level SHOULD: the evidence decides it (CONTRIBUTING.md, What counts as evidence)")
    return {
        "id": rule,
        "level": "SHOULD",  # a word that is no level would keep the corpus from being read
        "face": "provider" if direction == "request" else "client",
        "element": f"{common.TODO}: {common.words_of('rule', 'properties', 'element')}",
        "sentence": f"{common.TODO}: what the rule demands.",
        "breach": f"{common.TODO}: how a finding says that it is broken",
        "why": f"{common.TODO}: the reason.",
        "fix": f"{common.TODO}: the usual cause in a translator, and what to do about it.",
        "evidence": [
            {
                "kind": f"{common.TODO}: {common.words_of('rule', *KINDS)}",
                "url": f"https://{common.TODO}",
                "note": f"{common.TODO}: what is to be seen there",
            }
        ],
        "refs": [],
        "check": near["check"] if scope == "translation" else "schema",
        "direction": near["direction"],
        "obeys": near["obeys"],
        "breaks": near["obeys"],
        "since": load_corpus().version,
    }


def _alike(rule: Mapping[str, Any], scope: str, direction: str) -> bool:
    checks = ("judge",) if scope == "translation" else ("schema", "function")
    return rule["id"].startswith(f"{scope}/") and rule["direction"] == direction and rule["check"] in checks


def findings(raw: Mapping[str, Any], example: str) -> list[Finding]:
    """What the judge says of an example."""
    scope, body = raw["id"].partition("/")[0], raw[example]
    if scope != "translation":
        return check_body(load_corpus(), scope, raw["direction"], body, model=raw.get("model"))
    more = {key: body[key] for key in ("upstream_model", "request") if key in body}
    ends = {key: body[key] for key in ("client", "upstream")}
    return [*judge(body["source"], body["output"], direction=raw["direction"], **ends, **more).findings]


def examples(raw: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the two bodies of a rule that is judged by bodies."""
    if raw["check"] not in ("schema", "function", "judge"):
        return
    path, rule = common.display_path(path_of(raw["id"])), raw["id"]
    if equal(raw["obeys"], raw["breaks"]):
        yield f"{path} at /breaks: it is the same body as /obeys; change what the rule forbids"
        return
    for finding in findings(raw, "obeys"):
        if finding.is_must or finding.rule == rule:
            place = finding.pointer or "the top"
            yield f"{path} at /obeys: the judge finds {finding.rule} at {place}: {finding.message}"
    rules = {finding.rule for finding in findings(raw, "breaks")}
    if rule not in rules:
        others = f"the judge finds {', '.join(sorted(rules)) or 'nothing'}"
        if common.places(rule):
            yield f"{path} at /breaks: {others}, not this rule; if you loosened it, let the body break more"
        else:
            how = HOW_TO_CHECK.format(rule=rule, scope=rule.partition("/")[0], direction=raw["direction"])
            yield f"{path} at /breaks: {others}; {how}"


def pair(raw: Mapping[str, Any]) -> Iterator[str]:
    """What the boundary pair of a rule lacks; a rule that must have one gets a skeleton."""
    rule = raw["id"]
    about = _about(rule)
    unfinished = [
        double
        for double in about
        if common.TODO in double.title or (isinstance(double, BorderDouble) and not double.edits[0])
    ]
    if unfinished:
        (where,) = {_module_of(double) for double in unfinished}
        yield (
            f"{common.display_path(where)}: say in the pair of {rule} what the legal body is, for the {common.TODO}, "
            "and which members of `obeys` it changes, in the empty braces"
        )
        return
    kinds = [kind for kind, rules in DEMANDED.items() if rule in rules and rule not in covered(kind)]
    if not kinds:
        return
    if about or rule.partition("/")[0] == "otel":
        yield f"it needs {' and '.join(WANTED[kind] for kind in kinds)}, in tests/doubles/"
        return
    module = _nearest(raw)
    text, snippet = module.read_text(encoding="utf-8"), _snippet(raw)
    if "GONE" in snippet:
        text = text.replace("from doubles.border import borders", "from doubles.border import GONE, borders")
    module.write_text(f"{text}{snippet}", encoding="utf-8")
    common.format_code(module)
    print(f"wrote   a skeleton at the end of {common.display_path(module)}")
    yield f"{common.display_path(module)}: complete the pair of {rule}: a legal body as near to the rule as can be"


def misjudged_doubles(about: Iterable[Double]) -> Iterator[str]:
    """Of which doubles the judge says something else than they do."""
    for double in about:
        for play in double.played(today()):
            if message := double.surprise(play):
                yield f"{double.kind} {double.name}: the judge finds at {message}; mend the check, or the double"


def listed(about: Iterable[Double]) -> Iterator[str]:
    """What is played, a line a mutant or variant: its kind, the module in which it is, its name, and the formats."""
    formats: dict[tuple[str, Path, str], list[str]] = {}
    for double in about:
        name, _, format_name = double.name.rpartition("/")
        formats.setdefault((double.kind, _module_of(double), name), []).append(format_name)
    for (kind, module, name), names in formats.items():
        yield f"{kind:8} {common.display_path(module)}: {name} ({', '.join(names)})"


def _module_of(double: Double) -> Path:
    fitting = [name for name, prefix in PREFIXES.items() if prefix and double.family.startswith(prefix)]
    package = next(iter(fitting), "bodies")  # of which names have no prefix
    family = double.family.removeprefix(PREFIXES[package]).replace("-", "_")
    return BORDERS.parent / package / f"{family}.py"


def _nearest(raw: Mapping[str, Any]) -> Path:
    """The module with most pairs of rules about the same element."""
    if raw["id"].startswith("translation/"):
        return BORDERS / "translations.py"
    rules = load_corpus().rules
    pairs = [double for double in doubles(BorderDouble) if rules[double.example].raw["element"] == raw["element"]]
    count = Counter(_module_of(double) for double in pairs)
    return count.most_common(1)[0][0] if count else BORDERS / "messages.py"


def _snippet(raw: Mapping[str, Any]) -> str:
    """A pair whose broken body is that of the rule."""
    edits = dict(_edits(raw["obeys"], raw["breaks"], ""))
    lines = ",\n        ".join(f"{pointer!r}: {value}" for pointer, value in edits.items())
    return f"""
border(
    {raw["id"]!r},
    {"near-" + raw["id"].partition("/")[2]!r},
    "{common.TODO}: what the legal body is, in a sentence without a full stop",
    {{}},  # {common.TODO}: JSON Pointers and values that lead from `obeys` to the border
    past={{
        {lines},
    }},
)
"""


def _edits(before: Any, after: Any, place: str) -> Iterator[tuple[str, str]]:
    """The members in which two bodies differ, as Python text."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in {**before, **after}:
            pointer = f"{place}/{key.replace('~', '~0').replace('/', '~1')}"
            if key not in after:
                yield pointer, "GONE"
            elif key not in before:
                yield pointer, repr(after[key])
            else:
                yield from _edits(before[key], after[key], pointer)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (left, other) in enumerate(zip(before, after, strict=True)):
            yield from _edits(left, other, f"{place}/{number}")
    elif not equal(before, after):
        yield place, repr(after)


def _about(rule: str) -> list[Double]:
    return [double for double in doubles() if rule in (*double.rules, *double.beside)]


def verdicts(rule: str) -> None:
    """Rewrite the verdicts of a rule where they are out of date."""
    if any(export.line_of(double) != exported_lines(double.family).get(double.name) for double in _about(rule)):
        print("wrote   corpus/verdicts: ", end="", flush=True)
        export.main([rule])


def _refusal(rule: str, *, new: bool) -> str:
    """Why no file is written for a rule that is not there; empty if one is."""
    corpus, scope = load_corpus(), rule.partition("/")[0]
    folder = path_of(rule).parent
    if not folder.is_dir():
        hint = common.near(scope, {known.partition("/")[0] for known in corpus.rules})
        return f"{rule}: there is no folder {common.display_path(folder)}; an id is FORMAT/SLUG{hint}"
    if rule in corpus.retired:
        return f"{rule}: a rule had this id once; {' and '.join(corpus.retired[rule]) or 'none'} took its place"
    return common.refusal(rule, "rule", "id", corpus.rules, new=new)


def main(words: list[str]) -> int:
    parser = common.parser("doors.rule", __doc__, "a rule")
    parser.add_argument("rule", help="its id, such as openai_chat/stop-limit")
    parser.add_argument(
        "--direction",
        choices=("request", "response", "error", "stream"),
        help="what the bodies of a new one are (request)",
    )
    parser.add_argument("--like", metavar="RULE", help="the rule whose obeying body a new one begins with")
    options = parser.parse_args(words)
    path, again = path_of(options.rule), f"doors.rule {options.rule}"
    if path.is_file() and (options.like or options.direction or options.new):
        parser.error(f"{options.rule} is there: --direction, --like and --new are for a rule that is not")
    if not path.is_file():
        if refusal := _refusal(options.rule, new=options.new):
            parser.error(refusal)
        try:
            common.write(path, skeleton(options.rule, options.direction or "request", options.like))
        except ValueError as error:
            parser.error(str(error))
        return common.report_missing(common.mistakes(path, "rule"), again)
    lacking = common.mistakes(path, "rule")
    if lacking:
        return common.report_missing(lacking, again)
    for file in (path, *(common.ROOT / place.partition(":")[0] for place in common.places(options.rule))):
        if file.suffix == ".json":
            common.style(file)
    raw = load_corpus().rules[options.rule].raw
    kinds = ", ".join(entry["kind"] for entry in raw["evidence"])
    print(f"is in   {common.display_path(path)}: {raw['level']}, by {kinds}")
    for place in common.places(options.rule):
        print(f"checked {place}")
    about = _about(options.rule)
    for line in listed(about):
        print(f"played  {line}")
    lacking = [*examples(raw)] or [*pair(raw)] or [*misjudged_doubles(about)]
    if lacking:
        return common.report_missing(lacking, again)
    verdicts(options.rule)
    slug = options.rule.partition("/")[2]
    return common.tested(
        *("tests/formats/test_rules.py", "tests/formats/test_wants_of_rules.py", "tests/formats/test_wants.py"),
        *("tests/translation/test_translation_rules.py", "tests/corpus/test_corpus.py"),
        *("tests/doubles/test_doubles.py", "tests/doubles/test_verdicts.py", "tests/doubles/test_ratchet.py"),
        *("-k", f"{slug} or test_ratchet or test_a_message_says"),
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
