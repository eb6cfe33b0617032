"""The forward pass of a network, written once over operations: ONNX writes them down, a bot computes them with NumPy.

The operations are `conv`, `dense` (both by the name of their weights), `relu`, `add`, `add_board` (a vector a position,
added to each of its cells), `with_rim` (a plane of ones more), `pool` (mean and maximum of each channel over the
board), `columns` (the same over each column), `without_rows`, `by_cell` (channels last, flat), `flat` and `join`.
"""

from typing import Any


def forward(ops: Any, planes: Any, config: Any, sizes: Any) -> Any:
    """Logits and what the value head says, of planes [positions, ...]; `sizes` is (extras, last_rows) of the policy."""
    features = ops.relu(
        residual_trunk(ops, planes, config) if config.kind == "residual" else dense_trunk(ops, planes, config)
    )
    pooled = ops.pool(features) if config.kind == "residual" else features
    value = ops.dense(ops.relu(ops.dense(pooled, "value.hidden")), "value.payoff")
    return policy(ops, features, pooled, config, sizes), value


def residual_trunk(ops: Any, planes: Any, config: Any) -> Any:
    x = ops.conv(ops.with_rim(planes), "trunk.stem")
    for index in range(config.blocks):
        name = f"trunk.blocks.{index}"
        active = ops.relu(x)
        branch = ops.conv(active, name + ".first")
        if config.pool_every > 0 and index % config.pool_every == 0:
            branch = ops.add_board(branch, ops.dense(ops.pool(active), name + ".pooled"))
        x = ops.add(x, ops.conv(ops.relu(branch), name + ".second"))
    return x


def dense_trunk(ops: Any, planes: Any, config: Any) -> Any:
    x = ops.dense(ops.flat(planes), "trunk.stem")
    for index in range(config.layers - 1):
        x = ops.add(x, ops.dense(ops.relu(x), f"trunk.layers.{index}"))
    return x


def policy(ops: Any, features: Any, pooled: Any, config: Any, sizes: Any) -> Any:
    if config.kind == "mlp":
        return ops.dense(features, "policy.actions")
    if config.policy == "flat":
        return ops.dense(ops.flat(ops.relu(ops.conv(features, "policy.local"))), "policy.actions")
    board = ops.dense(pooled, "policy.pooled")
    if config.policy == "columns":
        hidden = ops.relu(ops.add_spots(ops.dense(ops.columns(features), "policy.local"), board))
        return ops.flat(ops.dense(hidden, "policy.columns"))
    extras, last_rows = sizes
    hidden = ops.relu(ops.add_board(ops.conv(features, "policy.local"), board))
    logits = ops.by_cell(ops.conv(ops.without_rows(hidden, last_rows), "policy.cells"))
    return ops.join(logits, ops.dense(ops.relu(board), "policy.extras")) if extras else logits
