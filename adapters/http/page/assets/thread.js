// @ts-check
import { actorName } from "./actor.js";
import { fragment, session } from "./api.js";
import { announce, copyOf, on, part } from "./dom.js";
import { drawTurn, follow, isFollowed, isRunning, isSame, put, replaceTurn } from "./live.js";

const thread = part(document, "#thread");
const scroller = part(document, "#scroll");
const newer = part(document, "#newer");

/** Pixels from the end within which a reader is taken to read the newest. */
const NEAR = 140;

/**
 * The turns of the conversation: those that are sent here, those that others begin, and older ones.
 * @param {{ rested: () => void, failed: (error: unknown) => void }} listener `rested`: a turn has ended for now
 */
export function watchThread({ rested, failed }) {
  /** Whether the end of the thread stays in view while a turn that was just sent grows. */
  let atEnd = false;
  let isLoading = false;
  /** Turns that changed while somebody was busy in them. @type {Set<string>} */
  const stale = new Set();
  let touching = Promise.resolve();

  const linked = new URLSearchParams(location.search).get("t");
  const wanted = linked === null ? null : find(linked);
  if (wanted === null) scrollToEnd();
  else {
    wanted.classList.add("turn--linked");
    wanted.scrollIntoView({ block: "start" });
  }
  followRunning();

  new ResizeObserver(() => {
    if (atEnd) scrollToEnd();
  }).observe(thread);
  for (const gesture of ["wheel", "touchmove"]) {
    scroller.addEventListener(
      gesture,
      () => {
        atEnd = false;
        if (scroller.scrollTop < 60) void load(thread.querySelector("[data-load=earlier]"), "earlier");
      },
      { passive: true },
    );
  }
  scroller.addEventListener("scroll", () => {
    if (isNearEnd()) newer.hidden = true;
  });
  newer.addEventListener("click", () => scrollToEnd());
  on("click", "[data-load]", (button) => void load(button, button.dataset.load ?? ""));
  // Who was busy in a turn has left it.
  for (const type of /** @type {const} */ (["focusout", "click"])) {
    document.addEventListener(type, () => {
      if (stale.size > 0) setTimeout(touchStale, 0);
    });
  }

  function isNearEnd() {
    return scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR;
  }

  function scrollToEnd() {
    scroller.scrollTop = scroller.scrollHeight;
    newer.hidden = true;
  }

  function followRunning() {
    for (const article of thread.querySelectorAll(".turn")) {
      if (article instanceof HTMLElement && isRunning(article)) void follow(article).then(rested, failed);
    }
  }

  /** @param {string} turnId @returns {HTMLElement | null} */
  function find(turnId) {
    return thread.querySelector(`.turn[data-turn="${CSS.escape(turnId)}"]`);
  }

  function touchStale() {
    for (const turnId of stale) void touch(turnId);
  }

  /** Draws a turn that something was told of, one after the other. @param {string} turnId */
  function touch(turnId) {
    touching = touching.then(() => draw(turnId)).catch(() => undefined);
    return touching;
  }

  /** @param {string} turnId */
  async function draw(turnId) {
    stale.delete(turnId);
    if (isFollowed(turnId)) return;
    const article = find(turnId);
    if (article === null) return drawNew(turnId);
    if (isBusy(article)) return void stale.add(turnId);
    const fresh = await drawTurn(turnId);
    // What was done here has drawn it meanwhile.
    const now = find(turnId);
    if (now === null || isFollowed(turnId)) return;
    if (isSame(fresh, now)) return;
    if (isBusy(now)) return void stale.add(turnId);
    // Put there at once: while it is fetched once more, somebody may open a form in what it would replace. What
    // follows is not awaited: it may take long, and other turns are to be drawn meanwhile.
    void goOn(now, fresh).catch(() => undefined);
  }

  /** A turn that began elsewhere, in its place among those that are shown. @param {string} turnId */
  async function drawNew(turnId) {
    const shown = /** @type {HTMLElement[]} */ ([...thread.querySelectorAll(".turn:not([data-turn=''])")]);
    const [first] = shown;
    // Ids are in the order of time: what lies beyond what is shown is found there when it is looked for.
    if (first !== undefined && turnId < first.id) return;
    if (thread.querySelector("[data-more=later]") !== null) return;
    const fresh = await drawTurn(turnId);
    if (find(turnId) !== null || isFollowed(turnId)) return;
    document.getElementById("welcome")?.remove();
    const isNear = isNearEnd();
    const next = shown.find(({ id, isConnected }) => isConnected && id > turnId);
    if (next === undefined) thread.append(fresh);
    else next.before(fresh);
    if (isNear) scrollToEnd();
    else newer.hidden = false;
    announce(`New message from ${fresh.querySelector(".ask-who span")?.textContent ?? "somebody"}`);
    if (isRunning(fresh)) void follow(fresh).then(rested, failed);
  }

  /** Shows how a turn goes on. @param {HTMLElement} article @param {HTMLElement} [drawn] where it is drawn already */
  async function goOn(article, drawn) {
    const isNear = isNearEnd();
    const fresh = drawn === undefined ? await replaceTurn(article) : put(article, drawn);
    if (isNear) scrollToEnd();
    if (!isRunning(fresh)) return fresh;
    const rest = await follow(fresh);
    rested();
    return rest;
  }

  /**
   * More turns from the end of those that are shown, or the others in their place.
   * @param {Element | null} button @param {string} where
   */
  async function load(button, where) {
    const holder = button?.closest("[data-more]");
    if (holder == null || isLoading) return;
    isLoading = true;
    try {
      const turns = thread.querySelectorAll(".turn");
      const from = {
        earlier: `&before=${turns[0]?.id}`,
        later: `&after=${turns[turns.length - 1]?.id}`,
        start: "&from=start",
        end: "",
      }[where];
      const content = await fragment(`/playground/thread?c=${encodeURIComponent(session)}${from}`);
      const first = content.querySelector(".turn");
      atEnd = false;
      if (where === "earlier" || where === "later") {
        const fromEnd = scroller.scrollHeight - scroller.scrollTop;
        holder.replaceWith(content);
        // What was read stays where it was.
        if (where === "earlier") scroller.scrollTop = scroller.scrollHeight - fromEnd;
      } else {
        thread.replaceChildren(content);
        scroller.scrollTop = where === "start" ? 0 : scroller.scrollHeight;
      }
      followRunning();
      const next = thread.querySelector(`[data-load="${where}"]`) ?? first;
      if (next instanceof HTMLElement) next.focus({ preventScroll: true });
      announce("More messages are shown");
    } catch (error) {
      failed(error);
    } finally {
      isLoading = false;
    }
  }

  return {
    find,
    touch,
    goOn,
    /** Everything that is shown, where it is not known what of it changed. */
    touchAll() {
      for (const article of thread.querySelectorAll(".turn")) void touch(article.id);
    },
    /** What is said now comes after the newest. */
    async showNewest() {
      const button = thread.querySelector("[data-load=end]");
      if (button !== null) await load(button, "end");
    },
    /** A turn at the end of the thread, which nothing is known of yet. @param {string} text */
    add(text) {
      document.getElementById("welcome")?.remove();
      const article = copyOf("turn-template");
      part(article, "[data-text]").textContent = text;
      part(article, "[data-who]").textContent = actorName();
      thread.append(article);
      atEnd = true;
      scrollToEnd();
      return article;
    },
    /**
     * An answer is read from its beginning, also when it is longer than the screen.
     * @param {HTMLElement} article
     */
    showFromStart(article) {
      if (!atEnd) return;
      atEnd = false;
      if (article.offsetHeight > scroller.clientHeight)
        article.scrollIntoView({ block: "start", behavior: "smooth" });
      else scrollToEnd();
    },
    /** The conversation is gone. */
    close() {
      thread.replaceChildren(copyOf("deleted-template"));
    },
  };
}

/** Whether somebody fills something in there, which drawing it anew would take away. @param {HTMLElement} article */
function isBusy(article) {
  const { activeElement } = document;
  // A tab that was clicked keeps the focus, and whoever looks at it wants to see what becomes of it.
  const isUsed = article.contains(activeElement) && activeElement?.role !== "tab";
  return isUsed || article.querySelector("[data-edit], [aria-busy]") !== null;
}
