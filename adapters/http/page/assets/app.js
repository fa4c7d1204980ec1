// @ts-check
import { watchAccounts } from "./accounts.js";
import { actor, actorName, showActor, watchActor } from "./actor.js";
import { fragment, post, RequestError } from "./api.js";
import { watchApprovals } from "./approvals.js";
import { watchFill } from "./fill.js";
import { announce, follow, redraw, stopTurn } from "./live.js";
import { watchDrawer, watchPanel, watchSignOut } from "./overlays.js";
import { watchQuestions } from "./questions.js";
import { watchTabs } from "./tabs.js";
import { showTimes } from "./times.js";

const app = /** @type {HTMLElement} */ (document.querySelector(".app"));
// The sign-in page loads no script, so the parts are there.
const form = /** @type {HTMLFormElement} */ (document.getElementById("composer"));
const box = /** @type {HTMLTextAreaElement} */ (document.getElementById("message"));
const thread = /** @type {HTMLElement} */ (document.getElementById("thread"));
const scroller = /** @type {HTMLElement} */ (document.getElementById("scroll"));
const session = app.dataset.session ?? "";

/** Whether the end of the thread stays in view while a turn that was just sent grows. */
let atEnd = false;

const approvals = watchApprovals({ session, goOn, describe, showFault });
watchQuestions(describe);
watchAccounts(describe);
const fill = watchFill({ describe, showFault, begin });

watchActor();
watchTabs();
watchDrawer();
watchPanel();
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
  const { target } = event;
  const typing =
    target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement;
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    box.focus();
  }
  // Enter in the name or reason of an approval must not send the message box.
  if (event.key === "Enter" && target instanceof HTMLInputElement && target.matches("[data-actor]")) {
    event.preventDefault();
    target.blur();
  }
});

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-action], [data-copy]") : null;
  if (!(button instanceof HTMLButtonElement)) return;
  if (button.hasAttribute("data-copy")) void copyJson(button);
  else void act(button, button.dataset.action ?? "", button.dataset.value ?? "");
});

/**
 * @param {HTMLButtonElement} button
 * @param {string} action
 * @param {string} value
 */
async function act(button, action, value) {
  if (action === "prompt") return send(value);
  if (action === "fill" || action === "fill_cancel") return fill.act(button, action, value);
  if (action !== "stop") return approvals.act(button, action, value);
  button.disabled = true;
  return stopTurn(value).catch((error) => showFault(describe(error)));
}

/**
 * Shows what follows a decision while it happens.
 * @param {HTMLElement} article
 */
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
  const article = newTurn(text);
  thread.append(article);
  atEnd = true;
  scrollToEnd();
  if (new URLSearchParams(location.search).get("c") !== session) {
    history.replaceState(null, "", `/?c=${encodeURIComponent(session)}`);
    const title = text.split("\n")[0]?.slice(0, 80) ?? "";
    /** @type {HTMLElement} */ (document.getElementById("title")).textContent = title;
    document.title = `${title} · Countersign`;
  }
  const name = actor();
  try {
    const first = await post(
      "/agent/turn",
      {
        session_id: session,
        message: text,
        event_id: crypto.randomUUID(),
        ...(name === undefined ? {} : { actor: name }),
      },
      "text/event-stream",
    );
    void refreshList();
    const drawn = await follow(article, { first });
    showFromStart(drawn);
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
 * @param {string} turnId
 * @param {string} message
 */
async function begin(turnId, message) {
  const article = newTurn(message);
  article.dataset.turn = turnId;
  thread.append(article);
  atEnd = true;
  scrollToEnd();
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

/** @param {string} text */
function newTurn(text) {
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById("turn-template"));
  const copy = /** @type {DocumentFragment} */ (template.content.cloneNode(true));
  const article = /** @type {HTMLElement} */ (copy.firstElementChild);
  /** @type {HTMLElement} */ (article.querySelector("[data-text]")).textContent = text;
  /** @type {HTMLElement} */ (article.querySelector("[data-who]")).textContent = actorName();
  return article;
}

async function refreshList() {
  try {
    const { content } = await fragment(`/playground/conversations?c=${encodeURIComponent(session)}`);
    showTimes(content);
    document.getElementById("conversations")?.replaceChildren(content);
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
    const { content } = await fragment(`/playground/turns/${encodeURIComponent(article.dataset.turn ?? "")}`);
    const fresh = /** @type {HTMLElement} */ (content.firstElementChild);
    const { state, mark } = article.dataset;
    if (fresh.dataset.state !== state || fresh.dataset.mark !== mark) await goOn(article);
  } catch {
    // Tried again at the next look.
  }
}

/** @param {HTMLButtonElement} button */
async function copyJson(button) {
  const text = button.parentElement?.querySelector("code")?.textContent ?? "";
  await navigator.clipboard.writeText(text).then(
    () => announce("Copied"),
    () => announce("Copying was not allowed"),
  );
}

/** @param {string} text */
function showFault(text) {
  const line = /** @type {HTMLElement} */ (document.getElementById("composer-error"));
  line.textContent = text;
  line.hidden = text === "";
}

/** @param {unknown} error */
function describe(error) {
  return error instanceof RequestError
    ? error.message
    : "Something went wrong on this page. Reload it; nothing is lost.";
}

/** @param {HTMLElement} article */
function isRunning(article) {
  return article.dataset.state === "queued" || article.dataset.state === "running";
}

function fitBox() {
  box.style.height = "auto";
  box.style.height = `${Math.min(box.scrollHeight, 220)}px`;
}

function scrollToEnd() {
  scroller.scrollTop = scroller.scrollHeight;
}

showActor(document);
