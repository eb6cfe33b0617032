"""Networks: what they look like, their weights on disk, and evaluators that the search can call.

Reading order: `config` (sizes and heads, and what a game makes of them), `models` (the network), `weights` (files),
`evaluator` and `on_gpu` (networks inside the search), and `winograd/` (the same networks on the CPU, fast). Only
training and GPUs need torch.
"""
