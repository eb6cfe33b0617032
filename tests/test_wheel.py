"""The package as people install it: a wheel, used from another folder, with nothing of the checkout
at hand.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_a_wheel_plays_in_the_terminal_and_serves_its_page_from_another_folder(tmp_path):
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(tmp_path),
        str(ROOT),
    ]
    if subprocess.run(build, capture_output=True).returncode:
        pytest.skip("a wheel cannot be built here: the package index is needed for that")
    (wheel,) = tmp_path.glob("*.whl")
    target = tmp_path / "installed"
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--target",
        str(target),
        str(wheel),
    ]
    subprocess.run(install, check=True, capture_output=True)
    env = {**os.environ, "PYTHONPATH": str(target)}

    def run(*words, **more):
        command = [sys.executable, "-m", "anyzero", *words]
        return subprocess.run(
            command, cwd=tmp_path, env=env, capture_output=True, text=True, check=True, **more
        ).stdout

    where = subprocess.check_output(
        [sys.executable, "-c", "import anyzero; print(anyzero.__file__)"], cwd=tmp_path, env=env
    )
    assert Path(where.decode().strip()).is_relative_to(target)
    assert "tic_tac_toe: b2 is taken" in run(
        "play", "tic_tac_toe", "--seat1", "random", input="b2\nb2\nquit\n"
    )
    assert "gumbel:" in run("nets")
    command = [
        sys.executable,
        "-m",
        "anyzero",
        "serve",
        "--json",
        "--no-prepare",
        "--port",
        "0",
        "--data",
        "games",
    ]
    with subprocess.Popen(
        command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            url = json.loads(server.stdout.readline())["url"]
            assert [httpx.get(f"{url}{path}").status_code for path in ("play.js", "api/games")] == [
                200,
                200,
            ]
        finally:
            server.terminate()
