// Analyse: a game with people in all seats, one or two searches over it, and the value from move to move.

import { button, field, h, replace, toast } from "./dom.js";
import { Lane } from "./lane.js";
import { catalog, get, link } from "./link.js";
import { moveList } from "./moves.js";
import { askNewGame, gameCards, tableRow } from "./newgame.js";
import { begin, loadFile } from "./play.js";
import { forFirst, meanValue, sweep, toldValues, valueChart, valueTitle } from "./review.js";
import { caption, gameSoFar, joinTable } from "./table.js";
import { HUMAN } from "./words.js";

export async function render(section, { rest }) {
  return rest[0] ? renderTable(section, rest[0]) : renderStart(section);
}

async function renderStart(section) {
  const [lists, { tables }] = await Promise.all([catalog(), get("/api/tables")]);
  const open = async (table) => {
    try {
      const view = await link.ask({ type: "join", table: table.id });
      await begin({ type: "new", ...gameSoFar(view), seats: view.seats.map(() => HUMAN) }, "analyse");
    } catch (error) {
      toast(error.message);
    }
  };
  replace(section,
    h("div", { class: "page-head" }, h("h1", {}, "Analyse a game"), h("div", { class: "row" },
      button("New position …", async () => {
        const message = await askNewGame(lists, { seats: [HUMAN, HUMAN] });
        if (message) begin({ ...message, seats: message.seats.map(() => HUMAN) }, "analyse").catch((error) => toast(error.message));
      }, { class: "main" }),
      button("Load a file", loadFile))),
    h("p", { class: "muted" }, "While a search runs, the board shows its visits, values, priors and AMAF values."),
    gameCards(lists, () => "from the start", (game) =>
      begin({ type: "new", game: game.name, seats: Array(game.num_seats).fill(HUMAN) }, "analyse").catch((error) => toast(error.message))),
    tables.length ? h("h2", {}, "Your games") : null,
    h("ul", { class: "games" }, tables.slice(0, 12).map((table) =>
      tableRow(lists, table, (...words) => h("button", { type: "button", class: "as-link", onclick: () => open(table) }, words)))));
}

async function renderTable(section, id) {
  const lists = await catalog();
  const table = await joinTable(id, () => update());
  const values = new Map();
  const position = () => ({ table: id, ply: table.shown.ply });
  const play = async (move) => {
    if (!table.looking) return table.move(move);
    const line = gameSoFar(table.view, table.looking.ply);
    return begin({ type: "new", ...line, seats: table.view.seats, moves: [...line.moves, move.move] }, "analyse")
      .catch((error) => toast(error.message));
  };
  const note = (ply, result) => {
    values.set(ply, forFirst(table.view, ply, meanValue(result)));
    drawGraph();
  };
  const first = new Lane("a", lists, { player: "uct:100000", position, onMove: play, onResult: ({ ply, result }) => result && note(ply, result) });
  const second = new Lane("b", lists, { player: "rave:100000", position, onMove: play });
  second.node.hidden = true;
  const compare = h("input", { type: "checkbox", onchange: () => {
    second.node.hidden = !compare.checked;
    lanes.classList.toggle("compared", compare.checked);
    if (!compare.checked) second.stop();
  } });
  const status = h("h1", { class: "status" });
  const list = moveList(table);
  const graph = h("div", {});
  const sweepButton = button("Whole game", () => sweepGame());
  const lanes = h("div", { class: "lanes" }, first.node, second.node, h("div", { class: "aside" },
    h("div", { class: "card-box" }, h("div", { class: "page-head" }, h("h2", {}, valueTitle(table.view)), sweepButton), graph),
    h("div", { class: "card-box" }, h("h2", {}, "Moves"), list.node)));
  let shownPly = null;

  replace(section,
    h("div", { class: "page-head" }, status, h("div", { class: "row" },
      field("Compare", compare), button("Flip", () => { first.board.flip(); second.board.flip(); }),
      button("Undo", () => table.act("undo")), button("Redo", () => table.act("redo")),
      h("a", { class: "button", href: `#/play/${id}` }, "Continue playing"))),
    lanes);

  function update() {
    const view = table.shown;
    const open = table.looking ? true : !table.view.over;
    status.textContent = table.looking ? `After move ${view.ply} of ${table.view.ply}` : caption(table.view);
    for (const lane of [first, second]) lane.show({ ...view, num_seats: table.view.num_seats, last: view.last || [] }, open);
    if (shownPly !== null && shownPly !== `${view.ply} ${view.position}`) [first, second].forEach((lane) => lane.forget());
    shownPly = `${view.ply} ${view.position}`;
    for (const ply of values.keys()) if (ply > table.view.ply) values.delete(ply); // taken back: others may follow
    list.update();
    drawGraph();
  }

  function drawGraph() {
    const known = new Map([...toldValues(table.view), ...values]);
    replace(graph, known.size
      ? valueChart(table.view, known, { height: 140, now: table.shown.ply, onpick: (ply) => table.look(ply) })
      : h("p", { class: "muted" }, "Each search adds its position to the curve; “Whole game” searches every position briefly."));
  }

  async function sweepGame() {
    sweepButton.disabled = true;
    await sweep(table, note).catch((error) => toast(error.message));
    sweepButton.disabled = false;
  }

  update();
  return () => {
    first.leave();
    second.leave();
    table.leave();
  };
}
