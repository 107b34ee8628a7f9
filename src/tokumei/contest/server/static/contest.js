// Starts everything that a page can do. The server has rendered the page; this adds what moves.
import htmx from "./vendor/htmx.esm.min.js";
import { startForms } from "./forms.js";
import { startInvitation } from "./invitation.js";
import { startLive } from "./live.js";
import { showTimes, startTimes } from "./times.js";
import { startUploads } from "./uploads.js";

// What the reader opened stays open, and a time that is written in the reader's zone stays so.
htmx.registerExtension("contest", {
  htmx_before_morph_attr: (element, detail) =>
    !(detail.attrName === "open" && element.matches("details, dialog")),
  htmx_before_morph_node: (element, detail) =>
    !(element.matches?.("time") && element.dateTime === detail.newNode.dateTime),
});

// A session that has ended answers with the page for logging in.
document.addEventListener("htmx:before:swap", (event) => {
  const response = event.detail.ctx.response?.raw;
  if (response?.redirected) {
    event.preventDefault();
    window.location.assign(response.url);
  }
});
// A refresh that waited for its turn asks for what the reader sees by then: another order, perhaps.
document.addEventListener("htmx:before:request", (event) => {
  const { sourceElement, request } = event.detail.ctx;
  if (sourceElement.matches("[hx-trigger*='live:']")) {
    request.action = sourceElement.getAttribute("hx-get");
  }
});
document.addEventListener("htmx:after:swap", () => showTimes(document));

startTimes();
startForms();
startUploads();
startInvitation();
startLive();
