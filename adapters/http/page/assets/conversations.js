// @ts-check
import { describe, fragment, post, request, session } from "./api.js";
import { announce, copy, on, part, released, showText } from "./dom.js";

const list = part(document, "#conversations");
const find = /** @type {HTMLInputElement} */ (part(document, "#find"));
const menu = part(document, "#conversation-menu");

/** The list at the side, looking for conversations, and what can be done with the one on the page. */
export function watchConversations() {
  let limit = "";
  let number = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let soon;

  async function draw() {
    clearTimeout(soon);
    soon = undefined;
    const own = (number += 1);
    const query = new URLSearchParams({ c: session, q: find.value.trim(), limit });
    try {
      const content = await fragment(`/playground/conversations?${query}`);
      await released("#conversations");
      // A slower answer to what was typed before.
      if (own !== number) return;
      const { activeElement } = document;
      const focused = list.contains(activeElement) ? activeElement?.getAttribute("href") : null;
      list.replaceChildren(content);
      if (focused != null) {
        const again = list.querySelector(`a[href="${CSS.escape(focused)}"]`);
        if (again instanceof HTMLElement) again.focus({ preventScroll: true });
      }
    } catch {
      // The list is drawn again with whatever happens next; its loss is not worth a word.
    }
  }

  /** Several changes at once are drawn once. @param {number} [ms] */
  function drawSoon(ms = 150) {
    soon ??= setTimeout(() => void draw(), ms);
  }

  find.addEventListener("input", () => {
    clearTimeout(soon);
    soon = undefined;
    drawSoon(200);
  });
  find.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") {
      event.preventDefault();
      const first = list.querySelector("a");
      if (first instanceof HTMLElement) first.focus();
    } else if (event.key === "Escape" && find.value !== "") {
      event.stopPropagation();
      find.value = "";
      void draw();
    }
  });
  on("click", "[data-more-conversations]", (button) => {
    limit = button.dataset.moreConversations ?? "";
    void draw();
  });
  on("click", "[data-find]", () => {
    const opener = part(document, "[data-drawer=open]");
    if (opener.offsetParent !== null) opener.click();
    find.focus();
  });
  watchMenu();
  return { draw, drawSoon };
}

/** Shows what the conversation is called, also before it is loaded anew. @param {string} title */
export function showTitle(title) {
  const line = title.split("\n").find((one) => one.trim() !== "") ?? "";
  const short = line.length > 80 ? `${line.slice(0, 79).trimEnd()}…` : line;
  part(document, "#title").textContent = short;
  document.title = `${short} · Countersign`;
  part(document, "#topbar-menu").hidden = false;
}

/** Somebody gave it another name. */
export async function readTitle() {
  const response = await request(`/conversations/${encodeURIComponent(session)}?limit=1`);
  const { title } = /** @type {{ title: string }} */ (await response.json());
  showTitle(title);
}

/** @param {string} [turnId] @returns {string} the address of the conversation, or of one message in it */
export function linkTo(turnId) {
  const turn = turnId === undefined ? "" : `&t=${encodeURIComponent(turnId)}`;
  return `${location.origin}/?c=${encodeURIComponent(session)}${turn}`;
}

function watchMenu() {
  const rename = /** @type {HTMLDialogElement} */ (part(document, "#rename"));
  const remove = /** @type {HTMLDialogElement} */ (part(document, "#delete"));
  const field = /** @type {HTMLInputElement} */ (part(document, "#rename-field"));

  on("click", "[data-conversation]", (item) => {
    menu.hidePopover();
    const title = part(document, "#title").textContent ?? "";
    switch (item.dataset.conversation) {
      case "rename":
        showText(rename.querySelector("[data-fault]"), "");
        field.value = title;
        rename.showModal();
        field.select();
        return;
      case "delete":
        showText(remove.querySelector("[data-fault]"), "");
        part(remove, "[data-name]").textContent = title;
        remove.showModal();
        return;
      default:
        void copy(linkTo(), "Link copied");
    }
  });
  on("click", "dialog [data-close]", (button) => button.closest("dialog")?.close());

  part(document, "#rename-form").addEventListener("submit", (event) => {
    event.preventDefault();
    void sending(rename, "PATCH", { title: field.value.trim() }, async (response) => {
      showTitle(/** @type {{ title: string }} */ (await response.json()).title);
      announce("Renamed");
    });
  });
  part(document, "#delete-form").addEventListener("submit", (event) => {
    event.preventDefault();
    void sending(remove, "DELETE", {}, async () => location.assign("/"));
  });
}

/**
 * Sends what a window asks for, and says in it what went wrong.
 * @param {HTMLDialogElement} window @param {string} method @param {object} body
 * @param {(response: Response) => Promise<void>} done
 */
async function sending(window, method, body, done) {
  const buttons = [...window.querySelectorAll("button")];
  for (const button of buttons) button.disabled = true;
  try {
    await done(await post(`/conversations/${encodeURIComponent(session)}`, body, "application/json", method));
    window.close();
  } catch (error) {
    showText(window.querySelector("[data-fault]"), describe(error));
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}
