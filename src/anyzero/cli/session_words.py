"""The sentences of a terminal session and of a replay."""

from anyzero.games.game import Game, State
from anyzero.players.player import Answer
from anyzero.players.text import split_player
from anyzero.records import GameRecord
from anyzero.records.record import AGREEMENT, FORFEIT, RESIGN, UNFINISHED
from anyzero.search import SearchResult


def number(value: float | None) -> str:
    return "" if value is None else f"{value:+.3f}"


def player_words(text: str, game: Game) -> str:
    """The player's text; for a level, who that is in this game."""
    plain = split_player(text).in_game(game).text
    return text if plain == text else f"{text} ({plain})"


def answer_words(name: str, move: str, answer: Answer) -> str:
    """`uct:50 plays b2 (value +0.310, 50 simulations, 0.02 s, line b2 a1 c3)`; without a name only what follows it."""
    found = answer.result
    start = f"{name} plays {move}" if name else move
    return f"{start} ({answer.seconds:.2f} s)" if found is None else f"{start} ({line_words(found)})"


def line_words(found: SearchResult) -> str:
    """Value, effort, and how the search thinks that the game goes on."""
    proven = f", a proven {found.proven}" if found.proven else ""
    effort = f"{simulation_words(found.simulations)}, {found.seconds:.2f} s"
    return f"value {number(found.value)}{proven}, {effort}, line {' '.join(found.principal_variation)}"


def simulation_words(simulations: int) -> str:
    return f"{simulations} simulation{'s' * (simulations != 1)}"


def end_words(record: GameRecord, game: Game, last: State) -> str:
    """How the game ended, and for whom."""
    if record.termination == UNFINISHED:
        return "the game is not finished"
    words = [declared_words(record), winner_words(record), score_words(game, last)]
    return "game over: " + "; ".join(word for word in words if word)


def declared_words(record: GameRecord) -> str:
    """What ended the game, if it was not the rules."""
    if record.termination == AGREEMENT:
        return "agreed"
    if record.payoffs is None or record.termination not in (RESIGN, FORFEIT):
        return ""
    return f"{seat_words(record, record.payoffs.index(-1.0))} {record.termination}s"


def winner_words(record: GameRecord) -> str:
    payoffs = record.payoffs or ()
    if len(payoffs) < 2:
        return ""
    if len(set(payoffs)) == 1:
        return "a draw"
    best = [seat for seat, payoff in enumerate(payoffs) if payoff == max(payoffs)]
    return f"{' and '.join(seat_words(record, seat) for seat in best)} win{'s' * (len(best) == 1)}"


def score_words(game: Game, last: State) -> str:
    if not game.has("score"):
        return ""
    return f"score {' : '.join(f'{game.score(last, seat):g}' for seat in range(game.num_seats))}"


def seat_words(record: GameRecord, seat: int) -> str:
    return f"{record.players[seat]} (seat {seat})"
