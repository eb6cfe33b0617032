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
    """`12 %`, with a digit more under 1 and over 99."""
    text = f"{100.0 * share:.0f}" if 0.01 <= share <= 0.99 else f"{100.0 * share:.1f}".removesuffix(".0")
    return f"{text} %"
