"""What other programs get of a game: the functions of the contract and one search, with what is baked into them."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from anyzero.compile.ahead import Baked, Given
from anyzero.compile.random import STREAM, next_word, seed_stream
from anyzero.errors import BadOptionError
from anyzero.games import contract
from anyzero.games.contract import draw_outcome, legal_actions
from anyzero.games.game import Game
from anyzero.networks.weights import StoredNetwork
from anyzero.players.search_player import SEARCHERS
from anyzero.players.text import split_player
from anyzero.search import Searcher
from anyzero.search.methods import GUMBEL
from anyzero.search.report import BY_VISITS, final_scores, proven_value
from anyzero.search.run import Run
from anyzero.search.simulation import ANY_CHILD, plant_tree, simulate_tree
from anyzero.search.tree import UNKNOWN, root_of

MOST_TIMED = 4_000
"""Simulations that a search with a clock has room for; in plain Python none comes that far in a tenth of a second."""


class PlainSearch(NamedTuple):
    run: Run  # its method and its memory
    simulations: int  # at most
    seconds: float  # for a move; 0: as long as the simulations take


def plain_search(game: Game, player: str, network: StoredNetwork | None = None) -> PlainSearch:
    """The search that a player's text names, `network` being that behind its @; refuses what needs more than a tree."""
    wanted = split_player(player, SEARCHERS).in_game(game)
    if wanted.search is None:
        raise BadOptionError(f"{player} is no search, as uct:200 or puct:32@best are")
    seconds, simulations = wanted.search.seconds or 0.0, wanted.search.simulations or MOST_TIMED
    options = {**wanted.search.arguments, "simulations": simulations, "seconds": None}
    if network is not None:
        options["evaluator"] = lambda game, states: (states, states)  # only that there is one matters here
    searcher = Searcher(game, **options)
    settings = searcher.method.settings
    is_plain = searcher.trees == 1 and searcher.temperature == 0 and not searcher.reuse and not searcher.method.halves
    if not is_plain or searcher.final not in ("visits", "gumbel") or settings.leaves > 1:
        raise BadOptionError(
            f"{player}: an exported search has one tree, begins it anew, and plays its most visited move"
        )
    if seconds and settings.formula == GUMBEL:
        raise BadOptionError(f"{player}: gumbel plans its simulations and needs their number; with a clock, take puct")
    return PlainSearch(Run(game, searcher.method, room=searcher.room, simulations=simulations), simulations, seconds)


def search_action(
    rules: Any, tree: Any, scratch: Any, settings: Any, roots: Any, scores: Any, simulations: int, state: Any, seed: Any
) -> int:
    """Kernel: the action that a search of a position comes to: most visits, equals by value."""
    roots[0] = state
    seed_stream(scratch.streams[0], seed, 0)
    plant_tree(tree, scratch, 0)
    simulate_tree(rules, tree, scratch, settings, roots, 0, ANY_CHILD, simulations)
    return chosen_action(tree, scores)


def chosen_action(tree: Any, scores: Any) -> int:
    """The most visited action of a tree, equals by value; `scores` is scratch."""
    root, best = root_of(tree, 0), 0
    first, last = tree.first[root], tree.first[root] + tree.num_children[root]
    final_scores(BY_VISITS, tree.visits[first:last], tree.value[first:last], tree.proven[first:last], scores)
    for index in range(1, last - first):
        is_equal = scores[index] == scores[best]
        if scores[index] > scores[best] or (is_equal and value_of(tree, first + index) > value_of(tree, first + best)):
            best = index
    return np.int64(tree.action[first + best])  # type: ignore[return-value]


def value_of(tree: Any, child: int) -> float:
    if tree.proven[child] != UNKNOWN:
        return proven_value(tree.proven[child])
    return float(tree.value[child]) if tree.visits[child] > 0 else -2.0


class Exported(NamedTuple):
    name: str
    compile: Callable[[str], Any]  # the kernel for a target
    arguments: list[Baked | Given]
    about: str


def functions_of(game: Game, player: str) -> list[Exported]:
    """The rules, and the search that a player's text names; all are shown one state, one list of actions, ..."""
    state, actions = game.initial_state(), Given("actions", game.new_actions(), True)
    rules = [_of_contract(game, *each) for each in _rules(game, state, actions)]
    return [*rules, _search(game, player, state)]


def draw_chance(rules: Any, state: Any, actions: Any, stream: Any, seed: Any, ply: int) -> int:
    """Kernel: what chance does at a ply of the game with this seed, as at a table of ours."""
    seed_stream(stream, seed, ply)
    count = legal_actions(rules, state, actions)
    return np.int64(actions[draw_outcome(rules, state, actions, count, stream)])  # type: ignore[return-value]


def move_seed(stream: Any, seed: Any, ply: int) -> Any:
    """Kernel: what a player that moves at a ply of the game with this seed draws from."""
    seed_stream(stream, seed, ply)
    return next_word(stream)


def page_functions(game: Game) -> list[Exported]:
    """The rules, the picture, and the random numbers of a table: what a page needs besides searches."""
    state, actions = Given("state", game.initial_state()), Given("actions", game.new_actions(), True)
    rules, stream = Baked(game.rules), Given("stream", np.zeros(1, STREAM)[0], True)
    number = Given("seed", np.uint64(0)), Given("ply", 0)
    found = [_of_contract(game, *each) for each in _rules(game, state.example, actions)]
    if game.has("score"):
        found.append(_of_contract(game, contract.score, [rules, state, Given("seat", 0)], ""))
    if game.has("board"):
        shown = Given("shown", game.board.new_shown(), True)
        found.append(_of_contract(game, contract.draw, [rules, state, shown], ""))
        found.append(_of_contract(game, contract.move_number, [rules, state, Given("action", 0)], ""))
    if game.num_outcomes:
        found.append(_of_contract(game, draw_chance, [rules, state, actions, stream, *number], ""))
    return [*found, _of_contract(game, move_seed, [stream, *number], "")]


def _of_contract(game: Game, generic: Any, arguments: list[Baked | Given], about: str) -> Exported:
    return Exported(generic.__name__, lambda target: game.compile(generic, target), arguments, about)


def _rules(game: Game, example: Any, actions: Given) -> Iterator[tuple[Any, list[Baked | Given], str]]:
    """The contract's functions with their arguments, each with a line about it."""
    rules, state, changed = Baked(game.rules), Given("state", example), Given("state", example, True)
    stream, action = Given("stream", np.zeros(1, STREAM)[0], True), Given("action", 0)
    results = Given("payoffs", np.zeros(game.num_seats), True)
    yield contract.initial_state, [rules, changed], "Fill a zeroed state with the position before the first move."
    yield contract.seat_to_move, [rules, state], "0 and up, -1 where it is chance's turn, -2 when the game is over."
    yield contract.legal_actions, [rules, state, actions], "Write the legal actions, or outcomes of chance; how many."
    yield contract.play, [rules, changed, action], "Play a legal action or outcome."
    yield contract.payoffs, [rules, state, results], "Write each seat's result in [-1, 1], once the game is over."
    about = "Play at random to the end; the number of moves. The actions are scratch."
    yield contract.rollout, [rules, changed, actions, stream], about
    if game.num_outcomes:
        yield contract.chance_weight, [rules, state, Given("outcome", 0)], "Relative weight of an outcome of chance."
    if game.has("encode"):
        planes = Given("planes", np.zeros(game.planes_shape, np.float32), True)
        yield contract.encode, [rules, state, planes], "Write the network's input over zeros."


def _search(game: Game, player: str, state: Any) -> Exported:
    if "@" in player:
        raise BadOptionError(f"{player}: a compiled search has no network; export --onnx writes that")
    run, simulations, seconds = plain_search(game, player)
    if seconds or run.settings.formula == GUMBEL:
        raise BadOptionError(f"{player}: a compiled search has a number of simulations, as uct:10000 has")
    memory = run.tree, run.scratch, run.settings, run.roots, np.zeros(game.max_legal), simulations
    given = Given("state", state), Given("seed", np.uint64(0))
    about = f"The move of {player}, the same for the same seed. Its memory is one for all: one call at a time."
    return Exported(
        "search",
        lambda target: game.compile(search_action, target, run.fixed, parts=run.parts),
        [Baked(game.rules), *map(Baked, memory), *given],
        about,
    )
