"""A finding: what one check saw, what it makes of that, and what to try."""

from dataclasses import asdict, dataclass
from typing import Any

WELL, DOUBTFUL, WRONG, SKIPPED = "well", "doubtful", "wrong", "skipped"


@dataclass(frozen=True)
class Finding:
    """The answer of one check."""

    name: str
    """Of the check."""
    verdict: str
    """well, doubtful, wrong or skipped."""
    conclusion: str
    """What that means, in a few words that can stand alone."""
    seen: str = ""
    """What was measured, with figures."""
    advice: str = ""
    """What to try; empty where all is well."""

    @property
    def text(self) -> str:
        return f"{self.conclusion}: {self.seen}" if self.seen else self.conclusion

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def skipped(name: str, reason: str) -> Finding:
    return Finding(name, SKIPPED, reason)


def percent(share: float) -> str:
    """`12 %`, with a digit more where it would be 0 or 100 and is not."""
    number = 100.0 * share
    return f"{number:.0f} %" if round(number) == number or 1.0 <= number <= 99.0 else f"{number:.1f} %"
