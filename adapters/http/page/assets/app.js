// @ts-check
import { actorName, watchActor } from "./actor.js";
import { describe, fragment, post } from "./api.js";
import { watchApprovals } from "./approvals.js";
import { announce, copyOf, on, part, showText, showTimes } from "./dom.js";
import { watchFill, watchQuestions } from "./forms.js";
import { drawTurn, follow, isRunning, redraw } from "./live.js";
import { watchAccounts, watchDrawer, watchPanel, watchSignOut } from "./overlays.js";
import { watchTabs } from "./tabs.js";

// The sign-in page loads no script, so the parts are there.
const form = /** @type {HTMLFormElement} */ (part(document, "#composer"));
const box = /** @type {HTMLTextAreaElement} */ (part(document, "#message"));
const thread = part(document, "#thread");
const scroller = part(document, "#scroll");
const session = part(document, ".app").dataset.session ?? "";

/** Whether the end of the thread stays in view while a turn that was just sent grows. */
let atEnd = false;

const approvals = watchApprovals({ session, goOn, showFault });
watchQuestions();
const fill = watchFill(begin);

watchActor();
watchTabs();
watchDrawer();
watchPanel();
watchAccounts();
watchSignOut((error) => showFault(describe(error)));
showTimes(document);
setInterval(() => showTimes(document), 30_000);
scrollToEnd();

new ResizeObserver(() => {
  if (atEnd) scrollToEnd();
}).observe(thread);
for (const gesture of ["wheel", "touchmove"]) {
  scroller.addEventListener(gesture, () => (atEnd = false), { passive: true });
}

for (const article of thread.querySelectorAll(".turn")) {
  if (article instanceof HTMLElement && isRunning(article)) void follow(article).then(refreshList);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = box.value;
  if (text.trim() === "") return;
  box.value = "";
  fitBox();
  void send(text);
});

box.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});
box.addEventListener("input", fitBox);

document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof Element && event.target.matches("input, textarea, select");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  box.focus();
});

// Enter in the name of an approval must not send the message box.
on("keydown", "input[data-actor]", (field, event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  field.blur();
});

on("click", "button[data-copy]", (button) => {
  const text = button.parentElement?.querySelector("code")?.textContent ?? "";
  navigator.clipboard.writeText(text).then(
    () => announce("Copied"),
    () => announce("Copying was not allowed"),
  );
});

on("click", "button[data-action]", (element) => {
  const button = /** @type {HTMLButtonElement} */ (element);
  const { action = "", value = "" } = button.dataset;
  act(button, action, value).catch((error) => showFault(describe(error)));
});

/** @param {HTMLButtonElement} button @param {string} action @param {string} value */
async function act(button, action, value) {
  if (action === "prompt") return send(value);
  if (action === "next") return goOnWith(button, value);
  if (action === "fill" || action === "fill_cancel") return fill(button, action, value);
  if (action !== "stop") return approvals.act(button, action, value);
  button.disabled = true;
  await post(`/agent/turns/${encodeURIComponent(value)}/stop`);
}

/** Begins what a turn offers to do next. @param {HTMLButtonElement} button @param {string} path */
async function goOnWith(button, path) {
  button.disabled = true;
  try {
    const response = await post(path, { event_id: crypto.randomUUID() });
    const begun = /** @type {{ turn_id: string, message: string }} */ (await response.json());
    await begin(begun.turn_id, begun.message);
  } finally {
    button.disabled = false;
  }
}

/** Shows what follows a decision while it happens. @param {HTMLElement} article */
async function goOn(article) {
  const drawn = await redraw(article, article.dataset.turn ?? "");
  const next = drawn ?? (await follow(article));
  void refreshList();
  next.scrollIntoView({ block: "nearest" });
  box.focus({ preventScroll: true });
}

/** @param {string} text */
async function send(text) {
  showFault("");
  document.getElementById("welcome")?.remove();
  const article = addTurn(text);
  if (new URLSearchParams(location.search).get("c") !== session) {
    history.replaceState(null, "", `/?c=${encodeURIComponent(session)}`);
    const title = text.split("\n")[0]?.slice(0, 80) ?? "";
    part(document, "#title").textContent = title;
    document.title = `${title} · Countersign`;
  }
  try {
    const body = { session_id: session, message: text, event_id: crypto.randomUUID() };
    const first = await post("/agent/turn", body, "text/event-stream");
    void refreshList();
    showFromStart(await follow(article, first));
  } catch (error) {
    // Nothing was accepted: the words go back to where they can be sent again.
    if (article.dataset.turn === "") {
      article.remove();
      if (box.value === "") box.value = text;
      fitBox();
    }
    showFault(describe(error));
  }
  void refreshList();
}

/**
 * Shows a turn that a form began.
 * @param {string} turnId @param {string} message
 */
async function begin(turnId, message) {
  const article = addTurn(message);
  article.dataset.turn = turnId;
  showFromStart(await follow(article));
  void refreshList();
}

/**
 * An answer is read from its beginning, also when it is longer than the screen.
 * @param {HTMLElement} article
 */
function showFromStart(article) {
  if (!atEnd) return;
  atEnd = false;
  if (article.offsetHeight > scroller.clientHeight)
    article.scrollIntoView({ block: "start", behavior: "smooth" });
  else scrollToEnd();
}

/** A turn at the end of the thread, which nothing is known of yet. @param {string} text */
function addTurn(text) {
  const article = copyOf("turn-template");
  part(article, "[data-text]").textContent = text;
  part(article, "[data-who]").textContent = actorName();
  thread.append(article);
  atEnd = true;
  scrollToEnd();
  return article;
}

async function refreshList() {
  try {
    const content = await fragment(`/playground/conversations?c=${encodeURIComponent(session)}`);
    part(document, "#conversations").replaceChildren(content);
  } catch {
    // The list is drawn again with the next turn; its loss is not worth a word.
  }
  await approvals.refreshGrants();
}

/** Others may decide as well, on another screen or surface: what waits is looked at now and then. */
setInterval(() => {
  if (document.hidden) return;
  for (const article of thread.querySelectorAll('.turn[data-state="pending_confirmation"]')) {
    const { activeElement } = document;
    // A tab that was clicked keeps the focus, and whoever looks at it wants to see what becomes of it.
    const isUsed = article.contains(activeElement) && activeElement?.role !== "tab";
    const isTouched = isUsed || article.querySelector("[data-edit]") !== null;
    if (article instanceof HTMLElement && !isTouched) void lookAgain(article);
  }
  // Grants end by themselves.
  if (document.querySelector(".grants-box") !== null) void approvals.refreshGrants();
}, 5000);

/** @param {HTMLElement} article */
async function lookAgain(article) {
  try {
    const { turn = "", state, mark } = article.dataset;
    const fresh = await drawTurn(turn);
    if (fresh.dataset.state !== state || fresh.dataset.mark !== mark) await goOn(article);
  } catch {
    // Tried again at the next look.
  }
}

/** @param {string} text */
function showFault(text) {
  showText(document.getElementById("composer-error"), text);
}

function fitBox() {
  box.style.height = "auto";
  box.style.height = `${Math.min(box.scrollHeight, 220)}px`;
}

function scrollToEnd() {
  scroller.scrollTop = scroller.scrollHeight;
}
