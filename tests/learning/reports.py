"""Reports of generations that were never played, for the tests of what is made of them."""

from typing import Any


def make_report(number: int, champion: int, **changes: Any) -> dict[str, Any]:
    """A report with every part; strength grows by 100 Elo a generation."""
    return {
        "generation": number,
        "seconds": {
            "selfplay": 20.0,
            "training": 10.0,
            "gate": 5.0,
            "league": 4.0,
            "benchmark": 1.0,
        },
        "selfplay": {
            "games": 256,
            "samples": 8000,
            "simulations": 256_000,
            "simulations_per_second": 12_800.0,
            "mean_length": 31.25,
            "draws": 3,
        },
        "replay": {"num": 50_000, "unique_share": 0.75, "new_share": 0.16, "mean_age": 3.5},
        "training": {
            "policy_loss": 1.5,
            "kl": 0.5,
            "value_loss": 0.25,
            "agreement": 0.5,
            "value_error": 0.125,
            "prior_entropy": 1.0,
            "gradient_norm": 0.75,
            "learning_rate": 0.001,
            "samples_per_second": 5000.0,
        },
        "gate": {
            "score": 0.6,
            "low": 0.5,
            "high": 0.7,
            "games": 64,
            "promoted": champion == number,
            "against": [],
        },
        "league": {
            "elo": 100.0 * number,
            "low": 100.0 * number - 40,
            "high": 100.0 * number + 40,
            "anchors": {"random": 1.0, "uct:100": 0.5},
        },
        "benchmark": {
            "mean": 20.0 * number,
            "low": 20.0 * number - 3,
            "high": 20.0 * number + 3,
            "deals": 1000,
        },
        "champion": champion,
        "previous": None,
        **changes,
    }
