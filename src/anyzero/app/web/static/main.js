// Which page is shown, in which colours, and whether the server is there.

import { announce, h, replace, toast } from "./dom.js";
import { isExported, link } from "./link.js";

const PAGES = {
  play: () => import("./play.js"),
  analyse: () => import("./analyse.js"),
  watch: () => import("./watch.js"),
  advisor: () => import("./advisor.js"),
  runs: () => import("./runs.js"),
  experiments: () => import("./experiments.js"),
};

const content = document.getElementById("content");
let leave = () => {};
let shown = 0;

// `#/play/ID?moves=...` as its parts.
function place() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [page, ...rest] = path.split("/");
  const isThere = PAGES[page] && document.querySelector(`nav a[href="#/${page}"]`);
  return { page: isThere ? page : "play", rest: rest.map(decode), query: new URLSearchParams(query) };
}

// A text that no browser would have written stays as it is.
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function show() {
  const here = place();
  const number = ++shown;
  for (const entry of document.querySelectorAll("nav a")) {
    if (entry.getAttribute("href") === `#/${here.page}`) {
      entry.setAttribute("aria-current", "page");
      entry.scrollIntoView({ block: "nearest", inline: "center" });
    } else entry.removeAttribute("aria-current");
  }
  for (const dialog of document.querySelectorAll("dialog")) dialog.dispatchEvent(new Event("cancel", { cancelable: true }));
  leave();
  leave = () => {};
  try {
    const page = await PAGES[here.page]();
    await link.ready();
    if (number !== shown) return;
    const section = h("section", { class: `page page-${here.page}` });
    replace(content, section);
    const left = (await page.render(section, here)) || (() => {});
    if (number === shown) leave = left;
    else left();
  } catch (error) {
    if (number !== shown) return;
    replace(content, h("section", { class: "page" }, h("h1", {}, "Something went wrong"), h("p", {}, error.message),
      h("p", {}, h("a", { href: "#/play" }, "Choose a game"))));
    announce(error.message);
  }
}

function showState() {
  const state = document.getElementById("link-state");
  state.textContent = link.open ? "" : "Reconnecting …";
  state.classList.toggle("lost", !link.open);
}

// --- light and dark

const THEMES = ["auto", "light", "dark"];
const SIGNS = { auto: "◐", light: "☀", dark: "☾" };

function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const toggle = document.getElementById("theme");
  toggle.textContent = SIGNS[theme];
  toggle.setAttribute("aria-label", `Colours: ${theme}`);
  toggle.title = `Colours: ${theme}`;
  localStorage.setItem("theme", theme);
}

document.getElementById("theme").addEventListener("click", () => {
  const now = localStorage.getItem("theme") || "auto";
  setTheme(THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]);
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  content.focus();
});
setTheme(THEMES.includes(localStorage.getItem("theme")) ? localStorage.getItem("theme") : "auto");
link.on("open", showState);
link.on("closed", showState);
link.on("unasked", ({ error }) => toast(error));
addEventListener("hashchange", show);
// A cell that was clicked has the focus for the keys to come, and a ring only once one is pressed.
addEventListener("pointerdown", () => document.documentElement.classList.add("pointed"), true);
addEventListener("keydown", () => document.documentElement.classList.remove("pointed"), true);
if (isExported) navigator.serviceWorker?.register("sw.js").catch(() => {}); // then it needs the network
show();
