"""A player as one Python file that needs only NumPy: rules, search and net, for sites that take a
single file.

The file contains the source of the same functions that are compiled elsewhere, and plays the same
moves.
"""

from collections import namedtuple

import numpy as np

from anyzero.core.base.errors import BadOptionError
from anyzero.core.base.nouns import Values
from anyzero.core.game.game import Game
from anyzero.core.nets.config import Layout, layout_of, support_of
from anyzero.core.nets.forward import NumpyOps
from anyzero.core.nets.weights import StoredNetwork
from anyzero.extras.bots import bot_main
from anyzero.extras.bots.source import Source, pack_bytes, unpack_array
from anyzero.extras.programs import plain_search

Config = namedtuple("Config", "kind blocks pool_every layers policy")
GTP_COMMANDS = (
    "protocol_version name version known_command list_commands quit boardsize "
    "clear_board komi play genmove"
)
GTP_COMMANDS += " time_settings time_left"  # without effect: the player has its own budget


def make_bot(
    game: Game, player: str, network: StoredNetwork | None, max_characters: int | None = None
) -> tuple[str, str]:
    """The file's text and a note; the net's weights have 16 bits if there is room, else 8."""
    # guards are compiled code, which a file cannot contain
    game = game.plain
    text = ""
    note = ""
    for bits in (16, 8) if network is not None else (0,):
        text = _write(game, player, network, bits)
        note = f"{len(text):,} characters" + (
            f", {bits}-bit weights" if network is not None else ""
        )
        if max_characters is None or len(text) <= max_characters:
            return text, note
    least = f"{player} of {game.text} takes {len(text):,} characters" + (
        " with 8-bit weights" if network else ""
    )
    hint = "; train a smaller network, as --set network=4x32 makes one" if network else ""
    raise BadOptionError(f"{least}, and --max-characters leaves {max_characters:,}{hint}")


def _write(game: Game, player: str, network: StoredNetwork | None, bits: int) -> str:
    forest, simulations, seconds = plain_search(game, player, network)
    settings = forest.settings._asdict()
    fixed: Values = {
        "SIMULATIONS": simulations,
        "SECONDS": seconds,
        "HAS_CHANCE": game.num_outcomes > 0,
    }
    moves, outcomes = (game.board.moves, game.board.outcomes) if game.has("board") else ((), ())
    fixed |= {
        "HAS_NET": network is not None,
        "HAS_MOVES": bool(moves),
        "IS_JUDGED": game.facts.judge == "houses",
        "ON_GO_BOARD": game.facts.on_go_board,
    }
    fixed |= {
        f"{owner}.{name}": value
        for owner in ("settings", "SETTINGS")
        for name, value in settings.items()
    }
    functions = {**game.unit.functions, **forest.parts}
    if game.has("format_action"):
        functions[bot_main.action_text] = game.by_name["format_action"]
    source = Source(functions, fixed)
    values: Values = {
        "RULES": game.rules,
        "SETTINGS": forest.settings,
        "TREE": forest.tree,
        "SCRATCH": forest.scratch,
        "ROOTS": forest.roots,
        "SCORES": np.zeros(game.max_legal),
        "ACTIONS": game.new_actions(),
        "STATES": game.new_states(1),
        "BOARD_SIZE": [str(number) for number in game.planes_shape[1:]],
        "ANSWERS": {
            **dict.fromkeys(GTP_COMMANDS.split(), ""),
            "protocol_version": "2",
            "name": "anyzero",
        },
        "MOVES": np.array(moves or [""]),
        "OUTCOMES": list(outcomes or map(str, range(game.num_outcomes))),
    }
    if network is not None:
        layout = layout_of(game.planes_shape, game.num_actions) or Layout(0)
        names = Config._fields
        values |= {
            "CONFIG": Config(*(getattr(network.config, name) for name in names)),
            "SIZES": (layout.extras, layout.last_rows),
            "SUPPORT": np.array(support_of(network.config), np.float32),
            "PLANES": np.zeros((1, *game.planes_shape), np.float32),
            "LOGITS": np.zeros((1, game.num_actions), np.float32),
            "VALUES": np.zeros((1, 1), np.float32),
        }
        source.parts.append(
            f"OPS = {source.add(NumpyOps, 'NumpyOps')}({_weights(source, network, bits)})"
        )
    for name, value in values.items():
        source.parts.append(f"{name} = {source.literal(value)}")
    main = source.add(bot_main.run_bot, "run_bot")
    source.add(bot_main.choose, "choose")
    about = f"# {player} of {game.text}, written by anyzero export; python FILE speaks GTP"
    return f"{about}\n{source.text()}if __name__ == '__main__':\n {main}()\n"


def _weights(source: Source, network: StoredNetwork, bits: int) -> str:
    """An expression for the weights by name."""
    unpack = source.add(unpack_array, "unpack_array")
    rows = []
    for name, weight in network.weights.items():
        parts = [
            (pack_bytes(part.tobytes()), part.dtype.str, part.shape)
            for part in stored(weight, bits)
        ]
        factors = " * ".join(
            f"{unpack}({text!r}, {kind!r}, {shape})" for text, kind, shape in parts
        )
        rows.append(f"{name!r}: ({factors}).astype('f')")
    return "{" + ", ".join(rows) + "}"


def stored(weight: np.ndarray, bits: int) -> tuple[np.ndarray, ...]:
    """The stored form of weights, to be multiplied: 16-bit numbers, or 8-bit ones and a scale per
    output.
    """
    if bits == 16 or weight.ndim == 1:
        return (weight.astype(np.float16),)
    greatest = np.abs(weight.astype(np.float32)).max(
        axis=tuple(range(1, weight.ndim)), keepdims=True
    )
    scales = np.maximum(greatest, np.float32(1e-12)) / np.float32(127)
    return np.rint(weight / scales).astype(np.int8), scales.astype(np.float32)
