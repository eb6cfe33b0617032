"""Self-play: whether noise is where it should be, and whether games come to different ends."""

from typing import Any

from anyzero.doctor.case import Case
from anyzero.doctor.finding import DOUBTFUL, WELL, WRONG, Finding, percent, skipped
from anyzero.games.game import Game
from anyzero.learning.config import SelfPlayConfig
from anyzero.learning.contestants import match_method, self_play_method

NOISE, OUTCOMES = "noise", "outcomes of games"
FEW_GAMES = 16
"""With fewer, nothing is said of shares."""
COPIES, MANY_COPIES = 0.5, 0.1
"""Shares of different games under which they are too much alike."""
ALL, NEARLY_ALL = 0.999, 0.95
CUT_OFF, OFTEN_CUT_OFF = 0.05, 0.5


def check_noise(case: Case) -> Finding:
    """Self-play must vary its games and matches must not be disturbed; measured on the newest games."""
    config, game = case.config.selfplay, case.game
    own, other = search_noise(config), outer_variety(config, game)
    seen = "self-play has " + (", ".join([*own, *other]) or "nothing that varies its games")
    seen += describe_lines(case)
    settings = match_method(config).settings
    if settings.gumbel_scale > 0.0 or settings.noise_fraction > 0.0:
        advice = "matches and ratings must play without noise: what is measured is the network, not the dice"
        return Finding(NOISE, WRONG, "noise is on in matches", seen, advice)
    if not own and not other:
        return Finding(
            NOISE, WRONG, "noise is off in self-play, so that every game is the same", seen, noise_advice(config)
        )
    copies = distinct_share(case.lines)
    if copies is not None and copies < MANY_COPIES:
        return Finding(NOISE, WRONG, "self-play repeats the same games", seen, noise_advice(config))
    if not own:
        return Finding(NOISE, DOUBTFUL, "the search of self-play has no noise", seen, noise_advice(config))
    if copies is not None and copies < COPIES:
        return Finding(NOISE, DOUBTFUL, "many games are copies of each other", seen, noise_advice(config))
    return Finding(NOISE, WELL, "self-play varies, matches do not", seen)


def search_noise(config: SelfPlayConfig) -> list[str]:
    """What varies the moves that the search itself chooses."""
    settings = self_play_method(config).settings
    found = []
    if config.method == "gumbel" and settings.gumbel_scale > 0.0:
        found.append(f"Gumbel noise of scale {settings.gumbel_scale:g}")
    if config.method == "puct" and settings.noise_fraction > 0.0:
        found.append(f"{percent(settings.noise_fraction)} Dirichlet noise")
    if config.method == "puct" and config.temperature > 0.0 and config.temperature_plies > 0:
        found.append(f"temperature {config.temperature:g} for {config.temperature_plies} plies")
    return found


def outer_variety(config: SelfPlayConfig, game: Game) -> list[str]:
    """What else makes games different."""
    found = [f"openings of up to {config.opening_plies} random moves"] if config.opening_plies > 0 else []
    found += ["chance"] if game.num_outcomes else []
    return found + ([f"{len(config.starts)} starts"] if len(config.starts) > 1 else [])


def noise_advice(config: SelfPlayConfig) -> str:
    noise = "selfplay.gumbel_scale=1" if config.method == "gumbel" else "selfplay.noise_fraction=0.25"
    return f"{noise} and selfplay.opening_plies=2 or more"


def distinct_share(lines: list[dict[str, Any]]) -> float | None:
    """Different games by their number; None with few."""
    return len({(line["start"], *line["actions"]) for line in lines}) / len(lines) if len(lines) >= FEW_GAMES else None


def describe_lines(case: Case) -> str:
    """How different the newest games are."""
    lines = [line for line in case.lines if line["actions"]]
    if not lines:
        return ""
    different = len({(line["start"], *line["actions"]) for line in lines})
    text = f"; {different} of the newest {len(lines)} games are different"
    if case.game.seat_to_move(case.game.initial_state()) < 0 or case.config.selfplay.starts:
        return text
    first, known = len({line["actions"][0] for line in lines}), len(case.game.legal_actions(case.game.initial_state()))
    return f"{text}, with {first} of {known} first moves"


def check_outcomes(case: Case) -> Finding:
    """Draws, the first seat's results and games that were cut off, over the newest generations."""
    played = case.late("selfplay")
    games = sum(part["games"] for part in played)
    if not games:
        return skipped(OUTCOMES, "no games have been played yet")
    means = {
        name: sum(part[name] * part["games"] for part in played) / games
        for name in ("draws", "first_seat_payoff", "mean_length")
    }
    cut = sum(part["cut_off"] for part in played) / games
    seen = f"{games} games of {means['mean_length']:.0f} plies"
    if case.game.num_seats == 2:
        seen += f", {percent(means['draws'])} draws, mean result of the first seat {means['first_seat_payoff']:+.2f}"
    seen += f", {percent(cut)} cut off"
    if cut > CUT_OFF:
        verdict = WRONG if cut > OFTEN_CUT_OFF else DOUBTFUL
        advice = (
            "a greater selfplay.max_plies (0: as long as the rules allow), or resignation with selfplay.resign_below"
        )
        return Finding(OUTCOMES, verdict, "games end at the ply limit without a winner", seen, advice)
    if games < FEW_GAMES or case.game.num_seats != 2:
        return Finding(OUTCOMES, WELL, "games come to an end", seen)
    if means["draws"] > NEARLY_ALL:
        advice = "if the game is not solved by now: longer openings, so that one side stands better, or more noise"
        verdict = WRONG if means["draws"] > ALL and case.generation < 3 else DOUBTFUL
        return Finding(OUTCOMES, verdict, "nearly all games are draws, which teaches no value", seen, advice)
    if abs(means["first_seat_payoff"]) > NEARLY_ALL:
        verdict = WRONG if abs(means["first_seat_payoff"]) > ALL else DOUBTFUL
        advice = "longer openings (selfplay.opening_plies), a swap rule, or starts that are even"
        side = "first" if means["first_seat_payoff"] > 0 else "second"
        return Finding(OUTCOMES, verdict, f"the {side} seat always wins, which teaches no value", seen, advice)
    return Finding(OUTCOMES, WELL, "both sides win", seen)
