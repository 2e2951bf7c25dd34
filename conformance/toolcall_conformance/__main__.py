"""``python -m toolcall_conformance`` is the command ``toolcall-conformance``."""

from __future__ import annotations

import sys

from toolcall_conformance.cli import main

sys.exit(main())
