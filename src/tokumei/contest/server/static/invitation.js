// An invitation's secret stands behind the # of its link: the browser keeps it from every log.
import { call } from "./api.js";

export async function startInvitation() {
  const form = document.getElementById("accept");
  if (!form) return;
  const place = document.getElementById("invited");
  const secret = window.location.hash.slice(1);
  // Neither the history nor a screen that others see shall keep it.
  window.history.replaceState(null, "", window.location.pathname);
  if (!secret) {
    place.textContent = document.getElementById("invited-none").textContent;
    return;
  }
  try {
    const invited = await call("POST", "/api/invitations/look", { secret });
    const sentence = document.getElementById(`invited-${invited.role}`).textContent;
    place.textContent = sentence.replace("{team}", () => invited.team ?? "");
    const field = document.createElement("input");
    field.type = "hidden";
    field.name = "secret";
    field.value = secret;
    form.append(field);
    form.hidden = false;
    form.elements.login.focus();
  } catch (error) {
    place.textContent = error.message;
    place.className = "problem";
  }
}
