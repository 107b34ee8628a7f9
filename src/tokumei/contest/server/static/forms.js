// <form data-api="POST /api/…">: the fields become a JSON object.
//   data-confirm="…"   asks first
//   data-go="/path"    where to go afterwards
//   data-reveal="key"  shows this part of the answer once, with a button that copies it
import { call, refresh, say, word } from "./api.js";

export function startForms() {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.dataset.api) return;
    event.preventDefault();
    send(form);
  });
}

async function send(form) {
  if (form.dataset.confirm && !(await confirmed(form.dataset.confirm))) return;
  const [method, path] = form.dataset.api.split(" ");
  const buttons = [...form.querySelectorAll("button")];
  buttons.forEach((button) => (button.disabled = true));
  try {
    const body = method === "DELETE" ? undefined : values(form);
    const answer = await call(method, path, body);
    form.querySelector(":scope > .said")?.remove();
    if (form.dataset.go) {
      window.location.assign(form.dataset.go);
      return;
    }
    if (form.dataset.reveal) {
      reveal(form, String(answer[form.dataset.reveal]));
      form.reset();
    } else if (form.matches("[hx-morph-skip]")) {
      say(form, word("done"), "done");
      if (!form.querySelector("textarea")) form.reset();
    }
    refresh();
  } catch (error) {
    say(form, error.message, "problem");
  } finally {
    buttons.forEach((button) => (button.disabled = false));
  }
}

/** Return the fields by name; an empty one is null, unless an empty text is meant. */
function values(form) {
  const found = {};
  for (const field of form.elements) {
    if (!field.name || field.disabled) continue;
    const number = field.type === "number" || "number" in field.dataset;
    if (field.value === "") found[field.name] = "keepEmpty" in field.dataset ? "" : null;
    else found[field.name] = number ? Number(field.value) : field.value;
  }
  return found;
}

function confirmed(sentence) {
  const dialog = document.getElementById("confirm");
  document.getElementById("confirm-text").textContent = sentence;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

function reveal(form, secret) {
  form.querySelector(":scope > .secret")?.remove();
  const block = document.createElement("div");
  block.className = "secret";
  const note = document.createElement("p");
  note.textContent = word("once");
  const shown = document.createElement("output");
  shown.textContent = secret;
  const copy = document.createElement("button");
  copy.type = "button";
  copy.className = "light small";
  copy.textContent = word("copy");
  copy.addEventListener("click", async () => {
    // Without HTTPS a page cannot write to the clipboard: then the text is selected.
    window.getSelection().selectAllChildren(shown);
    await navigator.clipboard?.writeText(secret);
    if (navigator.clipboard) copy.textContent = word("copied");
  });
  block.append(note, shown, copy);
  form.append(block);
  copy.focus();
}
