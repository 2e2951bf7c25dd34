"""A root cause as a block of lines: what is wrong, the simplest item, where else it occurs, and the command."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from toolcall_conformance.basics.findings import NOT_KNOWN
from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.library import Rule
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.item_record import ItemRecord, finding_value
from toolcall_conformance.reports.text.failure import Line, short_value
from toolcall_conformance.reports.vocabulary import FIELDS

WIDTH = 80
_FULL_STOP = re.compile(r"(?<!\.)\.(?= |$)")
_FIELD_WIDTH = 8
_NAMES_SHOWN = 4
_VALUE_LINES = 2
_PLACE_LINES = 8
_MESSAGE_LINES = 8
_MAX_LINES_BY_FIELD = {FIELDS["near"]: 1}

CommandMaker = Callable[..., str]


def cause_block(
    root: RootCause,
    rules: Mapping[str, Rule],
    rerun_command: CommandMaker,
    run: Sequence[ItemRecord],
    *,
    same: RootCause | None = None,
    witness: bool = True,
    width: int = WIDTH,
) -> list[list[Line]]:
    """Return the lines of a root cause, of at most ``width`` columns.

    ``rerun_command`` makes the command for node ids; ``run`` are all played items; ``same`` is an earlier cause with
    the same items; ``witness``: include the official client's verdict on the body.
    """
    page = _LineWrapper(width)
    lines = [heading(root, width)]
    lines += _plain_lines(page.wrap("  ", consequence(root, rules), lines=2))
    lines += _plain_lines(page.field(FIELDS["item"], item_title(root.example.item)))
    # If a call returned no body, the message is all there is.
    more = _MESSAGE_LINES if not root.example.finding["pointer"] and root.element == "body" else 0
    places = [
        line
        for name, text in place_fields(root, rules, witness=witness)
        for line in page.field(
            name, text, _MAX_LINES_BY_FIELD.get(name, _VALUE_LINES) + (more if name == FIELDS["message"] else 0)
        )
    ]
    lines += _plain_lines(places[: _PLACE_LINES + more])
    lines += (
        _plain_lines(page.field(FIELDS["other_rules"], other_rules_text(root), lines=1)) if root.other_rules else []
    )
    if same is not None:
        return [*lines, *_plain_lines(page.field(FIELDS["same_items"], same_items_text(root, same)))]
    lines += _plain_lines(page.field(FIELDS["items"], extent_text(root))) if shows_elsewhere(root) else []
    return [*lines, *_plain_lines(page.command(cause_command(root, rerun_command, run)))]


def cause_blocks(
    roots: Sequence[RootCause],
    rules: Mapping[str, Rule],
    rerun_command: CommandMaker,
    run: Sequence[ItemRecord],
    *,
    width: int = WIDTH,
) -> list[list[list[Line]]]:
    """Return the block of each root cause; one with the same items as an earlier one refers to that."""
    first: dict[frozenset[str], RootCause] = {}
    bodies: set[tuple[str, str]] = set()
    lines_by_root = []
    for root in roots:
        nodeids, body = frozenset(item.nodeid for item in root.items), root.example.body_key
        # A client's verdict is about a whole body: in a second block it would seem to be about that cause.
        lines = cause_block(
            root, rules, rerun_command, run, same=first.get(nodeids), witness=body not in bodies, width=width
        )
        lines_by_root.append(lines)
        first.setdefault(nodeids, root)
        bodies.add(body)
    return lines_by_root


def heading(root: RootCause, width: int = WIDTH) -> list[Line]:
    """Return a line with level, rule, the cause's mark among others of the rule, and the number of items."""
    kind = "NOTE" if root.is_known else root.level
    level = f"{root.level}, known" if root.is_known else root.level
    count = pluralize(len(root.items), "item")
    room = width - len(level) - 2 - len(root.rule) - len(count) - 2
    mark = f"  {root.mark}" if 0 < len(root.mark) <= room - 2 else ""
    return [Line(f"{level}  {root.rule}", kind), Line(f"{mark:<{max(0, room)}}  {count}")]


def one_line(root: RootCause, rules: Mapping[str, Rule], width: int = WIDTH) -> list[Line]:
    """Return a line with level, rule, mark, what is wrong as far as it fits, and the number of items."""
    start, count = f"{root.level:<6}  {root.rule}  ", f"  {len(root.items):>5}"
    room = max(0, width - len(start) - len(count))
    text = f"{root.mark}: {breach_text(root, rules)}" if root.mark else breach_text(root, rules)
    breach = textwrap.shorten(text, room, placeholder=" …") if room else ""
    return [Line(start, root.level), Line(f"{breach:<{room}}{count}")]


def consequence(root: RootCause, rules: Mapping[str, Rule]) -> str:
    """Return what is wrong, and the first sentence of why it matters."""
    rule = root.rule_texts(rules)
    breach = _sentence(breach_text(root, rules))
    return breach if rule is None else f"{breach} {first_sentence(rule.why)}"


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, with one full stop. An ellipsis of three dots ends no sentence."""
    return f"{_FULL_STOP.split(text, 1)[0]}."


def breach_text(root: RootCause, rules: Mapping[str, Rule]) -> str:
    """Return what is wrong, in a few words without capital and full stop."""
    rule = root.rule_texts(rules)
    if rule is None:
        return str(root.example.finding["message"])
    return f"{rule.breach}, {root.direction}" if root.direction else rule.breach


def item_title(item: ItemRecord) -> str:
    """Return the title of an item: case, check, route and variant."""
    way = f" · {item.variant}" if item.variant else ""
    return f"{item.case} · {item.check} · {item.client} → {item.upstream}{way}"


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def place_fields(root: RootCause, rules: Mapping[str, Rule], *, witness: bool = True) -> Iterator[tuple[str, str]]:
    """Yield names and texts of the fields about the example's place and values.

    ``witness``: include the official client's verdict on the whole body.
    """
    finding = root.example.finding
    rule = root.rule_texts(rules)
    shows_message = rule is None or finding["message"] != rule.breach
    if shows_message:
        yield FIELDS["message"], finding["message"]
    if finding["subject"] and finding["subject"] not in finding["message"]:
        yield FIELDS["subject"], finding["subject"]
    if root.code_lines:
        yield FIELDS["code"], _code_text(root.code_lines)
    # If a call returned no body, the message is all there is.
    if finding["pointer"] or not shows_message:
        where = [finding["pointer"] or "the whole body"]
        where += [f"{FIELDS[key]} {finding[key]}" for key in ("body", "source_pointer") if finding.get(key)]
        yield FIELDS["pointer"], ", ".join(where)
        values = [(key, finding_value(finding, key)) for key in ("want", "got")]
        yield from ((FIELDS[key], short_value(value)) for key, value in values if value is not NOT_KNOWN)
    yield from (
        (FIELDS["note"], note)
        for note in dict.fromkeys(
            occurrence.finding["note"] for occurrence in root.occurrences if "note" in occurrence.finding
        )
    )
    for body_witness in root.example.item.witness if witness else ():
        if body_witness["body"] == finding["body"]:
            yield FIELDS["witness"], f"{body_witness['client']}: {'; '.join(body_witness['says'])}"
    if finding.get("near"):
        yield FIELDS["near"], finding["near"]


def other_rules_text(root: RootCause) -> str:
    """Return the other rules that the same bodies break."""
    return _first_names(sorted(root.other_rules))


def same_items_text(root: RootCause, other: RootCause) -> str:
    """Return a text that refers to an earlier cause with the same items."""
    return f"the {pluralize(len(root.items), 'item')} of {other.rule}, above"


def shows_elsewhere(root: RootCause) -> bool:
    """Whether the cause occurs outside its example."""
    return len(root.items) > 1 or root.loop_item_count > 0


def extent_text(root: RootCause) -> str:
    """Return where a cause occurs: items by check, whole conversations, families and routes."""
    items = root.items
    families = Counter(item.case.partition("/")[0] for item in items)
    counts = [
        ", ".join(f"{name} {count}" for name, count in Counter(item.check for item in items).most_common()),
        *([f"{root.loop_item_count} more in whole conversations"] if root.loop_item_count else []),
        _first_names([name for name, _ in families.most_common()]),
        *_route_texts(items),
    ]
    return f"{pluralize(len(items), 'item')}: {'; '.join(counts)}"


def _route_texts(items: Sequence[ItemRecord]) -> Iterator[str]:
    """Yield the routes by client: ``anthropic → gemini, openai_chat``."""
    for client in sorted({item.client for item in items}):
        upstreams = sorted({item.upstream for item in items if item.client == client})
        yield f"{client} → {', '.join(upstreams)}"


def _first_names(names: Sequence[str]) -> str:
    more = [f"{len(names) - _NAMES_SHOWN} more"] if len(names) > _NAMES_SHOWN else []
    return ", ".join([*names[:_NAMES_SHOWN], *more])


def cause_command(root: RootCause, rerun_command: CommandMaker, run: Sequence[ItemRecord]) -> str:
    """Return the command that runs the items of a cause, and as few others as a short command can.

    If ``rerun_command`` has a true ``one_by_one``, it runs the simplest item only: not every command has patterns.
    """
    items = root.items
    if len(items) == 1 or getattr(rerun_command, "one_by_one", False):
        return rerun_command(items[0].nodeid)
    cases = sorted({item.case for item in items})
    families = sorted({case.partition("/")[0] for case in cases})
    named = next((names for names in (cases, families) if len(names) <= _NAMES_SHOWN), [""])
    command_line = rerun_command(*(f"toolcall::{name}" for name in named))
    terms = [*_selection_terms((f"check:{item.check}" for item in items), (f"check:{item.check}" for item in run))]
    routes, all_routes = ({f"{item.client}-to-{item.upstream}" for item in each} for each in (items, run))
    within_one = any("-to-" not in item.nodeid.rpartition("::")[2] for item in items)
    for side in () if within_one else (0, 2):
        ends, all_ends = ({route.partition("-to-")[side] for route in each} for each in (routes, all_routes))
        if ends != all_ends and len(ends) == 1:
            terms += _selection_terms((f"{end}-to" if side == 0 else f"to-{end}" for end in ends), ())
    return f'{command_line} -k "{" and ".join(terms)}"' if terms else command_line


def _selection_terms(names: Iterable[str], everything: Iterable[str]) -> Iterator[str]:
    """Yield the term for ``-k`` that selects items with one of these names, unless all items have one."""
    chosen = sorted(set(names))
    if chosen != sorted(set(everything)):
        yield chosen[0] if len(chosen) == 1 else f"({' or '.join(chosen)})"


def _code_text(code: Mapping[str, int]) -> str:
    """Return the lines of code, with their numbers of items if there are several."""
    if len(code) == 1:
        return next(iter(code))
    return f"{len(code)} lines: {_first_names([f'{line} ({count})' for line, count in code.items()])}"


@dataclass(frozen=True, slots=True)
class _LineWrapper:
    """Breaks text into lines of at most ``width`` columns."""

    width: int

    def field(self, field_name: str, text: str, lines: int = _VALUE_LINES) -> Iterator[str]:
        first, *others = self.wrap(" " * _FIELD_WIDTH, text, lines=lines)
        yield f"  {field_name:<{_FIELD_WIDTH - 2}}{first.strip()}"
        yield from others

    def wrap(self, indent: str, text: str, *, lines: int) -> list[str]:
        return textwrap.wrap(
            text, self.width, initial_indent=indent, subsequent_indent=indent, max_lines=lines, placeholder=" …",
            break_on_hyphens=False,
        ) or [indent]  # fmt: skip

    def command(self, text: str) -> Iterator[str]:
        """Yield a command in lines that a shell reads as one: they end with a backslash."""
        beginning = f"  {FIELDS['command']}  "
        line = beginning
        for word in re.findall(r"(?:[^\s']|'[^']*')+", text):
            # One column is for the blank before the word, and two for the backslash after it.
            if len(line) + len(word) + 3 > self.width and line != beginning:
                yield f"{line} \\"
                line = "   "
            line += f" {word}"
            while len(line) > self.width and (end := line.rfind("::", 0, self.width - 3) + 2) > len("    "):
                # Within quotes a shell joins two lines as they are.
                yield f"{line[:end]}\\"
                line = line[end:]
        yield line


def _plain_lines(lines: Iterable[str]) -> list[list[Line]]:
    return [[Line(line)] for line in lines]


def new_roots(roots: Iterable[RootCause]) -> list[RootCause]:
    """Return the causes that a user has to see: graver than a NOTE, and no known failures."""
    return [root for root in roots if root.level != "NOTE" and not root.is_known]
