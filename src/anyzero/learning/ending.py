"""How a run stands when training stops: its newest generation measured, and the champion's match, in `end.json`."""

from typing import Any

from anyzero.games.load import load
from anyzero.learning.folder import END, END_FILE, RunFolder
from anyzero.learning.history import rebuild
from anyzero.learning.stages import Progress, Stages
from anyzero.learning.start import prove
from anyzero.sealed import write_sealed


def end_run(folder: RunFolder, games: int, progress: Progress) -> None:
    """Measure what has not been measured yet, play the match, and write both down; nothing before the first games."""
    newest = folder.newest()
    if newest is None or newest.number == 0:
        return
    with folder.locked():
        before = folder.end()
        known = before if before.get("generation") == newest.number else {}
        measured = known.get("measured") or measure_last(folder, newest.number, progress)
        match = final_match(folder, games, progress) if games else known.get("match")
        found = {"generation": newest.number, "measured": measured, "match": match}
        if found.items() <= known.items():
            return
        write_sealed(folder.path / END_FILE, END, found)
        rebuild(folder)


def measure_last(folder: RunFolder, number: int, progress: Progress) -> dict[str, Any]:
    """The rating or the benchmark of the newest generation, if it was not its turn."""
    stages, config = Stages(folder, progress), folder.config
    report = folder.reports()[-1]
    if stages.game.num_seats > 1 and config.league.every and not report["league"]:
        return {"league": stages.rate(number)}
    if stages.game.num_seats == 1 and config.benchmark.every and not report["benchmark"]:
        return {"benchmark": stages.benchmark(number)}
    return {}


def final_match(folder: RunFolder, games: int, progress: Progress) -> dict[str, Any] | None:
    """The champion against the strongest anchor, or in a game of one seat against random play."""
    anchors = [text for text in folder.config.league.anchors[-1:] if "," not in text]
    if not anchors:
        return None
    alone = load(folder.config.game).num_seats == 1
    name, found = prove(folder, games=games, rival="random" if alone else None, progress=progress)
    if found.standings.means is not None:
        mine, theirs = found.standings.means
        text = f"the champion scores {mine:.1f} points, {name} {theirs:.1f}, on the same {games // 2} deals"
        brief = f"{mine:.1f} points, {name} {theirs:.1f}"
    else:
        share, interval = f"{100 * found.score:.0f} %", f"[{100 * found.low:.0f}, {100 * found.high:.0f}]"
        text = f"the champion scores {share} {interval} against {name} in {games} games"
        brief = f"{share} {interval} against {name}"
    scores = {"score": found.score, "low": found.low, "high": found.high}
    return {"against": name, "games": found.standings.games, **scores, "text": text, "brief": brief}
