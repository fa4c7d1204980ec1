// @ts-check
import { watchActor } from "./actor.js";
import { asActor, describe, fragment } from "./api.js";
import { decideTogether, watchApprovals } from "./approvals.js";
import { followChanges } from "./changes.js";
import { announce, on, part, showText, showTimes } from "./dom.js";

const place = part(document, "#inbox");
const fault = part(document, "#inbox-fault");
const approvals = watchApprovals({ session: "", goOn: () => draw(), showFault });

/** Something changed while somebody was typing. */
let isStale = false;
/** One look after the other, the newest last. */
let drawing = Promise.resolve();

watchActor();
showTimes(document);
setInterval(() => showTimes(document), 30_000);
// Whoever the browser is, which the server did not know.
void look();

void followChanges(Number(place.dataset.change), {
  changes: () => void look(),
  health: () => undefined,
  line: (isThere) => {
    part(document, "#inbox-line").hidden = isThere;
    if (isThere) void look();
  },
});

/** @param {string} text */
function showFault(text) {
  showText(fault, text);
}

/** Somebody is typing, or edits a request. */
function isBusy() {
  const focus = document.activeElement;
  const isTyping = focus instanceof HTMLInputElement && focus.type === "text" && focus.value !== "";
  return place.querySelector("[data-edit], [aria-busy]") !== null || (isTyping && place.contains(focus));
}

/** Draws what waits now, unless somebody is busy in it: then once they are done. */
function look() {
  if (isBusy()) {
    isStale = true;
    return Promise.resolve();
  }
  return draw();
}

/** @returns {Promise<void>} */
function draw() {
  drawing = drawing.then(drawNow).catch((error) => showFault(describe(error)));
  return drawing;
}

async function drawNow() {
  isStale = false;
  const fresh = await fragment(asActor("/playground/inbox"));
  const mark = (/** @type {ParentNode} */ root) => part(root, "[data-inbox]").dataset.inbox;
  if (mark(fresh) === mark(place)) return;
  // What is just being pressed would be gone before it is let go.
  if (place.querySelector(":active") !== null) {
    isStale = true;
    return;
  }
  const open = new Set([...place.querySelectorAll("details[open]")].map(keyOf));
  for (const details of fresh.querySelectorAll("details")) details.open = open.has(keyOf(details));
  for (const box of place.querySelectorAll("input[data-pick]:checked")) {
    const same = fresh.querySelector(`[data-pick="${CSS.escape(box.getAttribute("data-pick") ?? "")}"]`);
    if (same instanceof HTMLInputElement) same.checked = true;
  }
  place.replaceChildren(fresh);
  showText(fault, "");
  announce(part(place, ".inbox-title").textContent?.trim() ?? "");
}

/** Its row, and which of those in it that is. @param {Element} details */
function keyOf(details) {
  const row = details.closest("[data-request]");
  const inner = row === null ? [] : [...row.querySelectorAll("details")];
  return `${row?.getAttribute("data-request") ?? ""} ${inner.findIndex((one) => one === details)}`;
}

for (const type of /** @type {const} */ (["focusout", "click", "pointerup"])) {
  document.addEventListener(type, () => {
    if (isStale) setTimeout(() => void look(), 0);
  });
}
on("change", "input[data-actor]", () => void draw());

on("change", "input[data-pick-all]", (element) => {
  const all = /** @type {HTMLInputElement} */ (element);
  const boxes = [...(all.closest("[data-group]")?.querySelectorAll("input[data-pick]") ?? [])];
  for (const [at, box] of boxes.entries())
    if (box instanceof HTMLInputElement) box.checked = all.checked && at < Number(all.dataset["pickAll"]);
});

on("click", "button[data-action]", (element) => {
  const button = /** @type {HTMLButtonElement} */ (element);
  const { action = "", value = "" } = button.dataset;
  const done = action.endsWith("_picked")
    ? decidePicked(button, action.replace("_picked", ""))
    : approvals.act(button, action, value);
  Promise.resolve(done).catch((error) => showFault(describe(error)));
});

/**
 * Decides what is ticked as it is drawn: nothing of it where one of them is another by now.
 * @param {HTMLButtonElement} button @param {string} decision
 */
async function decidePicked(button, decision) {
  const group = /** @type {HTMLElement} */ (button.closest("[data-group]"));
  const line = group.querySelector(".inbox-together [data-fault]");
  const picked = [...group.querySelectorAll("input[data-pick]:checked")].map((box) =>
    String(box.getAttribute("data-pick")),
  );
  if (picked.length === 0) return showText(line, `Tick what you ${decision}.`);
  const field = /** @type {HTMLInputElement} */ (part(group, "[data-group-reason]"));
  if (!field.reportValidity()) return;
  const reason = field.value.trim();
  button.disabled = true;
  try {
    const refused = await decideTogether(picked, { decision, ...(reason === "" ? {} : { reason }) });
    announce(`${picked.length - refused.length} ${decision === "approve" ? "approved" : "denied"}`);
    field.value = "";
    await draw();
    showFault(refused.join("\n"));
  } catch (error) {
    await draw();
    showFault(describe(error));
  } finally {
    button.disabled = false;
  }
}
