"""Play published clients through the reference's gateway: ``python tests clients NAME… --installed FOLDER``."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from pathlib import Path

from clients.apart import go_apart, is_apart, raise_loopback
from clients.catalogue import CLIENTS
from clients.playing import FORMATS, Played, play
from toolcall_conformance import Judge, load_corpus

TESTS = Path(__file__).resolve().parents[1]


def main(words: list[str]) -> int:
    """0 where every client came to the end, and no MUST was broken."""
    parser = argparse.ArgumentParser(prog="python tests clients", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CLIENTS)} (default: all)")
    parser.add_argument("--installed", type=Path, default=os.environ.get("TOOLCALL_CLIENTS"), metavar="FOLDER")
    parser.add_argument("--upstream", action="append", choices=FORMATS, help="(default: all but the client's own)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the bodies and logs there")
    options = parser.parse_args(words)
    unknown = set(options.names) - set(CLIENTS)
    if unknown or options.installed is None:
        parser.error(f"no client {', '.join(sorted(unknown))}" if unknown else "name a folder with --installed")
    go_apart([sys.executable, str(TESTS), "clients", *words])
    if is_apart():
        raise_loopback()
    judge = Judge(load_corpus())
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.keep or Path(scratch)).resolve()
        results = []
        for name in options.names or CLIENTS:
            client = CLIENTS[name]
            for upstream in options.upstream or [each for each in FORMATS if each != client.format]:
                place = folder / f"{name}-{upstream}"
                results.append(asyncio.run(play(client, upstream, Path(options.installed).resolve(), judge, place)))
                print("\n".join(lines(results[-1])), flush=True)
    print("no network but loopback" if is_apart() else "proxies at a closed port; no namespace here")
    return 0 if all(one.completed and not one.count("MUST") for one in results) else 1


def lines(played: Played) -> list[str]:
    """What a run says of a client before an upstream."""
    end = "completed" if played.completed else f"NOT completed (exit {played.exit})"
    told = [f"{played.client} → {played.upstream}: {end}, {played.exchanges} requests, {played.seconds:.1f} s"]
    told += [f"  lost: {each}" for each in played.lost]
    told += [f"  gateway: {each}" for each in played.troubles]
    for level in ("MUST", "SHOULD"):
        for rule, count in sorted(played.count(level).items()):
            place, first = next((p, f) for p, f in played.findings if f.rule == rule and f.level.name == level)
            told.append(f"  {level} {rule} × {count}, first in {place} at {first.pointer}: {first.message}")
    return told


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
