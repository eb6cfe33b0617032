"""The game loop: a plain function that plays one game until it needs a network's answer.

It is the only loop over games. Self-play, gates, ratings and benchmarks differ in their
contestants, pairings and `Manner`; on the CPU a thread calls it for its share of the games, on a
GPU there is one thread per game.
"""

import numpy as np

from anyzero.core.base.nouns import Numbers, Rules, Word
from anyzero.core.compile.bind import Function
from anyzero.core.compile.random import U, random_below, random_unit, seed_stream
from anyzero.core.game.contract import CHANCE, OVER, draw_outcome, legal_actions, play, seat_to_move
from anyzero.core.learning.games import (
    BY_RULES,
    CUT_OFF,
    ENDING,
    IDLE,
    MOVING,
    NEVER,
    RESIGNED,
    SEARCHING,
    Games,
    Manner,
    Slots,
    end_game,
    keep_sample,
    list_policy,
    page_of,
)
from anyzero.core.search.leaves import advance_tree
from anyzero.core.search.methods import GUMBEL, Settings
from anyzero.core.search.report import choose_child_of_root, draw_index, value_after
from anyzero.core.search.reuse import copy_node, copy_subtree
from anyzero.core.search.simulation import (
    ANY_CHILD,
    begin_tree,
    prepare_root,
    simulate_tree,
)
from anyzero.core.search.tree import root_of

INLINED = True  # these functions are compiled into their callers: see compile.kernels

PLIES = 1 << 16  # more than any game has: a search uses random stream number stream * PLIES + ply
NOWHERE = -1


def advance_game(
    rules: Rules, slots: Slots, settings: Settings, late: Settings, answers: Numbers, number: int
) -> bool:
    """Apply the network's answer and continue, to the next move or the next game, until another
    answer is needed.

    False when none is: the slot is idle, waits to be fetched, or another search has to move.
    `answers` are logits and values; `late` are the settings after the plies in which moves are
    sampled.
    """
    games = slots.games
    manner = slots.manner
    while games.search[number] == manner.search:
        phase = games.phase[number]
        current = settings if games.plies[number] < manner.temperature_plies else late
        if phase == SEARCHING:
            if grow_tree(rules, slots, current, answers, number):
                return True
            finish_move(rules, slots, current, number)
        elif phase == MOVING:
            begin_move(rules, slots, current, number)
        elif phase == ENDING:
            end_game(rules, slots, number)
        elif phase == IDLE or games.ready[page_of(slots, number)]:
            return False
        else:
            begin_game(slots, number)
    return False


def grow_tree(
    rules: Rules, slots: Slots, settings: Settings, answers: Numbers, number: int
) -> bool:
    """Continue a search until it needs an answer; False when it is finished. One of the functions
    below replaces it.
    """
    raise NotImplementedError


def grow_with_answers(
    rules: Rules, slots: Slots, settings: Settings, answers: Numbers, number: int
) -> bool:
    """The evaluator is a network outside the kernel."""
    logits, values = answers
    return advance_tree(
        rules, slots.tree, slots.scratch, settings, slots.games.states, logits, values, number
    )


def grow_alone(
    rules: Rules, slots: Slots, settings: Settings, answers: Numbers, number: int
) -> bool:
    """The evaluator is part of the search."""
    scratch = slots.scratch
    left = scratch.budget[number] - scratch.counters[number, 0]
    simulate_tree(rules, slots.tree, scratch, settings, slots.games.states, number, ANY_CHILD, left)
    return False


def grow_nothing(
    rules: Rules, slots: Slots, settings: Settings, answers: Numbers, number: int
) -> bool:
    """No search: zero simulations."""
    return False


def begin_game(slots: Slots, number: int) -> None:
    """Start the slot's next game, if there is one, with everything drawn before its first move."""
    games = slots.games
    manner = slots.manner
    games.game[number] += games.plies.shape[0]
    if games.game[number] >= manner.last:
        games.phase[number] = IDLE
        return
    rng = games.streams[number]
    opening = manner.least_opening
    seed_stream(rng, games.seeds[0], stream_of(games, manner, number))
    last = games.shares.shape[0] - 1
    if games.shares[last] <= 0.0:  # each pairing in turn
        games.pairing[number] = games.game[number] % (last + 1)
    else:
        drawn = random_unit(rng)
        pairing = 0
        while pairing < last and drawn >= games.shares[pairing]:
            pairing += 1
        games.pairing[number] = pairing
    games.checked[number] = games.bar[0] > NEVER and random_unit(rng) < manner.resign_checked
    for seat in range(games.before.shape[1]):
        games.before[number, seat] = games.lowest[page_of(slots, number), seat] = 1.0
    if manner.most_opening > opening:
        opening += random_below(rng, manner.most_opening - opening + 1)
    place_start(games, manner, opening, number)


def place_start(games: Games, manner: Manner, opening: int, number: int) -> None:
    """Set the game's first position, followed by `opening` random moves."""
    start = np.int64(stream_of(games, manner, number)) % games.starts.shape[0]
    games.states[number] = games.starts[start]
    games.opening[number] = opening
    games.plies[number] = games.samples[number] = 0
    games.phase[number] = MOVING
    games.node[number] = NOWHERE


def stream_of(games: Games, manner: Manner, number: int) -> Word:
    return U(games.game[number] // manner.legs)


def begin_move(rules: Rules, slots: Slots, settings: Settings, number: int) -> None:
    """Find out who moves: no one (the game is over), chance, or a contestant, with this search or
    another.
    """
    games = slots.games
    manner = slots.manner
    seat = seat_to_move(rules, games.states[number])
    plies = games.plies[number]
    is_opening = plies < games.opening[number]
    if seat == OVER or plies >= manner.max_plies:
        games.phase[number] = ENDING
        games.reason[number] = BY_RULES if seat == OVER else CUT_OFF
        if 0 < plies <= games.opening[number]:  # the random opening ended the game
            place_start(games, manner, 0, number)
    elif seat == CHANCE or is_opening:
        if manner.keep_samples and not is_opening:
            keep_sample(rules, slots, 0.0, 0, number)
        play_any(rules, slots, number)
    else:
        contestant = games.sides[games.pairing[number], seat]
        games.contestant[number] = contestant
        games.search[number] = games.search_of[contestant]
        if games.search[number] == manner.search:
            plant_search(slots, settings, number)


def play_any(rules: Rules, slots: Slots, number: int) -> None:
    """Play a chance outcome by its weight, or a uniformly random legal action."""
    games = slots.games
    state = games.states[number]
    rng = games.streams[number]
    actions = games.legal[number]
    count = legal_actions(rules, state, actions)
    is_chance = seat_to_move(rules, state) == CHANCE
    index = (
        draw_outcome(rules, state, actions, count, rng) if is_chance else random_below(rng, count)
    )
    play_action(rules, slots, np.int64(actions[index]), number)  # type: ignore[arg-type]


def play_action(rules: Rules, slots: Slots, action: int, number: int) -> None:
    games = slots.games
    games.moves[page_of(slots, number), games.plies[number]] = action
    play(rules, games.states[number], action)
    games.plies[number] += 1
    follow(slots, action, number)


def plant_search(slots: Slots, settings: Settings, number: int) -> None:
    games = slots.games
    manner = slots.manner
    scratch = slots.scratch
    games.phase[number] = SEARCHING
    stream = stream_of(games, manner, number) * U(PLIES) + U(games.plies[number])
    seed_stream(scratch.streams[number], games.seeds[1], stream)
    save_subtree(slots, number)
    begin_tree(slots.tree, scratch, number, manner.simulations)
    restore_subtree(slots, settings, number)


def finish_move(rules: Rules, slots: Slots, settings: Settings, number: int) -> None:
    """Finish a search: store its sample, then play or resign."""
    tree = slots.tree
    scratch = slots.scratch
    games = slots.games
    manner = slots.manner
    root = root_of(tree, number)
    seat = seat_to_move(rules, games.states[number])
    games.simulations[number] += scratch.counters[number, 0]
    value = 0.0
    best = root
    count = 0
    if tree.num_children[root] > 0:
        best = choose_child_of_root(tree, scratch, settings, number)
        value = value_after(tree, settings, root, best)
    temperature = (
        manner.temperature
        if games.plies[number] < manner.temperature_plies
        else manner.late_temperature
    )
    draws = temperature > 0.0 and settings.formula != GUMBEL
    if manner.keep_samples or draws or best == root:
        count = list_policy(rules, slots, settings, number)
    if manner.keep_samples:
        keep_sample(rules, slots, value, count, number)
    if best == root:  # no search took place
        action = scratch.actions[number, random_below(scratch.streams[number], count)]
    elif draws:
        action = scratch.actions[
            number, draw_index(scratch.scores[number], count, temperature, games.streams[number])
        ]
    else:
        action = tree.action[best]
    games.phase[number] = MOVING
    games.node[number] = root
    if gives_up(slots, seat, value, number):
        games.phase[number] = ENDING
        games.reason[number] = RESIGNED
    else:
        play_action(rules, slots, np.int64(action), number)  # type: ignore[arg-type]


def gives_up(slots: Slots, seat: int, value: float, number: int) -> bool:
    """Whether the seat to move resigns: its last two values are below the threshold and this is not
    a check game.
    """
    games = slots.games
    page = page_of(slots, number)
    bar = games.bar[0]
    if bar <= NEVER:
        return False
    greater = max(value, games.before[number, seat])
    games.before[number, seat] = value
    games.lowest[page, seat] = min(games.lowest[page, seat], greater)
    return greater < bar and games.checked[number] == 0  # type: ignore[no-any-return]


# --- tree reuse; games without it have `WITHOUT_REUSE`


def follow(slots: Slots, action: int, number: int) -> None:
    """Descend the last search's tree along an action, if that node exists."""
    tree = slots.tree
    games = slots.games
    node = games.node[number]
    games.node[number] = NOWHERE
    if node != NOWHERE:
        for child in range(tree.first[node], tree.first[node] + tree.num_children[node]):
            if tree.action[child] == action:
                games.node[number] = child


def save_subtree(slots: Slots, number: int) -> None:
    """Copy the subtree of the current position."""
    tree = slots.tree
    games = slots.games
    if games.node[number] != NOWHERE and tree.num_children[games.node[number]] > 0:
        copy_subtree(tree, slots.spare, games.node[number], number)
    else:
        games.node[number] = NOWHERE


def restore_subtree(slots: Slots, settings: Settings, number: int) -> None:
    """Start the search from the copied subtree."""
    tree = slots.tree
    spare = slots.spare
    if slots.games.node[number] != NOWHERE:
        for node in range(root_of(tree, number), spare.used[number, 0]):
            copy_node(spare, tree, number, node, node)
        tree.used[number, 0] = spare.used[number, 0]
        prepare_root(tree, slots.scratch, settings, number)


def do_not_follow(slots: Slots, action: int, number: int) -> None: ...


def do_not_save(slots: Slots, number: int) -> None: ...


def do_not_restore(slots: Slots, settings: Settings, number: int) -> None: ...


WITHOUT_REUSE: dict[Function, Function] = {
    follow: do_not_follow,
    save_subtree: do_not_save,
    restore_subtree: do_not_restore,
}
