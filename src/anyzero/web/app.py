"""The application: lists by HTTP, everything that moves by one websocket a client."""

import asyncio
import contextlib
import mimetypes
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Literal

from fastapi import FastAPI, Request, WebSocket, WebSocketDisconnect
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles

from anyzero.errors import AnyzeroError, UnknownNameError
from anyzero.records.files import record_text
from anyzero.web.client import Client
from anyzero.web.config import ServerConfig
from anyzero.web.folders import Folders, Name
from anyzero.web.forms import palette_sheet
from anyzero.web.rooms import Rooms

REFUSED = {"description": "One sentence that says what was wrong.", "content": {"application/json": {}}}
STATIC = Path(__file__).parent / "static"
RESPONSES: dict[int | str, dict[str, Any]] = {404: REFUSED, 400: REFUSED, 422: REFUSED}


def create_app(config: ServerConfig) -> FastAPI:
    """The server as an ASGI application; nothing starts before it does."""
    rooms = Rooms(config)
    clients: set[Client] = set()

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        recent = asyncio.create_task(rooms.fetch_recent())
        yield
        recent.cancel()
        await rooms.close()

    async def serve(socket: WebSocket) -> None:
        await serve_socket(socket, Client(rooms), clients)

    app = FastAPI(title="anyzero", lifespan=lifespan, docs_url=None, redoc_url=None)
    app.add_exception_handler(AnyzeroError, answer_error)
    app.add_exception_handler(RequestValidationError, answer_bad_request)
    app.add_api_websocket_route("/ws", serve)
    add_lists(app, rooms)
    add_page(app)
    return app


async def answer_error(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"error": str(error)}, 404 if isinstance(error, UnknownNameError) else 400)


async def answer_bad_request(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    fault = error.errors()[0]
    return JSONResponse({"error": f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"[:300]}, 422)


def add_lists(app: FastAPI, rooms: Rooms) -> None:
    """What there is."""
    catalog, folders = rooms.catalog, Folders(rooms.catalog)
    answers: dict[str, Callable[..., Any]] = {
        "/api/games": catalog.games,
        "/api/players": catalog.players,
        "/api/models": catalog.models,
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
        headers = {"content-disposition": f'attachment; filename="{table.game.name}.{form}"'}
        return Response(text, media_type="application/json" if form == "json" else "text/plain", headers=headers)


def add_page(app: FastAPI) -> None:
    """The files of the page, and the style sheet of the palette."""
    mimetypes.add_type("text/javascript", ".js")  # not every machine's own table has it
    index, sheet = FileResponse(STATIC / "index.html"), Response(palette_sheet(), media_type="text/css")
    app.get("/", include_in_schema=False, response_class=Response)(lambda: index)
    app.get("/palette.css", include_in_schema=False, response_class=Response)(lambda: sheet)
    app.mount("/", StaticFiles(directory=STATIC))


# --- the socket


async def serve_socket(socket: WebSocket, client: Client, clients: set[Client]) -> None:
    """One client from its first message to its last."""
    if len(clients) >= client.rooms.config.max_connections:
        await socket.close(1013, "too many pages are open")
        return
    await socket.accept()
    client.engine.wake()
    client.rooms.preparing = client.rooms.preparing or asyncio.create_task(client.rooms.prepare())
    clients.add(client)
    sender = asyncio.create_task(send_all(socket, client))
    try:
        while True:
            await client.obey(await socket.receive_text())
    except (WebSocketDisconnect, RuntimeError, KeyError):
        pass  # gone, or a message that is not text
    finally:
        clients.discard(client)
        await client.close()
        sender.cancel()
        await asyncio.gather(sender, return_exceptions=True)


async def send_all(socket: WebSocket, client: Client) -> None:
    """Send what the client is told, in order."""
    while (text := await client.outbox.get()) is not None:
        await socket.send_text(text)
    await socket.close(1013, "too slow")
