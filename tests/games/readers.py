"""What every reader of positions must keep, whatever text it is given."""

from hypothesis import strategies as st

from anyzero.core.base.errors import BadPositionError
from anyzero.core.game.game import Game, State

ODD = "0123456789/ .-+_\n\t\0²٣Ⅷé💥"
"""Characters that have broken readers of numbers and boards."""


def texts_near(game: Game, letters: str) -> st.SearchStrategy[str]:
    """Texts of any kind, texts in the game's alphabet, and positions with a part exchanged for
    another text.
    """
    start = game.format_state(game.initial_state())
    alphabet = st.sampled_from(letters + ODD)
    short = st.text(alphabet, max_size=6)
    place = st.integers(0, len(start))
    edited = st.tuples(place, place, short).map(
        lambda edit: start[: edit[0]] + edit[2] + start[edit[1] :]
    )
    return st.one_of(st.text(max_size=40), st.text(alphabet, max_size=40), edited)


def read_safely(game: Game, text: str) -> State | None:
    """A text is refused in one sentence, or it is a position that can be asked everything and
    written again.
    """
    try:
        state = game.parse_state(text)
    except BadPositionError:
        return None
    actions = game.legal_actions(state)
    assert len(actions) == len(set(actions)) <= game.max_legal
    assert all(0 <= action < game.num_actions for action in actions)
    assert bool(actions) != game.is_over(state)
    assert game.parse_state(game.format_state(state)).tobytes() == state.tobytes()
    return state
