// Times in the reader's own zone and language, and how long until a phase begins.
import { refresh, word } from "./api.js";

const language = document.documentElement.lang;
const whole = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
const exact = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "long" });
const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
const UNITS = [["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1]];

export function startTimes() {
  showTimes(document);
  setInterval(tick, 1_000);
}

export function showTimes(root) {
  for (const time of root.querySelectorAll("time:not([data-relative])")) {
    write(time, whole.format(new Date(time.dateTime)));
    time.title = exact.format(new Date(time.dateTime));
  }
  for (const text of root.querySelectorAll("text[data-time]")) {
    write(text, whole.format(new Date(text.dataset.time)));
  }
  tick();
}

function tick() {
  for (const time of document.querySelectorAll("time[data-relative]")) {
    write(time, since(new Date(time.dateTime)));
  }
  for (const place of document.querySelectorAll("[data-countdown]")) {
    const seconds = Math.ceil((new Date(place.dataset.countdown) - Date.now()) / 1_000);
    if (seconds > 0) {
      write(place, word("left").replace("{time}", length(seconds)));
    } else if (!("over" in place.dataset)) {
      place.dataset.over = "";
      // The server begins the next phase within a second or two.
      setTimeout(refresh, 2_000);
    }
  }
}

function write(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

function since(then) {
  const seconds = Math.round((then - Date.now()) / 1_000);
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? UNITS.at(-1);
  return relative.format(Math.trunc(seconds / size), unit);
}

function length(seconds) {
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor((seconds % 86_400) / 3_600);
  const minutes = Math.floor((seconds % 3_600) / 60);
  if (days) return `${days} ${word("day")} ${hours} ${word("hour")}`;
  if (hours) return `${hours} ${word("hour")} ${minutes} ${word("minute")}`;
  return `${minutes} ${word("minute")} ${String(seconds % 60).padStart(2, "0")} ${word("second")}`;
}
