"""Problems: positions whose best moves are proven, and how many of them a player finds."""

import pytest

import anyzero
from anyzero.core.base.errors import UnknownNameError
from anyzero.core.game.game import Game
from anyzero.core.game.load import names_with
from anyzero.core.game.play import Play
from anyzero.tools.arena.ladder import Problem, read_problems, solve_problems
from anyzero.tools.players.player import Player


def position(game: Game, problem: Problem):
    state = game.initial_state()
    for move in problem.moves:
        state = game.play(state, move)
    return state


@pytest.mark.parametrize("name", names_with("problems"))
def test_every_problem_is_a_position_in_which_some_legal_moves_are_best_and_others_are_not(name):
    problems = read_problems(name)
    assert len(set(problems)) == len(problems) > 90
    boards = {board: anyzero.load(board) for board in {problem.board for problem in problems}}
    for problem in problems:
        game = boards[problem.board]
        assert problem.best
        assert problem.best < set(game.legal_moves(position(game, problem)))


def test_connect_fours_problems_agree_with_the_solver_for_all_games():
    """The latest ones, as that solver is slow; the other one is much faster and knows only Connect
    Four.
    """
    game = anyzero.load("connect_four")
    latest = sorted(read_problems("connect_four"), key=lambda problem: -len(problem.moves))[:8]
    for problem in latest:
        assert set(anyzero.solve(game, position(game, problem)).best_moves) == problem.best


def test_who_always_plays_the_best_move_solves_everything_and_who_never_does_nothing(monkeypatch):
    some = read_problems("connect_four")[:30]
    monkeypatch.setattr("anyzero.tools.arena.ladder.read_problems", lambda name: some)
    known = {problem.moves: problem.best for problem in some}

    def knower(right: bool) -> Player:
        def choose(game: Game, line: Play, seed: int) -> int:
            state, moves = line.start, []
            for action in line.actions:
                moves.append(game.format_action(state, action))
                state = game.play(state, action)
            legal = game.legal_moves(state)
            return game.parse_action(
                state, next(m for m in legal if (m in known[tuple(moves)]) == right)
            )

        return Player("knower", choose)

    assert solve_problems("connect_four", knower(True), progress=False) == [True] * 30
    assert solve_problems("connect_four", knower(False), progress=False) == [False] * 30


def test_a_game_without_problems_is_one_sentence():
    with pytest.raises(
        UnknownNameError,
        match="there are no problems for oware; games that have some: connect_four",
    ):
        solve_problems("oware", "random")
