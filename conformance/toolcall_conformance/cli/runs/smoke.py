"""``toolcall-conformance smoke``: whether the adapter works at all, and what to do next."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolcall_conformance.basics import settings_sources
from toolcall_conformance.basics.settings_sources import NamedSetting
from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.checks.smoke import Problem, RouteReport
from toolcall_conformance.cli.console import hold_back_output, say
from toolcall_conformance.cli.parser import UsageError
from toolcall_conformance.cli.settings import CommandSettings, add_corpus

if TYPE_CHECKING:
    from toolcall_conformance.drivers.loading import Isolation
    from toolcall_conformance.engine.ending.watchdog import Watchdog

_MAX_ROUTES = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Load a translator, find out which operations it supports, and play one plain call on every route; "
        "then judge the conversation around it. pytest judges the rest. Exits with 1 if something does not work."
    )
    parser.add_argument(
        "translator",
        metavar="TRANSLATOR",
        nargs="?",
        help="as for pytest --toolcall-translator; without it, the one of the settings",
    )
    parser.add_argument("--timeout", metavar="SECONDS", help="for each call (default: 10)")
    parser.add_argument(
        "--isolated",
        action=argparse.BooleanOptionalAction,
        help="run a Python translator in a child process, which it may end or block",
    )
    parser.add_argument(
        "--memory", metavar="MB", help="with --isolated, its address space (default: 4096; 0: no limit)"
    )
    add_corpus(parser)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Print a line a route, then the problems and what to do next; 1 if there is a problem or no route works."""
    from toolcall_conformance.checks.smoke import try_routes
    from toolcall_conformance.drivers import SpecError, load_driver
    from toolcall_conformance.drivers.upstream import MissingLibraryError, PortInUseError

    settings = CommandSettings(parsed)
    translator, corpus = _translator(settings), settings.corpus()
    timeout = settings_sources.parse_timeout(settings.find("timeout"))
    watched = _HangWatch(settings, translator.value, timeout)  # before standard error is held back
    with hold_back_output(), watched:
        try:
            driver = load_driver(
                translator.value,
                directory=translator.directory,
                timeout=timeout,
                transports=lambda: corpus.transports,
                isolation=_isolation(settings),
                notify=lambda sentence: say(sentence, error=True),
            )
        except (SpecError, MissingLibraryError, PortInUseError) as error:
            raise UsageError(str(error)) from None
        try:
            say(f"{driver.name}{f' {driver.version}' if driver.version else ''} ({driver.spec})")
            reports = []
            for report in try_routes(driver, corpus, watched.on_item):
                reports.append(report)
                if report.problems or report.unsupported is None:
                    say(*_line(report))
            noise = list(getattr(driver, "noise", ()))
        finally:
            driver.close()
    for line in _unsupported_lines(reports):
        say(line)
    _summarise(reports, noise, settings.pytest_command("translator", "corpus", "timeout", "isolated", "memory"))
    broken = any(report.problems or report.wrong for report in reports)
    return 0 if any(_works(report) for report in reports) and not broken else 1


def _translator(settings: CommandSettings) -> NamedSetting:
    setting = settings.find("translator")
    if setting is None:
        raise UsageError(
            "name the translator to try: package.module:attribute, exec:COMMAND or gateway:FILE.toml "
            '(or write `translator = "..."` under [tool.toolcall] in pyproject.toml)'
        )
    return setting


def _isolation(settings: CommandSettings) -> Isolation | None:
    from toolcall_conformance.drivers.isolated.driver import DEFAULT_MEMORY
    from toolcall_conformance.drivers.loading import Isolation

    if not settings.is_on("isolated"):
        return None
    return Isolation(settings_sources.parse_memory(settings.find("memory"), DEFAULT_MEMORY))


class _HangWatch:
    """If the user interrupts a hang, names the item that was running; only for translators in this interpreter."""

    def __init__(self, settings: CommandSettings, translator: str, timeout: float) -> None:
        from toolcall_conformance.drivers.loading import OTHER_PROCESSES

        self._timeout = timeout
        self._watchdog: Watchdog | None = None
        if not settings.is_on("isolated") and not translator.startswith(OTHER_PROCESSES):
            from toolcall_conformance.engine.ending.watchdog import Watchdog

            self._watchdog = Watchdog.start_for(settings.isolated_command("corpus", "timeout"), "the command")

    def on_item(self, nodeid: str) -> None:
        """Tell the watchdog which item runs now."""
        if self._watchdog is not None:
            self._watchdog.send_item({"nodeid": f"toolcall::{nodeid}"}, self._timeout)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        if self._watchdog is not None:
            self._watchdog.end_run()


def _works(report: RouteReport) -> bool:
    return not report.problems and not report.wrong and report.unsupported is None


def _line(report: RouteReport) -> list[str | tuple[str, str]]:
    if report.problems:
        return ["  ", ("error", "error"), f"    {report.route}"]
    if report.wrong:
        rules = ", ".join(f"{check} {_rules(report.wrong, check)}" for check in _checks(report.wrong))
        return ["  ", ("wrong", "wrong"), f"    {report.route}: {rules}"]
    summary = ", ".join(report.operations) + (", own history" if report.own_history else "")
    return ["  ", ("ok", "ok"), f"       {report.route}: {summary}"]


def _unsupported_lines(reports: list[RouteReport]) -> Iterator[str]:
    """The routes that the translator does not support, a line for each reason."""
    reasons: dict[str, list[str]] = {}
    for report in reports:
        if report.unsupported is not None and not report.problems:
            reasons.setdefault(_short(report.unsupported), []).append(report.route)
    for reason, routes in reasons.items():
        more = f" and {len(routes) - _MAX_ROUTES} more" if len(routes) > _MAX_ROUTES else ""
        yield f"  not done {', '.join(routes[:_MAX_ROUTES])}{more}{f' ({reason})' if reason else ''}"


def _checks(wrong: list[Problem]) -> list[str]:
    return list(dict.fromkeys(problem.check for problem in wrong))


def _rules(wrong: list[Problem], check: str) -> str:
    """The first rule of a check's problems, and how many more."""
    first, *more = [problem.rule for problem in wrong if problem.check == check]
    return f"{first} (+{len(more)})" if more else first


def _summarise(reports: list[RouteReport], noise: list[str], command: str) -> None:
    for problems in _groups(
        [(report.route, problem) for report in reports for problem in report.problems + report.wrong]
    ):
        (route, first), *others = problems
        kind = "wrong" if first.rule else "error"
        broken_rule = f"{first.check}: {first.rule}: " if first.rule else ""
        say("")
        say((kind, kind), f": {route}: {broken_rule}{first.sentence}")
        if first.where:
            say(f"  --> {first.where}")
        if others:
            say(f"  also: {', '.join(other for other, _ in others)}")
        if first.hint:
            say(f"  hint: {first.hint}")
        if first.item:
            say(f'  again: {command} "toolcall::{first.item}"')
    for note in dict.fromkeys(note for report in reports for note in report.notes):
        routes = [report.route for report in reports if note in report.notes]
        say("")
        say(("warning", "warning"), f": {note}")
        say(f"  --> {pluralize(len(routes), 'route')}: {', '.join(routes[:4])}{', …' if len(routes) > 4 else ''}")
    if noise:
        say("")
        say(("warning", "warning"), f": standard output has more than messages: {noise[0]!r:.200}")
        say("  hint: print logs and banners to standard error")
    works = sum(map(_works, reports))
    broken = sum(bool(report.problems or report.wrong) for report in reports)
    say("")
    work = "route works" if works == 1 else "routes work"
    say(f"{works} {work}, {broken} do not, {len(reports) - works - broken} are not done")
    if any(report.problems for report in reports):
        say("next: fix the first error above and run this again")
    elif works or broken:
        say(f"next: {command} toolcall::shell")
    else:
        say("next: let open(route) return a session for at least one route; see docs/python.md")


def _groups(problems: list[tuple[str, Problem]]) -> list[list[tuple[str, Problem]]]:
    """Group the problems that are identical except for their route."""
    groups: dict[tuple[str, str], list[tuple[str, Problem]]] = {}
    for route, problem in problems:
        key = (problem.rule, problem.check) if problem.rule else (problem.sentence, problem.where)
        groups.setdefault(key, []).append((route, problem))
    return list(groups.values())


def _short(text: str) -> str:
    first = text.strip().splitlines()[0] if text.strip() else ""
    return first if len(first) <= 100 else f"{first[:99]}…"
