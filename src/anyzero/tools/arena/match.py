"""One game between players: the moves, how it ended, and who was at fault if it did not end by the
rules.
"""

import math
import operator
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from anyzero.core.base.errors import BadGameError, IllegalMoveError
from anyzero.core.base.nouns import Values
from anyzero.core.base.seeds import draw_seed, draw_unit
from anyzero.core.game.contract import CHANCE, OVER
from anyzero.core.game.game import Game, State
from anyzero.core.game.play import BY_THE_RULES, End, Play, Reason, move_texts, outcome_at
from anyzero.tools.arena.plan import Match
from anyzero.tools.players import Player
from anyzero.tools.players.player import FailedPlayerError, ResignedError

MATCH_FORM = "anyzero games 1"  # of a file with the games of a match, one per line
REASON_WORDS = {
    Reason.RULES: "normal",
    Reason.CRASH: "crash",
    Reason.ILLEGAL_MOVE: "illegal move",
    Reason.LATE: "time",
    Reason.RESIGNATION: "resignation",
}
"""How such a file says why a game ended; all but the first are forfeits."""
REASONS = {word: reason for reason, word in REASON_WORDS.items()}
REASON_OF_ERROR = (
    (TimeoutError, Reason.LATE),
    (IllegalMoveError, Reason.ILLEGAL_MOVE),
    (ResignedError, Reason.RESIGNATION),
)  # by a player's exception
NOBODY = -1


class Live:
    """The progress of the current game, in memory shared by two processes: it survives a player
    that kills its process.

    The worker writes before and after every move; the arena reads only when something goes wrong.
    """

    def __init__(
        self, file: Path | IO[bytes], max_plies: int, num_seats: int, *, create: bool
    ) -> None:
        fields: list[Any] = [
            ("seat", np.int64),  # the seat thinking, or NOBODY
            ("deadline", np.float64),  # on the monotonic clock shared by all processes
            ("opening", np.int64),  # its number of moves
            ("num_actions", np.int64),
            ("seconds", np.float64, (num_seats,)),
            ("actions", np.int32, (max_plies + 1,)),
        ]
        self.row = np.memmap(file, np.dtype(fields), "w+" if create else "r+", shape=(1,))[0]
        if create:
            self.start_match(0)

    def start_match(self, opening: int) -> None:
        row = self.row
        row["seat"] = NOBODY
        row["num_actions"] = 0
        row["seconds"] = 0.0
        row["opening"] = opening

    def add(self, action: int) -> None:
        self.row["actions"][self.row["num_actions"]] = action
        self.row["num_actions"] += 1

    @property
    def is_thinking(self) -> bool:
        """Whether a player is to blame for what happens now."""
        return bool(self.row["seat"] != NOBODY)

    @property
    def actions(self) -> list[int]:
        return [int(action) for action in self.row["actions"][: self.row["num_actions"]]]


@dataclass(frozen=True)
class MatchResult:
    match: Match
    players: list[str]  # by seat
    opening: int  # number of opening moves
    moves: list[str]  # texts, including chance outcomes
    payoffs: list[float]
    scores: list[float] | None  # points per seat, for games with scores
    end: End
    detail: str  # what the seat at fault did
    seconds: list[float]  # thinking time per seat

    @property
    def reason(self) -> str:
        """Why the game ended, as files say it."""
        return REASON_WORDS[self.end.reason]

    @property
    def forfeited_by(self) -> int | None:
        """The seat at fault."""
        return self.end.seat

    def to_json(self) -> Values:
        return {
            "match": list(self.match),
            "players": self.players,
            "opening": self.opening,
            "moves": self.moves,
            "payoffs": self.payoffs,
            "scores": self.scores,
            "reason": self.reason,
            "forfeited_by": self.forfeited_by,
            "detail": self.detail,
            "seconds": self.seconds,
        }

    @staticmethod
    def from_json(values: Values) -> "MatchResult":
        columns = dict(values)
        first, second, pair, leg = map(int, columns.pop("match"))
        reason = REASONS.get(columns.pop("reason"), Reason.FORFEIT)
        end = End(reason, columns.pop("forfeited_by"))
        return MatchResult(match=Match(first, second, pair, leg), end=end, **columns)


class ForfeitError(Exception):
    """The seat to move has lost: a reason, and what it did."""


def play_match(
    game: Game,
    match: Match,
    players: Sequence[Player],
    opening: Sequence[int],
    *,
    seed: int,
    live: Live,
    limit_s: float | None = None,
) -> MatchResult:
    """Play one game to its end; `players` are by seat, and `live` shows its progress to other
    processes.
    """
    for player in players:
        with suppress(FailedPlayerError):  # its first move will report it
            player.prepare(game)
    line = Play.begin(game)
    live.start_match(len(opening))
    for action in opening:
        live.add(action)
        line = line.play(game, action)
    reason = Reason.RULES
    detail = ""
    draws = 0
    while (seat := game.seat_to_move(line.state)) != OVER:
        if len(line.actions) >= game.max_plies:
            raise BadGameError(f"a game was longer than its max_plies, {game.max_plies}")
        if seat == CHANCE:
            action = outcome_at(game, line.state, draw_unit("chance", seed, match.pair, draws))
            draws += 1
        else:
            move_seed = draw_seed("move", seed, *match, len(line.actions))
            try:
                action = ask_player(
                    game, line, players[seat], seat, seed=move_seed, live=live, limit_s=limit_s
                )
            except ForfeitError as forfeit:
                reason, detail = forfeit.args
                break
        live.add(action)
        line = line.play(game, action)
    return result_so_far(game, match, [player.text for player in players], live, reason, detail)


def ask_player(
    game: Game,
    line: Play,
    player: Player,
    seat: int,
    *,
    seed: int,
    live: Live,
    limit_s: float | None,
) -> int:
    """The player's action, or a ForfeitError that says what it did instead."""
    limit = min(
        (limit for limit in (limit_s, player.limit_s) if limit is not None), default=math.inf
    )
    live.row["deadline"] = time.monotonic() + limit  # first: a thinking player must have a deadline
    live.row["seat"] = seat
    start = time.perf_counter()
    try:
        answer = player.choose(game, line.copy(), seed)
    except (Exception, SystemExit) as error:
        reason = next(
            (reason for kind, reason in REASON_OF_ERROR if isinstance(error, kind)), Reason.CRASH
        )
        raise ForfeitError(reason, f"{type(error).__name__}: {error}") from error
    finally:
        seconds = time.perf_counter() - start
        live.row["seat"] = NOBODY
        live.row["seconds"][seat] += seconds
    if seconds > limit:
        raise ForfeitError(Reason.LATE, f"a move took {seconds:.2f} s, the limit was {limit:.2f} s")
    try:
        action = operator.index(answer)
    except TypeError:
        raise ForfeitError(Reason.ILLEGAL_MOVE, f"{answer!r} is not an action") from None
    if action not in game.legal_actions(line.state):
        raise ForfeitError(Reason.ILLEGAL_MOVE, f"action {action} is not legal")
    return action


def result_so_far(
    game: Game, match: Match, players: list[str], live: Live, reason: Reason, detail: str
) -> MatchResult:
    """The result of the game followed by `live`; a forfeit is by the seat to move in the last
    position.
    """
    moves, state = move_texts(game, game.initial_state(), live.actions)
    end = end_of_match(game, state, reason)
    payoffs, scores = outcome(game, state, end)
    seconds = [round(seconds, 4) for seconds in live.row["seconds"][: game.num_seats].tolist()]
    opening = int(live.row["opening"])
    return MatchResult(match, players, opening, moves, payoffs, scores, end, detail, seconds)


def check_match_result(
    game: Game, result: MatchResult, players: Sequence[str], *, replay: bool
) -> None:
    """ValueError unless a result that was read is between these players, and matches its moves if
    replayed.
    """
    if result.players != [players[index] for index in result.match.by_seat(game.num_seats)]:
        raise ValueError("its players differ")
    if len(result.payoffs) != game.num_seats or not all(
        -1.0 <= payoff <= 1.0 for payoff in result.payoffs
    ):
        raise ValueError("its payoffs are not from -1 to 1")
    if not replay:
        return
    state = game.play(game.initial_state(), *result.moves)
    is_by_rules = result.end.reason is Reason.RULES
    if result.end.reason not in REASON_WORDS or game.is_over(state) != is_by_rules:
        raise ValueError("its moves do not end that way")
    end = end_of_match(game, state, result.end.reason)
    if end != result.end:
        raise ValueError("its moves do not end that way")
    if outcome(game, state, end) != (result.payoffs, result.scores):
        raise ValueError("its moves do not lead to its payoffs")


def end_of_match(game: Game, state: State, reason: Reason) -> End:
    """The end with this last position: the seat to move there is at fault if anyone is."""
    return BY_THE_RULES if reason is Reason.RULES else End(reason, game.seat_to_move(state))


def outcome(game: Game, state: State, end: End) -> tuple[list[float], list[float] | None]:
    """The payoffs, and points per seat: a seat that forfeits has 0, or fewer if negative."""
    payoffs = list(end.payoffs(game, state) or ())
    if not game.has("score"):
        return payoffs, None
    scores = [game.score(state, seat) for seat in range(game.num_seats)]
    return (
        payoffs,
        [min(0.0, score) if seat == end.seat else score for seat, score in enumerate(scores)],
    )
