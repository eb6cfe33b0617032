// A scene's shapes as SVG. Colours are classes of the palette; nothing here knows a game.

import { s } from "./dom.js";

const CAPITALS_CENTRE = 0.36;

function paint(shape, scale = 1) {
  const names = [];
  if (shape.fill !== "none") names.push(`f-${shape.fill}`);
  if (shape.line && shape.line !== "none") names.push(`s-${shape.line}`);
  return {
    class: names.join(" "),
    fill: shape.fill === "none" ? "none" : undefined,
    "stroke-width": shape.line && shape.line !== "none" ? shape.width / scale : undefined,
  };
}

export function points(outline) {
  return outline.map(([x, y]) => `${x},${y}`).join(" ");
}

export function centre(cell) {
  const xs = cell.outline.map(([x]) => x);
  const ys = cell.outline.map(([, y]) => y);
  return [(Math.min(...xs) + Math.max(...xs)) / 2, (Math.min(...ys) + Math.max(...ys)) / 2];
}

// `sign` -1 turns the board by half; texts stay upright.
export function draw(shape, sign = 1) {
  const turn = sign < 0 ? "rotate(180)" : undefined;
  if (shape.kind === "polygon") return s("polygon", { points: points(shape.points), transform: turn, ...paint(shape) });
  if (shape.kind === "circle") {
    return s("circle", { cx: sign * shape.x, cy: sign * shape.y, r: shape.radius, ...paint(shape) });
  }
  if (shape.kind === "path") {
    const place = `translate(${shape.x} ${shape.y}) scale(${shape.scale})`;
    return s("path", { d: shape.data, transform: turn ? `${turn} ${place}` : place, ...paint(shape, shape.scale) });
  }
  return s("text", {
    x: sign * shape.x,
    y: sign * shape.y + shape.size * CAPITALS_CENTRE,
    "font-size": shape.size,
    "font-weight": shape.bold ? "bold" : undefined,
    class: `f-${shape.fill}`,
  }, shape.text);
}

// The colour of a seat's pieces, as a role of the palette.
export const seatRole = (scene, seat) => scene?.colours[seat] ?? `seat${seat % 2}`;

export function box(scene, sign) {
  const [left, top, width, height] = scene.box;
  return sign > 0 ? [left, top, width, height] : [-left - width, -top - height, width, height];
}

// A picture that cannot be clicked.
export function thumbnail(scene) {
  const [left, top, width, height] = scene.box;
  const cells = new Map(scene.cells.map((cell) => [cell.name, cell]));
  return s("svg", { viewBox: `${left} ${top} ${width} ${height}`, class: "thumbnail board-svg", "aria-hidden": "true" },
    scene.under.map((shape) => draw(shape)),
    scene.cells.map((cell) => draw({ kind: "polygon", points: cell.outline, fill: cell.fill, line: cell.line, width: 0.025 })),
    scene.pieces.map((piece) => {
      const [x, y] = centre(cells.get(piece.cell));
      return s("g", { transform: `translate(${x} ${y})` }, piece.shapes.map((shape) => draw(shape)));
    }),
    scene.over.map((shape) => draw(shape)));
}
