"""The laws that every game must keep: a table of small functions, each applied to records of random
play.

A check returns None, or says in a few words how its law is broken. Positions come from `observe`,
so the laws see what the compiled game did.
"""

import importlib.util
import math
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from anyzero.core.base.extras import find_or_none, needs_package
from anyzero.core.game.contract import CHANCE, OVER
from anyzero.core.game.game import Game, State, Symmetry
from anyzero.core.game.load import load_trusted
from anyzero.core.game.rollouts import default_rollouts, rollouts
from anyzero.tools.laws.evidence import Evidence, Skip, draw_all, observe
from anyzero.tools.laws.explain import telling_state
from anyzero.tools.laws.observe import Observations, first_difference
from anyzero.tools.laws.simulator import ask_simulator

FALSE_ALARM = 1e-6  # the probability that a correct rollout is rejected


# --- the subjects of a law, and how to name their place


def every_position(evidence: Evidence) -> Iterator[tuple[Observations, str]]:
    for record in evidence.records:
        yield from ((record.at(ply), f" at ply {ply}") for ply in range(len(record.seats)))


def every_end(evidence: Evidence) -> Iterator[tuple[Observations, str]]:
    for number, record in enumerate(chain(evidence.records, evidence.more_records())):
        if record.seats[-1] == OVER:
            yield record.at(-1), f" in game {number}"


def some_states(most: int) -> Callable[[Evidence], Iterator[tuple[State, str]]]:
    return lambda evidence: ((state, "") for state in evidence.states(most))


def some_and_last_states(evidence: Evidence) -> Iterator[tuple[State, str]]:
    if evidence.game.example:  # its moves are those of a game with default options
        telling_state(load_trusted(evidence.game.source) if evidence.game.source else evidence.game)
    yield from some_states(8)(evidence)
    for number, record in enumerate(evidence.records):
        yield record.states[-1].copy(), f" at the end of game {number}"


class Law(NamedTuple):
    check: Callable[[Game, Any], str | None]  # its docstring states the law
    about: Callable[[Evidence], Iterable[tuple[Any, str]]] = lambda evidence: [(evidence, "")]
    needs: str = ""  # the game's own function that the law is about

    def find_fault(self, evidence: Evidence) -> str | None:
        if self.needs and not evidence.game.has(self.needs):
            raise Skip(f"the game has no {self.needs} of its own")
        faults = (
            (self.check(evidence.game, thing), where) for thing, where in self.about(evidence)
        )
        return next((fault + where for fault, where in faults if fault), None)


# --- laws on observations


def the_game_runs(game: Game, evidence: Evidence) -> str | None:
    """The game's functions compile, and random games can be played."""
    # Interpreted first: compiled code that writes out of range kills the process.
    return None if evidence.interpreted and evidence.records else "no game was played"


def interpreted_is_compiled(game: Game, evidence: Evidence) -> str | None:
    """The compiled game and the plain Python give the same answers."""
    return compare_interpreted(evidence, "compiled", evidence.records)


def compare_interpreted(
    evidence: Evidence, target: str, records: Iterable[Observations]
) -> str | None:
    for number, (plain, seen) in enumerate(zip(evidence.interpreted, records, strict=False)):
        if part := first_difference(seen, plain):
            return f"game {number}: interpreted and {target} differ in {part}"
    return None


def simulated_is_compiled(game: Game, evidence: Evidence) -> str | None:
    """The compiled game and the CUDA simulator give the same answers."""
    if not evidence.simulate:
        raise Skip("switched off")
    evidence.need_an_end()
    if importlib.util.find_spec("numba_cuda") is None or not game.source:
        raise Skip("numba-cuda is not installed, or the game is not loaded by name or file")
    return ask_simulator(game.text, evidence.seed)


def is_wasm_here() -> bool:
    browser = find_or_none("browser")
    return browser is not None and browser.can_run_wasm()


def wasm_is_interpreted(game: Game, evidence: Evidence) -> str | None:
    """The game as a browser runs it and the plain Python give the same answers."""
    if not evidence.browser:
        raise Skip("switched off")
    if not is_wasm_here():
        raise Skip(needs_package("wasmtime"))
    plain = evidence.interpreted[:2]
    seed = evidence.seed
    observation = (
        observe(game, seed=seed + number, rows=len(one.seats), target="wasm")
        for number, one in enumerate(plain)
    )
    return compare_interpreted(evidence, "wasm", observation)


def actions_are_legal_numbers(game: Game, at: Observations) -> str | None:
    """Legal actions are different numbers in range, and there is one exactly while the game
    runs.
    """
    if not (at.seats in (CHANCE, OVER) or 0 <= at.seats < game.num_seats):
        return f"seat_to_move is {at.seats}"
    if at.seats == OVER:
        return None
    if not 1 <= at.counts <= game.max_legal:
        return f"{at.counts} legal actions, not 1 to max_legal = {game.max_legal},"
    size = game.num_outcomes if at.seats == CHANCE else game.num_actions
    if len(set(at.actions.tolist())) != at.counts:
        return "an action is listed twice"
    wrong = at.actions[(at.actions < 0) | (at.actions >= size)]
    return f"the action {wrong[0]} is not in 0..{size - 1}" if len(wrong) else None


def questions_change_nothing(game: Game, at: Observations) -> str | None:
    """Only play changes a state."""
    return "a function other than play changed the state" if at.changed else None


def play_is_a_function(game: Game, evidence: Evidence) -> str | None:
    """The same actions lead to the same states, and a copy that is played leaves the original
    alone.
    """
    for number, record in enumerate(evidence.records[:6]):
        if evidence.replay(record, record.chosen).states.tobytes() != record.states.tobytes():
            return f"game {number} replayed from its actions is a different game"
    for state in evidence.states(12):
        before = state.tobytes()
        for action in game.legal_actions(state)[:1]:
            game.play(state, action)
        if state.tobytes() != before:
            return "playing a copy changed the original"
    return None


def keys_tell_positions_apart(game: Game, evidence: Evidence) -> str | None:
    """Positions with the same key have the same seat to move and the same legal actions, unless one
    is the end.
    """
    known: dict[int, Any] = {}
    for at, where in every_position(evidence):
        moves = int(at.seats), frozenset(at.actions.tolist())
        if at.seats != OVER and known.setdefault(int(at.keys), moves) != moves:
            return (
                "state_key gives one key to two positions with different legal actions, "
                f"one of them{where}"
            )
    return None


def games_end(game: Game, evidence: Evidence) -> str | None:
    """Every game ends within max_plies."""
    ends = evidence.ends and all(record.seats[-1] == OVER for record in evidence.more_records())
    return None if ends else f"a game went on for more than max_plies = {game.max_plies} plies"


def payoffs_are_fair(game: Game, end: Observations) -> str | None:
    """Payoffs are in [-1, 1], written for every seat, and sum to zero or follow from scores where
    the game says so.
    """
    payoffs = end.payoffs
    best = game.best_score
    if np.isnan(payoffs).any():
        return "payoffs leaves a seat without a result"
    if np.abs(payoffs).max() > 1.0:
        return f"payoffs {payoffs.tolist()} are not in [-1, 1]"
    if game.zero_sum and abs(payoffs.sum()) > 1e-9:
        return f"payoffs {payoffs.tolist()} do not sum to zero, which needs zero_sum=False,"
    if best and not np.allclose(payoffs, 2 * end.scores / best - 1, rtol=0.0, atol=1e-6):
        return (
            f"payoffs {payoffs.tolist()} with scores {end.scores.tolist()} are not 2 * "
            f"score / {best:g} - 1"
        )
    return None


def chance_weights_are_positive(game: Game, at: Observations) -> str | None:
    """Every outcome of a chance node has a positive weight."""
    ok = at.seats != CHANCE or (np.isfinite(at.weights).all() and (at.weights > 0).all())
    return None if ok else "a weight is not positive"


def amaf_keys_are_in_range(game: Game, at: Observations) -> str | None:
    """AMAF keys are in 0..num_amaf_keys-1."""
    ok = at.seats < 0 or ((at.amaf_keys >= 0).all() and (at.amaf_keys < game.num_amaf_keys).all())
    return None if ok else f"an AMAF key is not in 0..{game.num_amaf_keys - 1}"


def encodings_are_bounded(game: Game, evidence: Evidence) -> str | None:
    """Encodings are finite numbers in [-1, 1], and tell positions apart."""
    for at, where in every_position(evidence):
        if not (np.isfinite(at.planes).all() and np.abs(at.planes).max() <= 1.0):
            return f"the encoding leaves [-1, 1]{where}"
    flat = np.concatenate(
        [record.planes.reshape(len(record.planes), -1)[:-1] for record in evidence.records]
    )
    same = not flat.any() or len(np.unique(flat, axis=0)) < len(flat) // 20
    return "most positions have the same encoding" if same else None


# --- laws on optional functions


def symmetries_commute(game: Game, evidence: Evidence) -> str | None:
    """A turned game is the same game: legal actions, encodings and results turn with it."""
    for number, turn in enumerate(game.symmetries):
        sizes = math.prod(game.planes_shape), game.num_actions, game.num_outcomes
        for numbers, size in zip(turn, sizes, strict=True):
            if len(numbers) and sorted(numbers) != list(range(size)):
                return f"symmetry {number} is not a permutation of 0..{size - 1}"
        for record in evidence.records[:4]:
            if fault := compare_turned(evidence, record, turn):
                return f"symmetry {number}: {fault}"
    return None


def compare_turned(evidence: Evidence, record: Observations, turn: Symmetry) -> str | None:
    outcomes = turn.outcomes if len(turn.outcomes) else np.arange(evidence.game.num_outcomes)
    numbers = [turn.actions if seat >= 0 else outcomes for seat in record.seats]
    actions = zip(numbers, record.chosen, strict=True)
    script = np.array([to[action] if action >= 0 else action for to, action in actions], np.int64)
    turned = evidence.replay(record, script)
    if len(turned.seats) != len(record.seats):
        return f"the turned action at ply {len(turned.seats) - 1} is not legal"
    for ply in range(len(record.seats)):
        before = record.at(ply)
        after = turned.at(ply)
        if set(numbers[ply][before.actions].tolist()) != set(after.actions.tolist()):
            return f"the legal actions at ply {ply} do not turn"
        if (
            evidence.game.has("encode")
            and (before.planes.ravel()[turn.planes] != after.planes.ravel()).any()
        ):
            return f"the encoding at ply {ply} does not turn"
    over = record.seats[-1] == OVER
    return (
        "the result does not stay the same"
        if over and (record.payoffs != turned.payoffs).any()
        else None
    )


def moves_have_texts(game: Game, state: State) -> str | None:
    """The text of a legal action names that action and no other."""
    moves = {action: game.format_action(state, action) for action in game.legal_actions(state)}
    if len(set(moves.values())) != len(moves):
        return f"two legal actions have the same text among {', '.join(moves.values())}"
    for action, move in list(moves.items())[:12]:
        if game.parse_action(state, move) != action:
            return (
                f"the text {move!r} of action {action} is read as {game.parse_action(state, move)}"
            )
    return None


def positions_have_texts(game: Game, state: State) -> str | None:
    """The text of a position is one line and gives back the same position, byte for byte."""
    text = game.format_state(state)
    if "\n" in text:
        return "the text of a position has more than one line"
    again = game.parse_state(text)
    if again.tobytes() != state.tobytes():
        return (
            f"the position {text!r} is read back as {game.format_state(again)!r}, or "
            "with other bytes"
        )
    return None


def pictures_are_compiled(game: Game, evidence: Evidence) -> str | None:
    """draw and move_number give the same compiled, interpreted and in a browser, and change no
    state.
    """
    states = np.array(list(evidence.states(40)), game.state_dtype)
    before = states.tobytes()
    targets = (
        "interpreted",
        evidence.target,
        *(("wasm",) if evidence.browser and is_wasm_here() else ()),
    )
    plain, *others = (draw_all(game, states, target) for target in targets)
    for target, other in zip(targets[1:], others, strict=True):
        if any(one.tobytes() != same.tobytes() for one, same in zip(plain, other, strict=True)):
            return (
                f"draw or move_number give something else interpreted than with the target {target}"
            )
    return None if states.tobytes() == before else "draw or move_number changed the state"


def pictures_are_complete(game: Game, state: State) -> str | None:
    """A picture draws, and shows only what its board has."""
    picture = game.show(state)  # raises an error for anything not on its board
    return None if picture.text and picture.svg.startswith("<svg") else "the picture is empty"


def rollouts_are_random_play(game: Game, evidence: Evidence) -> str | None:
    """The game's own rollout gives results distributed like uniformly random play."""
    evidence.need_an_end()
    starts = [
        game.initial_state(),
        *(state for state in evidence.states(6) if not game.is_over(state)),
    ][:4]
    num = min(
        200_000,
        evidence.plies
        * len(evidence.records)
        // sum(len(record.seats) for record in evidence.records),
    )
    # The probability that two samples of one distribution are further apart is at most this
    # (Smirnov).
    bound = math.sqrt(math.log(2 * len(starts) * game.num_seats / FALSE_ALARM) / num)
    for number, state in enumerate(starts):
        plain = rollouts(
            default_rollouts(game), state, num, seed=evidence.seed, target=evidence.target
        )
        results = rollouts(game, state, num, seed=evidence.seed + 1, target=evidence.target)
        for seat in range(game.num_seats):
            distance = kolmogorov_distance(plain.payoffs[:, seat], results.payoffs[:, seat])
            if distance > bound:
                return (
                    f"position {number}, seat {seat}: {distance:.4f} from random play, "
                    f"at most {bound:.4f} expected"
                )
    return None


def kolmogorov_distance(left: np.ndarray, right: np.ndarray) -> float:
    """The maximum difference between two samples' distribution functions."""
    points = np.union1d(left, right)
    below = [
        np.searchsorted(np.sort(sample), points, side="right") / len(sample)
        for sample in (left, right)
    ]
    return float(np.abs(below[0] - below[1]).max())


ACTIONS_LAW = "actions are legal numbers"
LAWS = {
    "interpreted is compiled": Law(interpreted_is_compiled),
    "simulated GPU is compiled": Law(simulated_is_compiled),
    "wasm is interpreted": Law(wasm_is_interpreted),
    ACTIONS_LAW: Law(actions_are_legal_numbers, every_position),
    "questions change nothing": Law(questions_change_nothing, every_position),
    "play is a function": Law(play_is_a_function),
    "keys tell positions apart": Law(keys_tell_positions_apart),
    "games end": Law(games_end),
    "payoffs are fair": Law(payoffs_are_fair, every_end),
    "chance weights are positive": Law(chance_weights_are_positive, every_position),
    "AMAF keys are in range": Law(amaf_keys_are_in_range, every_position),
    "encodings are bounded": Law(encodings_are_bounded, needs="encode"),
    "symmetries commute with play": Law(symmetries_commute, needs="symmetries"),
    "moves have texts": Law(moves_have_texts, some_states(20)),
    "positions have texts": Law(positions_have_texts, some_states(40), needs="format_state"),
    "pictures are compiled": Law(pictures_are_compiled, needs="draw"),
    "pictures are complete": Law(pictures_are_complete, some_and_last_states, needs="board"),
    "rollouts are random play": Law(rollouts_are_random_play, needs="rollout"),
}
FATAL = (
    ACTIONS_LAW,
    "games end",
    "payoffs are fair",
    "chance weights are positive",
    "AMAF keys are in range",
)
"""Laws without which no use of a game is meaningful."""
