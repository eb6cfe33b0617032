"""The page as a folder of static files: rules, searches and nets as WebAssembly, without a server.

`site.json` lists the content; `games/NAME/` has a game's board and its modules; `sw.js` caches all
files for offline use. The page is the same as the server's, with its back end in a worker instead
of a socket.
"""

import hashlib
import json
import os
import re
import shutil
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import anyzero.app.web
from anyzero.app.web.catalog import describe_game
from anyzero.app.web.forms import palette_sheet
from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.extras import find
from anyzero.core.base.files import writing
from anyzero.core.base.nouns import Values
from anyzero.core.game.game import Game, game_text
from anyzero.core.game.guard import told
from anyzero.core.learning.find import BEST, find_network
from anyzero.core.nets.weights import StoredNetwork, read_network
from anyzero.core.search.methods import EVALUATORS, METHODS
from anyzero.core.search.report import FINAL_RULES
from anyzero.core.search.search import MOST_LOOKS
from anyzero.extras.browser.wasm_files import GLUE, build_functions, write_files, write_module
from anyzero.extras.browser.wasm_memory import MemoryPlan
from anyzero.extras.programs import (
    FAMILIES,
    MOST_ASKED,
    NET,
    NET_METHODS,
    method_for,
    page_functions,
    search_functions,
)
from anyzero.tools.players.text import LEVELS, level_text, net_levels, net_method
from anyzero.tools.progress import progress
from anyzero.views.board import board_values

STATIC = Path(anyzero.app.web.__file__).parent / "static"
SERVED = ("runs.js", "experiments.js", "index.html", "sw.js")
"""Files of the page that need the server, or that are rewritten."""
NO_NET = "none"
LIMITS = {"simulations": 2_000_000, "seconds": 60.0, "asked": MOST_ASKED, "looks": MOST_LOOKS}
RUNTIME = (
    *(
        "exploration",
        "first_play",
        "bias",
        "equivalence",
        "reference",
        "table_after",
        "expand_after",
        "max_depth",
    ),
    *("solve", "look_ahead", "considered", "visit_scale", "value_scale", "doubt"),
)
"""Options that a module reads at run time."""
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src "
    "'self' data:; "
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'"
)
UNSERVED = (
    "A browser runs this page only from a web server: <code>python -m "
    "http.server</code> in its folder is one."
)
EXPORTED = {
    '<html lang="en">': '<html lang="en" data-site="site.json">',
    "<title>": f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n<title>',
    "</main>": f'<p class="late">{UNSERVED}</p></main>',
}
"""What the page has in place of the server's own."""


def export_web(folder: Path, games: Sequence[Game], net: str) -> list[tuple[Path, int, str]]:
    """Write the page with these games; returns the folder of each game and of all, with its bytes
    and a note.
    """
    written = []
    described = []
    all_files = list[Path]()
    # games replace others once all are written
    place = folder / "games"
    beside = folder / f".games.{os.getpid()}"
    try:
        with progress("compiling for browsers", len(games)) as tell:
            for number, game in enumerate(games):
                tell(number, words=game.name)
                with told(game):
                    about, files = write_game(beside / game.name, game, net.removeprefix("@"))
                described.append(about)
                all_files += [place / path.relative_to(beside) for path in files]
                note = f"with the net {about['net']}" if about["net"] else "without a net"
                written.append(
                    (place / game.name, sum(path.stat().st_size for path in files), note)
                )
        with writing(folder):
            if (folder / "site.json").exists():
                shutil.rmtree(place, ignore_errors=True)  # of an earlier export
            shutil.copytree(beside, place, dirs_exist_ok=True, copy_function=os.replace)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    methods = [name for names in FAMILIES.values() for name in names]
    site = {
        "games": described,
        "levels": LEVELS,
        "methods": [{"name": name, "meaning": METHODS[name].meaning} for name in methods],
        "networks": sorted({about["net"] for about in described} - {""}),
        "limits": LIMITS,
        "finals": FINAL_RULES,
        "evaluators": EVALUATORS,
    }  # what a page would otherwise request from a server
    all_files += write_files(folder, page_files(site))
    write_files(folder, {"sw.js": service_worker(folder, all_files)})
    total = sum(path.stat().st_size for path in all_files)
    return [*written, (folder, total, f"in total; try it: python -m http.server -d '{folder}'")]


# --- a game


def write_game(own: Path, game: Game, net: str) -> tuple[Values, list[Path]]:
    """A game's modules in its own folder, and its description for the page."""
    if game.has("board"):
        game.show(
            game.initial_state()
        )  # a picture that fails raises here, not when the page is opened
    network = net_for_page(game, net)
    title = re.sub(
        r"[^\w.-]+", "_", Path(net).stem if net.endswith(".safetensors") else net.strip("/")
    )
    net_name = "" if network is None else title  # the page's name for it
    boxed = [level_text(game, level) for level in LEVELS]
    # made from the net if there is one, with the package's own levels for its own net
    levels = (
        game.facts.levels
        if not net_name
        else boxed
        if net_name == BEST
        else net_levels(game, NET_METHODS[-1], net_name)
    )
    public = game_text(Path(game.source or game.name).name, game.options)
    families = FAMILIES if network is None else {**FAMILIES, NET: NET_METHODS}
    about = {
        **describe_game(game, game.name),
        "options": [],
        "position": False,
        "opposed": game.is_opposed,
        "net": net_name,
        "record": {"game": public, "rules": {"name": game.name, "options": dict(game.options)}},
        "levels": dict(zip(LEVELS, levels, strict=True)),
        "scored": game.has("score"),
        "methods": {
            name: method_values(game, family, name)
            for family, names in families.items()
            for name in names
        },
        "board": board_values(game.board) if game.has("board") else None,
    }
    files = write_module(own, "rules", *build_functions(page_functions(game)), {})
    for family, names in FAMILIES.items():
        files += write_module(own, family, *build_functions(search_functions(game, names[-1])), {})
    if network is not None:
        files += write_net(own, game, network)
    return about, files


def net_for_page(game: Game, net: str) -> StoredNetwork | None:
    """The net of this name for this game; None if none is wanted, or the package has none that a
    page can play.
    """
    if net == NO_NET or not game.has("encode"):
        return None
    try:
        path = find_network(net, game)
        return read_network(path, game) if net_method(path) in NET_METHODS else None
    except AnyzeroError:
        if net != BEST:
            raise
        return None


def method_values(game: Game, family: str, name: str) -> Values:
    """A method's module, its settings, its options, and its rule for the final move."""
    method = method_for(game, name)
    options = [option for option in method.options if option in RUNTIME]
    settings = {"settings": method.settings._asdict(), "options": options}
    return {"family": family, **settings, "final": method.final, "halves": method.halves}


def write_net(folder: Path, game: Game, network: StoredNetwork) -> list[Path]:
    rounded = {name: weight.astype(np.float16) for name, weight in network.weights.items()}
    net = find("fastnets").compiled(replace(network, weights=rounded, taken=set()), game, "wasm")
    functions = list(search_functions(game, NET_METHODS[-1], net))
    module, plan = build_functions(functions)
    weights, content = take_weights(net, plan)
    others = "begin_search", "write_plan", "rank_moves"
    asked = [function.name for function in functions if function.name not in others]
    written = write_module(folder, NET, module, plan, {"steps": asked, "weights": weights})
    return written + write_files(folder, {f"{NET}.weights": content})


# --- the page


def page_files(site: Values) -> dict[str, bytes]:
    """The server's page without the parts that need the server."""
    files = {
        path.name: path.read_bytes() for path in sorted(STATIC.iterdir()) if path.name not in SERVED
    }
    index = (STATIC / "index.html").read_text()
    for old, new in EXPORTED.items():
        index = index.replace(old, new)
    has_advisor = any(game.get("advisor") for game in site["games"])
    left_out = "runs|experiments" if has_advisor else "runs|experiments|advisor"
    return files | {
        "anyzero.js": GLUE.read_bytes(),
        "palette.css": palette_sheet().encode(),
        "site.json": json.dumps(site, separators=(",", ":")).encode(),
        "index.html": re.sub(rf' *<a href="#/({left_out})">.*\n', "", index).encode(),
    }


def service_worker(folder: Path, files: Sequence[Path]) -> bytes:
    """The script that caches the files, which changes whenever one of them does."""
    names = sorted(path.relative_to(folder).as_posix() for path in files)
    total = hashlib.sha256()
    for name in names:
        total.update(name.encode() + b"\0" + hashlib.sha256((folder / name).read_bytes()).digest())
    site = {"version": total.hexdigest()[:16], "files": ["./", *names]}
    return f"const SITE = {json.dumps(site)};\n{(STATIC / 'sw.js').read_text()}".encode()


# --- the weights of a net: a file of 16-bit numbers, and their places in the memory of its module


STACKED = 4  # dimensions of an array of packed convolutions


def take_weights(net: Any, plan: MemoryPlan) -> tuple[Values, bytes]:
    """Take the weights out of the initial memory: their places, and their numbers.

    Each part is (address, rows, columns): numbers stored as they are have no rows; the nine weights
    of each place of a convolution are still to be multiplied by `transform`, which saves space.
    """
    nines = {place_of(packed): nine for packed, nine in net.untransformed()}
    places = {place_of(array) for array in arrays_of(net.weights)}
    parts = []
    content = bytearray()
    for name, (address, whole) in plan.regions.items():
        if place_of(whole) in places and whole.size:
            plan.later.add(name)
            for array in whole if whole.ndim == STACKED else [whole]:
                nine = nines.get(place_of(array))
                stored = array.reshape(-1) if nine is None else nine
                place = address + place_of(array) - place_of(whole)
                parts.append([place, *((0, stored.size) if nine is None else stored.shape)])
                content += stored.astype("<f2").tobytes()
    transform = net.transform.tolist() if nines else []
    return {
        "parts": parts,
        "transform": transform,
        "check": zlib.crc32(content),
        "bytes": len(content),
    }, bytes(content)


def arrays_of(value: Any) -> Iterator[np.ndarray]:
    """All nonempty arrays of 32-bit numbers."""
    if isinstance(value, tuple):
        for part in value:
            yield from arrays_of(part)
    elif value.size and value.dtype == np.float32:
        yield value


def place_of(array: np.ndarray) -> int:
    """Its address in the memory of this process."""
    return int(array.__array_interface__["data"][0])
