// @ts-check
import { watchActor } from "./actor.js";
import { describe, post, session } from "./api.js";
import { watchApprovals } from "./approvals.js";
import { followChanges } from "./changes.js";
import { watchComposer } from "./composer.js";
import { linkTo, readTitle, showTitle, watchConversations } from "./conversations.js";
import { copy, on, part, showText, showTimes } from "./dom.js";
import { watchFeedback } from "./feedback.js";
import { watchFill, watchQuestions } from "./forms.js";
import { follow, name } from "./live.js";
import { watchAccounts, watchDrawer, watchPanel, watchSignOut } from "./overlays.js";
import { watchTabs } from "./tabs.js";
import { watchThread } from "./thread.js";

const conversations = watchConversations();
const panel = watchPanel();
// Where a link led nowhere there is nothing to say something in.
const composer = document.getElementById("composer") === null ? undefined : watchComposer(send);
const thread = watchThread({ rested: () => conversations.drawSoon(), failed: showError });
const approvals = watchApprovals({ goOn, showFault });
const fill = watchFill(begin);

watchQuestions();
watchFeedback();
watchActor();
watchTabs();
watchDrawer();
const connect = watchAccounts();
watchSignOut(showError);
showTimes(document);
setInterval(() => showTimes(document), 30_000);

void followChanges(Number(part(document, ".app").dataset.change), {
  changes(changes, isComplete) {
    conversations.drawSoon();
    if (!isComplete) thread.touchAll();
    for (const change of changes) if (change.session_id === session) take(change);
  },
  health: () => void panel.refresh(),
  line: panel.line,
});

/** What happened in the conversation on the page. @param {import("./api.js").Change} change */
function take({ kind, turn_id: turnId }) {
  switch (kind) {
    case "turn":
      if (turnId !== undefined) void thread.touch(turnId);
      break;
    case "grants":
      void approvals.refreshGrants();
      break;
    case "renamed":
      readTitle().catch(() => undefined);
      break;
    case "deleted":
      thread.close();
      composer?.close();
      part(document, "#topbar-menu").hidden = true;
  }
}

// Enter in the name of an approval must not send the message box.
on("keydown", "input[data-actor]", (field, event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  field.blur();
});

on("click", "button[data-copy]", (button) => {
  void copy(button.parentElement?.querySelector("code")?.textContent ?? "");
});
on("click", "[data-copy-link]", (button) => void share(linkTo(button.closest(".turn")?.id)));
on("click", "[data-copy-answer]", (button) => {
  const answer = button.closest(".turn");
  const parts = [...(answer?.querySelectorAll(".reply, [role=tabpanel]:not([hidden]) .cs-card") ?? [])];
  const texts = parts.map((one) => (one instanceof HTMLElement ? one.innerText.trim() : ""));
  void copy(texts.filter((text) => text !== "").join("\n\n"), "Answer copied");
});
on("click", "[data-copy-table]", (button) => {
  const path = button.dataset.copyTable ?? "";
  void copy(
    fetch(path).then((response) => (response.ok ? response.text() : Promise.reject(new Error("refused")))),
    "Table copied",
  );
});

on("click", "button[data-action]", (element) => {
  const button = /** @type {HTMLButtonElement} */ (element);
  const { action = "", value = "" } = button.dataset;
  act(button, action, value).catch(showError);
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
  const next = await thread.goOn(article);
  conversations.drawSoon();
  void approvals.refreshGrants();
  next.scrollIntoView({ block: "nearest" });
  composer?.focus();
}

/** @param {string} text */
async function send(text) {
  showFault("");
  const own = /^\/connect(?:\s+(.*))?$/i.exec(text);
  if (own !== null) {
    await panel.open();
    if (own[1] !== undefined) await connect(own[1]);
    return;
  }
  await thread.showNewest();
  const isFirst = document.querySelector(".turn") === null;
  const article = thread.add(text);
  try {
    const body = { session_id: session, message: text, event_id: crypto.randomUUID() };
    const first = await post("/agent/turn", body, "text/event-stream");
    if (isFirst) {
      history.replaceState(null, "", `/?c=${encodeURIComponent(session)}`);
      showTitle(text);
      conversations.drawSoon(0);
    }
    thread.showFromStart(await follow(article, first));
  } catch (error) {
    if (article.dataset.turn === "") {
      article.remove();
      composer?.giveBack(text);
    }
    showError(error);
  }
  conversations.drawSoon();
  void approvals.refreshGrants();
}

/**
 * Shows a turn that a form began.
 * @param {string} turnId @param {string} message
 */
async function begin(turnId, message) {
  const article = thread.add(message);
  name(article, turnId);
  thread.showFromStart(await follow(article));
  conversations.drawSoon();
}

/** Hands a link on: to other apps on a phone, else to the clipboard. @param {string} url */
async function share(url) {
  if (!matchMedia("(pointer: coarse)").matches || navigator.share === undefined)
    return copy(url, "Link copied");
  // Who closes the list of apps has changed their mind.
  await navigator.share({ title: document.title, url }).catch(() => undefined);
}

/** @param {unknown} error */
function showError(error) {
  showFault(describe(error));
}

/** @param {string} text */
function showFault(text) {
  showText(document.getElementById("composer-error"), text);
}
