"""Reports in SARIF, for code hosts and editors that show causes at the lines of code.

SARIF 2.1.0: https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/sarif-v2.1.0-errata01-os-complete.html
What a code host reads of it:
https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support
"""
