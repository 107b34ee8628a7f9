// Follows the contest: by a WebSocket, or where that cannot be opened by asking every 3 seconds.
// What happens becomes an event "live:…" on the body, on which parts of the page ask anew.
import { word } from "./api.js";

const GATHER = 300; // milliseconds in which events become one refresh
const SPREAD = 800; // and more at random, so that not all readers ask in the same moment
const SILENCE = 45_000; // without a word for so long, a connection counts as lost
const POLL = 3_000;
const LONGEST_PAUSE = 30_000;
const LOGGED_OUT = 4001;

let seq = 0;
let failures = 0;
let polling = null;
let silence = null;
let gathering = null;
const waiting = new Set();

export function startLive() {
  const meta = document.querySelector('meta[name="seq"]');
  if (!meta) return;
  seq = Number(meta.content);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && waiting.size && !gathering) tell();
  });
  connect();
}

function connect() {
  const scheme = window.location.protocol === "https:" ? "wss" : "ws";
  const socket = new WebSocket(`${scheme}://${window.location.host}/live?since=${seq}`);
  let opened = false;
  listen(socket);
  socket.addEventListener("message", ({ data }) => {
    if (!opened) {
      opened = true;
      failures = 0;
      stopPolling();
      show("live");
    }
    listen(socket);
    hear(JSON.parse(data));
  });
  socket.addEventListener("close", ({ code }) => {
    clearTimeout(silence);
    if (code === LOGGED_OUT) {
      logIn();
      return;
    }
    failures += 1;
    startPolling();
    const pause = Math.min(LONGEST_PAUSE, 500 * 2 ** failures);
    setTimeout(connect, pause * (0.5 + Math.random()));
  });
}

function logIn() {
  const here = window.location.pathname + window.location.search;
  window.location.assign(`/login?next=${encodeURIComponent(here)}`);
}

function listen(socket) {
  clearTimeout(silence);
  silence = setTimeout(() => socket.close(), SILENCE);
}

function hear(message) {
  seq = message.seq;
  if (message.type === "snapshot") waken("changed");
  for (const event of message.events ?? []) waken(event.kind.split(".")[0]);
}

/** Tell the page once for many events; a tab that nobody sees asks when it is seen again. */
function waken(part) {
  waiting.add(part);
  if (!gathering && !document.hidden) {
    gathering = setTimeout(tell, GATHER + SPREAD * Math.random());
  }
}

function tell() {
  gathering = null;
  const parts = [...waiting];
  waiting.clear();
  for (const name of parts) document.body.dispatchEvent(new CustomEvent(`live:${name}`));
}

function startPolling() {
  if (polling) return;
  polling = setInterval(poll, POLL);
  poll();
}

function stopPolling() {
  clearInterval(polling);
  polling = null;
}

async function poll() {
  try {
    const response = await fetch(`/api/events?since=${seq}`);
    if (response.status === 401) logIn();
    if (!response.ok) throw new Error(String(response.status));
    const message = await response.json();
    if (!polling) return;
    show("polling");
    hear(message);
  } catch {
    if (polling) show("offline");
  }
}

function show(state) {
  const place = document.getElementById("live");
  if (place.dataset.state === state) return;
  place.dataset.state = state;
  place.textContent = word(state);
}
