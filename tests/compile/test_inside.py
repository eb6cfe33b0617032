"""Where Numba lacks a private name that our compiler needs, stock `njit` compiles kernels."""

import subprocess
import sys

import pytest

from tests.search import test_signature

HIDDEN = "import sys; sys.modules['anyzero.core.compile.callees'] = None\n"


def output_of(code):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_stock_njit_finds_the_same_as_our_compiler(monkeypatch):
    search = (
        "import anyzero\n"
        "result = anyzero.search('tic_tac_toe', None, 'rave', simulations=200, seed=3)\n"
        "print([(child.move, child.visits, child.value) for child in result.children])\n"
    )
    is_stock = "from anyzero.core.compile import cpu; print(cpu.OWN is None)\n"
    stock, ours = (output_of(hidden + search + is_stock) for hidden in (HIDDEN, ""))
    assert stock.splitlines() == [ours.splitlines()[0], "True"]
    assert ours.splitlines()[1] == "False"


@pytest.mark.slow
def test_the_signature_of_all_searches_is_that_of_stock_njit():
    code = "from tests.search.test_signature import *\nprint(signature())\n"
    assert int(output_of(HIDDEN + code)) == test_signature.SIGNATURE
