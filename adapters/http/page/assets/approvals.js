// @ts-check
import { actor, showActor } from "./actor.js";
import { fragment, post, RequestError, toTemplate } from "./api.js";
import { announce } from "./live.js";
import { showTimes } from "./times.js";

/**
 * @typedef {object} PageParts
 * @property {string} session
 * @property {(article: HTMLElement) => Promise<void>} goOn shows what follows a decision
 * @property {(error: unknown) => string} describe
 * @property {(text: string) => void} showFault
 */

/** Who acts, as the API wants it. */
function who() {
  const name = actor();
  return name === undefined ? {} : { actor: name };
}

/**
 * The buttons of requests and grants, and the form that edits a request.
 * @param {PageParts} page
 */
export function watchApprovals({ session, goOn, describe, showFault }) {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset.edit === undefined) return;
    event.preventDefault();
    void save(form);
  });

  /**
   * Runs one action with the buttons around it disabled. What has changed meanwhile is drawn anew.
   * @param {HTMLElement} block
   * @param {() => Promise<void>} work
   */
  async function working(block, work) {
    const buttons = [...block.querySelectorAll("button")].filter((button) => !button.disabled);
    const line = (block.querySelector("[data-edit]") ?? block).querySelector("[data-fault]");
    const before = document.activeElement;
    for (const button of buttons) button.disabled = true;
    block.setAttribute("aria-busy", "true");
    if (line instanceof HTMLElement) line.hidden = true;
    try {
      await work();
    } catch (error) {
      const article = block.closest(".turn");
      const isStale = error instanceof RequestError && STALE.has(error.code);
      // What it is now is shown beside the words that say why it was refused.
      if (isStale && article instanceof HTMLElement) await goOn(article).catch(() => undefined);
      if (!isStale && line instanceof HTMLElement) {
        line.textContent = describe(error);
        line.hidden = false;
      } else showFault(describe(error));
    } finally {
      block.removeAttribute("aria-busy");
      for (const button of buttons) button.disabled = false;
      // A button that was disabled lost the focus.
      if (document.activeElement === document.body && before instanceof HTMLElement && before.isConnected)
        before.focus({ preventScroll: true });
    }
  }

  /**
   * @param {HTMLElement} article
   * @param {HTMLElement} block
   * @param {"approve" | "deny"} decision
   * @param {string} id
   */
  async function decide(article, block, decision, id) {
    const reason = block.querySelector("[data-reason]");
    if (reason instanceof HTMLInputElement && !reason.reportValidity()) return;
    const given = reason instanceof HTMLInputElement ? reason.value.trim() : "";
    const box = block.querySelector("[data-grant]");
    const isGranted = decision === "approve" && box instanceof HTMLInputElement && box.checked;
    await working(block, async () => {
      await post(`/approvals/${encodeURIComponent(id)}/decision`, {
        decision,
        ...who(),
        ...(given === "" ? {} : { reason: given }),
        ...(isGranted ? { grant: { ttl: box.dataset.ttl, uses: Number(box.dataset.uses) } } : {}),
      });
      announce(decision === "approve" ? "Approved" : "Denied");
      await goOn(article);
    });
  }

  /**
   * @param {HTMLElement} block
   * @param {string} id
   */
  async function edit(block, id) {
    await working(block, async () => {
      const { content } = await fragment(`/playground/approvals/${encodeURIComponent(id)}/edit`);
      showForm(block, content);
    });
  }

  /** @param {HTMLFormElement} form */
  async function save(form) {
    const block = form.closest("[data-approval]");
    const article = form.closest(".turn");
    if (!(block instanceof HTMLElement) || !(article instanceof HTMLElement)) return;
    const values = [...form.querySelectorAll("[data-field]")].map((field) => [
      field.getAttribute("data-field"),
      /** @type {HTMLInputElement} */ (field).value,
    ]);
    await working(block, async () => {
      const path = `/playground/approvals/${encodeURIComponent(form.dataset.edit ?? "")}/edit`;
      const response = await post(path, { values, ...who() }, "text/html");
      if (response.status === 422) return showForm(block, toTemplate(await response.text()).content);
      announce("Saved as a new request");
      await goOn(article);
    });
  }

  /**
   * @param {HTMLElement} block
   * @param {string} id
   */
  async function lookUp(block, id) {
    const place = /** @type {HTMLElement} */ (block.querySelector("[data-looked-up]"));
    place.textContent = "Looking it up…";
    try {
      await working(block, async () => {
        const response = await post(
          `/playground/approvals/${encodeURIComponent(id)}/lookup`,
          who(),
          "text/html",
        );
        place.replaceChildren(toTemplate(await response.text()).content);
        place.scrollIntoView({ block: "nearest" });
      });
    } finally {
      if (place.childElementCount === 0) place.textContent = "";
    }
  }

  async function refreshGrants() {
    const place = document.getElementById("grants");
    if (place === null || place.contains(document.activeElement)) return;
    try {
      const { content } = await fragment(`/playground/grants?c=${encodeURIComponent(session)}`);
      showTimes(content);
      const fresh = content.querySelector("details");
      if (fresh !== null) fresh.open = place.querySelector("details")?.open ?? false;
      place.replaceChildren(content);
    } catch {
      // Drawn again with the next turn.
    }
  }

  /**
   * @param {HTMLButtonElement} button
   * @param {string} id
   */
  async function revoke(button, id) {
    const place = /** @type {HTMLElement} */ (document.getElementById("grants"));
    button.disabled = true;
    try {
      await post(`/grants/${encodeURIComponent(id)}/revoke`, who());
      announce("Revoked");
      button.blur();
      await refreshGrants();
      const next = place.querySelector("summary") ?? document.getElementById("message");
      if (next instanceof HTMLElement) next.focus({ preventScroll: true });
    } catch (error) {
      button.disabled = false;
      const line = /** @type {HTMLElement} */ (place.querySelector("[data-grant-fault]"));
      line.textContent = describe(error);
      line.hidden = false;
    }
  }

  return {
    refreshGrants,
    /**
     * @param {HTMLButtonElement} button
     * @param {string} action
     * @param {string} value
     */
    async act(button, action, value) {
      if (action === "revoke") return revoke(button, value);
      const article = button.closest(".turn");
      const block = button.closest("[data-approval]");
      if (!(article instanceof HTMLElement) || !(block instanceof HTMLElement)) return;
      if (action === "approve" || action === "deny") return decide(article, block, action, value);
      if (action === "edit") return edit(block, value);
      if (action === "edit_cancel") return closeForm(block);
      if (action === "look_up") return lookUp(block, value);
      if (action !== "settle_happened" && action !== "settle_did_not") return;
      return working(block, async () => {
        const outcome = action === "settle_happened" ? "happened" : "did_not";
        await post(`/approvals/${encodeURIComponent(value)}/settle`, { outcome, ...who() });
        announce("Settled");
        await goOn(article);
      });
    },
  };
}

/** Somebody else was faster: the request stands differently now. */
const STALE = new Set(["not_pending", "not_unknown", "already_decided", "expired", "void", "superseded"]);

/**
 * Puts the form where the request stands, with the first fault, or else the first field, in focus.
 * @param {HTMLElement} block
 * @param {DocumentFragment} content
 */
function showForm(block, content) {
  const wasOpen = block.querySelector("[data-edit] .edit-more[open]") !== null;
  block.querySelector("[data-edit]")?.remove();
  const request = /** @type {HTMLElement} */ (block.querySelector("[data-request]"));
  showActor(content);
  request.hidden = true;
  request.after(content);
  const more = block.querySelector(".edit-more");
  if (more instanceof HTMLDetailsElement && wasOpen) more.open = true;
  const first = block.querySelector("[aria-invalid]") ?? block.querySelector("[data-field]");
  if (first instanceof HTMLElement) first.focus();
}

/** @param {HTMLElement} block */
function closeForm(block) {
  block.querySelector("[data-edit]")?.remove();
  /** @type {HTMLElement} */ (block.querySelector("[data-request]")).hidden = false;
  const edit = block.querySelector("[data-action=edit]");
  if (edit instanceof HTMLElement) edit.focus();
}
