// The Take It Easy advisor: tell it the tiles that you draw, and it says where to put each.

import { button, field, h, number, replace, toast } from "./dom.js";
import { Board } from "./board.js";
import { catalog, link } from "./link.js";
import { playerPicker } from "./players.js";
import { warmCell } from "./overlay.js";
import { preparing } from "./table.js";

const GAME = "take_it_easy";
const BEST_SCORE = 307;

// A payoff from -1 to 1 as points.
function score(value) {
  return ((value + 1) / 2) * BEST_SCORE;
}

export async function render(section) {
  const lists = await catalog();
  const board = new Board({ onMove: (move) => push(move.move) });
  const status = h("h1", { class: "status" });
  const tiles = h("div", { class: "tiles", role: "group", "aria-label": "Drawn tile" });
  const advice = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Cells" });
  const summary = h("p", { class: "summary" });
  const picker = playerPicker(lists, { value: "level:hard", machines: true, searches: true, label: "Advisor", onchange: () => look() });
  const undo = button("Undo", () => { moves.pop(); look(); });
  let moves = [];
  let view = null;
  let turn = null;

  replace(section, h("div", { class: "table" }, board.node, h("aside", { class: "panel", "aria-label": "Advice" },
    status, tiles, summary, advice,
    h("div", { class: "row tools" }, undo, button("Start again", () => { moves = []; look(); })),
    field("Advisor", picker.node))));

  function push(move) {
    moves.push(move);
    look();
  }

  async function look() {
    const mine = (turn = {});
    link.say({ type: "stop", lane: "advisor" });
    try {
      const found = await link.ask({ type: "look", game: GAME, moves });
      if (mine !== turn) return;
      view = found;
    } catch (error) {
      toast(error.message);
      moves.pop();
      return;
    }
    board.setOverlay(null);
    board.show(view, view.seat === 0);
    undo.disabled = !moves.length;
    replace(advice);
    summary.textContent = "";
    const drawing = view.seat === -1;
    status.textContent = drawing ? "Which tile was drawn?" : view.seat === 0 ? `Where does ${moves.at(-1)} go?` : `The end: ${view.scores[0]} points`;
    replace(tiles, drawing ? view.legal.map((tile) => button(tile.move, () => push(tile.move))) : []);
    if (view.seat === 0) advise(mine);
  }

  function advise(mine) {
    summary.textContent = "Thinking …";
    link.stream({ type: "analyse", lane: "advisor", player: picker.value(), game: GAME, moves }, (answer) => {
      if (mine === turn && answer.preparing) summary.textContent = `${preparing(view)} …`;
      if (mine !== turn || !answer.result) return;
      const children = answer.result.children.filter((child) => child.value !== null);
      summary.textContent = `Put it on ${answer.result.best_move}: ${number(score(answer.result.value), 1)} points expected${answer.done ? "" : " …"}`;
      replace(advice, h("table", {}, h("thead", {}, h("tr", {}, ["Cell", "Expected points", "Visits"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, children.map((child) => h("tr", { class: child.action === answer.result.best_action ? "best" : undefined },
          h("td", {}, child.move), h("td", {}, number(score(child.value), 1)), h("td", {}, String(child.visits)))))));
      board.setOverlay(scores(children, answer.result.best_action));
    }, (error) => {
      if (mine === turn) summary.textContent = error;
    });
  }

  function scores(children, best) {
    const cells = new Map(view.legal.map((move) => [move.action, move.cells[0]]));
    const values = children.map((child) => score(child.value));
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return (shown) => children.flatMap((child) => {
      const share = high > low ? (score(child.value) - low) / (high - low) : 1;
      return warmCell(shown, cells.get(child.action), share, `${child.action === best ? "★ " : ""}${number(score(child.value), 0)}`);
    });
  }

  const end = link.on("open", () => look());
  await look();
  return () => {
    end();
    link.say({ type: "stop", lane: "advisor" });
  };
}
