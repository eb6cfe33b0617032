"""Networks: their architecture, their weights on disk, and evaluators for the search.

Only training and GPUs need torch.
"""
