"""Golden playthroughs: one short game each, as text. `python -m tests.games.golden` writes them
anew; read the diff.
"""

from pathlib import Path

from anyzero.core.game.contract import CHANCE
from anyzero.core.game.load import load

FOLDER = Path(__file__).parent / "golden"

GAMES = {
    "tic_tac_toe": "tic_tac_toe",
    "connect_four": "connect_four",
    "breakthrough": "breakthrough:rows=5,columns=5",
    "knightthrough": "knightthrough",
    "domineering": "domineering:rows=4,columns=4",
    "atarigo": "atarigo:size=5",
    "hex": "hex:size=4,swap=true",
    "oware": "oware",
    "chess": "chess",
    "take_it_easy": "take_it_easy",
}
MOST_PLIES = 40


def playthrough(text: str) -> str:
    """A game whose every choice follows from the ply alone, so that no random generator is part of
    the golden.
    """
    game = load(text)
    state, lines = game.initial_state(), [f"game {game.text}"]
    for ply in range(MOST_PLIES):
        if game.is_over(state):
            break
        moves = sorted(game.legal_moves(state))
        who = "chance" if game.seat_to_move(state) == CHANCE else f"seat {game.seat_to_move(state)}"
        move = moves[(7 * ply + 3) % len(moves)]
        lines.append(f"{game.format_state(state)}\n  {who}: {move} of {' '.join(moves)}")
        state = game.play(state, move)
    lines += [game.format_state(state), game.show(state).text]
    if game.is_over(state):
        lines.append(f"payoffs {' '.join(f'{payoff:g}' for payoff in game.payoffs(state))}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in GAMES.items():
        (FOLDER / f"{name}.txt").write_text(playthrough(text))
