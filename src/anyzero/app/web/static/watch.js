// Watch: machines against each other, as fast as you like.

import { button, field, h, replace, toast } from "./dom.js";
import { Board } from "./board.js";
import { catalog, get } from "./link.js";
import { moveList } from "./moves.js";
import { askNewGame, gameCards, tableRow } from "./newgame.js";
import { begin, copyTo, seatCards } from "./play.js";
import { toldValues, valueChart } from "./review.js";
import { caption, joinTable, resultLine } from "./table.js";
import { HUMAN } from "./words.js";

const SPEEDS = [3, 1.5, 0.8, 0.3, 0];

export async function render(section, { rest }) {
  return rest[0] ? renderTable(section, rest[0]) : renderStart(section);
}

async function renderStart(section) {
  const [lists, { tables }] = await Promise.all([catalog(), get("/api/tables")]);
  const open = tables.filter((table) => !table.seats.includes(HUMAN)).slice(0, 12);
  const start = async (game) => {
    const message = await askNewGame(lists, { game, machines: true });
    if (message) begin({ ...message, pace: 0.8 }, "watch").catch((error) => toast(error.message));
  };
  replace(section,
    h("div", { class: "page-head" }, h("h1", {}, "Watch the computer play itself"), button("New game …", () => start("hex:size=7"), { class: "main" })),
    gameCards(lists, (game) => (game.num_seats === 1 ? "the computer alone" : "computer against computer"), (game) => start(game.name)),
    open.length ? h("h2", {}, "Recently watched") : null,
    h("ul", { class: "games" }, open.map((table) =>
      tableRow(lists, table, (...words) => h("a", { href: `#/watch/${table.id}` }, words)))));
}

async function renderTable(section, id) {
  const board = new Board();
  const table = await joinTable(id, () => update());
  const status = h("h1", { class: "status" });
  const seats = h("div", { class: "seats" });
  const pause = button("", () => table.act("pace", { paused: !table.view.paused, pace: table.view.pace }), { class: "main" });
  const nearest = SPEEDS.reduce((best, pace, index) => (Math.abs(pace - table.view.pace) < Math.abs(SPEEDS[best] - table.view.pace) ? index : best), 0);
  const speed = h("input", { type: "range", min: 0, max: SPEEDS.length - 1, step: 1, value: nearest, "aria-label": "Speed" });
  speed.addEventListener("change", () => table.act("pace", { paused: table.view.paused, pace: SPEEDS[Number(speed.value)] }));
  const list = moveList(table);
  const graph = h("div", { class: "graph" });
  replace(section, h("div", { class: "table" }, board.node, h("aside", { class: "panel", "aria-label": "Game" },
    status, seats, h("div", { class: "row tools" }, pause, button("Flip", () => board.flip()), button("Analyse", () => copyTo(table, "analyse"))),
    field("Speed", speed), graph, list.node)));

  function update() {
    const { view } = table;
    board.show(table.shown, false);
    status.textContent = table.looking ? `Move ${table.looking.ply} of ${view.ply}` : caption(view);
    if (!table.looking) status.append(...resultLine(view));
    replace(seats, seatCards(view));
    pause.textContent = view.paused ? "Resume" : "Pause";
    pause.disabled = view.over;
    const told = toldValues(view);
    replace(graph, told.size > 1 ? valueChart(view, told, { height: 150, marks: false, now: table.shown.ply }) : null);
    list.update();
  }

  update();
  return () => table.leave();
}
