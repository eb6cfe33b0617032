"""Networks on the CPU with custom kernels for Winograd convolutions: `transforms` first, then
`kernels`.
"""
