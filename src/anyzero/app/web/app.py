"""The server: lists over HTTP, everything live over one websocket per client, and access
control.
"""

import contextlib
import logging
import mimetypes
import socket
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from anyzero.app.records.files import record_text
from anyzero.app.web.catalog import ServerConfig
from anyzero.app.web.client import serve_socket
from anyzero.app.web.folders import Folders, Name
from anyzero.app.web.forms import palette_sheet
from anyzero.app.web.room import Rooms
from anyzero.core.base.errors import AnyzeroError, UnknownNameError
from anyzero.core.base.nouns import Values

STATIC = Path(__file__).parent / "static"
REFUSED = {
    "description": "One sentence that says what was wrong.",
    "content": {"application/json": {}},
}
RESPONSES: dict[int | str, Values] = {404: REFUSED, 400: REFUSED, 422: REFUSED}


def create_app(config: ServerConfig) -> FastAPI:
    """The server as an ASGI application; nothing starts before it does."""
    rooms = Rooms(config)

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if config.prepare:
            rooms.engine.wake()  # so that its imports are done when the first page loads
        yield
        await rooms.close()

    app = FastAPI(title="anyzero", lifespan=lifespan, docs_url=None, redoc_url=None)
    app.add_exception_handler(AnyzeroError, answer_error)
    app.add_exception_handler(RequestValidationError, answer_bad_request)
    app.add_api_websocket_route("/ws", partial(serve_socket, rooms))
    add_lists(app, rooms)
    mimetypes.add_type("text/javascript", ".js")  # missing in some machines' tables
    index = FileResponse(STATIC / "index.html")
    sheet = Response(palette_sheet(), media_type="text/css")
    app.get("/", include_in_schema=False, response_class=Response)(lambda: index)
    app.get("/palette.css", include_in_schema=False, response_class=Response)(lambda: sheet)
    app.mount("/", StaticFiles(directory=STATIC))
    return app


async def answer_error(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"error": str(error)}, 404 if isinstance(error, UnknownNameError) else 400)


async def answer_bad_request(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    fault = error.errors()[0]
    return JSONResponse({"error": f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"[:300]}, 422)


def add_lists(app: FastAPI, rooms: Rooms) -> None:
    catalog = rooms.catalog
    folders = Folders(rooms.catalog)
    answers: dict[str, Callable[..., Any]] = {
        "/api/games": catalog.games,
        "/api/players": catalog.players,
        "/api/tables": rooms.tables,
        "/api/runs": folders.runs,
        "/api/runs/{name}": folders.run,
        "/api/runs/{name}/games/{generation}/{block}": folders.games,
        "/api/runs/{name}/games/{generation}/{block}/{number}": folders.game,
        "/api/experiments": folders.experiments,
        "/api/experiments/{name}": folders.experiment,
    }
    for path, answer in answers.items():
        app.get(path, responses=RESPONSES)(answer)

    @app.get("/api/tables/{number}/record.{form}", responses=RESPONSES)
    def record(number: Name, form: Literal["json", "pgn", "sgf"]) -> Response:
        table = (rooms.open.get(number) or rooms.restore(number)).table
        text = record_text(Path(f"game.{form}"), table.to_record(), table.game)
        headers = {
            "content-disposition": f"attachment; filename*=UTF-8''{quote(table.game.name)}.{form}"
        }
        return Response(
            text, media_type="application/json" if form == "json" else "text/plain", headers=headers
        )


# --- the server as a process: access control, its socket, and its thread

END_S = 2.0
PINGS_S = 20.0
SWITCH_S = 5e-4  # a thread that draws or reads delays a move by at most this at a time

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; "
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


def is_address(host: str, port: int) -> bool:
    """Whether a request addresses an IP number, which no other site can use as its name."""
    name, _, at = host.rpartition(":")
    with contextlib.suppress(ValueError):
        return at == str(port) and bool(ip_address(name.strip("[]")))
    return False


def only_own_pages(app: ASGIApp, host: str, port: int) -> ASGIApp:
    """An ASGI application around another: it answers only pages that it served itself, under a name
    of this machine.

    Another site's page can send requests to this machine (Origin) or map its own name to this
    machine's address (Host); both are refused. Every response forbids loading anything from
    elsewhere.
    """
    names = {*LOOPBACK, bracketed(host).lower()}
    is_any = host in ("0.0.0.0", "::")
    hosts = {f"{name}:{port}" for name in names} | (names if port == 80 else set())
    origins = {f"http://{host}" for host in hosts}

    def refusal(scope: Scope) -> str:
        """Why this request is refused; empty if it is allowed."""
        headers = Headers(scope=scope)
        host, origin = (
            [value.lower() for value in headers.getlist(name)] for name in ("host", "origin")
        )
        if len(host) != 1 or not (host[0] in hosts or (is_any and is_address(host[0], port))):
            return "this server answers only under the name of its own machine"
        unnamed = scope["type"] == "websocket" and not origin and "sec-fetch-site" in headers
        is_own = origins.issuperset(origin) or origin == [f"http://{host[0]}"]
        return "this server answers only its own pages" if unnamed or not is_own else ""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_safely(message: Any) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        reason = refusal(scope) if scope["type"] in ("http", "websocket") else ""
        refused = (
            JSONResponse({"error": reason}, 403)
            if scope["type"] == "http"
            else WebSocketClose(1008)
        )
        await (refused if reason else app)(scope, receive, send_safely)

    return answer


def bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def bind_socket(config: ServerConfig) -> socket.socket:
    """A bound socket, so that its port is known before anything is served."""
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    # asyncio sends small messages without delay only if the protocol is given
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((config.host, config.port))
        listener.listen(128)
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise AnyzeroError(
            f"cannot listen on {config.host}, port {config.port}: {reason}; try --port 0"
        ) from None
    return listener


@contextlib.contextmanager
def serving(config: ServerConfig) -> Iterator[tuple[str, threading.Thread]]:
    """The address of a server that runs in its own thread until the end of the block."""
    with contextlib.closing(bind_socket(config)) as listener:
        port = listener.getsockname()[1]
        settings = uvicorn.Config(
            only_own_pages(create_app(config), config.host, port),
            log_level="warning",
            access_log=False,
            http="h11",
            ws="websockets-sansio",
            ws_max_size=config.max_message,
            ws_per_message_deflate=False,  # takes longer than sending to a browser on this machine
            ws_ping_interval=PINGS_S,
            timeout_graceful_shutdown=1,
            server_header=False,
            limit_concurrency=config.max_connections,
        )
        server = uvicorn.Server(settings)
        sys.setswitchinterval(SWITCH_S)
        # a client that sends broken text is disconnected; the log needs no traceback of that
        logging.getLogger("uvicorn.error").addFilter(
            lambda record: "Invalid UTF-8" not in record.getMessage()
        )
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            yield f"http://{bracketed(config.host)}:{port}/", thread
        finally:
            server.should_exit = True
            thread.join(END_S)
