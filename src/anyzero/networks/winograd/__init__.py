"""Networks on the CPU by kernels of our own, with Winograd's convolutions: `transforms` first, then `kernels`."""
