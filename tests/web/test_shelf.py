"""Games on disk, and how they are taken up again."""

import asyncio
import json
import sqlite3
import time

import pytest

from anyzero.app.web.catalog import Catalog, ServerConfig, name_files
from anyzero.app.web.client import Client
from anyzero.app.web.forms import Message
from anyzero.app.web.room import Room, Rooms
from anyzero.app.web.shelf import Shelf
from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.sealed import DamagedError
from tests.web.folders import write_own_games
from tests.web.server import run

MOVES = {
    "connect_four": ["d", "c", "d", "e"],
    "chess": ["e4", "e5", "Nf3"],
    "hex:size=5": ["c3", "b2"],
    "take_it_easy": [],
}


@pytest.fixture
def rooms(tmp_path):
    rooms = Rooms(ServerConfig(data=tmp_path / "games.sqlite3"))
    yield rooms
    rooms.shelf.close()


def make(rooms, game):
    """A room with some moves, the last of them taken back."""
    seats = ["human"] * rooms.catalog.load(game).num_seats
    room = rooms.make(Message(type="new", game=game, seats=seats, seed=3, moves=MOVES[game]))
    table = room.table
    table.play(table.legal_moves[0])
    table.play(table.legal_moves[0])
    table.undo()
    room.keep()
    return room


def states(table):
    return [table.start.tobytes(), *(ply.state.tobytes() for ply in table.line)]


@pytest.mark.parametrize("game", MOVES)
def test_a_game_is_taken_up_as_it_was_left(rooms, game):
    room = make(rooms, game)
    found = rooms.restore(room.number)
    assert states(found.table) == states(room.table)
    assert found.table.num_plies == room.table.num_plies
    assert found.values() == room.values()


@pytest.mark.parametrize(
    ("column", "value"), [("record", '{"moves": []}'), ("seats", "[1, 2"), ("num_plies", 1)]
)
def test_a_row_that_was_changed_is_told(rooms, column, value):
    room = make(rooms, "connect_four")
    rooms.shelf.file.execute(f"UPDATE games SET {column} = ?", (value,))
    assert [row["id"] for row in rooms.tables()["tables"]] == [room.number]
    with pytest.raises(DamagedError, match="is damaged"):
        rooms.restore(room.number)


def test_a_file_that_lost_a_part_is_refused_before_anything_is_served(rooms, tmp_path):
    make(rooms, "connect_four")
    rooms.shelf.file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray((tmp_path / "games.sqlite3").read_bytes())
    content[4096:] = bytes(len(content) - 4096)
    (tmp_path / "damaged.sqlite3").write_bytes(content)
    with pytest.raises(DamagedError, match="move it away to start a new one"):
        Shelf(tmp_path / "damaged.sqlite3")


def test_many_who_come_and_go_at_once_never_find_the_house_full(tmp_path, monkeypatch):
    """Rooms that nobody looks at make space for others, while more are being made."""

    async def come_and_go(rooms):
        client = Client(rooms)
        for _ in range(12):
            await client.obey(
                json.dumps({"type": "new", "game": "tic_tac_toe", "seats": ["human", "human"]})
            )
            table = json.loads(client.outbox.get_nowait())
            assert table["type"] == "table", table
            client.leave(table["table"])

    async def work():
        rooms = Rooms(ServerConfig(data=tmp_path / "games.sqlite3", max_rooms=9))
        await asyncio.gather(*(come_and_go(rooms) for _ in range(6)))
        assert len(rooms.open) < 9 + 6
        await rooms.close()

    monkeypatch.setattr(
        Room, "is_driven", property(lambda _room: time.sleep(1e-4))
    )  # where others get ahead
    run(work())  # a browser of other tests may have a loop in this thread


def test_a_file_of_the_first_version_is_read(tmp_path):
    config = ServerConfig(data=tmp_path / "games.sqlite3")
    rooms = Rooms(config)
    room = make(rooms, "connect_four")
    for name in ("actions", "seal"):
        rooms.shelf.file.execute(f"ALTER TABLE games DROP COLUMN {name}")
    rooms.shelf.file.execute("PRAGMA user_version=1")
    rooms.shelf.close()
    later = Rooms(config)
    assert states(later.restore(room.number).table) == states(room.table)
    later.shelf.close()


def test_a_file_of_a_later_version_is_left_alone(tmp_path):
    path = tmp_path / "games.sqlite3"
    with sqlite3.connect(path) as file:
        file.execute("PRAGMA user_version=4")
    file.close()
    with pytest.raises(AnyzeroError, match="newer version"):
        Shelf(path)


def test_a_file_does_not_take_the_name_of_another_game():
    paths = ["own/hex.py", "own/go.py", "other/go.py", "other/hex.py"]
    names = {"hex_2": paths[0], "go": paths[1], "go_2": paths[2], "hex_3": paths[3]}
    assert name_files(paths) == names


@pytest.fixture
def heaps(tmp_path):
    """A game of one's own with 7 instead of its 5, and the same file once more as it is."""
    path = write_own_games(tmp_path)[0]
    return path, Catalog(
        ServerConfig(data=tmp_path / "games.sqlite3", games=(f"{path}:size=7", path))
    )


def test_options_behind_a_file_are_the_defaults_of_its_game(heaps):
    _, catalog = heaps
    assert catalog.load("heap").options == {"size": 7}
    assert catalog.load("heap:size=4").options == {"size": 4}
    assert catalog.load("heap_2").options == {"size": 5}
    shown = [catalog.describe(name)["options"][0]["default"] for name in ("heap", "heap_2")]
    assert shown == [7, 5]


def test_a_table_of_a_file_with_options_is_found_by_what_it_is_called(heaps):
    _, catalog = heaps
    for text in ("heap", "heap:size=4", "heap_2"):
        game = catalog.load(text)
        assert catalog.load(catalog.public(game)).options == game.options
        assert "/" not in catalog.public(game)


def test_a_path_means_the_file_itself_without_options_of_the_server(heaps):
    path, catalog = heaps
    assert catalog.load(path).options == {"size": 5}
    assert catalog.load(f"{path}:size=4").options == {"size": 4}


def test_a_file_is_known_however_its_path_is_spelled(tmp_path, monkeypatch):
    write_own_games(tmp_path)
    monkeypatch.chdir(tmp_path)
    catalog = Catalog(ServerConfig(data=tmp_path / "games.sqlite3", games=("./heap.py",)))
    for text in ("heap.py:size=4", "./heap.py:size=4"):
        assert catalog.public(catalog.load(text)) == "heap:size=4"
    with pytest.raises(AnyzeroError, match=r"there is no game 'drawn_heap.py'"):
        catalog.load("drawn_heap.py")
