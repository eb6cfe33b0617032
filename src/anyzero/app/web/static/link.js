// The connection to the back end, a server or a worker: questions with answers, streams, and a way back when it breaks.

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 1000;

class Link {
  constructor() {
    this.waiting = new Map();
    this.listeners = new Map();
    this.number = 0;
    this.open = false;
  }

  begin() {
    this.open = true;
    this.tell("open", {});
  }

  hear(message) {
    const handler = this.waiting.get(message.request);
    if (handler && handler(message)) this.waiting.delete(message.request);
    this.tell(message.type === "error" && !handler ? "unasked" : message.type, message);
  }

  tell(type, message) {
    for (const listener of [...(this.listeners.get(type) || [])]) listener(message);
  }

  // Call `act` for every message of a type; returns how to end that.
  on(type, act) {
    if (!this.listeners.has(type)) this.listeners.set(type, new Set());
    this.listeners.get(type).add(act);
    return () => this.listeners.get(type).delete(act);
  }

  async ready() {
    if (this.open) return;
    if (this.failed) throw new Error(this.failed);
    await new Promise((resolve, reject) => {
      this.on("open", resolve);
      this.on("failed", ({ error }) => reject(new Error(error)));
    });
  }

  say(message, handler) {
    this.number += 1;
    if (handler) this.waiting.set(this.number, handler);
    if (this.send({ ...message, request: this.number })) return;
    this.waiting.delete(this.number);
    if (handler) handler({ type: "error", error: "there is no connection just now" });
  }

  // One answer.
  ask(message) {
    return new Promise((resolve, reject) => {
      this.say(message, (answer) => {
        if (answer.type === "error") reject(new Error(answer.error));
        else resolve(answer);
        return true;
      });
    });
  }

  // Many answers, the last one with `done`.
  stream(message, act, fail) {
    this.say(message, (answer) => {
      if (answer.type === "error") {
        fail(answer.error);
        return true;
      }
      act(answer);
      return answer.done;
    });
  }
}

// A server.
class SocketLink extends Link {
  constructor() {
    super();
    this.wait = FIRST_WAIT_MS;
    this.connect();
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(`${scheme}//${location.host}/ws`);
    this.socket.onopen = () => {
      this.wait = FIRST_WAIT_MS;
      this.begin();
    };
    this.socket.onmessage = (event) => this.hear(JSON.parse(event.data));
    this.socket.onclose = () => this.lose();
  }

  lose() {
    const wasOpen = this.open;
    this.open = false;
    for (const handler of this.waiting.values()) {
      handler({ type: "error", error: "the connection was lost; reconnecting" });
    }
    this.waiting.clear();
    if (wasOpen) this.tell("closed", {});
    setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(LONGEST_WAIT_MS, this.wait * 2);
  }

  // Whether it went out.
  send(message) {
    const isOpen = this.socket.readyState === WebSocket.OPEN;
    if (isOpen) this.socket.send(JSON.stringify(message));
    return isOpen;
  }

  async get(path) {
    const answer = await fetch(path, { headers: { accept: "application/json" } });
    const values = await answer.json();
    if (!answer.ok) throw new Error(values.error || `the server answered ${answer.status}`);
    return values;
  }
}

// A worker of this page, which was exported: there is no server.
class WorkerLink extends Link {
  constructor() {
    super();
    this.worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => (data.type === "open" ? this.begin() : this.hear(data));
    this.worker.onerror = ({ message }) => this.tell("failed", { error: `this browser cannot run the games: ${message || "it has no modules in workers"}` });
    this.on("failed", ({ error }) => (this.failed = error));
  }

  send(message) {
    this.worker.postMessage(message);
    return true;
  }

  async get(path) {
    return (await this.ask({ type: "get", path })).values;
  }
}

export const isExported = "site" in document.documentElement.dataset;
export const link = isExported ? new WorkerLink() : new SocketLink();
export const get = (path) => link.get(path);

let lists = null;

// Games and players, asked for once.
export function catalog() {
  lists ??= Promise.all([get("/api/games"), get("/api/players")]).then(([games, players]) => ({
    ...games,
    ...players,
  }));
  lists.catch(() => (lists = null));
  return lists;
}
