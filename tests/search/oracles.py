"""Slow and plain ways to the exact value of a position, that share nothing with the solver."""

import random
from functools import cache
from itertools import product

import numpy as np

from anyzero.core.game import contract
from anyzero.core.game.load import load

# --- tic-tac-toe, from a second reading of its rules

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
NAMES = [column + row for row in "123" for column in "abc"]


def mover_of(board):
    return "xo"[board.count("x") - board.count("o")]


def moves_of(board):
    """The boards after each move; none once the game is over."""
    if any(board[a] == board[b] == board[c] != "." for a, b, c in LINES):
        return {}
    empty = [cell for cell in range(9) if board[cell] == "."]
    return {NAMES[cell]: board[:cell] + mover_of(board) + board[cell + 1 :] for cell in empty}


@cache
def tic_tac_toe_value(board):
    """For the side to move."""
    after = moves_of(board)
    if after:
        return max(-tic_tac_toe_value(board) for board in after.values())
    return -1 if any(board[a] == board[b] == board[c] != "." for a, b, c in LINES) else 0


@cache
def reachable(board):
    return {board}.union(*(reachable(after) for after in moves_of(board).values()))


# --- Hex, by a search that knows what must be played


class MustPlay:
    """Hex on rows of bits. An opponent's win after one move uses some cells, and every other move
    must touch them.
    """

    def __init__(self, size):
        self.size, self.wide, self.memo = size, size + 1, {}
        self.cells = [row * self.wide + column for row, column in product(range(size), repeat=2)]
        row, column = (1 << size) - 1, sum(1 << row * self.wide for row in range(size))
        self.edges = (row, row << (size - 1) * self.wide), (column, column << size - 1)

    def joined(self, stones, seat):
        start, end = self.edges[seat]
        reached, before, wide = stones & start, 0, self.wide
        while reached != before:
            before = reached
            around = reached << 1 | reached >> 1 | reached << wide | reached >> wide
            reached |= stones & (around | reached << wide - 1 | reached >> wide - 1)
        return reached & end != 0

    def solve(self, stones, seat):
        """The winner with this seat to move, and the cells that its win needs."""
        if self.joined(stones[1 - seat], 1 - seat):
            return 1 - seat, 0
        if stones not in self.memo:
            self.memo[stones] = self.try_moves(stones, seat)
        return self.memo[stones]

    def try_moves(self, stones, seat):
        must, needed = ~(stones[0] | stones[1]), 0
        for cell in sorted(self.cells, key=self.from_centre):
            if must >> cell & 1:
                after = tuple(
                    mine | 1 << cell if seat == who else mine for who, mine in enumerate(stones)
                )
                winner, used = self.solve(after, 1 - seat)
                if winner == seat:
                    return seat, used | 1 << cell
                must &= used
                needed |= used
        return 1 - seat, needed

    def from_centre(self, cell):
        return sum(abs(2 * place - self.size + 1) for place in divmod(cell, self.wide))

    def winning_openings(self):
        """The half turn of the board changes nothing, so half of the cells are enough."""
        half = self.cells[: (len(self.cells) + 1) // 2]
        won = {cell for cell in half if self.solve((1 << cell, 0), 1)[0] == 0}
        turned = {self.cells[-1] - cell for cell in won}
        return {self.name(cell) for cell in won | turned}

    def name(self, cell):
        return "abcd"[cell % self.wide] + str(cell // self.wide + 1)


# --- any game, by minimax without a table or bounds


class Plain:
    """A game's functions as plain Python, and minimax over them."""

    def __init__(self, text):
        self.game, self.values, self.left = load(text), {}, 0
        self.step = {
            name: self.game.compile(generic, "interpreted")
            for name, generic in contract.COMPILED.items()
        }

    def seat(self, state):
        return self.step["seat_to_move"](self.game.rules, state)

    def after(self, state):
        actions = self.game.new_actions()
        count = self.step["legal_actions"](self.game.rules, state, actions)
        return {int(action): self.play(state, int(action)) for action in actions[:count]}

    def play(self, state, action):
        after = state.copy()
        self.step["play"](self.game.rules, after, action)
        return after

    def value(self, state):
        """The first seat's payoff."""
        key = state.tobytes()
        if key not in self.values:
            if self.left == 0:
                raise TooLargeError
            self.left -= 1
            seat = self.seat(state)
            if seat == contract.OVER:
                out = np.zeros(2)
                self.step["payoffs"](self.game.rules, state, out)
                self.values[key] = out[0]
            else:
                self.values[key] = (max, min)[seat](map(self.value, self.after(state).values()))
        return self.values[key]

    def late_position(self, seed, most):
        """The first position of a random game below which few new ones lie; None if there is
        none.
        """
        chooser, states = random.Random(seed), [self.game.initial_state()]
        while self.seat(states[-1]) != contract.OVER:
            states.append(chooser.choice(list(self.after(states[-1]).values())))
        found = None
        for state in reversed(states[:-1]):
            self.left = most
            try:
                self.value(state)
            except TooLargeError:
                break
            found = state
        return found


class TooLargeError(Exception):
    pass
