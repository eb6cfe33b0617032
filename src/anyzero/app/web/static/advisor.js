// The advisor of a game of one seat: tell it what you draw, and it says where to put it.

import { button, field, h, number, plural, replace, toast } from "./dom.js";
import { Board } from "./board.js";
import { catalog, link } from "./link.js";
import { playerPicker } from "./players.js";
import { warmCell } from "./overlay.js";
import { capital, preparing } from "./table.js";

const ROUNDS = 8;
const MOST_NAMED = 3;

// The mean of some searches, and half of its 95 % interval (Student's t); none where they were all the same.
function estimate(cell, points) {
  const mean = points.reduce((sum, one) => sum + one, 0) / points.length;
  const squares = points.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  const degrees = points.length - 1;
  return { cell, mean, half: degrees < 1 || squares < 1e-9 ? null : (1.96 + 2.5 / degrees + 8 / degrees ** 3) * Math.sqrt(squares / degrees / points.length) };
}

// Whether the difference of two means may be nothing.
function isEqual(one, other) {
  return one.half !== null && other.half !== null && Math.abs(one.mean - other.mean) <= Math.hypot(one.half, other.half);
}

export async function render(section, { rest }) {
  const lists = await catalog();
  const game = lists.games.find((one) => one.advisor && one.name === rest[0]) || lists.games.find((one) => one.advisor);
  const board = new Board({ onMove: (move) => push(move.move) });
  const status = h("h1", { class: "status" });
  const tiles = h("div", { class: "tiles", role: "group", "aria-label": `Drawn ${game.advisor.outcome}` });
  const advice = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Cells" });
  const summary = h("p", { class: "summary" });
  const meaning = h("p", { class: "muted" });
  const picker = playerPicker(lists, { value: game.advisor.player, machines: true, searches: true, label: "Advisor", onchange: () => look() });
  const undo = button("Undo", () => { moves.pop(); look(); });
  let moves = [];
  let view = null;
  let turn = null;

  replace(section, h("div", { class: "table" }, board.node, h("aside", { class: "panel", "aria-label": "Advice" },
    status, meaning, tiles, summary, advice,
    h("div", { class: "row tools" }, undo, button("Start again", () => { moves = []; look(); })),
    field("Advisor", picker.node))));

  // A payoff from -1 to 1 as points.
  const score = (value) => ((value + 1) / 2) * game.best_score;

  // "564" in words.
  const outcomeWords = (text) => `${text}: ${game.advisor.letters.map((meaning, at) => `${text[at]} ${meaning}`).join(", ")}`;

  function push(move) {
    moves.push(move);
    look();
  }

  async function look() {
    const mine = (turn = {});
    link.say({ type: "stop", lane: "advisor" });
    try {
      const found = await link.ask({ type: "look", game: game.name, moves });
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
    status.textContent = drawing ? `${game.title}: which ${game.advisor.outcome} was drawn?` : view.seat === 0 ? `${game.title}: where does ${moves.at(-1)} go?` : `The end: ${view.scores[0]} points`;
    meaning.textContent = view.seat === 0 ? outcomeWords(moves.at(-1)) : drawing ? `The numbers of a ${game.advisor.outcome}: ${game.advisor.letters.join(", ")}.` : "";
    replace(tiles, drawing ? view.legal.map((tile) => button(tile.move, () => push(tile.move), { title: outcomeWords(tile.move) })) : []);
    if (view.seat === 0) advise(mine);
  }

  // The same search again and again, with other draws each time: how far they differ says how sure the mean is.
  function advise(mine) {
    const found = new Map();
    summary.textContent = "Thinking …";
    const ask = (round) => link.stream({ type: "analyse", lane: "advisor", player: picker.value(), game: game.name, moves, seed: round }, (answer) => {
      if (mine !== turn) return;
      if (answer.preparing && !round) summary.textContent = `${capital(preparing(view))} …`;
      if (!answer.done || !answer.result) return;
      for (const [cell, points] of pooled(answer.result.children)) found.set(cell, [...(found.get(cell) || []), points]);
      show([...found].map(([cell, points]) => estimate(cell, points)), round + 1);
      if (round + 1 < ROUNDS) ask(round + 1);
    }, (error) => {
      if (mine === turn) summary.textContent = error;
    });
    ask(0);
  }

  const twin = (action) => (view.twins || {})[action] ?? action;

  // Points by cell; cells that are equal by symmetry share what was found for them.
  function pooled(children) {
    const sums = new Map();
    for (const { action, value, visits } of children) {
      if (value === null || !visits) continue;
      const cell = twin(action);
      const [sum, count] = sums.get(cell) || [0, 0];
      sums.set(cell, [sum + visits * score(value), count + visits]);
    }
    return [...sums].map(([cell, [sum, count]]) => [cell, sum / count]);
  }

  function show(estimates, rounds) {
    const cells = estimates.flatMap((one) => view.legal.filter(({ action }) => (twin(action)) === one.cell)
      .map((move) => ({ ...one, action: move.action, name: move.move, place: move.cells[0] })));
    cells.sort((one, other) => other.mean - one.mean);
    const best = cells.filter((one) => one.cell === cells[0].cell || isEqual(one, cells[0]));
    const names = best.slice(0, MOST_NAMED).map((one) => one.name).join(best.length > MOST_NAMED ? ", " : " or ") + (best.length > MOST_NAMED ? ` or one of ${best.length - MOST_NAMED} others` : "");
    const equal = best.length > 1 ? `; ${plural(rounds, "search", "searches")} cannot tell them apart` : "";
    summary.textContent = `Put it on ${names}: ${number(cells[0].mean, 1)} points expected${equal}${rounds < ROUNDS ? " …" : ""}`;
    replace(advice, h("table", {}, h("thead", {}, h("tr", {}, [["Cell"], ["Expected points"], ["95 % interval", "Of the mean over searches with different draws; errors of the rollout heuristic are not included"]]
      .map(([name, title]) => h("th", { scope: "col", title }, name)))),
      h("tbody", {}, cells.map((one) => h("tr", { class: best.includes(one) ? "best" : undefined },
        h("td", {}, one.name), h("td", {}, number(one.mean, 1)), h("td", {}, one.half === null ? "" : `${number(one.mean - one.half, 1)} to ${number(one.mean + one.half, 1)}`))))));
    board.setOverlay(scores(cells, best));
  }

  function scores(cells, best) {
    const [low, high] = [cells.at(-1).mean, cells[0].mean];
    return (shown) => cells.flatMap((one) => {
      const share = best.includes(one) ? 1 : high > low ? (one.mean - low) / (high - low) : 1;
      return warmCell(shown, one.place, share, `${best.includes(one) ? "★ " : ""}${number(one.mean, 0)}`);
    });
  }

  const end = link.on("open", () => look());
  await look();
  return () => {
    end();
    link.say({ type: "stop", lane: "advisor" });
  };
}
