// @ts-check
import { actor, showActor } from "./actor.js";
import { fragment, post, request, RequestError } from "./api.js";
import { showQuestion } from "./questions.js";
import { readEvents } from "./stream.js";
import { keepTabs, refreshDrawing } from "./tabs.js";
import { showTimes } from "./times.js";

const PHASES = /** @type {Record<string, string>} */ ({
  queued: "Waiting its turn",
  planning: "Planning",
  executing_tools: "Working",
  awaiting_approval: "Waiting for a countersignature",
  summarizing: "Writing the answer",
  done: "Finishing",
});

/** @param {string} text */
export function announce(text) {
  const line = document.getElementById("announcer");
  if (line !== null && line.textContent !== text) line.textContent = text;
}

/**
 * The status line of a running turn: phase, seconds, what it is doing, a bar, and Stop.
 * @param {HTMLElement} article
 */
export function liveLine(article) {
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById("live-template"));
  const copy = /** @type {DocumentFragment} */ (template.content.cloneNode(true));
  const root = /** @type {HTMLElement} */ (copy.firstElementChild);
  const part = (/** @type {string} */ name) =>
    /** @type {HTMLElement} */ (root.querySelector(`[data-${name}]`));
  const stop = /** @type {HTMLButtonElement} */ (root.querySelector("[data-action=stop]"));
  const bar = /** @type {HTMLProgressElement} */ (root.querySelector("progress"));
  let since = performance.now();
  const tick = () => {
    part("seconds").textContent = `${Math.floor((performance.now() - since) / 1000)} s`;
  };
  const timer = setInterval(tick, 250);
  tick();
  article.querySelector(".answer")?.append(root);

  return {
    /** @param {string} text */
    phase(text) {
      part("phase").textContent = text;
      announce(text);
    },
    /** @param {import("./stream.js").ServerEvent} event */
    take({ event, data }) {
      if (typeof data.turn_id === "string" && stop.value === "" && stop.dataset.value === "") {
        stop.dataset.value = data.turn_id;
        stop.hidden = false;
      }
      if (event === "status") this.status(data);
      else if (event === "progress") this.progress(data);
      else if (event === "question") {
        // Under the line that says what is being done, and drawn anew with the next event if it fails.
        showQuestion(article, data).catch(() => undefined);
        if (data.state === "open") announce("A server asks you something");
      }
    },
    /** @param {import("./stream.js").EventData} data */
    status({ phase = "", elapsed_ms: elapsed = 0 }) {
      since = performance.now() - elapsed;
      tick();
      this.phase(PHASES[phase] ?? phase);
      if (phase !== "executing_tools") part("progress").hidden = true;
    },
    /** @param {import("./stream.js").EventData} data */
    progress({ message = "", detail, progress, total }) {
      part("detail").textContent = detail === undefined ? message : `${message}: ${detail}`;
      part("detail").hidden = false;
      part("progress").hidden = progress === undefined;
      if (progress === undefined) return;
      if (total !== undefined && total > 0) {
        bar.max = total;
        bar.value = progress;
        part("amount").textContent = `${progress} of ${total}`;
      } else {
        bar.removeAttribute("value");
        part("amount").textContent = String(progress);
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
 * @param {{ first?: Response, after?: number, focus?: boolean }} [options]
 * @returns {Promise<HTMLElement>} the article as it stands in the page now
 */
export async function follow(article, { first, after = 0 } = {}) {
  let turnId = article.dataset.turn ?? "";
  if (turnId !== "" && followed.has(turnId)) return article;
  if (turnId !== "") followed.add(turnId);
  const line = liveLine(article);
  let response = first;
  let wait = 500;
  try {
    for (;;) {
      try {
        response ??= await request(`/agent/turns/${encodeURIComponent(turnId)}?after=${after}`, {
          headers: { accept: "text/event-stream" },
        });
        for await (const event of readEvents(response)) {
          wait = 500;
          if (turnId === "" && typeof event.data.turn_id === "string") {
            turnId = event.data.turn_id;
            article.dataset.turn = turnId;
            followed.add(turnId);
            void offerDrawings(article, turnId);
          }
          if (event.id !== "") after = Number(event.id);
          line.take(event);
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

/**
 * Puts the tabs of chat platforms around an answer that was begun on this page.
 * @param {HTMLElement} article
 * @param {string} turnId
 */
async function offerDrawings(article, turnId) {
  const { content } = await fragment(`/playground/turns/${encodeURIComponent(turnId)}`).catch(() => ({
    content: undefined,
  }));
  const shown = content?.querySelector(".shown");
  const answer = article.querySelector(":scope > .answer");
  if (shown == null || answer === null) return;
  shown.querySelector(".answer")?.replaceChildren(...answer.childNodes);
  answer.replaceWith(shown);
}

/**
 * Draws the turn from the store, unless it still runs.
 * @param {HTMLElement} article
 * @param {string} turnId
 * @returns {Promise<HTMLElement | undefined>}
 */
export async function redraw(article, turnId) {
  const { content } = await fragment(`/playground/turns/${encodeURIComponent(turnId)}`);
  const fresh = /** @type {HTMLElement} */ (content.firstElementChild);
  if (fresh.dataset.state === "queued" || fresh.dataset.state === "running") return undefined;
  showActor(fresh);
  showTimes(fresh);
  article.replaceWith(fresh);
  keepTabs(article, fresh);
  announce(
    fresh.dataset.state === "pending_confirmation" ? "A change needs your countersignature" : "Answer ready",
  );
  return fresh;
}

/** @param {string} turnId */
export async function stopTurn(turnId) {
  const name = actor();
  await post(`/agent/turns/${encodeURIComponent(turnId)}/stop`, name === undefined ? {} : { actor: name });
}
