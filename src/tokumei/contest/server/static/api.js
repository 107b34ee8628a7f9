// Calls of the REST API: JSON in and out, with the CSRF token of the session.

/** What the server refused, in the reader's language. */
export class Refused extends Error {}

export function word(name) {
  return document.getElementById("words").dataset[name] ?? "";
}

export function csrf() {
  return document.querySelector('meta[name="csrf"]').content;
}

export async function call(method, path, body) {
  const headers = { "X-CSRF-Token": csrf() };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  } catch {
    throw new Refused(word("unreachable"));
  }
  return answered(response.ok, response.status, await response.text());
}

/** Return the answer of a request, or throw the one sentence that says why there is none. */
export function answered(ok, status, text) {
  let answer = null;
  try {
    answer = text ? JSON.parse(text) : null;
  } catch {
    ok = false;
  }
  if (ok) return answer;
  throw new Refused(answer?.error?.message ?? `${word("unreachable")} (${status})`);
}

/** Let every live part of the page ask the server anew. */
export function refresh() {
  document.body.dispatchEvent(new CustomEvent("live:changed"));
}

/** Show a sentence at the end of an element; an alert is read out and gets the focus. */
export function say(place, sentence, kind) {
  place.querySelector(":scope > .said")?.remove();
  const said = document.createElement("p");
  said.className = `said ${kind}`;
  said.setAttribute("role", kind === "problem" ? "alert" : "status");
  said.textContent = sentence;
  place.append(said);
  if (kind === "problem") {
    said.tabIndex = -1;
    said.focus();
  }
  return said;
}
