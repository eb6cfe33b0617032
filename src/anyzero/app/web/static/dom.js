// Building the page: every text goes in as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

export function s(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") node[name] = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export function replace(node, ...children) {
  node.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const live = () => document.getElementById("live");

// Said by a screen reader, seen by nobody.
export function announce(text) {
  if (!text) return;
  live().append(h("p", {}, text));
  while (live().children.length > 12) live().firstChild.remove();
}

export function toast(text, kind = "error") {
  const box = document.getElementById("toasts");
  const note = h("div", { class: `toast ${kind}`, onclick: () => note.remove() }, text);
  box.append(note);
  while (box.children.length > 3) box.firstChild.remove();
  setTimeout(() => note.remove(), 6000);
}

export function button(label, act, properties = {}) {
  return h("button", { type: "button", onclick: act, ...properties }, label);
}

export function field(label, control, properties = {}) {
  return h("label", { class: "field", ...properties }, h("span", {}, label), control);
}

// A dialog that ends with a value; null when it was dismissed.
export function ask(title, build, label = title) {
  return new Promise((resolve) => {
    const dialog = h("dialog", { "aria-label": label });
    const close = (value) => {
      dialog.close();
      dialog.remove();
      resolve(value);
    };
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      close(null);
    });
    // Both halves of a click: the touch that opened the dialog ends with a click upon it.
    let begunOutside = false;
    dialog.addEventListener("pointerdown", (event) => {
      begunOutside = event.target === dialog;
    });
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog && begunOutside) close(null);
    });
    dialog.append(
      h("div", { class: "dialog" },
        h("div", { class: "dialog-head" }, h("h2", {}, title),
          button("✕", () => close(null), { class: "quiet round", "aria-label": "Close" })),
        build(close)),
    );
    document.body.append(dialog);
    dialog.showModal();
    const first = dialog.querySelector("[data-first]");
    if (first) first.focus();
  });
}

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export function number(value, digits = 2) {
  return value === null || value === undefined ? "" : value.toFixed(digits);
}

export function signed(value, digits = 2) {
  if (value === null || value === undefined) return "";
  return (value > 0 ? "+" : value < 0 ? "−" : "") + Math.abs(value).toFixed(digits);
}

// A value in points, in a game with a best score.
export function inPoints(value, best) {
  return ((value + 1) / 2) * best;
}

// A value as people read it: in points where the game counts them.
export function worth(value, best, digits = 2) {
  return best && value !== null && value !== undefined ? number(inPoints(value, best), Math.max(0, digits - 2)) : signed(value, digits);
}

export function count(value) {
  if (value >= 1e6) return (value / 1e6).toFixed(1) + " M";
  if (value >= 1e4) return Math.round(value / 1e3) + " k";
  return String(value);
}

export function grouped(value) {
  return value.toLocaleString("en-US");
}

export function plural(value, word, many = `${word}s`) {
  return `${grouped(value)} ${value === 1 ? word : many}`;
}
