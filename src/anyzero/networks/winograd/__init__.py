"""Networks on the CPU by kernels of our own, with Winograd's convolutions.

Reading order: `transforms` (of tiles), `sizes` (what suits a board and a processor), `kernels` (the trunk, and a block
in training), `heads`, `network` (inference), `training` (gradients for torch).
"""
