"""A net as an ONNX file: planes in, logits and the expected payoff out, for any runtime of that
format.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.extras import needs_package
from anyzero.core.base.files import write_whole
from anyzero.core.base.nouns import Values
from anyzero.core.game.game import Game
from anyzero.core.game.play import first_decision
from anyzero.core.nets.config import Layout, layout_of, support_of
from anyzero.core.nets.forward import evaluate_planes, residual_block
from anyzero.core.nets.weights import StoredNetwork

# of 2022: supported by every current runtime
OPSET = 17
IR_VERSION = 8
VALUE = (
    "the expected payoff in [-1, 1] of the seat to move; where it is chance's turn, of "
    "the first seat"
)


def export_onnx(path: Path, network: StoredNetwork, game: Game) -> str:
    """Write the net; returns a note about it."""
    try:
        import onnx
    except ImportError:
        raise AnyzeroError(needs_package("onnx")) from None
    model = Graph(network, game).model()
    onnx.checker.check_model(model)
    write_whole(path, model.SerializeToString())
    return "planes in, logits and value out; its metadata says what they mean"


def action_name(game: Game, action: int) -> str:
    """The text of an action as played by the first seat in the initial position; empty if it has
    none there.
    """
    try:
        return game.format_action(first_decision(game), action)
    except Exception:  # the game's own code, given a move that is not legal here
        return ""


class Graph:
    """The operations of `forward`, each as one or a few nodes; a value is the name of a node's
    output.
    """

    def __init__(self, network: StoredNetwork, game: Game) -> None:
        from onnx import helper, numpy_helper

        self.helper = helper
        self.numpy = numpy_helper
        self.network = network
        self.game = game
        self.nodes: list[Any] = []
        self.constants: Values = {}

    def model(self) -> Any:
        helper = self.helper
        config = self.network.config
        game = self.game
        layout = layout_of(game.planes_shape, game.num_actions) or Layout(0)
        logits, _ = evaluate_planes(
            self, "planes", config, (layout.extras, layout.last_rows), support_of(config)
        )
        self.node("Identity", logits, to="logits")
        number = self.numpy.from_array(np.zeros(0, np.float32)).data_type

        def tensor(name: str, *shape: int) -> Any:
            return helper.make_tensor_value_info(name, number, ["positions", *shape])

        outputs = [tensor("logits", game.num_actions), tensor("value")]
        graph = helper.make_graph(
            self.nodes,
            game.name,
            [tensor("planes", *game.planes_shape)],
            outputs,
            list(self.constants.values()),
        )
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION
        )
        model.producer_name = "anyzero"
        about = {
            "game": game.text,
            "planes": (
                f"{list(game.planes_shape)} float32, what "
                f"anyzero.load({game.text!r}).encode(state) returns"
            ),
            "actions": json.dumps(
                [action_name(game, action) for action in range(game.num_actions)]
            ),
            "logits": (
                "one an action, seen from the seat to move; take the softmax over the legal ones"
            ),
            "value": VALUE,
            "network": json.dumps(config.to_dict(), sort_keys=True),
        }
        helper.set_model_props(model, about)
        return model

    def expected(self, x: str, support: list[float]) -> str:
        if not support:
            return self.node(
                "Squeeze", self.node("Tanh", x), self.constant("axis", np.array([1])), to="value"
            )
        shares = self.node("Softmax", x, axis=1)
        numbers = self.constant("support", np.array(support, np.float32))
        return self.node("MatMul", shares, numbers, to="value")

    def node(self, kind: str, *inputs: str, to: str = "", **options: Any) -> str:
        output = to or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(kind, list(inputs), [output], **options))
        return output

    def constant(self, name: str, numbers: np.ndarray) -> str:
        self.constants[name] = self.numpy.from_array(np.ascontiguousarray(numbers), name)
        return name

    def weight(self, name: str) -> list[str]:
        """The weights, and the bias if there is one."""
        parts = (f"{name}.{part}" for part in ("weight", "bias"))
        weights = self.network.weights
        return [
            self.constant(part, weights[part].astype(np.float32))
            for part in parts
            if part in weights
        ]

    # --- the operations

    def conv(self, x: str, name: str) -> str:
        rim = self.network.weights[f"{name}.weight"].shape[-1] // 2
        return self.node("Conv", x, *self.weight(name), pads=[rim] * 4)

    def dense(self, x: str, name: str) -> str:
        weight, *bias = self.weight(name)
        turned = self.constant(f"{name}.turned", self.network.weights[weight].astype(np.float32).T)
        del self.constants[weight]
        product = self.node("MatMul", x, turned)
        return self.node("Add", product, *bias) if bias else product

    def relu(self, x: str) -> str:
        return self.node("Relu", x)

    def add(self, x: str, y: str) -> str:
        return self.node("Add", x, y)

    def add_board(self, x: str, y: str) -> str:
        return self.add(x, self.node("Unsqueeze", y, self.constant("cell_axes", np.array([2, 3]))))

    def add_spots(self, x: str, y: str) -> str:
        return self.add(x, self.node("Unsqueeze", y, self.constant("axis", np.array([1]))))

    def block(self, x: str, name: str, pools: bool) -> str:
        return str(residual_block(self, x, name, pools))

    def with_rim(self, x: str) -> str:
        pads = self.constant("one_plane", np.array([0, 0, 0, 0, 0, 1, 0, 0]))
        return self.node("Pad", x, pads, self.constant("one", np.array(1, np.float32)))

    def pool(self, x: str) -> str:
        return self.join(
            *(self.node(kind, x, axes=[2, 3], keepdims=0) for kind in ("ReduceMean", "ReduceMax"))
        )

    def columns(self, x: str) -> str:
        both = [self.node(kind, x, axes=[2], keepdims=0) for kind in ("ReduceMean", "ReduceMax")]
        return self.node("Transpose", self.join(*both), perm=[0, 2, 1])

    def without_rows(self, x: str, rows: int) -> str:
        if rows == 0:
            return x
        bounds = (("from", 0), ("to", -rows), ("row_axis", 2))
        return self.node(
            "Slice", x, *(self.constant(name, np.array([number])) for name, number in bounds)
        )

    def by_cell(self, x: str) -> str:
        return self.flat(self.node("Transpose", x, perm=[0, 2, 3, 1]))

    def flat(self, x: str) -> str:
        return self.node("Flatten", x, axis=1)

    def join(self, *parts: str) -> str:
        return self.node("Concat", *parts, axis=1)
