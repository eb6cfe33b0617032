"""The laws that every game must keep, each a check on random play; `check_game` runs them all.

A law is a function that returns None or says in one sentence how it was broken. Positions come from `observe`, so
what the laws see is what the compiled game did.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from anyzero.errors import BadGameError
from anyzero.games.contract import CHANCE, OVER
from anyzero.games.evidence import Evidence, Skip, last_seen
from anyzero.games.faults import tell
from anyzero.games.game import Game
from anyzero.games.observe import Observations, observe
from anyzero.games.rollouts import rollouts
from anyzero.games.simulate import simulate_game

FALSE_ALARM = 1e-6
"""The chance that a right rollout is called wrong."""


class LawResult(NamedTuple):
    law: str
    ok: bool
    detail: str


def check_game(game: Game, *laws: str, **options: Any) -> list[LawResult]:
    """Check these laws, or all of them, on a game. Options: num_games, plies, simulate, seed (see `Evidence`)."""
    return list(judge_all(game, *laws, **options))


def judge_all(game: Game, *laws: str, **options: Any) -> Iterator[LawResult]:
    """The same, law by law; a game that does not run is asked nothing else."""
    evidence = Evidence(game, **options)
    first = judge(FIRST_LAW, the_game_runs, evidence)
    yield first
    if first.ok:
        yield from (judge(name, LAWS[name], evidence) for name in laws or LAWS)


def judge(name: str, law: "Law", evidence: Evidence) -> LawResult:
    """A law that is broken, and also one that cannot be checked because the game's own code fails."""
    try:
        broken = law(evidence)
    except Skip as skip:
        return LawResult(name, True, f"not checked: {skip}")
    except (Exception, SystemExit) as error:  # the game is a stranger's code: whatever it raises is the finding
        return blame(name, error, evidence.game)
    return LawResult(name, broken is None, broken or (law.__doc__ or "").strip())


def blame(name: str, error: BaseException, game: Game) -> LawResult:
    """What the error says and where, and the ply; it is the law on actions that is broken if one of them is wrong."""
    cause = error.__cause__ if isinstance(error, BadGameError) and error.__cause__ else error
    detail, seen = tell(cause, game.functions), last_seen(cause)
    if seen is None:
        return LawResult(name, False, detail)
    record, ply = seen
    was_played = record.chosen[ply] >= 0  # else its actions may not be there yet
    wrong = wrong_actions(game, record.seats[ply], record.counts[ply], record.actions[ply]) if was_played else None
    if wrong:
        return LawResult(ACTIONS_LAW, False, f"{wrong} at ply {ply}; {detail}")
    return LawResult(name, False, f"{detail}, at ply {ply}")


Law = Callable[[Evidence], str | None]


# --- laws on what was observed


def the_game_runs(evidence: Evidence) -> str | None:
    """The game's functions compile, and random games can be played."""
    # Interpreted first: compiled code that writes out of range ends the process.
    return None if evidence.interpreted and evidence.records else "no game was played"


def interpreted_is_compiled(evidence: Evidence) -> str | None:
    """The compiled game and the plain Python give the same answers."""
    for number, plain in enumerate(evidence.interpreted):
        broken = first_difference(evidence.records[number], plain)
        if broken:
            return f"game {number}: interpreted and compiled differ in {broken}"
    return None


def simulated_is_compiled(evidence: Evidence) -> str | None:
    """The compiled game and the CUDA simulator give the same answers."""
    game = evidence.game
    if not evidence.simulate:
        raise Skip("switched off")
    evidence.need_an_end()
    seen = simulate_game(game, seed=evidence.seed, rows=min(evidence.rows, 40), streams=2)
    if seen is None:
        raise Skip("numba-cuda is not installed, or the game is not loaded by name or file")
    expected = rollouts(game, game.initial_state(), 2, seed=evidence.seed)
    if not np.array_equal(expected.payoffs, seen.payoffs) or not np.array_equal(expected.moves, seen.moves):
        return "rollouts with the same seeds end differently"
    keys, record = seen.keys, evidence.records[0]
    if not np.array_equal(record.keys[: len(keys)], keys):
        return "the same game leads to other positions"
    return None


def first_difference(left: Observations, right: Observations) -> str | None:
    """The first part in which two records of one game differ, as far as both go."""
    rows = min(len(left.seats), len(right.seats)) - 1  # the last row of a cut record has no chosen action
    for name in ("seats", "counts", "actions", "chosen", "keys", "weights", "amaf_keys", "planes", "scores"):
        one, other = getattr(left, name)[:rows], getattr(right, name)[:rows]
        differs = np.array([not np.array_equal(a, b) for a, b in zip(one, other, strict=True)])
        if differs.any():
            return f"{name} at ply {int(differs.argmax())}"
    over = left.seats[-1] == OVER and len(left.seats) == len(right.seats)
    return "payoffs" if over and not np.array_equal(left.payoffs, right.payoffs) else None


def actions_are_legal_numbers(evidence: Evidence) -> str | None:
    """Legal actions are different numbers in range, and there is one exactly while the game runs."""
    for ply, seat, count, actions in rows_of(evidence, "seats", "counts", "actions"):
        wrong = wrong_actions(evidence.game, seat, count, actions)
        if wrong:
            return f"{wrong} at ply {ply}"
    return None


def wrong_actions(game: Game, seat: int, count: int, actions: np.ndarray) -> str | None:
    """What is wrong with the seat to move of a position, or with its actions."""
    if not (seat in (CHANCE, OVER) or 0 <= seat < game.num_seats):
        return f"seat_to_move is {seat}"
    if seat == OVER:
        return None
    if not 1 <= count <= game.max_legal:
        return f"{count} legal actions, not 1 to max_legal = {game.max_legal},"
    legal, size = actions[:count], game.num_outcomes if seat == CHANCE else game.num_actions
    if len(set(legal.tolist())) != count:
        return "an action is listed twice"
    wrong = legal[(legal < 0) | (legal >= size)]
    return f"the action {wrong[0]} is not in 0..{size - 1}" if len(wrong) else None


def questions_change_nothing(evidence: Evidence) -> str | None:
    """Only play changes a state."""
    for ply, changed in rows_of(evidence, "changed"):
        if changed:
            return f"a function other than play changed the state at ply {ply}"
    return None


def play_is_a_function(evidence: Evidence) -> str | None:
    """The same actions lead to the same states, and a copy that is played leaves the original alone."""
    for number, record in enumerate(evidence.records[:6]):
        again = observe(evidence.game, seed=evidence.seed + 999, rows=len(record.seats), script=record.chosen)
        if again.states.tobytes() != record.states.tobytes():
            return f"game {number} played again from its actions is another game"
    for state in evidence.positions(12):
        actions, before = evidence.game.legal_actions(state), state.tobytes()
        if actions:
            evidence.game.play(state, actions[0])
        if state.tobytes() != before:
            return "playing a copy changed the original"
    return None


def games_end(evidence: Evidence) -> str | None:
    """Every game ends within max_plies."""
    most = evidence.game.max_plies
    return None if evidence.ends else f"a game went on for more than max_plies = {most} plies"


def payoffs_are_fair(evidence: Evidence) -> str | None:
    """Payoffs are in [-1, 1], written for every seat, and sum to zero where the game says so."""
    game = evidence.game
    for number, record in enumerate(evidence.records):
        if record.seats[-1] != OVER:
            continue
        if np.isnan(record.payoffs).any():
            return f"game {number}: payoffs leaves a seat without a result"
        if np.abs(record.payoffs).max() > 1.0:
            return f"game {number}: payoffs {record.payoffs.tolist()} are not in [-1, 1]"
        if game.zero_sum and abs(record.payoffs.sum()) > 1e-9:
            return f"game {number}: payoffs {record.payoffs.tolist()} do not sum to zero"
    return None


def chance_weights_are_positive(evidence: Evidence) -> str | None:
    """Every outcome of a chance node has a positive weight."""
    for ply, seat, count, weights in rows_of(evidence, "seats", "counts", "weights"):
        if seat == CHANCE and not (np.isfinite(weights[:count]).all() and (weights[:count] > 0).all()):
            return f"a weight at ply {ply} is not positive"
    return None


def amaf_keys_are_in_range(evidence: Evidence) -> str | None:
    """AMAF keys are in 0..num_amaf_keys-1."""
    for ply, seat, count, keys in rows_of(evidence, "seats", "counts", "amaf_keys"):
        if seat >= 0 and not (keys[:count].min() >= 0 and keys[:count].max() < evidence.game.num_amaf_keys):
            return f"an AMAF key at ply {ply} is not in 0..{evidence.game.num_amaf_keys - 1}"
    return None


def encodings_are_bounded(evidence: Evidence) -> str | None:
    """Encodings are finite numbers in [-1, 1], and tell positions apart."""
    if not evidence.game.has("encode"):
        raise Skip("the game has no encode")
    for ply, planes in rows_of(evidence, "planes"):
        if not (np.isfinite(planes).all() and np.abs(planes).max() <= 1.0):
            return f"the encoding at ply {ply} leaves [-1, 1]"
    flat = np.concatenate([record.planes.reshape(len(record.planes), -1)[:-1] for record in evidence.records])
    if not flat.any() or len(np.unique(flat, axis=0)) < len(flat) // 20:
        return "most positions have the same encoding"
    return None


def rows_of(evidence: Evidence, *names: str) -> Iterator[Any]:
    """The ply and the named parts of every position seen."""
    for record in evidence.records:
        parts = [getattr(record, name) for name in names]
        yield from ((ply, *row) for ply, row in enumerate(zip(*parts, strict=True)))


# --- laws on what the game adds


def symmetries_commute(evidence: Evidence) -> str | None:
    """A turned game is the same game: legal actions, encodings and results turn with it."""
    game = evidence.game
    if not game.symmetries:
        raise Skip("the game has no symmetries")
    for number, turn in enumerate(game.symmetries):
        for actions, size in ((turn.planes, math.prod(game.planes_shape)), (turn.actions, game.num_actions)):
            if len(actions) and sorted(actions) != list(range(size)):
                return f"symmetry {number} is not a permutation of 0..{size - 1}"
        for record in evidence.records[:4]:
            broken = compare_turned(game, record, turn)
            if broken:
                return f"symmetry {number}: {broken}"
    return None


def compare_turned(game: Game, record: Observations, turn: Any) -> str | None:
    decisions = record.seats >= 0
    script, moved = record.chosen.copy(), decisions & (record.chosen >= 0)
    script[moved] = turn.actions[script[moved]]
    turned = observe(game, seed=0, rows=len(record.seats), script=script)
    if len(turned.seats) != len(record.seats):
        return f"the turned action at ply {len(turned.seats) - 1} is not legal"
    for ply in range(len(record.seats)):
        count = record.counts[ply]
        expected = turn.actions[record.actions[ply, :count]] if decisions[ply] else record.actions[ply, :count]
        if set(expected.tolist()) != set(turned.actions[ply, : turned.counts[ply]].tolist()):
            return f"the legal actions at ply {ply} do not turn"
        if game.has("encode") and not np.array_equal(
            record.planes[ply].ravel()[turn.planes], turned.planes[ply].ravel()
        ):
            return f"the encoding at ply {ply} does not turn"
    if record.seats[-1] == OVER and not np.array_equal(record.payoffs, turned.payoffs):
        return "the result does not stay the same"
    return None


def moves_have_texts(evidence: Evidence) -> str | None:
    """The text of a legal action names that action and no other."""
    game = evidence.game
    for state in evidence.positions(20):
        moves = {action: game.format_action(state, action) for action in game.legal_actions(state)}
        if len(set(moves.values())) != len(moves):
            return f"two legal actions have the same text among {', '.join(moves.values())}"
        for action, move in list(moves.items())[:12]:
            if game.parse_action(state, move) != action:
                return f"the text {move!r} of action {action} is read as {game.parse_action(state, move)}"
    return None


def positions_have_texts(evidence: Evidence) -> str | None:
    """The text of a position is one line and gives back the same position, byte for byte."""
    game = evidence.game
    if not game.has("format_state"):
        raise Skip("the game has no format_state")
    for state in evidence.positions(40):
        text = game.format_state(state)
        if "\n" in text:
            return "the text of a position has more than one line"
        again = game.parse_state(text)
        if again.tobytes() != state.tobytes():
            return f"the position {text!r} is read back as {game.format_state(again)!r}, or with other bytes"
    return None


def pictures_are_complete(evidence: Evidence) -> str | None:
    """A picture draws, names only its own cells, and lets every legal action be clicked."""
    game = evidence.game
    if not game.has("scene"):
        raise Skip("the game has no scene")
    for state in evidence.positions(8):
        scene, picture = game.scene(state), game.show(state)
        cells = {cell.name for cell in scene.cells}
        clicked = {name for names in scene.clicks.values() for name in names}
        if not picture.text or not picture.svg.startswith("<svg"):
            return "the picture is empty"
        if unknown := (clicked | {piece.cell for piece in scene.pieces}) - cells:
            return f"the picture names a cell that it does not draw: {sorted(unknown)[0]}"
        if game.seat_to_move(state) >= 0 and set(scene.clicks) != set(game.legal_actions(state)):
            return "the clicks do not cover the legal actions"
    return None


def rollouts_are_random_play(evidence: Evidence) -> str | None:
    """The game's own rollout gives results distributed like uniformly random play."""
    game = evidence.game
    if not game.has("rollout"):
        raise Skip("the game has no rollout of its own")
    evidence.need_an_end()
    starts = [game.initial_state(), *(state for state in evidence.positions(6) if not game.is_over(state))][:4]
    bound = kolmogorov_bound(evidence.rollouts, FALSE_ALARM / (len(starts) * game.num_seats))
    for number, state in enumerate(starts):
        plain = rollouts(default_rollouts(game), state, evidence.rollouts, seed=evidence.seed)
        own = rollouts(game, state, evidence.rollouts, seed=evidence.seed + 1)
        for seat in range(game.num_seats):
            distance = kolmogorov_distance(plain.payoffs[:, seat], own.payoffs[:, seat])
            if distance > bound:
                return f"position {number}, seat {seat}: {distance:.4f} from random play, at most {bound:.4f} expected"
    return None


def default_rollouts(game: Game) -> Game:
    """The same game, played at random by the rules alone."""
    if not game.has("rollout"):
        return game
    return replace(game, functions=[function for function in game.functions if function.__name__ != "rollout"])


def kolmogorov_distance(left: np.ndarray, right: np.ndarray) -> float:
    """The greatest difference between two samples' distribution functions."""
    points = np.union1d(left, right)
    below = [np.searchsorted(np.sort(sample), points, side="right") / len(sample) for sample in (left, right)]
    return float(np.abs(below[0] - below[1]).max())


def kolmogorov_bound(num: int, chance: float) -> float:
    """The distance that two samples of `num` from one distribution exceed with at most this chance (Smirnov)."""
    return math.sqrt(math.log(2 / chance) / num)


FIRST_LAW, ACTIONS_LAW = "the game runs", "actions are legal numbers"
LAWS: dict[str, Law] = {
    "interpreted is compiled": interpreted_is_compiled,
    "simulated GPU is compiled": simulated_is_compiled,
    ACTIONS_LAW: actions_are_legal_numbers,
    "questions change nothing": questions_change_nothing,
    "play is a function": play_is_a_function,
    "games end": games_end,
    "payoffs are fair": payoffs_are_fair,
    "chance weights are positive": chance_weights_are_positive,
    "AMAF keys are in range": amaf_keys_are_in_range,
    "encodings are bounded": encodings_are_bounded,
    "symmetries commute with play": symmetries_commute,
    "moves have texts": moves_have_texts,
    "positions have texts": positions_have_texts,
    "pictures are complete": pictures_are_complete,
    "rollouts are random play": rollouts_are_random_play,
}
