"""The server as a process: a socket, a thread that serves it, and an end that keeps everything."""

import contextlib
import socket
import sys
import threading
from collections.abc import Iterator

import uvicorn

from anyzero.errors import AnyzeroError
from anyzero.web.app import create_app
from anyzero.web.config import ServerConfig
from anyzero.web.guard import Guard

END_S = 1.0
PINGS_S = 20.0
SWITCH_S = 5e-4
"""A thread that draws or reads holds up a move no longer than this at a time."""


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
    listener = listen(config)
    sys.setswitchinterval(SWITCH_S)
    port = listener.getsockname()[1]
    guarded = Guard(create_app(config), config.host, port)
    server = uvicorn.Server(
        uvicorn.Config(
            guarded,
            log_level="warning",
            access_log=False,
            ws="websockets-sansio",
            ws_max_size=config.max_message,
            ws_per_message_deflate=False,  # it takes longer than the way to this machine's own browser
            ws_ping_interval=PINGS_S,
            timeout_graceful_shutdown=1,
            server_header=False,
            limit_concurrency=4 * config.max_connections,
        )
    )
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    shown = f"[{config.host}]" if ":" in config.host else config.host
    try:
        yield f"http://{shown}:{port}/", thread
    finally:
        server.should_exit = True
        thread.join(END_S + 1.0)
        listener.close()
