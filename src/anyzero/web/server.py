"""The server as a process: who may speak to it, its socket, and the thread that serves it."""

import contextlib
import logging
import socket
import sys
import threading
from collections.abc import Iterator

import uvicorn
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from anyzero.errors import AnyzeroError
from anyzero.web.app import create_app
from anyzero.web.config import ServerConfig

END_S = 2.0
PINGS_S = 20.0
SWITCH_S = 5e-4  # a thread that draws or reads holds up a move no longer than this at a time

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-cache",
}


class Guard:
    """An ASGI application around another: it answers pages that it served itself, under a name of this machine.

    Another site's page can send requests to this machine (Origin) or give its own name this machine's address (Host);
    both are refused. Every answer says that nothing may be loaded from elsewhere.
    """

    def __init__(self, app: ASGIApp, host: str, port: int) -> None:
        self.app = app
        names = {*LOOPBACK, bracketed(host)}
        self.hosts = {f"{name}:{port}" for name in names} | (names if port == 80 else set())
        self.origins = {f"http://{host}" for host in self.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reason = self.refusal(scope) if scope["type"] in ("http", "websocket") else ""
        if reason:
            refused = JSONResponse({"error": reason}, 403, headers=HEADERS)
            await (refused if scope["type"] == "http" else WebSocketClose(1008))(scope, receive, send)
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self.app(scope, receive, send_safely)

    def refusal(self, scope: Scope) -> str:
        """Why this request is not answered; empty if it is."""
        headers = Headers(scope=scope)
        hosts, origins = ([value.lower() for value in headers.getlist(name)] for name in ("host", "origin"))
        if len(hosts) != 1 or hosts[0] not in self.hosts:
            return "this server answers only under the name of its own machine"
        unnamed = scope["type"] == "websocket" and not origins and "sec-fetch-site" in headers
        return "this server answers only its own pages" if unnamed or not self.origins.issuperset(origins) else ""


def bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def listen(config: ServerConfig) -> socket.socket:
    """A socket that is bound, so that its port is known before anything is served."""
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    # asyncio sends small messages at once only where the protocol is said
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((config.host, config.port))
        listener.listen(128)
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise AnyzeroError(f"cannot listen at {config.host}, port {config.port}: {reason}; try --port 0") from None
    return listener


@contextlib.contextmanager
def serving(config: ServerConfig) -> Iterator[tuple[str, threading.Thread]]:
    """The address of a server that runs in a thread of its own until the end of the block."""
    with contextlib.closing(listen(config)) as listener:
        port = listener.getsockname()[1]
        settings = uvicorn.Config(
            Guard(create_app(config), config.host, port),
            log_level="warning",
            access_log=False,
            http="h11",
            ws="websockets-sansio",
            ws_max_size=config.max_message,
            ws_per_message_deflate=False,  # it takes longer than the way to this machine's own browser
            ws_ping_interval=PINGS_S,
            timeout_graceful_shutdown=1,
            server_header=False,
            limit_concurrency=config.max_connections,
        )
        server = uvicorn.Server(settings)
        sys.setswitchinterval(SWITCH_S)
        # a client that sends broken text is let go; the log needs no traceback of that
        logging.getLogger("uvicorn.error").addFilter(lambda record: "Invalid UTF-8" not in record.getMessage())
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            yield f"http://{bracketed(config.host)}:{port}/", thread
        finally:
            server.should_exit = True
            thread.join(END_S)
