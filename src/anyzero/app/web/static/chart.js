// Curves and heat maps, without anything from outside.

import { h, s } from "./dom.js";

const WIDTH = 480;
const SIDE = 50;
const FOOT = 27;

// `series` are {name, points: [[x, y], ...], low, high, colour}; y is cut into about four steps; `names` stand below x = 0, 1, ...
export function lineChart(series, { height = 200, range = null, label = "", marks = true, now = null, onpick = null, names = null } = {}) {
  const all = series.flatMap((one) => [...one.points, ...(one.low || []), ...(one.high || [])]).filter(([, y]) => y !== null);
  if (!all.length) return h("p", { class: "muted" }, "Nothing measured yet.");
  const xs = all.map(([x]) => x);
  const [left, right] = [Math.min(...xs), Math.max(...xs, Math.min(...xs) + 1)];
  const [low, high, step] = range ? [...range, (range[1] - range[0]) / 4] : nice(Math.min(...all.map(([, y]) => y)), Math.max(...all.map(([, y]) => y)));
  const x = (value) => SIDE + ((value - left) / (right - left)) * (WIDTH - SIDE - 10);
  const y = (value) => 8 + (1 - (value - low) / (high - low)) * (height - FOOT - 8);
  const svg = s("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": label });
  for (let value = low; value <= high + step / 1e3; value += step) {
    const zero = Math.abs(value) < step / 1e3;
    svg.append(s("line", { class: zero && low < 0 ? "zero" : "grid", x1: SIDE, x2: WIDTH - 10, y1: y(value), y2: y(value) }),
      s("text", { x: SIDE - 6, y: y(value) + 4, "text-anchor": "end" }, tick(value, step)));
  }
  for (const value of names ? names.keys() : new Set([left, Math.round((left + right) / 2), right])) {
    svg.append(s("text", { x: x(value), y: height - 5, "text-anchor": "middle" }, names ? names[value] : tick(value, 1)));
  }
  if (now !== null) svg.append(s("line", { class: "now", x1: x(now), x2: x(now), y1: 8, y2: height - FOOT }));
  series.forEach((one, place) => {
    const index = one.colour ?? place;
    if (one.low && one.high) svg.append(band(one.low, one.high, x, y));
    const known = one.points.filter(([, value]) => value !== null);
    svg.append(s("polyline", { class: `line c${index % 3}`, points: known.map(([px, py]) => `${x(px)},${y(py)}`).join(" ") }));
    if (marks && known.length < 120) {
      for (const [px, py] of known) {
        svg.append(s("circle", { class: `dot c${index % 3}`, cx: x(px), cy: y(py), r: known.length > 40 ? 2 : 3 },
          s("title", {}, `${one.name} ${names ? names[px] : px}: ${tick(py, step / 100)}`)));
      }
    }
  });
  if (onpick) {
    svg.addEventListener("click", (event) => {
      const rect = svg.getBoundingClientRect();
      const at = ((event.clientX - rect.left) / rect.width) * WIDTH;
      onpick(Math.round(left + ((at - SIDE) / (WIDTH - SIDE - 10)) * (right - left)));
    });
  }
  return svg;
}

function band(low, high, x, y) {
  const there = low.map(([px], index) => [px, low[index][1], high[index][1]]).filter(([, a, b]) => a !== null && b !== null);
  const upper = there.map(([px, , b]) => `${x(px)},${y(b)}`);
  const lower = there.map(([px, a]) => `${x(px)},${y(a)}`).reverse();
  return s("polygon", { class: "band", points: [...upper, ...lower].join(" ") });
}

// Limits and a step that people like to read.
function nice(least, most) {
  const span = most - least || Math.abs(most) || 1;
  const rough = span / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((value) => value >= rough);
  return [Math.floor(least / step) * step, Math.max(Math.ceil(most / step) * step, Math.floor(least / step) * step + step), step];
}

function tick(value, step) {
  if (Math.abs(value) >= 1e6) return `${(value / 1e6).toPrecision(3)}M`;
  if (Math.abs(value) >= 1e4) return `${Math.round(value / 1e3)}k`;
  const digits = [0, 1, 2, 3, 4].find((some) => Math.abs(step * 10 ** some - Math.round(step * 10 ** some)) < 1e-6) ?? 4;
  return String(Number(value.toFixed(digits)));
}

// A table whose cells are warm by a share from 0 to 1; `cell(row, column)` gives {share, text, title} or null.
export function heatMap(rows, columns, cell, corner = "") {
  return h("table", { class: "heat" },
    h("thead", {}, h("tr", {}, h("th", {}, corner), columns.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, h("th", { scope: "row" }, row), columns.map((column) => {
      const found = cell(row, column);
      const node = h("td", { title: found ? found.title : undefined }, found ? found.text : "");
      if (found) node.style.background = `color-mix(in srgb, var(--heat) ${Math.round(100 * found.share)}%, var(--hover))`;
      return node;
    })))));
}
