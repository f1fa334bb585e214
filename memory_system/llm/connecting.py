"""What connections to servers have in common."""

from __future__ import annotations

import ssl
from functools import cache


@cache
def trusted() -> ssl.SSLContext:
    """By which certificates other machines are known: they are many, and read once for all clients."""
    import httpx2

    return httpx2.create_ssl_context()
