// How a game is played: a few sentences, the start, and a position that shows what matters.

import { ask, h, replace } from "./dom.js";
import { link } from "./link.js";
import { thumbnail } from "./shapes.js";

// `text` names a game with its options; the second picture is one of the game without any.
export function showRules(lists, text) {
  const name = text.split(":")[0];
  const game = lists.games.find((one) => one.name === name);
  return ask(game.title, () => h("div", { class: "rules" },
    game.rules.map((paragraph) => h("p", {}, paragraph)),
    h("div", { class: "rules-pictures" }, picture({ game: text }), game.example.length ? picture({ game: name, moves: game.example }) : null)),
  `Rules of ${game.title}`);
}

function picture(position) {
  const node = h("figure", {});
  link.ask({ type: "look", ...position }).then(({ scene }) => scene
    && replace(node, thumbnail(scene), h("figcaption", { class: "muted" }, scene.caption))).catch(() => node.remove());
  return node;
}
