"""Winograd's minimal filtering F(m x n, 3x3): the transforms of tiles, and the products between
them.

A tile is `height` x `width` outputs of a convolution, 2 to 4 each way. They depend on (height + 2)
x (width + 2) inputs, which are transformed into as many points; so are the nine weights. Multiplied
point by point, summed over the channels and transformed again, they give the outputs: a tile of 4x4
takes 36 products for each pair of channels instead of 144. Lavin and Gray 2016.

Rows and columns are polynomials, and the points are their values. Two outputs take the points 0, 1,
-1 and infinity; three also use 2. Four use 0, NEAR, -NEAR, FAR, -FAR and infinity: 1 and 2 would
double the rounding error.

All functions over tiles work on `lanes` channels at a time. Their steps are strides: from one cell
to the next, from one row to the next, and from one point of a tile to the next.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import product

import numpy as np

from anyzero.core.compile import Unit
from anyzero.extras.fastnets.lanes import LaneArray, Lanes, Place, in_lanes, traced

# their product is 1, which saves multiplications
NEAR = 3 / 4
FAR = 4 / 3
SQUARES = NEAR**2 + FAR**2
NEAR_SCALE = 2 * NEAR**2 * (NEAR**2 - FAR**2)
FAR_SCALE = 2 * FAR**2 * (FAR**2 - NEAR**2)

Transform = Callable[..., Sequence[Lanes]]  # of the vectors along one side
Square = Sequence[Sequence[Lanes]]  # vectors by row and column
Steps = tuple[Place, ...]  # strides, known when the kernel runs


def transform_weights(weight: np.ndarray, height: int, width: int) -> np.ndarray:
    """Weights [outputs, inputs, 3, 3] into [points, inputs, outputs], in double precision."""
    down = np.array(WEIGHTS[height])
    across = np.array(WEIGHTS[width])
    points = np.einsum("ri,oniw,cw->rcno", down, weight.astype(np.float64), across)
    transformed: np.ndarray = points.reshape(-1, *points.shape[2:])
    return transformed


def weight_transform(height: int, width: int) -> np.ndarray:
    """The same as a matrix for the nine weights of a pair of channels: [points, 9] float32."""
    return np.kron(np.array(WEIGHTS[height], np.float32), np.array(WEIGHTS[width], np.float32))


WEIGHTS = {
    2: ((1.0, 0.0, 0.0), (0.5, 0.5, 0.5), (0.5, -0.5, 0.5), (0.0, 0.0, 1.0)),
    3: (
        (0.5, 0.0, 0.0),
        (-0.5, -0.5, -0.5),
        (-1 / 6, 1 / 6, -1 / 6),
        (1 / 6, 1 / 3, 2 / 3),
        (0.0, 0.0, 1.0),
    ),
    4: (
        (1.0, 0.0, 0.0),
        (1 / NEAR_SCALE, NEAR / NEAR_SCALE, NEAR**2 / NEAR_SCALE),
        (1 / NEAR_SCALE, -NEAR / NEAR_SCALE, NEAR**2 / NEAR_SCALE),
        (1 / FAR_SCALE, FAR / FAR_SCALE, FAR**2 / FAR_SCALE),
        (1 / FAR_SCALE, -FAR / FAR_SCALE, FAR**2 / FAR_SCALE),
        (0.0, 0.0, 1.0),
    ),
}
"""By outputs along a side: the matrix that transforms three weights in a row."""


def transform_input(
    cells: LaneArray, points: LaneArray, steps: Steps, height: int, width: int, lanes: int
) -> None:
    """Transform the cells of a tile and their neighbours into points; `steps` are (cell, row,
    point).
    """
    cells, points = in_lanes(lanes, cells, points)
    square = _read_square(cells, steps[1], steps[0], height + 2, width + 2)
    _write_points(_both_ways(INPUTS[height], INPUTS[width], square), points, steps[2])


def transform_gradient(
    cells: LaneArray, points: LaneArray, steps: Steps, height: int, width: int, lanes: int
) -> None:
    """The transposed output transform: gradients of a tile's cells into those of its points."""
    cells, points = in_lanes(lanes, cells, points)
    square = _read_square(cells, steps[1], steps[0], height, width)
    _write_points(_both_ways(GRADIENTS[height], GRADIENTS[width], square), points, steps[2])


def write_output(
    points: LaneArray,
    bias: LaneArray,
    cells: LaneArray,
    steps: Steps,
    height: int,
    width: int,
    lanes: int,
) -> None:
    """The output transform, written with the bias."""
    points, bias, cells = in_lanes(lanes, points, bias, cells)
    for place, vector in outputs(points, bias, steps, height, width):
        cells[place] = vector


def rectify_output(
    points: LaneArray,
    bias: LaneArray,
    cells: LaneArray,
    steps: Steps,
    height: int,
    width: int,
    lanes: int,
) -> None:
    """The same after a ReLU."""
    points, bias, cells = in_lanes(lanes, points, bias, cells)
    for place, vector in outputs(points, bias, steps, height, width):
        cells[place] = vector.clip(0.0)


def add_output(
    points: LaneArray,
    bias: LaneArray,
    trunk: LaneArray,
    active: LaneArray,
    steps: Steps,
    height: int,
    width: int,
    lanes: int,
) -> None:
    """The output transform and the bias added to the trunk; `active` is its ReLU."""
    points, bias, trunk, active = in_lanes(lanes, points, bias, trunk, active)
    for place, vector in outputs(points, bias, steps, height, width):
        total = trunk[place] + vector
        trunk[place] = total
        active[place] = total.clip(0.0)


def multiply(
    source: LaneArray,
    factors: LaneArray,
    target: LaneArray,
    steps: Steps,
    rows: int,
    vectors: int,
    lanes: int,
) -> None:
    """target = source @ factors for some rows and `vectors * lanes` columns, whose sums stay in
    registers.

    `steps` are (length of a row of the source, all of it used, and stride between rows of the
    target); the factors of those columns are adjacent.
    """
    source, factors, target = in_lanes(lanes, source, factors, target)
    num, target_step = steps
    sums = source.registers(
        {place: source.zeros() for place in product(range(rows), range(vectors))}
    )
    starts = [num * row for row in range(rows)]
    for index in source.loop(num):
        places = [start + index for start in starts]
        _add_products(source, places, factors, index * (vectors * lanes), sums, vectors, lanes)
    for row, vector in product(range(rows), range(vectors)):
        target[target_step * row + vector * lanes] = sums[row, vector]


def multiply_transposed(
    source: LaneArray,
    factors: LaneArray,
    target: LaneArray,
    steps: Steps,
    rows: int,
    vectors: int,
    lanes: int,
) -> None:
    """target += source.T @ factors for some rows and `vectors * lanes` columns of the target.

    `steps` are (number of rows of source and factors, and row strides of source, factors and
    target).
    """
    source, factors, target = in_lanes(lanes, source, factors, target)
    num, source_step, factor_step, target_step = steps
    places = list(product(range(rows), range(vectors)))
    sums = source.registers(
        {(row, vector): target[target_step * row + vector * lanes] for row, vector in places}
    )
    for index in source.loop(num):
        start = index * source_step
        _add_products(
            source,
            [start + row for row in range(rows)],
            factors,
            index * factor_step,
            sums,
            vectors,
            lanes,
        )
    for row, vector in places:
        target[target_step * row + vector * lanes] = sums[row, vector]


OVER_TILES = transform_input, transform_gradient, write_output, rectify_output, add_output
INTRINSICS = {
    function: traced(function) for function in (*OVER_TILES, multiply, multiply_transposed)
}
UNIT = Unit("network", {}, (), intrinsics=INTRINSICS)


def _add_products(
    source: LaneArray,
    places: Sequence[Place],
    factors: LaneArray,
    start: Place,
    sums: LaneArray,
    vectors: int,
    lanes: int,
) -> None:
    """The numbers at these places, one per row, times the vectors of factors starting at
    `start`.
    """
    columns = [factors[start + vector * lanes] for vector in range(vectors)]
    for row, place in enumerate(places):
        number = source.everywhere(place)
        for vector, factor in enumerate(columns):
            sums[row, vector] = sums[row, vector] + factor * number


def outputs(
    points: LaneArray, bias: LaneArray, steps: Steps, height: int, width: int
) -> Iterator[tuple[Place, Lanes]]:
    """Index and vector, bias included, of each cell."""
    cell_step, row_step, point_step = steps
    square = _read_square(points, point_step * (width + 2), point_step, height + 2, width + 2)
    offset = bias[0]
    for row, vectors in enumerate(_both_ways(OUTPUTS[height], OUTPUTS[width], square)):
        for column, vector in enumerate(vectors):
            yield row_step * row + cell_step * column, vector + offset


def _read_square(
    memory: LaneArray, row_step: Place, column_step: Place, rows: int, columns: int
) -> Square:
    return [
        [memory[row_step * row + column_step * column] for column in range(columns)]
        for row in range(rows)
    ]


def _write_points(square: Square, points: LaneArray, point_step: Place) -> None:
    for point, vector in enumerate(vector for row in square for vector in row):
        points[point_step * point] = vector


def _both_ways(down: Transform, across: Transform, square: Square) -> Square:
    """Transform each row, and then each column."""
    rows = [across(*row) for row in square]
    return list(zip(*(down(*column) for column in zip(*rows, strict=True)), strict=True))


def _input_for_three(a: Lanes, b: Lanes, c: Lanes, d: Lanes, e: Lanes) -> Sequence[Lanes]:
    ahead = c - 2 * b
    behind = d - 2 * c
    return behind - (b - 2 * a), behind + ahead, behind - ahead, d - b, e - 2 * d - ahead


def _output_of_three(
    zero: Lanes, plus: Lanes, minus: Lanes, two: Lanes, infinite: Lanes
) -> Sequence[Lanes]:
    even = plus + minus
    odd = plus - minus
    return zero + even + two, odd + 2 * two, even + infinite + 4 * two


def _gradient_of_three(a: Lanes, b: Lanes, c: Lanes) -> Sequence[Lanes]:
    even = a + c
    return a, even + b, even - b, a + 2 * b + 4 * c, c


def _input_for_four(a: Lanes, b: Lanes, c: Lanes, d: Lanes, e: Lanes, f: Lanes) -> Sequence[Lanes]:
    near_even = e - FAR**2 * c
    near_odd = NEAR * d - FAR * b
    far_even = e - NEAR**2 * c
    far_odd = FAR * d - NEAR * b
    first = a + e - SQUARES * c
    last = b + f - SQUARES * d
    return (
        first,
        near_even + near_odd,
        near_even - near_odd,
        far_even + far_odd,
        far_even - far_odd,
        last,
    )


def _output_of_four(
    zero: Lanes, near: Lanes, near_minus: Lanes, far: Lanes, far_minus: Lanes, infinite: Lanes
) -> Sequence[Lanes]:
    near_even = near + near_minus
    near_odd = near - near_minus
    far_even = far + far_minus
    far_odd = far - far_minus
    return (
        zero + near_even + far_even,
        NEAR * near_odd + FAR * far_odd,
        NEAR**2 * near_even + FAR**2 * far_even,
        infinite + NEAR**3 * near_odd + FAR**3 * far_odd,
    )


def _gradient_of_four(a: Lanes, b: Lanes, c: Lanes, d: Lanes) -> Sequence[Lanes]:
    near_even = a + NEAR**2 * c
    near_odd = NEAR * b + NEAR**3 * d
    far_even = a + FAR**2 * c
    far_odd = FAR * b + FAR**3 * d
    return a, near_even + near_odd, near_even - near_odd, far_even + far_odd, far_even - far_odd, d


INPUTS: dict[int, Transform] = {
    2: lambda a, b, c, d: (a - c, b + c, c - b, b - d),
    3: _input_for_three,
    4: _input_for_four,
}
OUTPUTS: dict[int, Transform] = {
    2: lambda a, b, c, d: (a + b + c, b - c - d),
    3: _output_of_three,
    4: _output_of_four,
}
GRADIENTS: dict[int, Transform] = {
    2: lambda a, b: (a, a + b, a - b, -b),
    3: _gradient_of_three,
    4: _gradient_of_four,
}
"""By outputs along a side."""
