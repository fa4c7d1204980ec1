// @ts-check
import { asActor, readEvents, request } from "./api.js";

/** The server says something at least every 15 s. */
const SILENCE_MS = 40_000;

/**
 * @typedef {object} Listener
 * @property {(changes: import("./api.js").Change[], isComplete: boolean) => void} changes
 * @property {() => void} health what works has changed
 * @property {(isThere: boolean) => void} line whether the server answers
 */

/**
 * Follows what happens in conversations, on whatever surface and by whomever, as long as the page can be seen: a
 * hidden one holds no connection, and catches up when it is looked at again.
 * @param {number} after the last change that the page knows of
 * @param {Listener} listener
 */
export async function followChanges(after, listener) {
  let last = after;
  let wait = 500;
  for (;;) {
    if (document.hidden) await shown();
    const stop = new AbortController();
    const hide = () => {
      if (document.hidden) stop.abort();
    };
    document.addEventListener("visibilitychange", hide);
    let silence = setTimeout(() => stop.abort(), SILENCE_MS);
    let isOpen = false;
    try {
      const response = await request(asActor(`/changes?after=${last}`), {
        headers: { accept: "text/event-stream" },
        signal: stop.signal,
      });
      isOpen = true;
      wait = 500;
      listener.line(true);
      for await (const { event, id, data } of readEvents(response)) {
        clearTimeout(silence);
        silence = setTimeout(() => stop.abort(), SILENCE_MS);
        if (id !== "") last = Number(id);
        if (event === "health") listener.health();
        if (event === "changes") listener.changes(data.changes ?? [], data.is_complete !== false);
      }
    } catch {
      // A line that broke is taken up at once; only a server that cannot be reached is gone.
      if (!isOpen && !document.hidden) listener.line(false);
    } finally {
      clearTimeout(silence);
      document.removeEventListener("visibilitychange", hide);
    }
    if (isOpen || document.hidden) continue;
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(wait * 2, 4000);
  }
}

/** Resolves when the page is looked at. @returns {Promise<void>} */
function shown() {
  return new Promise((resolve) => {
    document.addEventListener("visibilitychange", function look() {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", look);
      resolve();
    });
  });
}
