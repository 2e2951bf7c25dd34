"""The door for a tolerance: ``python tests doors.tolerance NAME [--pair SIDE/SLUG] [--like NAME/SIDE/SLUG]``.

``--pair same/SLUG`` or ``different/SLUG`` writes a pair of bodies that the tolerance must accept, or must still refuse.
Without it the tolerance and all its pairs are looked at; then the tests on it run.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corpus_judge import judge
from doors import common
from toolcall_conformance.basics.findings import Level
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.library import load_corpus, read_json

FOLDER = common.CORPUS / "equivalences"
COMPARISONS = common.ROOT / "conformance" / "toolcall_conformance"
SIDES = ("same", "different")
SLUG = r"[a-z0-9_.]+(-[a-z0-9_.]+)*"
BODIES = ("direction", "client", "upstream", "source", "output")
#: Where the schema of a tolerance lists the kinds of evidence.
KINDS = ("properties", "evidence", "items", "properties", "kind")


def skeleton(name: str) -> dict[str, Any]:
    """A tolerance with TODOs."""
    return {
        "name": name,
        "explanation": f"{common.TODO}: what is accepted.",
        "evidence": [
            {"kind": f"{common.TODO}: {common.words_of('equivalence', *KINDS)}", "url": f"https://{common.TODO}"}
        ],
        "since": load_corpus().version,
    }


def pair(side: str, like: dict[str, Any]) -> dict[str, Any]:
    """A pair with TODOs, of the bodies of another one."""
    content = {"title": f"{common.TODO}: the difference in a sentence", **{key: like[key] for key in BODIES}}
    return content | ({"rules": [f"{common.TODO}/which-must-be-named"]} if side == "different" else {})


def pair_mistakes(path: Path) -> Iterator[str]:
    """What is wrong with a pair."""
    lacking = common.mistakes(path, "equivalence-pair")
    if lacking:
        yield from lacking
        return
    content, name, side = read_json(path), common.display_path(path), path.parent.name
    if complaint := rules_mistake(path, content):
        yield complaint
        return
    if other := twin(path, content):
        other_name = common.display_path(other)
        yield f"{name} has the bodies of {other_name}: let those of the new one show what its title says"
        return
    ends = {key: content[key] for key in ("client", "upstream", "direction")}
    judgement = judge(content["source"], content["output"], **ends, tolerated=True)
    musts = [finding for finding in judgement.findings if finding.level is Level.MUST]
    if side == "same":
        for finding in musts:
            yield f"{name}: it is not accepted: {finding.rule} at {finding.pointer or 'the top'}: {finding.message}"
        noted = path.parent.parent.name in {tolerance.name for tolerance in judgement.tolerated}
        if not musts and noted != content.get("needed", True):
            yield (
                f"{name}: no place is tolerated by this tolerance; where both use the same words, say `needed`: false"
                if not noted
                else f"{name}: the tolerance is needed here: take `needed` out"
            )
    elif not {finding.rule for finding in judgement.findings} & set(content["rules"]):
        rules = ", ".join(sorted({finding.rule for finding in judgement.findings})) or "nothing"
        yield f"{name}: none of its `rules` is named; the judge finds {rules}"


def rules_mistake(path: Path, content: dict[str, Any]) -> str:
    """What is wrong with ``rules`` of a pair; empty if nothing is."""
    has = bool(content.get("rules"))
    if has == (path.parent.name == "different"):
        return ""
    return (
        f"{common.display_path(path)}: it is accepted, so no rule is named: take `rules` out"
        if has
        else f"{common.display_path(path)}: list in `rules` the rules of which a judge must name one; "
        "a pair in different/ must be refused by one of them"
    )


def twin(path: Path, content: dict[str, Any]) -> Path | None:
    """The pair from which one was copied and not changed."""
    others = (other for other in sorted(path.parent.parent.parent.glob("*/*/*.json")) if other < path)  # told once
    return next(
        (other for other in others if all(equal(read_json(other).get(key), content[key]) for key in BODIES)), None
    )


def nearest(home: Path, side: str) -> Path:
    """The pair that a new one is made of: of its own side, if the tolerance has one there."""
    places = (home.glob(f"{side}/*.json"), home.glob("*/*.json"), FOLDER.glob(f"number-spelling/{side}/*.json"))
    return next(paths[0] for paths in map(sorted, places) if paths)


def lacking(home: Path) -> Iterator[str]:
    """What a tolerance lacks, and what is wrong with its pairs."""
    yield from common.mistakes(home / "equivalence.json", "equivalence")
    for side in SIDES:
        pairs = sorted(home.glob(f"{side}/*.json"))
        for path in pairs:
            yield from pair_mistakes(path)
        if not pairs:
            command = f".venv/bin/python tests doors.tolerance {home.name} --pair {side}/SLUG"
            yield f"it has no pair in {side}/: {command}"
    if not any(f'"{home.name}"' in module.read_text(encoding="utf-8") for module in COMPARISONS.rglob("*.py")):
        yield (
            f'no comparison in conformance/toolcall_conformance/ calls pair.accept("{home.name}", …) where it '
            "accepts the difference; what the readers take is named in judge/translation/notation.py"
        )


def main(words: list[str]) -> int:
    parser = common.parser("doors.tolerance", __doc__, "a tolerance, or a pair,")
    parser.add_argument("name", help="the folder's name in corpus/equivalences, such as number-spelling")
    parser.add_argument("--pair", metavar="SIDE/SLUG", help="write a pair: same/SLUG or different/SLUG")
    parser.add_argument(
        "--like", metavar="NAME/SIDE/SLUG", help="the pair that a new one is made of (the first of its side)"
    )
    options = parser.parse_args(words)
    home, again = FOLDER / options.name, f"doors.tolerance {options.name}"
    side, _, slug = (options.pair or "").partition("/")
    new = home / side / f"{slug}.json"
    if options.pair and (side not in SIDES or not re.fullmatch(SLUG, slug) or new.exists()):
        parser.error(f"--pair {options.pair}: it is same/SLUG or different/SLUG, and of a pair that is not there yet")
    if options.like and not options.pair:
        parser.error("--like is the pair that a new one is made of: name the new one by --pair")
    if not (home / "equivalence.json").is_file():
        names = {path.parent.name for path in FOLDER.glob("*/equivalence.json")}
        if refusal := common.refusal(options.name, "equivalence", "name", names, new=options.new):
            parser.error(refusal)
        common.write(home / "equivalence.json", skeleton(options.name))
    if options.pair:
        other = FOLDER / f"{options.like}.json" if options.like else nearest(home, side)
        if not other.is_file():
            parser.error(f"--like {options.like}: there is no file {common.display_path(other)}")
        common.write(new, pair(side, read_json(other)))
        if side == "same":
            print(
                f"first   make the bodies, and see the pair refused; then loosen equivalence.json, and call "
                f'pair.accept("{options.name}", …) in the comparison'
            )
    if messages := [*lacking(home)]:
        return common.report_missing(messages, again)
    for path in (home / "equivalence.json", *home.glob("*/*.json")):
        common.style(path)
    return common.tested("tests/translation/test_equivalences.py", "tests/corpus/test_corpus.py", "-k", options.name)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
