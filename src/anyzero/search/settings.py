"""What a search is told: plain numbers that a kernel can read, named by what they do."""

from typing import NamedTuple

# Formulas: how the next child is chosen.
FLAT, UCT, RAVE, GRAVE, PUCT = 0, 1, 2, 3, 4

# Schedules: how much RAVE trusts AMAF as real visits come in.
CLASSIC, MINIMUM_ERROR, SIMPLE, ALWAYS = 0, 1, 2, 3

# Evaluators that run inside the kernel.
ROLLOUT, UNIFORM = 0, 1

UNBOUNDED = 1 << 60


class Settings(NamedTuple):
    """The numbers of one search. A field's default is what the formula's authors or the field's tools use."""

    formula: int = UCT
    exploration: float = 1.4
    """C in value + C * bonus."""
    first_play: float = 1e9
    """The value of a child without visits; the default tries every child once."""
    schedule: int = MINIMUM_ERROR
    equivalence: float = 1000.0
    """k of the classic and the simple schedule: the visits at which AMAF and real values weigh about the same."""
    bias: float = 1e-5
    """The square of AMAF's bias in the minimum-error schedule; smaller trusts AMAF for longer."""
    reference: int = 50
    """GRAVE: a node whose statistics have fewer rollouts than this borrows those of an ancestor."""
    expand_after: int = 1
    """A node gets children when it is visited again after this many visits."""
    max_depth: int = UNBOUNDED
    """Nodes at this depth get no children: 1 makes a bandit of the root."""
    solve: int = 1
    """Whether proven wins, losses and draws go up the tree; needs two seats with opposite payoffs."""
    evaluator: int = ROLLOUT
