"""What the server is told, and the limits that keep one client from using up the machine."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from anyzero.files import own_folder
from anyzero.networks.find import RUNS


@dataclass(frozen=True)
class ServerConfig:
    host: str = "127.0.0.1"  # the address that it listens at; others than this machine's own are the user's choice
    port: int = 8000  # 0: any that is free
    data: Path = field(default_factory=lambda: own_folder("XDG_DATA_HOME", ".local/share") / "games.sqlite3")
    """The file that holds the games."""
    games: tuple[str, ...] = ()
    """Files with games of the user's own, with options that are their defaults here; no other file's code is run."""
    engines: tuple[str, ...] = ()
    """Engines of others that may take a seat, `NAME=uci:COMMAND,...`; no other program is run."""
    runs: Path = RUNS  # the folder of training runs
    experiments: Path = Path()  # the folder with the tables of experiments
    prepare: bool = True
    """Compile for every game once a page is opened; what the machines at a table need is compiled in any case."""
    max_connections: int = 1024  # at a time; a browser's tab has several
    max_message: int = 1 << 20  # bytes of one message
    max_rooms: int = 500  # games in memory at a time
    max_simulations: int = 2_000_000  # the budget of one search
    max_seconds: float = 60.0  # the same by the clock
    max_nodes: int = 4_000_000  # the tree of a search that is alone; a node takes 26 to 40 bytes
    max_jobs: int = 256  # searches under way or waiting
    max_client_jobs: int = 6  # analyses and hints of one client

    @cached_property
    def engine_texts(self) -> dict[str, str]:
        """The texts of the engines by the names that people see; one without a name is called by its command."""
        found = {}
        for text in self.engines:  # `Strong=uci:stockfish,elo=2000`
            name, _, rest = text.partition("=")
            if name.startswith(("uci:", "gtp:")):
                name, rest = text.partition(":")[2], text
            found["-".join(name.split())] = rest.strip()  # a name is one word, as every player's text is
        return found
