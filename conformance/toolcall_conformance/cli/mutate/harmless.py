"""``toolcall-conformance mutate --harmless``: spells what is right otherwise; the judge should find no fault."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.cli.console import say, say_progress
from toolcall_conformance.cli.mutate.output import print_findings, print_tables, write_results
from toolcall_conformance.cli.parser import UsageError

if TYPE_CHECKING:
    from toolcall_conformance.library import Corpus
    from toolcall_conformance.trust.harmless.trials import TriedVariant
    from toolcall_conformance.trust.parallel import OutputSource

_MOST = 40


def print_all(source: OutputSource, corpus: Corpus, parsed: argparse.Namespace) -> int:
    """Print what became of the variants, and what we alone refuse; 1 for an alarm, or a refusal without a reason."""
    from toolcall_conformance.trust.harmless.trials import OUTCOMES, run, trial_sets
    from toolcall_conformance.trust.matrix import MADE

    if parsed.sample:
        raise UsageError("--sample shows faults that are none: leave it out with --harmless")
    tried = run(source, trial_sets(corpus.formats, parsed.count, parsed.seed), parsed.jobs, say_progress)
    write_results(source, parsed, "variants", tried)
    print_tables(tried, "side", (MADE, *OUTCOMES))
    _print_groups("warned of (SHOULD)", tried, ("warned",), again=False)
    left = _print_refused(corpus)
    alarms = _print_groups("alarms (MUST, or the judge fails)", tried, ("alarm", "raised"), again=True)
    return 1 if alarms or left else 0


def _print_groups(title: str, tried: Sequence[TriedVariant], outcomes: tuple[str, ...], *, again: bool) -> int:
    """The variants with these outcomes, by rule; how many there are."""
    from toolcall_conformance.trust.harmless.trials import group_variants

    groups = group_variants(tried, outcomes)
    count = sum(variant.outcome in outcomes for variant in tried)
    say("")
    say((f"{title}: {count:,}", "head"))
    for group in groups if again else groups[:_MOST]:
        say(f"{group.count:6} {group.rule} {group.direction} {group.format} {group.spelling}")
        if again:
            say(f"       toolcall-conformance mutate --harmless --again '{group.example}'")
    if not again and len(groups) > _MOST:
        say(f"       and {pluralize(len(groups) - _MOST, 'smaller group')}")
    return count


def _print_refused(corpus: Corpus) -> int:
    """What the official clients take and we refuse without a reason; how many kinds there are."""
    from toolcall_conformance.trust.harmless.refusals import find_refusals, reasons, unexplained_refusals
    from toolcall_conformance.trust.witnesses import MissingSDKError

    say("")
    try:
        tried, refusals = find_refusals(corpus)
    except MissingSDKError as error:
        say(f"what the official clients take and the judge refuses: not looked at ({error})")
        return 0
    left = unexplained_refusals(refusals, reasons(corpus))
    summary = f"{pluralize(len(refusals), 'kind')} of {tried:,} bodies, {len(left)} without a reason"
    say((f"what the official clients take and the judge refuses: {summary}", "head"))
    for refusal in left:
        say(
            f"{refusal.count:6} {refusal.rule} {refusal.direction} {refusal.change} {refusal.pattern} "
            f"({refusal.example})"
        )
    return len(left)


def print_again(source: OutputSource, name: str) -> int:
    """Make one variant, and print what the judge says of it; 1 if that is a MUST."""
    from toolcall_conformance.trust.fault_replay import differences
    from toolcall_conformance.trust.harmless.trials import VariantTrier
    from toolcall_conformance.trust.harmless.variants import apply_variant
    from toolcall_conformance.trust.operators.spots import Unfit

    try:
        base, variant = VariantTrier(source.sampler()).again(name)
        body = apply_variant(variant, base.body)
    except Unfit:
        raise UsageError(f"--again: {name!r}: this variant changes nothing there") from None
    except LookupError as error:
        raise UsageError(f"--again: {error.args[0] if error.args else error}") from None
    say(f"{variant.notation.raw['meaning']}")
    for piece in variant.notation.raw["evidence"]:
        say(f"  {piece['url']}")
    for line in differences(base.body, body):
        say(line)
    findings = base.new(body)
    print_findings(findings)
    say("an alarm" if any(finding.is_must for finding in findings) else "no alarm")
    return 1 if any(finding.is_must for finding in findings) else 0
