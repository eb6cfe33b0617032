"""One number over a fixed set of searches: a change of behaviour is never an accident.

It covers every method, on two seats and on one seat with chance, and each schedule, option and
evaluator of the search. If it changes and was meant to, say so in the commit and write the new
number down here.
"""

import hashlib

from anyzero.core.game.load import load
from anyzero.core.search import search_many
from anyzero.core.search.methods import METHODS
from anyzero.tools.search import search
from tests.search.stubs import first_seat_wins, repeat

SIGNATURE = 48558564075445

OPTIONS = [
    ("rave", {"schedule": "classic"}),
    ("rave", {"schedule": "simple", "exploration": 0.5}),
    ("grave", {"reference": 5, "table_after": 0}),
    ("uct", {"first_play": 1.0, "expand_after": 3}),
    ("uct", {"max_nodes": 60}),
    ("uct", {"trees": 3}),
    ("puct", {"evaluator": "uniform", "noise_fraction": 0.25}),
    ("gumbel", {"evaluator": first_seat_wins, "considered": 4}),
    ("uct", {"temperature": 1.0}),
]


def results():
    """The visits of every move, and the move that is played, of every search."""
    four, easy = load("connect_four"), load("take_it_easy")
    late = four.initial_state()
    for move in "dddcbe":
        late = four.play(late, move)
    tile = easy.play(easy.initial_state(), 7)
    for method in METHODS:
        for game, state in ((four, four.initial_state()), (four, late), (easy, tile)):
            found = search(game, state, method, simulations=300, seed=1)
            yield method, game.name, found.best_move, sorted(found.visits.items())
    for method, options in OPTIONS:
        found = search(four, late, method, simulations=300, seed=2, **options)
        yield method, sorted(map(str, options)), found.best_move, sorted(found.visits.items())
    many = search_many(
        four, repeat(four, late, 3), "puct", simulations=50, evaluator="rollout", seed=3
    )
    yield "many", many.actions.tolist(), (many.policies * 50).round().astype(int).tolist()


def signature():
    text = repr(list(results()))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


def test_the_signature_of_the_searches_is_what_it_was():
    number = signature()
    assert number == SIGNATURE, f"the signature of all searches is now {number}"
