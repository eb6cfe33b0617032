"""The application: lists by HTTP, everything that moves by one websocket a client."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Path, Request, WebSocket, WebSocketDisconnect
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response

from anyzero.errors import AnyzeroError, UnknownNameError
from anyzero.networks.find import known_names
from anyzero.players.levels import LEVELS
from anyzero.records.files import record_text
from anyzero.search.methods import METHODS
from anyzero.web import reading
from anyzero.web.catalog import Catalog
from anyzero.web.client import Client
from anyzero.web.config import ServerConfig
from anyzero.web.engine import Engine
from anyzero.web.messages import error_words
from anyzero.web.pages import read_pages
from anyzero.web.rooms import Rooms
from anyzero.web.shelf import Shelf

Name = Annotated[str, Path(max_length=200)]
Number = Annotated[int, Path(ge=0, lt=10**6)]
REFUSED = {"description": "One sentence that says what was wrong.", "content": {"application/json": {}}}
RESPONSES: dict[int | str, dict[str, Any]] = {404: REFUSED, 400: REFUSED, 422: REFUSED}


class Server:
    """What the requests share."""

    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self.catalog, self.shelf, self.engine = Catalog(config), Shelf(config.data), Engine(config)
        self.rooms = Rooms(config, self.catalog, self.shelf)
        self.clients: set[Client] = set()

    async def close(self) -> None:
        for room in self.rooms.open.values():
            await room.close()
        await self.engine.close()
        self.shelf.close()


def create_app(config: ServerConfig) -> FastAPI:
    """The server as an ASGI application; nothing starts before it does."""
    server = Server(config)

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        recent = asyncio.create_task(server.rooms.fetch_recent())
        yield
        recent.cancel()
        await server.close()

    app = FastAPI(title="anyzero", lifespan=lifespan, docs_url=None, redoc_url=None)
    app.add_exception_handler(AnyzeroError, answer_error)
    app.add_exception_handler(RequestValidationError, answer_bad_request)
    add_lists(app, server)
    add_folders(app, server)
    add_pages(app)

    async def serve(socket: WebSocket) -> None:
        await serve_socket(socket, server)

    app.add_api_websocket_route("/ws", serve)
    return app


async def answer_error(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"error": str(error)}, 404 if isinstance(error, UnknownNameError) else 400)


async def answer_bad_request(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return JSONResponse({"error": error_words(error.errors()[0])}, 422)


def add_lists(app: FastAPI, server: Server) -> None:
    """What there is."""

    @app.get("/api/games")
    def games() -> dict[str, Any]:
        return {"games": server.catalog.describe_games()}

    @app.get("/api/players")
    def players() -> dict[str, Any]:
        methods = [{"name": name, "meaning": method.meaning} for name, method in METHODS.items()]
        limits = {"simulations": server.config.max_simulations, "seconds": server.config.max_seconds}
        return {"levels": LEVELS, "methods": methods, "networks": known_names(), "limits": limits}

    @app.get("/api/levels")
    def levels() -> dict[str, Any]:
        return {"levels": LEVELS}

    @app.get("/api/models")
    def models() -> dict[str, Any]:
        return {"models": known_names()}

    @app.get("/api/tables")
    def tables() -> dict[str, Any]:
        return {"tables": server.shelf.list()}

    @app.get("/api/tables/{table}/record.{form}", responses=RESPONSES)
    def record(table: Name, form: Literal["json", "pgn", "sgf"]) -> Response:
        found = server.rooms.open.get(table) or server.rooms.restore(table)
        game = found.table.game
        text = record_text(FilePath(f"game.{form}"), found.table.to_record(), game)
        headers = {"content-disposition": f'attachment; filename="{game.name}.{form}"'}
        return Response(text, media_type="application/json" if form == "json" else "text/plain", headers=headers)


def add_folders(app: FastAPI, server: Server) -> None:
    """Training runs and experiments, by name."""
    runs, experiments = server.config.runs, server.config.experiments

    @app.get("/api/runs")
    def all_runs() -> dict[str, Any]:
        return reading.describe_runs(runs)

    @app.get("/api/runs/{name}", responses=RESPONSES)
    def one_run(name: Name) -> dict[str, Any]:
        return reading.describe_run(runs, name)

    @app.get("/api/runs/{name}/games/{generation}/{block}", responses=RESPONSES)
    def run_games(name: Name, generation: Number, block: Number) -> dict[str, Any]:
        return reading.describe_games(runs, name, generation, block)

    @app.get("/api/runs/{name}/games/{generation}/{block}/{number}", responses=RESPONSES)
    def run_game(name: Name, generation: Number, block: Number, number: Number) -> dict[str, Any]:
        return reading.describe_game(runs, name, (generation, block, number), server.catalog)

    @app.get("/api/experiments")
    def all_experiments() -> dict[str, Any]:
        return reading.describe_experiments(experiments)

    @app.get("/api/experiments/{name}", responses=RESPONSES)
    def one_experiment(name: Name) -> dict[str, Any]:
        return reading.describe_experiment(experiments, name)


def add_pages(app: FastAPI) -> None:
    """The page itself."""
    pages = read_pages()

    @app.get("/", include_in_schema=False)
    @app.get("/{name}", include_in_schema=False)
    def page(request: Request, name: str = "index.html") -> Response:
        found = pages.get(name)
        if found is None:
            return JSONResponse({"error": f"there is no page {name[:60]!r}"}, 404)
        headers = {"etag": found.tag}
        if request.headers.get("if-none-match") == found.tag:
            return Response(status_code=304, headers=headers)
        return Response(found.content, headers={**headers, "content-type": found.kind})


# --- the socket


async def serve_socket(socket: WebSocket, server: Server) -> None:
    """One client from its first message to its last."""
    if len(server.clients) >= server.config.max_connections:
        await socket.close(1013, "too many pages are open")
        return
    await socket.accept()
    client = Client(server.rooms, server.engine)
    server.engine.wake()
    server.clients.add(client)
    sender = asyncio.create_task(send_all(socket, client))
    try:
        while True:
            await client.obey(await socket.receive_text())
    except (WebSocketDisconnect, RuntimeError, KeyError):
        pass  # gone, or a message that is not text
    finally:
        server.clients.discard(client)
        await client.close()
        sender.cancel()
        await asyncio.gather(sender, return_exceptions=True)


async def send_all(socket: WebSocket, client: Client) -> None:
    """Send what the client is told, in order."""
    while (text := await client.outbox.get()) is not None:
        await socket.send_text(text)
    await socket.close(1013, "too slow")
