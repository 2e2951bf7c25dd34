"""Corrects pytest's root directory after an option of ours with a path, as in ``--toolcall-policy ../policy.toml``.

pytest looks for its root directory and its settings before it loads plugins. It does not know then that our options
have a value, and takes a path after a blank for a test file
(https://docs.pytest.org/en/stable/reference/customize.html). Once our options are known, pytest's own function searches
again.

That function and the attributes that hold its results are not public, and pytest has no hook before the search. If a
version of pytest has others, nothing is changed, and ``option_sources.verify_root`` tells the user what to write.
``tests/plugin/test_settings_sources.py`` tests both.
"""

from __future__ import annotations

import copy
import itertools
import sys
from typing import Any

# The settings whose value is a path.
PATH_SETTINGS = ("report", "corpus", "cassettes", "pairs", "known-failures", "policy", "artifacts")


def restore_root(config: Any, args: list[str]) -> None:
    """Give ``config`` the root directory and the settings that it would have with ``OPTION=PATH``.

    ``args`` are pytest's arguments; the options of the wrong ini file in them are replaced by those of the right one.
    For the hook ``pytest_load_initial_conftests``.
    """
    words = [str(word) for word in config.invocation_params.args]
    options = {f"--toolcall-{name}" for name in PATH_SETTINGS}
    if not any(word in options for word, _ in itertools.pairwise(words)):
        return
    try:
        _search_root_again(config, args)
    except (AttributeError, ImportError, TypeError, ValueError):
        return


def _search_root_again(config: Any, args: list[str]) -> None:
    """Search the root directory again with our options known, and reset the configuration if it differs."""
    from _pytest.config.findpaths import determine_setup

    parser, early = config._parser, config.getini("addopts")  # noqa: SLF001 - see above
    command_words = args[len(early) :] if args[: len(early)] == early else None
    if command_words is None:
        return
    known_options = parser.parse_known_args(command_words, namespace=copy.copy(config.option))
    root, file, settings, *ignored = determine_setup(
        inifile=known_options.inifilename,
        override_ini=known_options.override_ini,
        args=known_options.file_or_dir,
        rootdir_cmd_arg=known_options.rootdir or None,
        invocation_dir=config.invocation_params.dir,
    )
    if (root, file) == (config.rootpath, config.inipath):
        return
    in_nine = hasattr(config, "_inicfg")
    config._rootpath, config._inipath = root, file  # noqa: SLF001
    setattr(config, "_inicfg" if in_nine else "inicfg", settings)
    if ignored:
        config._ignored_config_files = ignored[0]  # noqa: SLF001
    config._inicache.clear()  # noqa: SLF001
    parser.extra_info |= {"rootdir": str(root), "inifile": str(file)}
    args[:] = [*config.getini("addopts"), *command_words]
    config.pluginmanager.consider_preparse(args, exclude_only=False)  # plugins that these options name
    sys.path[:0] = [str(path) for path in config.getini("pythonpath")]
    config.known_args_namespace = parser.parse_known_args(args, namespace=copy.copy(config.option))
    if config.known_args_namespace.confcutdir is None:
        config.known_args_namespace.confcutdir = str(file.parent if file is not None else root)
