// @ts-check
import { fragment, readEvents, request, RequestError } from "./api.js";
import { announce, copyOf, part, released } from "./dom.js";
import { isAskedBefore, showQuestion } from "./forms.js";
import { keepTabs, refreshDrawing } from "./tabs.js";

const PHASES = /** @type {Record<string, string>} */ ({
  queued: "Queued",
  planning: "Planning",
  executing_tools: "Working",
  awaiting_approval: "Waiting for approval",
  summarizing: "Writing the answer",
  done: "Finishing",
});

/**
 * The status line of a running turn: phase, seconds, what it is doing, a bar, and Stop.
 * @param {HTMLElement} article
 */
function liveLine(article) {
  const root = copyOf("live-template");
  const at = (/** @type {string} */ name) => part(root, `[data-${name}]`);
  const stop = part(root, "[data-action=stop]");
  const bar = /** @type {HTMLProgressElement} */ (root.querySelector("progress"));
  let since = performance.now();
  let isQueued = true;
  const tick = () => {
    // What comes behind a turn begins once that is over: whoever waits is told what for.
    if (isQueued && isAskedBefore(article)) phase("Waits for the answer to the question above");
    at("seconds").textContent = `${Math.floor((performance.now() - since) / 1000)} s`;
  };
  const timer = setInterval(tick, 250);
  tick();
  article.querySelector(".answer")?.append(root);

  /** @param {string} text */
  function phase(text) {
    if (at("phase").textContent === text) return;
    at("phase").textContent = text;
    announce(text);
  }

  /** @param {import("./api.js").EventData} data */
  function showProgress({ message = "", detail, progress, total = 0 }) {
    at("detail").textContent = detail === undefined ? message : `${message}: ${detail}`;
    at("detail").hidden = false;
    at("progress").hidden = progress === undefined;
    if (progress === undefined) return;
    if (total > 0) {
      bar.max = total;
      bar.value = progress;
    } else bar.removeAttribute("value");
    at("amount").textContent = total > 0 ? `${progress} of ${total}` : String(progress);
  }

  return {
    phase,
    /** @param {import("./api.js").ServerEvent} event */
    take({ event, data }) {
      if (data.turn_id !== undefined && stop.dataset.value === "") {
        stop.dataset.value = data.turn_id;
        stop.hidden = false;
      }
      if (event === "progress") showProgress(data);
      else if (event === "status") {
        since = performance.now() - (data.elapsed_ms ?? 0);
        isQueued = data.phase === "queued";
        at("seconds").hidden = false;
        phase(PHASES[data.phase ?? ""] ?? data.phase ?? "");
        tick();
        if (data.phase !== "executing_tools") at("progress").hidden = true;
      } else if (event === "question") {
        // Under the line that says what is being done, and drawn anew with the next event if it fails.
        showQuestion(article, data).catch(() => undefined);
        const isAsked = data.state === "open";
        phase(isAsked ? "Waiting for your answer" : "Working");
        at("seconds").hidden = isAsked;
      }
    },
    end() {
      clearInterval(timer);
      root.remove();
    },
  };
}

/** Articles that are being followed, so that none is followed twice. @type {Set<string>} */
const followed = new Set();

/**
 * Follows a turn to its end for now and draws what came of it. Lost lines are taken up again after
 * the last event seen: the turn itself runs on in the server whatever happens here.
 * @param {HTMLElement} article
 * @param {Response} [response] the events of a turn that was just sent
 * @returns {Promise<HTMLElement>} the article as it stands in the page now
 */
export async function follow(article, response) {
  let turnId = article.dataset.turn ?? "";
  let after = 0;
  if (turnId !== "" && followed.has(turnId)) return article;
  if (turnId !== "") followed.add(turnId);
  const line = liveLine(article);
  let wait = 500;
  let hasWorked = false;
  try {
    for (;;) {
      try {
        response ??= await request(`/agent/turns/${encodeURIComponent(turnId)}?after=${after}`, {
          headers: { accept: "text/event-stream" },
        });
        for await (const event of readEvents(response)) {
          wait = 500;
          if (turnId === "" && event.data.turn_id !== undefined) {
            turnId = event.data.turn_id;
            name(article, turnId);
            followed.add(turnId);
            void offerDrawings(article, turnId);
          }
          if (event.id !== "") after = Number(event.id);
          line.take(event);
          if (event.event === "status") {
            const isWorking = event.data.phase === "executing_tools";
            if (hasWorked && !isWorking) void showFound(article, turnId).catch(() => undefined);
            hasWorked = isWorking;
          }
          refreshDrawing(article);
        }
        const drawn = await redraw(article, turnId);
        if (drawn !== undefined) return drawn;
      } catch (error) {
        if (turnId === "" || (error instanceof RequestError && error.status >= 400 && error.status < 500))
          throw error;
        line.phase("Reconnecting");
      }
      response = undefined;
      await new Promise((resolve) => setTimeout(resolve, wait));
      wait = Math.min(wait * 2, 8000);
    }
  } finally {
    followed.delete(turnId);
    line.end();
  }
}

/** Whether the turn's own events tell of it. @param {string} turnId */
export function isFollowed(turnId) {
  return followed.has(turnId);
}

/**
 * An article whose turn is known by now; what others were told of it sooner may stand there already.
 * @param {HTMLElement} article @param {string} turnId
 */
export function name(article, turnId) {
  for (const other of document.querySelectorAll(`.turn[data-turn="${CSS.escape(turnId)}"]`)) {
    if (other !== article) other.remove();
  }
  article.dataset.turn = turnId;
  article.id = turnId;
}

/**
 * Shows what the calls have brought while a model takes its time over what it says of them.
 * @param {HTMLElement} article @param {string} turnId
 */
async function showFound(article, turnId) {
  const found = (await drawTurn(turnId)).querySelector("[data-found]");
  if (found === null || !article.isConnected) return;
  article.querySelector("[data-found]")?.remove();
  article.querySelector(".answer")?.prepend(found);
}

/**
 * Puts the tabs of chat platforms around an answer that was begun on this page.
 * @param {HTMLElement} article @param {string} turnId
 */
async function offerDrawings(article, turnId) {
  const content = await drawTurn(turnId).catch(() => null);
  const shown = content?.querySelector(".shown");
  const answer = article.querySelector(":scope > .answer");
  if (shown == null || answer === null) return;
  shown.querySelector(".answer")?.replaceChildren(...answer.childNodes);
  answer.replaceWith(shown);
}

/** When each drawing was asked for, as a number that grows. @type {WeakMap<HTMLElement, number>} */
const order = new WeakMap();
let lastOrder = 0;

/**
 * The turn as the server draws it, once it may take the place of the one in the page.
 * @param {string} turnId
 */
export async function drawTurn(turnId) {
  const own = (lastOrder += 1);
  const content = await fragment(`/playground/turns/${encodeURIComponent(turnId)}`);
  const drawn = /** @type {HTMLElement} */ (content.firstElementChild);
  order.set(drawn, own);
  await released(`.turn[data-turn="${CSS.escape(turnId)}"]`);
  return drawn;
}

/**
 * Draws the turn from the store, unless it still runs.
 * @param {HTMLElement} article @param {string} turnId @returns {Promise<HTMLElement | undefined>}
 */
export async function redraw(article, turnId) {
  const fresh = await drawTurn(turnId);
  return isRunning(fresh) ? undefined : put(article, fresh);
}

/** @param {HTMLElement} old @param {HTMLElement} fresh @returns {HTMLElement} what stands there now */
export function put(old, fresh) {
  // Somebody else's decision may have had it drawn anew meanwhile.
  const turnId = CSS.escape(old.dataset.turn ?? "");
  const there = old.isConnected ? old : document.querySelector(`.turn[data-turn="${turnId}"]`);
  const article = there instanceof HTMLElement ? there : old;
  // As it is now already: what somebody has begun to write in it stays.
  if (article !== old && isSame(article, fresh)) return article;
  // Of two that were asked for at once the older may come last.
  if ((order.get(fresh) ?? 0) < (order.get(article) ?? 0)) return article;
  const focused = article.contains(document.activeElement) ? document.activeElement : null;
  // What is being looked up, or was, stays where somebody reads it.
  for (const place of article.querySelectorAll("[data-looked-up]")) {
    const id = CSS.escape(place.closest("[data-approval]")?.getAttribute("data-approval") ?? "");
    fresh.querySelector(`[data-approval="${id}"] [data-looked-up]`)?.replaceWith(place);
  }
  const isOpen = new Set([...article.querySelectorAll("details[open]")].map(foldName));
  for (const fold of fresh.querySelectorAll("details")) fold.open ||= isOpen.has(foldName(fold));
  keepForms(article, fresh);
  article.replaceWith(fresh);
  keepTabs(article, fresh);
  if (focused instanceof HTMLElement && fresh.contains(focused)) focused.focus({ preventScroll: true });
  if (!isRunning(fresh))
    announce(
      fresh.dataset.state === "pending_confirmation" ? "Something needs your approval" : "Answer ready",
    );
  return fresh;
}

/**
 * What somebody writes in a request stays while another one of the turn is decided.
 * @param {HTMLElement} before @param {HTMLElement} after
 */
function keepForms(before, after) {
  for (const form of before.querySelectorAll("[data-edit]")) {
    const id = CSS.escape(form.closest("[data-approval]")?.getAttribute("data-approval") ?? "");
    const request = after.querySelector(`[data-approval="${id}"]:has([data-action="edit"]) [data-request]`);
    if (!(request instanceof HTMLElement)) continue;
    request.hidden = true;
    request.after(form);
  }
  for (const field of before.querySelectorAll("[data-reason]")) {
    const again = after.querySelector(`#${CSS.escape(field.id)}`);
    if (field instanceof HTMLInputElement && again instanceof HTMLInputElement && field.value !== "")
      again.replaceWith(field);
  }
}

/** Whether two drawings of a turn show it at the same moment of its life. @param {HTMLElement} a @param {HTMLElement} b */
export function isSame(a, b) {
  return a.dataset.state === b.dataset.state && a.dataset.mark === b.dataset.mark;
}

/** What a fold is known by when it is drawn anew. @param {Element} fold */
function foldName(fold) {
  return fold.id === "" ? `${fold.className} ${fold.querySelector("summary")?.textContent?.trim()}` : fold.id;
}

/** Puts the turn in the article's place as it stands in the store, running or not. @param {HTMLElement} article */
export async function replaceTurn(article) {
  return put(article, await drawTurn(article.dataset.turn ?? ""));
}

/** @param {HTMLElement} article */
export function isRunning({ dataset: { state } }) {
  return state === "queued" || state === "running";
}
