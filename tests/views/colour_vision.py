"""How colours look to people: contrast by WCAG 2, colour blindness by Machado et al., differences
in CIELAB.
"""

import numpy as np
from numpy.typing import NDArray

Rgb = NDArray[np.float64]

# Machado, Oliveira and Fernandes (2009), "A Physiologically-based Model for Simulation of Color
# Vision Deficiency", severity 1.0; for linear RGB.
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}

# sRGB primaries to CIE XYZ, white point D65.
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def linear_rgb(colour: str) -> Rgb:
    """`#rrggbb` as light, each channel from 0 to 1."""
    parts = np.array([int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def seen(colour: str, vision: str) -> Rgb:
    """The colour in CIELAB as somebody with that vision sees it."""
    light = np.clip(VISION[vision] @ linear_rgb(colour), 0, 1)
    ratio = (TO_XYZ @ light) / TO_XYZ.sum(axis=1)
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def difference(first: str, second: str, vision: str) -> float:
    """The distance of two colours in CIELAB (CIE 1976); about 2.3 is just noticeable."""
    return float(np.linalg.norm(seen(first, vision) - seen(second, vision)))


def least_difference(first: str, second: str) -> float:
    """The distance for whoever finds the two most alike."""
    return min(difference(first, second, vision) for vision in VISION)


def contrast(first: str, second: str) -> float:
    """The contrast ratio of WCAG 2, from 1 to 21."""
    dark, light = sorted(float(TO_XYZ[1] @ linear_rgb(colour)) for colour in (first, second))
    return (light + 0.05) / (dark + 0.05)
