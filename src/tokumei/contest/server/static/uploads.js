// <form data-upload="/api/…">: each file is the raw body of a request of its own, the other fields
// and, under the name in data-file-name, the name of the file stand in the query.
import { answered, csrf, refresh, Refused, say, word } from "./api.js";

// The document listens: a form can come later, when its phase begins.
export function startUploads() {
  startAiming();
  document.addEventListener("submit", (event) => {
    if (event.target.dataset.upload) event.preventDefault();
  });
  document.addEventListener("change", ({ target }) => {
    const form = target.closest("form[data-upload]");
    if (!form || target.type !== "file") return;
    take(form, [...target.files]);
    target.value = "";
  });
  for (const name of ["dragover", "dragleave", "drop"]) document.addEventListener(name, drag);
}

function drag(event) {
  const zone = event.target.closest?.(".drop");
  if (!zone) return;
  event.preventDefault();
  zone.classList.toggle("over", event.type === "dragover");
  if (event.type === "drop") take(zone.closest("form"), [...event.dataTransfer.files]);
}

/** A button in the matrix chooses the team, and asks for the file. */
function startAiming() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-aim]");
    if (!button) return;
    const choice = document.getElementById("defender");
    choice.value = button.dataset.aim;
    choice.scrollIntoView({ block: "center" });
    choice.form.querySelector('input[type="file"]').click();
  });
}

/** Upload files one after the other, so that they are numbered in the order of the list. */
async function take(form, files) {
  form.querySelector(":scope > .said")?.remove();
  if (!form.reportValidity()) return;
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string") query.set(name, value);
  const lines = files.map((file) => [file, line(form, file)]);
  for (const [file, shown] of lines) {
    if (form.dataset.fileName) query.set(form.dataset.fileName, file.name);
    try {
      refuseLarge(file, Number(form.dataset.most));
      const made = await send(`${form.dataset.upload}?${query}`, file, shown);
      say(shown.item, `#${made.id} ${word("uploaded")}`, "done");
      refresh();
    } catch (error) {
      say(shown.item, error.message, "problem");
    }
  }
}

function refuseLarge(file, most) {
  if (file.size > most) {
    throw new Refused(word("toolarge").replace("{most}", `${most / 1e6} MB`));
  }
}

function line(form, file) {
  const item = document.createElement("li");
  const name = document.createElement("span");
  name.textContent = file.name;
  const bar = document.createElement("progress");
  bar.max = 100;
  bar.value = 0;
  bar.setAttribute("aria-label", file.name);
  const percent = document.createElement("span");
  percent.className = "number small";
  percent.textContent = "0%";
  item.append(name, bar, percent);
  form.querySelector(".uploads").prepend(item);
  return { item, bar, percent };
}

function send(address, file, { bar, percent }) {
  return new Promise((resolve, reject) => {
    // fetch does not tell how much of a body was sent.
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("X-CSRF-Token", csrf());
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      bar.value = total ? (100 * loaded) / total : 0;
      percent.textContent = `${Math.floor(bar.value)}%`;
    });
    request.addEventListener("error", () => reject(new Refused(word("unreachable"))));
    request.addEventListener("load", () => {
      try {
        resolve(answered(request.status < 300, request.status, request.responseText));
        bar.value = 100;
        percent.textContent = "100%";
      } catch (error) {
        reject(error);
      }
    });
    request.send(file);
  });
}
