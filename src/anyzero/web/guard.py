"""Who may speak to the server: pages that it served itself, under a name that is this machine's.

Another site's page can send requests to this machine (Origin) or give its own name this machine's address (Host);
both are refused. Every answer says that nothing from elsewhere may be loaded.
"""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
App = Callable[[Scope, Callable[..., Awaitable[Any]], Callable[..., Awaitable[None]]], Awaitable[None]]

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-cache"),
)


class Guard:
    """An ASGI application around another."""

    def __init__(self, app: App, host: str, port: int) -> None:
        self.app = app
        names = {*LOOPBACK, f"[{host}]" if ":" in host else host}
        self.hosts = {f"{name}:{port}" for name in names} | (names if port == 80 else set())

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        reason = self.refusal(scope)
        if reason:
            await (refuse_socket(receive, send) if scope["type"] == "websocket" else refuse(send, reason))
            return

        async def send_safely(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        await self.app(scope, receive, send_safely)

    def refusal(self, scope: Scope) -> str:
        """Why this request is not answered; empty if it is."""
        headers: dict[bytes, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value.decode("latin-1").lower())
        hosts, origins = headers.get(b"host", []), headers.get(b"origin", [])
        if len(hosts) != 1 or hosts[0] not in self.hosts:
            return "this server answers only under the name of its own machine"
        if any(origin not in {f"http://{host}" for host in self.hosts} for origin in origins):
            return "this server answers only its own pages"
        if scope["type"] == "websocket" and not origins and b"sec-fetch-site" in headers:
            return "this server answers only its own pages"
        return ""


async def refuse(send: Any, reason: str) -> None:
    body = json.dumps({"error": reason}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *HEADERS]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def refuse_socket(receive: Any, send: Any) -> None:
    """Closing before the handshake is answered is refused with 403."""
    await receive()
    await send({"type": "websocket.close", "code": 1008})
