"""Play published clients through the reference's gateway: ``python tests clients NAME… --installed FOLDER``."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from clients import open_responses, page
from clients.catalogue import CLIENTS
from clients.client_runs import FORMATS, Played, count, play
from clients.comply import NAMES, ComplianceResult, comply
from clients.installing import COMPLY, install
from clients.network_isolation import isolate_network, raise_loopback
from toolcall_conformance import Judge, load_corpus
from toolcall_conformance.basics.findings import Finding

TESTS = Path(__file__).resolve().parents[1]
ALL = (*CLIENTS, COMPLY, open_responses.NAME)


def main(words: list[str]) -> int:
    """0 where every client came to the end, and nothing that the gateway sent breaks a MUST."""
    parser = argparse.ArgumentParser(prog="python tests clients", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(ALL)} (default: all)")
    parser.add_argument(
        "--installed",
        type=Path,
        default=os.environ.get("TOOLCALL_CLIENTS"),
        metavar="FOLDER",
        help="the folder with the clients (default: TOOLCALL_CLIENTS)",
    )
    parser.add_argument(
        "--open-responses",
        type=Path,
        default=os.environ.get("TOOLCALL_OPEN_RESPONSES"),
        metavar="FOLDER",
        help="a checkout of Open Responses, for its compliance tests (default: TOOLCALL_OPEN_RESPONSES)",
    )
    parser.add_argument("--install", action="store_true", help="put them there first; this alone uses the network")
    parser.add_argument("--upstream", action="append", choices=FORMATS, help="(default: all but the client's own)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the bodies and logs there")
    parser.add_argument("--write", action="store_true", help="write the tables of docs/clients.md")
    options = parser.parse_args(words)
    unknown = sorted(set(options.names) - set(ALL))
    needs_installed = options.names != [open_responses.NAME]
    if unknown or (needs_installed and options.installed is None):
        parser.error(f"no client {', '.join(unknown)}" if unknown else "name a folder with --installed")
    installed = Path(options.installed or ".").resolve()
    checkout = Path(options.open_responses).resolve() if options.open_responses else None
    if options.install:
        install(installed)
        words = [word for word in words if word != "--install"]
    isolate_network([sys.executable, str(TESTS), "clients", *words])
    apart = raise_loopback()
    print("no network but loopback" if apart else "no namespace here: proxies at a closed port", flush=True)
    judge, names = Judge(load_corpus()), options.names or ALL
    others = (COMPLY, open_responses.NAME)
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.keep or Path(scratch)).resolve()
        played = _play_clients(
            [name for name in names if name not in others], options.upstream, installed, judge, folder
        )
        complied = _check_compliance(options.upstream, installed, judge, folder) if COMPLY in names else []
        opened = _open(options.upstream, checkout, judge, folder) if open_responses.NAME in names else []
    if options.write:
        page.write(played, complied, opened)
    good = all(result.completed and not result.count("MUST") for result in played)
    good = good and not any(open_responses.applies(name) for result in opened for name in result.failed)
    return 0 if good and all(not count(result.findings, "MUST") for result in (*complied, *opened)) else 1


def _play_clients(
    names: Iterable[str], upstreams: list[str] | None, installed: Path, judge: Judge, folder: Path
) -> list[Played]:
    results = []
    for name in names:
        client = CLIENTS[name]
        for upstream in upstreams or [each for each in FORMATS if each != client.format]:
            results.append(asyncio.run(play(client, upstream, installed, judge, folder / f"{name}-{upstream}")))
            print("\n".join(lines(results[-1])), flush=True)
    return results


def _check_compliance(
    upstreams: list[str] | None, installed: Path, judge: Judge, folder: Path
) -> list[ComplianceResult]:
    results = []
    program = installed / COMPLY / "bin" / COMPLY
    for client in NAMES:
        for upstream in upstreams or [each for each in FORMATS if each != client]:
            place = folder / f"{COMPLY}-{client}-{upstream}"
            results.append(asyncio.run(comply(client, upstream, program, judge, place)))
            result = results[-1]
            print(
                f"{COMPLY} {client} → {upstream}: "
                f"{len(result.tests) - len(result.failed)} of {len(result.tests)} passed"
            )
            print(*(f"  {name}: {'; '.join(errors)[:300]}" for name, errors in result.failed.items()), sep="\n")
            print(*_finding_lines(result.findings), sep="\n", flush=True)
    return results


def _open(upstreams: list[str] | None, checkout: Path | None, judge: Judge, folder: Path) -> list[ComplianceResult]:
    """The compliance tests of Open Responses, where a folder holds them."""
    reason = open_responses.missing_requirement(checkout)
    if reason or checkout is None:
        print(f"{open_responses.NAME}: skipped; {reason}", flush=True)
        return []
    results = []
    for upstream in upstreams or [each for each in FORMATS if each != open_responses.FORMAT]:
        place = folder / f"{open_responses.NAME}-{upstream}"
        results.append(asyncio.run(open_responses.comply(upstream, checkout, judge, place)))
        result = results[-1]
        print(f"{open_responses.NAME} → {upstream}: {len(result.passed)} of {len(result.tests)} passed")
        print(*(f"  {name}: {'; '.join(errors)[:300]}" for name, errors in result.failed.items()), sep="\n")
        print(*_finding_lines(result.findings), sep="\n", flush=True)
    return results


def lines(played: Played) -> list[str]:
    """What a run says of a client before an upstream."""
    end = "completed" if played.completed else f"NOT completed (exit {played.exit})"
    report_lines = [f"{played.client} → {played.upstream}: {end}, {played.exchanges} requests, {played.seconds:.1f} s"]
    report_lines += [f"  lost: {each}" for each in played.lost]
    report_lines += [f"  gateway: {each}" for each in played.troubles]
    return report_lines + _finding_lines(played.findings)


def _finding_lines(findings: list[tuple[str, Finding]]) -> list[str]:
    """A line for each rule; those that end in `own` are about the client's own request."""
    places: dict[tuple[str, str, str], list[tuple[str, Finding]]] = {}
    for place, finding in findings:
        if finding.level.name != "NOTE":
            places.setdefault((finding.level.name, finding.rule, place.partition(" ")[2]), []).append((place, finding))
    return [
        f"  {level} {rule} × {len(each)} in {what}, first in exchange {each[0][0].partition(' ')[0]} at "
        f"{each[0][1].pointer}: {each[0][1].message}"
        for (level, rule, what), each in sorted(places.items())
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
