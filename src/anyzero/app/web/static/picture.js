// A position's picture from the board, which never changes, and what the game's `draw` wrote: the same values that a
// server sends. `views/board.py` has this in Python.

const BRACES = /\{(?:cell|\d{1,3})\}/g;

function fill(text, texts) {
  return text.replace(BRACES, (found) => texts[found] ?? found);
}

const withText = (shape, texts) => (shape.kind === "label" ? { ...shape, text: fill(shape.text, texts) } : shape);

function moved(shape, [x, y]) {
  if (shape.kind === "polygon") return { ...shape, points: shape.points.map(([px, py]) => [px + x, py + y]) };
  return { ...shape, x: shape.x + x, y: shape.y + y };
}

// The fields of a record that `kind` describes, as numbers.
export function readFields(bytes, { fields }) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read = { i1: "Int8", u1: "Uint8", i2: "Int16", u2: "Uint16", i4: "Int32", u4: "Uint32", i8: "BigInt64", u8: "BigUint64", f4: "Float32", f8: "Float64", b1: "Uint8" };
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !name.startsWith("unused_")).map(([name, [kind, start, shape]]) => {
    const size = Number(kind.slice(2));
    const num = shape.reduce((product, length) => product * length, 1);
    const values = Array.from({ length: num }, (_, index) => Number(view[`get${read[kind.slice(1)]}`](start + index * size, true)));
    return [name, shape.length ? values : values[0]];
  }));
}

// Names of the cells that a move of this number is made by.
export function cellsOf(board, shown, number) {
  const meant = (cell) => (shown.stands_for[cell] ? shown.stands_for[cell] - 1 : cell);
  return (board.clicks[number] || []).map((cell) => board.cells[meant(cell)].name);
}

export function assemble(board, shown) {
  const { cells } = board;
  const texts = Object.fromEntries(shown.numbers.map((number, index) => [`{${index}}`, String(number)]));
  const marks = cells.flatMap((cell, index) => board.marks.flatMap((shapes, mark) =>
    ((shown.marks[index] >> mark) & 1 ? shapes.map((shape) => moved(withText(shape, { "{cell}": cell.name }), cell.centre)) : [])));
  return {
    box: board.box,
    cells: cells.map(({ centre, ...cell }) => cell),
    pieces: cells.flatMap((cell, index) => (shown.pieces[index] ? [{ cell: cell.name, ...board.kinds[shown.pieces[index] - 1] }] : [])),
    under: board.under,
    over: [...board.over.map((shape) => withText(shape, texts)), ...marks],
    aliases: Object.fromEntries(cells.flatMap((cell, index) => (shown.stands_for[index] ? [[cell.name, cells[shown.stands_for[index] - 1].name]] : []))),
    colours: board.colours,
    caption: board.captions.length ? fill(board.captions[shown.caption], texts) : "",
    title: board.title,
  };
}
