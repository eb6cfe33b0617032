"""What a search is told: plain numbers that a kernel can read, named by what they do."""

from typing import NamedTuple

# Formulas: how the next child is chosen.
FLAT, UCT, RAVE, GRAVE, PUCT, GUMBEL, EXPECTIMAX = 0, 1, 2, 3, 4, 5, 6

# Schedules: how much RAVE trusts AMAF as real visits come in.
CLASSIC, MINIMUM_ERROR, SIMPLE, ALWAYS = 0, 1, 2, 3

# Evaluators: three that run inside the kernel, and one that the kernel waits for.
ROLLOUT, GUIDED, UNIFORM, BATCH = 0, 1, 2, 3

UNBOUNDED = 1 << 60
BY_EVALUATOR = -1.0
"""A setting that depends on how much an evaluator's values can be trusted."""


class Settings(NamedTuple):
    """The numbers of one search. A field's default is what the formula's authors or the field's tools use."""

    formula: int = UCT
    exploration: float = 1.4
    """C in value + C * bonus."""
    first_play: float = 1e9
    """The value of a child without visits; the default tries each child once. PUCT adds it to the others' mean."""
    schedule: int = MINIMUM_ERROR
    equivalence: float = 1000.0
    """k of the classic and the simple schedule: the visits at which AMAF and real values weigh about the same."""
    bias: float = 1e-5
    """The square of AMAF's bias in the minimum-error schedule; smaller trusts AMAF for longer."""
    reference: int = 50
    """GRAVE: a node whose statistics have fewer rollouts than this borrows those of an ancestor."""
    table_after: int = 10
    """GRAVE: statistics begin at a node's visit of this number; most nodes never come so far, and tables are large."""
    expand_after: int = 1
    """A node gets children when it is visited again after this many visits."""
    max_depth: int = UNBOUNDED
    """Nodes at this depth get no children: 1 makes a bandit of the root."""
    solve: int = 1
    """Whether proven wins, losses and draws go up the tree; needs two seats with opposite payoffs."""
    look_ahead: int = 0
    """With `solve`: most positions that are looked at before the first simulation, up to two moves behind the root."""
    evaluator: int = ROLLOUT
    amaf: int = 0
    """Whether the formula needs AMAF statistics, as RAVE and GRAVE do."""
    chance: int = 1
    """Whether the game has chance nodes."""
    transpositions: int = 0
    """Whether nodes of the same position share their children."""
    noise_fraction: float = 0.0
    """Share of Dirichlet noise in the root's priors; for self-play, never for matches."""
    noise_concentration: float = 0.3
    """Alpha of that noise: small values put it on few moves."""
    noise_total: float = 0.0
    """Where it is positive, alpha is this divided by the number of moves."""
    considered: int = 16
    """Gumbel: the most moves that the root considers; expectimax: those that it looks at more than one move deep."""
    visit_scale: float = 50.0
    """Gumbel: c_visit of the paper; values count for more as the most visited move gets more visits than this."""
    value_scale: float = BY_EVALUATOR
    """Gumbel: c_scale of the paper, for values between 0 and 1; left alone, 1, and 0.1 with rollouts."""
    gumbel_scale: float = 0.0
    """Gumbel: how much noise the root's moves get; self-play wants 1, a player that is measured none."""
    doubt: float = BY_EVALUATOR
    """Gumbel: visits that the node's mean counts for in each child's value; left alone, none, and 16 with rollouts."""
    leaves: int = 1
    """How many leaves of one tree wait for the evaluator at a time; virtual visits keep them apart."""
    log_visits: int = 0
    """Many trees: whether the move is chosen by value + log visits instead of the visits alone."""
    move_value: int = 0
    """Many trees: whether a position's value is that of the chosen move instead of the mean of all simulations."""
