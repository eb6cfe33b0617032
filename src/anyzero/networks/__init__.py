"""Networks: what they look like, their weights on disk, and evaluators that the search can call.

Only training and GPUs need torch.
"""
