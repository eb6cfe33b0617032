"""The way back: a copy of the last state that was good, and a count of how often it was needed."""

from torch import Tensor

from anyzero.errors import AnyzeroError

MOST = 5
"""Recoveries in one generation; one more, and training is given up."""
KEEP_EVERY = 100
"""Steps from one copy to the next."""


class TrainingFailedError(AnyzeroError):
    """Losses or gradients that are not finite, again and again."""


class Recovery:
    """Watches over tensors that training changes in place."""

    def __init__(self, live: dict[str, Tensor]) -> None:
        self.live, self.factor = live, 1.0
        self.notes: list[str] = []
        self.keep(0)

    def keep(self, step: int) -> None:
        """The state before this step is good."""
        self.good, self.step = {name: tensor.clone() for name, tensor in self.live.items()}, step

    def keep_if_due(self, step: int) -> None:
        if step - self.step >= KEEP_EVERY:
            self.keep(step)

    def recover(self, step: int) -> None:
        """Go back to the last good state, and on with half the learning rate; in the end, give up."""
        for name, tensor in self.live.items():
            tensor.copy_(self.good[name])
        if len(self.notes) == MOST:
            raise TrainingFailedError(
                f"training was given up after {MOST} recoveries in one generation, since its loss or gradient was "
                "again not finite: the learning rate may be too high, clip too loose, or a policy, payoff or value "
                "of the samples not finite; the network is as it was when it was last good"
            )
        self.factor /= 2
        self.notes.append(
            f"the loss or gradient at step {step} was not finite: back to step {self.step}, "
            f"and on with {self.factor:g} of the learning rate"
        )
