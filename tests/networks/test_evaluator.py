"""Networks inside the search."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from anyzero.core.base.errors import BadOptionError, UnknownNameError
from anyzero.core.base.extras import needs_package
from anyzero.core.game.load import load
from anyzero.core.game.rollouts import encode_states
from anyzero.core.nets.config import BadNetworkError, parse_network
from anyzero.core.nets.evaluator import Divided, NetworkEvaluator
from anyzero.core.nets.forward import empty_answers
from anyzero.core.nets.models import new_network
from anyzero.core.nets.weights import store
from anyzero.core.search import search_many
from anyzero.tools.search import search
from tests.networks.positions import random_states

FOUR = load("connect_four")
TINY = parse_network("2x20")  # the kernels of test_winograd
TOLERANCE = 1e-5
"""How far logits and values may be from torch's."""


@pytest.fixture(scope="module")
def network():
    return new_network(FOUR, TINY, 2)


@pytest.mark.parametrize("text", ["hex:size=4", "take_it_easy"])
def test_a_batch_of_inputs_is_what_encode_says(text):
    game = load(text)
    states = random_states(game, 37)
    wanted = np.stack([game.encode(state) for state in states])
    assert (encode_states(game, states) == wanted).all()
    assert encode_states(game, states[:0]).shape == (0, *game.planes_shape)


def test_answers_are_near_those_of_torch(network):
    states = random_states(FOUR, 150)
    logits, values = NetworkEvaluator(FOUR, network)(FOUR, states)
    with torch.inference_mode():
        output = network(torch.from_numpy(encode_states(FOUR, states)))
        wanted = network.expected(output.value)
    assert np.abs(logits - output.logits.numpy()).max() < TOLERANCE
    assert np.abs(values - wanted.numpy()).max() < TOLERANCE
    assert (logits.dtype, values.dtype, values.shape) == (np.float32, np.float32, (150,))


@pytest.mark.parametrize("num", [2, 8, 150])
def test_threads_change_nothing(network, num):
    states = random_states(FOUR, num)
    one, three = (NetworkEvaluator(FOUR, network, threads=n)(FOUR, states) for n in (1, 3))
    assert one[0].tobytes() == three[0].tobytes()
    assert one[1].tobytes() == three[1].tobytes()


@pytest.mark.parametrize(("work", "wanted"), [(1, [2, 3, 3]), (10**8, [8])])
def test_a_few_positions_are_divided_among_the_threads_if_that_pays(
    network, monkeypatch, work, wanted
):
    monkeypatch.setattr("anyzero.core.nets.evaluator.LEAST_WORK", work)
    divided, parts = Divided(store(network), FOUR, threads=3), []
    monkeypatch.setattr(
        divided.network, "answer", lambda planes, *answers: parts.append(len(planes))
    )
    divided.answer(encode_states(FOUR, random_states(FOUR, 8)), *empty_answers(8, 7))
    assert sorted(parts) == wanted


def test_torch_keeps_its_threads(network):
    before = torch.get_num_threads()
    NetworkEvaluator(FOUR, network, threads=1)(FOUR, random_states(FOUR, 3))
    assert torch.get_num_threads() == before


def test_training_on_does_not_change_an_evaluator():
    network, states = new_network(FOUR, TINY), random_states(FOUR, 5)
    evaluator = NetworkEvaluator(FOUR, network)
    before = evaluator(FOUR, states)[0]
    with torch.no_grad():
        network.trunk.stem.weight.zero_()
    assert (evaluator(FOUR, states)[0] == before).all()


def test_a_value_of_wdl_is_win_less_loss(network):
    logits = torch.log(torch.tensor([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]))
    assert torch.allclose(network.expected(logits), torch.tensor([0.3, -0.6]))


def test_a_search_asks_the_network(network):
    evaluator = NetworkEvaluator(FOUR, network, threads=1)
    start = FOUR.initial_state()
    result = search(FOUR, start, "puct", simulations=50, evaluator=evaluator)
    assert sum(child.visits for child in result.children) == 50
    logits = evaluator(FOUR, random_states(FOUR, 1))[0]
    wanted = np.exp(logits[0]) / np.exp(logits[0]).sum()
    priors = {child.action: child.prior for child in result.children}
    assert [priors[action] for action in range(7)] == pytest.approx(wanted.tolist(), abs=1e-5)


def test_many_searches_ask_the_network(network):
    states = random_states(FOUR, 9)
    found = search_many(
        FOUR, states, "gumbel", simulations=16, evaluator=NetworkEvaluator(FOUR, network)
    )
    assert found.policies.sum(1) == pytest.approx(np.ones(9), abs=1e-4)
    assert (np.abs(found.values) <= 1.0).all()


def test_a_network_made_for_one_board_evaluates_another():
    small, large = load("hex:size=4"), load("hex:size=5")
    logits, values = NetworkEvaluator(large, new_network(small, parse_network("1x8")))(
        large, random_states(large, 3)
    )
    assert (logits.shape, values.shape) == ((3, 25), (3,))


def test_an_empty_batch_has_an_empty_answer(network):
    for cache in (0, 5):
        logits, values = NetworkEvaluator(FOUR, network, cache=cache)(FOUR, FOUR.new_states(0))
        assert (logits.shape, values.shape) == ((0, 7), (0,))


def test_a_network_that_cannot_play_a_game_is_refused_in_a_sentence(network):
    with pytest.raises(UnknownNameError, match="did you mean cuda"):
        NetworkEvaluator(FOUR, network, device="cuda0")
    with pytest.raises(BadNetworkError, match="does not fit hex"):
        NetworkEvaluator(load("hex:size=4,swap=true"), network)
    with pytest.raises(BadNetworkError, match="made for connect_four"):
        NetworkEvaluator(FOUR, network)(load("tic_tac_toe"), None)
    with pytest.raises(BadOptionError, match="threads"):
        NetworkEvaluator(FOUR, network, threads=0)
    with pytest.raises(BadOptionError, match="cache"):
        NetworkEvaluator(FOUR, network, cache=-1)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_said_in_a_sentence(network):
    with pytest.raises(BadOptionError, match="needs an NVIDIA GPU"):
        NetworkEvaluator(FOUR, network, device="cuda")


@pytest.mark.slow
def test_a_search_without_a_network_does_not_import_torch():
    code = (
        "import sys, anyzero, anyzero.networks, anyzero.app.cli.app as app\n"
        "try: app.app(['search', 'connect_four', 'uct:20', '--json'])\n"
        "except SystemExit as done: assert not done.code, done.code\n"
        "print(sorted({'torch', 'safetensors'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_missing_torch_is_said_in_a_sentence():
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "sys.argv = ['anyzero', 'train', 'tic_tac_toe']\n"
        "from anyzero.app.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (
        2,
        f"anyzero: {needs_package('torch')}\n",
    )
