"""The strength of a net: `rate("@best", "chess")` plays the fixed ladder of its game and writes the
net's card.

A ladder has several flights of opponents, weakest first. A flight ends at the first opponent
against whom the net clearly loses: stronger ones would add no information. If a game has problems
with proven answers, they come first.
"""

import datetime
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from anyzero.core.base import stopping
from anyzero.core.base.errors import BadOptionError, UnknownNameError, list_some, text_of, whole
from anyzero.core.base.nouns import Values
from anyzero.core.base.report import Part, Sheet, Shown
from anyzero.core.base.seeds import draw_seed
from anyzero.core.base.statistics import Interval, mean_interval, wilson_interval
from anyzero.core.game.definition import split_text
from anyzero.core.game.game import Game, game_text
from anyzero.core.game.load import as_game, load, names_with
from anyzero.core.game.play import Play
from anyzero.core.learning.find import BEST, find_network, hash_of
from anyzero.tools.arena.arena import leading_pairs, play_games, split_settings
from anyzero.tools.arena.cards import Card, CardResult, Made, read_card, write_card
from anyzero.tools.arena.plan import make_plan
from anyzero.tools.arena.record import Results
from anyzero.tools.arena.standings import game_score, points
from anyzero.tools.players import Player, parse_player
from anyzero.tools.players.engine import find_program, program_of
from anyzero.tools.players.player import consult
from anyzero.tools.players.text import net_method
from anyzero.tools.progress import progress as bar

SIMULATIONS = 64
GAMES = 40
DEALS_A_GAME = 10  # in a game of one seat, deals per requested game: points vary more than wins
PROBLEM_SIMULATIONS = (1, 64, 400)  # problems are posed without search, and with two budgets
CLEARLY_LOST = 0.25
"""An opponent is too strong once the interval of the score is below this: after 12 straight losses.
"""

UCT = ("random", "uct:100", "uct:1000", "uct:10000", "uct:100000")


def ladder(game: Game) -> list[tuple[str, ...]]:
    """The flights of opponents of a game of two seats or more, each weakest first."""
    facts = game.facts
    best = tuple(f"{facts.best_method}:{budget}" for budget in (1_000, 10_000, 100_000))
    return [UCT, *([] if facts.best_method == "uct" else [best]), *facts.engines]


@dataclass(frozen=True, repr=False)
class Rating(Shown):
    card: Card
    path: Path  # of the card
    left_out: tuple[str, ...]  # sentences about opponents that were not played

    def report(self) -> Iterator[Part]:
        yield Sheet(("measured",), [(result,) for result in self.card.results])
        yield from self.left_out
        yield f"card written to {self.path}"

    def to_json(self) -> Values:
        return {**self.card.to_dict(), "card": str(self.path), "left_out": list(self.left_out)}


def rate(
    net: str,
    game: Game | str | None = None,
    *,
    simulations: int = SIMULATIONS,
    games: int = GAMES,
    most: int = 100_000,
    against: Sequence[str] = (),
    made: Made | None = None,
    folder: Path | str = "ratings",
    card: Path | str | None = None,
    **playing: Any,
) -> Rating:
    """Measure a net (a file, a run, or `@best` of a game) against the fixed ladder of its game, and
    write its card.

    `most` skips opponents that search with more simulations; `against` names opponents instead of
    the ladder's. Games are kept in `folder`, from which a stopped rating resumes. The card is
    written there, or to `card`; earlier results of this net on this board that were not measured
    again are kept. `playing` takes the options of `match`: `seed`, `workers` and `progress`.

    >>> anyzero.rate("@best", "connect_four", games=40)
    """
    if "record" in playing:
        raise BadOptionError(
            "a rating keeps its games in a folder: name it with folder= instead of record="
        )
    path, loaded = find_rated_net(net, game)
    place = Path(folder) / f"{loaded.name}-{hash_of(path)}"
    place.mkdir(parents=True, exist_ok=True)
    target = place / "card.toml" if card is None else Path(card)
    climb = Climb(loaded, path, f"{net_method(path)}:{simulations}", games, place, playing)
    flights = [
        (opponent,) for opponent in ([against] if isinstance(against, str) else against)
    ] or ladder(loaded)
    results = [] if against else list(climb.ask_problems())
    results += climb.deal() if loaded.num_seats == 1 else climb.climb(flights, whole("most", most))
    new = new_card(loaded, path, results, made, earlier=(target, path.with_suffix(".toml")))
    write_card(target, new)
    return Rating(new, target, tuple(climb.left_out))


def find_rated_net(net: str, game: Game | str | None) -> tuple[Path, Game]:
    """The net's file, and the board on which to rate it: the one it was trained on, if none is
    named.
    """
    from anyzero.core.nets.weights import read_header, read_network

    name = text_of("the net", net).strip().removeprefix("@")
    if name == BEST and game is None:
        raise BadOptionError(
            "every game has a net @best: name the game too, as in anyzero rate @best --game chess"
        )
    loaded = None if game is None else as_game(game)
    path = find_network(name, loaded)
    if loaded is None:
        header = read_header(path)
        loaded = load(game_text(header["game"], header["options"]))
    read_network(path, loaded)  # raises an error if it is damaged, or of another game
    return path, loaded


def new_card(
    game: Game,
    path: Path,
    results: Sequence[CardResult],
    made: Made | None,
    earlier: tuple[Path, ...],
) -> Card:
    """The card of a net: the new measurements, and those on the same board of the first earlier
    card that has some.
    """
    network = hash_of(path)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    earlier_cards = [
        card for card in map(read_card, filter(Path.is_file, earlier)) if card.network == network
    ]
    same = [card.results for card in earlier_cards if is_same_board(game, card.game)]
    kept = [old for old in (same[0] if same else ()) if not any(map(old.is_same_measure, results))]
    made = made or (earlier_cards[0].made if earlier_cards else Made())
    order = ["", *(opponent for flight in ladder(game) for opponent in flight)]
    both = sorted(
        [*results, *kept],
        key=lambda result: order.index(result.opponent) if result.opponent in order else len(order),
    )
    return Card(game=game.text, network=network, date=today, made=made, results=tuple(both))


def is_same_board(game: Game, text: str) -> bool:
    """Whether a card's text means this board; it may leave out options, and a game's file may have
    moved since.
    """
    return load(f"{game.source}:{split_text(text)[1]}").options == game.options


class Climb:
    def __init__(
        self, game: Game, path: Path, search: str, games: int, folder: Path, playing: Values
    ) -> None:
        self.game = game
        self.path = path
        self.search = search
        self.games = games
        self.folder = folder
        self.playing = playing
        self.left_out: list[str] = []  # opponents not played, and why

    def ask_problems(self) -> Iterator[CardResult]:
        """The share of optimal moves, in games with known best moves."""
        if self.game.facts.problems is None:
            return
        asking = {key: value for key, value in self.playing.items() if key in ("seed", "progress")}
        for simulations in PROBLEM_SIMULATIONS:
            search = f"{net_method(self.path)}:{simulations}"
            solved = solve_problems(self.game, f"{search}@{self.path}", **asking)
            share = wilson_interval(sum(solved) / len(solved), len(solved))
            yield make_card_result(search, len(solved), share, kind="moves")

    def deal(self) -> Iterator[CardResult]:
        """Mean points over the seed's fixed deals; random play takes part because matches have two
        players.
        """
        results = self.play("random", 2 * DEALS_A_GAME * self.games)
        interval = mean_interval(
            [points(result) for match, result in results.items() if match.leg == 0]
        )
        if interval is not None:
            yield make_card_result(self.search, len(results) // 2, interval, kind="points")

    def climb(self, flights: Sequence[tuple[str, ...]], most: int) -> Iterator[CardResult]:
        for flight in flights:
            for index, opponent in enumerate(flight):
                if reason := self.why_not(opponent, most):
                    self.left_out.append(reason)
                    break
                result = self.meet(opponent)
                yield result
                if result.high < CLEARLY_LOST:
                    rest = ", ".join(flight[index + 1 :])
                    self.left_out += (
                        [f"{opponent} is too strong; not played: {rest}"] if rest else []
                    )
                    break

    def why_not(self, opponent: str, most: int) -> str:
        """Why an opponent is not played; empty if it is."""
        program = program_of(opponent)
        programs = {program_of(text) for flight in self.game.facts.engines for text in flight}
        if program in programs and find_program(program) is None:
            return f"{program} is not installed; not played: {opponent} and stronger"
        number = opponent.rpartition(":")[2]
        return (
            f"not played: {opponent} and stronger"
            if number.isdigit() and int(number) > most
            else ""
        )

    def meet(self, opponent: str) -> CardResult:
        """The score against one opponent; a clearly lost match counts only the pairs up to the
        decisive one.
        """
        scores = pair_games(self.play(opponent, self.games))
        scores = scores[: lost_after(scores)]
        interval = wilson_interval(sum(scores) / len(scores), len(scores))
        return make_card_result(
            self.search, len(scores), interval, opponent=opponent, stopped=len(scores) < self.games
        )

    def play(self, opponent: str, games: int) -> Results:
        """All games against an opponent: those in its file, and the missing ones, which are
        played.
        """
        game_settings, play_settings = split_settings(self.playing)
        plan = make_plan(
            self.game, (f"{self.search}@{self.path}", opponent), games=games, **game_settings
        )
        words = [
            *self.game.options.values(),
            self.search,
            games,
            self.playing.get("seed", 0),
            opponent,
        ]
        record = (
            self.folder / f"{re.sub('[^a-z0-9]+', '_', ' '.join(map(str, words)).lower())}.jsonl"
        )

        def is_lost(results: Results) -> bool:
            return self.game.num_seats > 1 and lost_after(pair_games(results)) is not None

        return play_games(plan, is_lost, record=record, **play_settings)


def pair_games(results: Results) -> list[float]:
    """The net's score in each game of the finished pairs, in order."""
    return [game_score(result) for result in leading_pairs(results)]


def lost_after(scores: Sequence[float]) -> int | None:
    """The number of games, in whole pairs, after which the opponent is clearly too strong; None if
    it is not.
    """
    for games in range(2, len(scores) + 1, 2):
        if wilson_interval(sum(scores[:games]) / games, games).high < CLEARLY_LOST:
            return games
    return None


def make_card_result(player: str, games: int, found: Interval, **more: Any) -> CardResult:
    digits = 1 if more.get("kind") == "points" else 3
    score, low, high = (round(value, digits) for value in found)
    return CardResult(player=player, games=games, score=score, low=low, high=high, **more)


# --- problems: positions in which a mistake is possible, with the moves that keep the proven result


class Problem(NamedTuple):
    board: str  # the game with its options
    moves: tuple[str, ...]  # from the initial position
    best: frozenset[str]  # the moves that keep the result; every other move worsens it


def read_problems(game: Game | str) -> tuple[Problem, ...]:
    """The problems of a game, in file order: `moves | best moves`, below the board's
    `[name:options]`.
    """
    game = as_game(game)
    file = game.facts.problems
    if file is None:
        names = list_some(names_with("problems"))
        raise UnknownNameError(
            f"there are no problems for {game.name}; games that have some: {names}"
        )
    problems = []
    board = game.source
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            board = f"{game.source}:{split_text(line.strip('[]'))[1]}"
        elif not line.startswith("#"):
            moves, best = (part.split() for part in line.split("|"))
            problems.append(Problem(board, tuple(moves), frozenset(best)))
    return tuple(problems)


def solve_problems(
    game: Game | str, player: Player | str, *, seed: int = 0, progress: bool = True
) -> list[bool]:
    """Ask a player for its move in each problem of a game: whether it was among the best."""
    asked = parse_player(player)
    problems = read_problems(game)
    answers: list[bool] = []
    boards = {board: load(board) for board in {problem.board for problem in problems}}
    with bar("solving", len(problems), shown=progress) as tell:
        for number, problem in enumerate(problems):
            stopping.check()
            board = boards[problem.board]
            line = Play.begin(board)
            for move in problem.moves:
                line = line.play(board, board.parse_action(line.state, move))
            action = consult(asked, board, line, draw_seed("problem", seed, number)).action
            answers.append(board.format_action(line.state, action) in problem.best)
            tell(number + 1, words=f"{sum(answers)} right")
    return answers
