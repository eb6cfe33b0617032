"""A first look: a game of Hex between flat Monte Carlo and random play, with the board after every
few moves.
"""

import random

import anyzero
from anyzero.core.game.rollouts import rollouts

ROLLOUTS_A_MOVE = 2_000


def best_by_rollouts(game: anyzero.Game, state: object, seed: int) -> int:
    """The action after which random games end best for the seat to move."""
    seat, actions = game.seat_to_move(state), game.legal_actions(state)
    streams = ROLLOUTS_A_MOVE // len(actions) + 1

    def mean(action: int) -> float:
        after = game.play(state, action)
        if game.is_over(after):
            return float(game.payoffs(after)[seat])
        return float(rollouts(game, after, streams, seed=seed).payoffs[:, seat].mean())

    return max(actions, key=mean)


def main() -> None:
    game, choose = anyzero.load("hex", size=7), random.Random(1)
    state, ply = game.initial_state(), 0
    print(
        "Hex 7x7: the first seat (top to bottom) counts 2,000 random games a move, the "
        "second plays at random.\n"
    )
    while not game.is_over(state):
        if game.seat_to_move(state) == 0:
            action = best_by_rollouts(game, state, seed=ply)
        else:
            action = choose.choice(game.legal_actions(state))
        move, state, ply = game.format_action(state, action), game.play(state, action), ply + 1
        if ply % 6 == 0 or game.is_over(state):
            print(f"after {ply} moves, the last one {move}:\n{game.show(state).text}\n")
    print("payoffs:", game.payoffs(state).tolist())


if __name__ == "__main__":
    main()
