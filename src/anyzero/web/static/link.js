// The connection to the server: questions with answers, streams, and a way back when it breaks.

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 1000;

class Link {
  constructor() {
    this.waiting = new Map();
    this.listeners = new Map();
    this.number = 0;
    this.wait = FIRST_WAIT_MS;
    this.open = false;
    this.connect();
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(`${scheme}//${location.host}/ws`);
    this.socket.onopen = () => {
      this.open = true;
      this.wait = FIRST_WAIT_MS;
      this.tell("open", {});
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

  hear(message) {
    const handler = this.waiting.get(message.request);
    if (handler && handler(message)) this.waiting.delete(message.request);
    this.tell(message.type, message);
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
    await new Promise((resolve) => {
      const end = this.on("open", () => {
        end();
        resolve();
      });
    });
  }

  say(message, handler) {
    this.number += 1;
    if (handler) this.waiting.set(this.number, handler);
    if (this.socket.readyState !== WebSocket.OPEN) {
      this.waiting.delete(this.number);
      if (handler) handler({ type: "error", error: "there is no connection just now" });
      return;
    }
    this.socket.send(JSON.stringify({ ...message, request: this.number }));
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

export const link = new Link();

export async function get(path) {
  const answer = await fetch(path, { headers: { accept: "application/json" } });
  const values = await answer.json();
  if (!answer.ok) throw new Error(values.error || `the server answered ${answer.status}`);
  return values;
}

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
