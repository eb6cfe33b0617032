// Experiments: tables of results, and who beats whom at which budget.

import { h, number, replace } from "./dom.js";
import { heatMap, lineChart } from "./chart.js";
import { get } from "./link.js";

export async function render(section, { rest }) {
  const { experiments } = await get("/api/experiments");
  const list = h("ul", { class: "list" }, experiments.map((one) => h("li", {},
    h("a", { href: `#/experiments/${encodeURIComponent(one.name)}`, "aria-current": one.name === rest[0] ? "true" : undefined }, one.name))));
  const main = h("div", {});
  replace(section, h("div", { class: "page-head" }, h("h1", {}, "Experiments")),
    experiments.length ? h("div", { class: "two" }, list, main)
      : h("p", { class: "muted" }, "There are no experiment tables here. ", h("code", {}, "anyzero experiment"), " creates one; ",
        h("code", {}, "anyzero serve --experiments FOLDER"), " sets the folder."));
  if (!rest[0]) {
    if (experiments.length) main.append(h("p", { class: "muted" }, "Choose an experiment."));
    return;
  }
  const { rows } = await get(`/api/experiments/${encodeURIComponent(rest[0])}`);
  replace(main, groups(rows).map((group) => groupBox(group)), h("h2", {}, "All cells"), h("div", { class: "card-box scroll" }, table(rows)));
}

// The rows by game, options, players and who moves first.
function groups(rows) {
  const found = new Map();
  for (const row of rows) {
    const key = [row.game, row.options, row.first, row.second, row.first_seat].join("\n");
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(row);
  }
  return [...found.values()];
}

function groupBox(rows) {
  const [one] = rows;
  const firsts = [...new Set(rows.map((row) => row.budgets[0]))];
  const seconds = [...new Set(rows.map((row) => row.budgets[1]))];
  const title = `${one.game}${one.options ? ` ${one.options}` : ""}: ${one.first} against ${one.second}${one.first_seat === "both" ? "" : `, the ${one.first_seat} player moves first`}`;
  const cell = (first, second) => {
    const row = rows.find((found) => found.budgets[0] === first && found.budgets[1] === second);
    if (!row) return null;
    const [score, low, high] = row.score;
    return { share: score, text: `${number(100 * score, 0)}%`, title: `${number(100 * low, 1)} to ${number(100 * high, 1)} %, ${row.wins} wins, ${row.draws} draws, ${row.losses} losses` };
  };
  if (rows.length > 1 && rows.length === Math.max(firsts.length, seconds.length)) return curve(title, rows, firsts.length > 1, seconds.length > 1);
  return h("div", { class: "card-box heat-box" }, h("h2", {}, title),
    h("p", { class: "muted" }, "Score of the first player: rows are its budgets, columns those of the second."),
    h("div", { class: "scroll" }, heatMap(firsts, seconds, cell)));
}

// Where one budget varies, or both together, the score is a line.
function curve(title, rows, firstVaries, secondVaries) {
  const names = rows.map((row) => (firstVaries ? row.budgets[0] : row.budgets[1]));
  const column = (place) => rows.map((row, index) => [index, 100 * row.score[place]]);
  const whose = firstVaries && secondVaries ? "of both players" : firstVaries ? "of the first player" : "of the second player";
  return h("div", { class: "card-box heat-box" }, h("h2", {}, title),
    h("p", { class: "muted" }, `Score of the first player in %, with its 95 % interval, by the budget ${whose}.`),
    lineChart([{ name: "score", points: column(0), low: column(1), high: column(2) }], { range: [0, 100], names, label: title }));
}

function table(rows) {
  const columns = ["Game", "First", "Second", "Budgets", "Moves first", "Wins", "Draws", "Losses", "Score", "95 % interval"];
  return h("table", {}, h("thead", {}, h("tr", {}, columns.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, [
      `${row.game} ${row.options}`, row.first, row.second, row.budgets.filter(Boolean).join(" / "), row.first_seat,
      row.wins, row.draws, row.losses, `${number(100 * row.score[0], 1)}%`, `${number(100 * row.score[1], 1)} to ${number(100 * row.score[2], 1)}%`,
    ].map((value) => h("td", {}, String(value)))))));
}
