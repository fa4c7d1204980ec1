// @ts-check
import { describe, fragment, post, RequestError, session, toFragment } from "./api.js";
import { announce, on, part, showText } from "./dom.js";
import { fieldValues, focusFirst, isTouched } from "./forms.js";

/**
 * @typedef {object} PageParts
 * @property {(article: HTMLElement) => Promise<void>} goOn shows what follows a decision
 * @property {(text: string) => void} showFault
 */

/** Somebody else was faster: the request stands differently now. */
const STALE = new Set([
  "other_requests",
  "not_pending",
  "not_unknown",
  "already_decided",
  "expired",
  "void",
  "superseded",
]);

/** The buttons of requests and grants, and the form that edits a request. @param {PageParts} page */
export function watchApprovals({ goOn, showFault }) {
  on("submit", "form[data-edit]", (form, event) => {
    event.preventDefault();
    void save(form);
  });
  on("keydown", "form.edit", (form, event) => {
    const cancel = form.querySelector("[data-action$=_cancel]");
    if (event.key === "Escape" && cancel instanceof HTMLElement && !isTouched(form)) cancel.click();
  });

  /**
   * Runs one action with the buttons around it disabled. What has changed meanwhile is drawn anew.
   * @param {HTMLElement} block @param {() => Promise<void>} work
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
      if (isStale || line === null) showFault(describe(error));
      else showText(line, describe(error));
    } finally {
      block.removeAttribute("aria-busy");
      for (const button of buttons) button.disabled = false;
      // A button that was disabled lost the focus.
      if (document.activeElement === document.body && before instanceof HTMLElement && before.isConnected)
        before.focus({ preventScroll: true });
    }
  }

  /**
   * Decides or settles, and shows what follows.
   * @param {HTMLElement} article
   * @param {HTMLElement} block
   * @param {string} path
   * @param {object} body
   * @param {string} done
   */
  function settle(article, block, path, body, done) {
    return working(block, async () => {
      await post(path, body);
      announce(done);
      await goOn(article);
    });
  }

  /**
   * What is said with a decision; undefined where a reason is missing.
   * @param {HTMLElement} block @param {string} decision
   */
  function readDecision(block, decision) {
    const together = block.closest("[data-together]");
    const field = /** @type {HTMLInputElement} */ (part(together ?? block, "[data-reason]"));
    // Of several only some may need a reason.
    const isFree = together !== null && together !== block && !("needsReason" in block.dataset);
    if (!isFree && !field.reportValidity()) return undefined;
    const reason = field.value.trim();
    const box = block.querySelector("[data-grant]");
    const isGranted = decision === "approve" && box instanceof HTMLInputElement && box.checked;
    return {
      decision,
      ...(reason === "" ? {} : { reason }),
      ...(isGranted ? { grant: { ttl: box.dataset.ttl, uses: Number(box.dataset.uses) } } : {}),
    };
  }

  /**
   * Decides all that are drawn together, where these still are what waits.
   * @param {HTMLElement} article @param {HTMLElement} block @param {string} decision
   */
  async function decideAll(article, block, decision) {
    const body = readDecision(block, decision);
    if (body === undefined) return undefined;
    return working(part(block, "[data-all]"), async () => {
      const ids = (block.dataset.together ?? "").split(" ");
      const refused = await decideTogether(ids, body);
      announce(decision === "approve" ? "Approved" : "Denied");
      await goOn(article);
      showFault(refused.join("\n"));
    });
  }

  /** @param {HTMLElement} form */
  async function save(form) {
    const block = form.closest("[data-approval]");
    const article = form.closest(".turn");
    if (!(block instanceof HTMLElement) || !(article instanceof HTMLElement)) return;
    const values = fieldValues(form);
    await working(block, async () => {
      const path = `/playground/approvals/${encodeURIComponent(form.dataset.edit ?? "")}/edit`;
      const response = await post(path, { values }, "text/html");
      if (response.status === 422) return showForm(block, await toFragment(response));
      announce("Saved as a new request");
      await goOn(article);
    });
  }

  /** @param {HTMLElement} block @param {string} id */
  async function lookUp(block, id) {
    const place = part(block, "[data-looked-up]");
    place.textContent = "Looking it up…";
    try {
      await working(block, async () => {
        const response = await post(
          `/playground/approvals/${encodeURIComponent(id)}/lookup`,
          undefined,
          "text/html",
        );
        place.replaceChildren(await toFragment(response));
        place.scrollIntoView({ block: "nearest" });
      });
    } finally {
      if (place.childElementCount === 0) place.textContent = "";
    }
  }

  async function refreshGrants() {
    const place = part(document, "#grants");
    if (place.contains(document.activeElement)) return;
    try {
      const content = await fragment(`/playground/grants?c=${encodeURIComponent(session)}`);
      const fresh = content.querySelector("details");
      if (fresh !== null) fresh.open = place.querySelector("details")?.open ?? false;
      place.replaceChildren(content);
      watchEnd(place);
    } catch {
      // Drawn again with the next turn.
    }
  }

  /** They end by themselves, of which nothing tells. @type {ReturnType<typeof setTimeout> | undefined} */
  let ending;

  /** @param {HTMLElement} place */
  function watchEnd(place) {
    clearTimeout(ending);
    const ends = Number(place.querySelector("[data-ends]")?.getAttribute("data-ends"));
    // Longer ones are looked at with whatever happens until then.
    const rest = ends - Date.now() + 500;
    if (ends > 0 && rest < 86_400_000) ending = setTimeout(() => void refreshGrants(), Math.max(rest, 500));
  }
  watchEnd(part(document, "#grants"));

  /** @param {HTMLButtonElement} button @param {string} id */
  async function revoke(button, id) {
    const place = part(document, "#grants");
    button.disabled = true;
    try {
      await post(`/grants/${encodeURIComponent(id)}/revoke`);
      announce("Revoked");
      button.blur();
      await refreshGrants();
      const next = place.querySelector("summary") ?? part(document, "#message");
      next.focus({ preventScroll: true });
    } catch (error) {
      button.disabled = false;
      showText(place.querySelector("[data-grant-fault]"), describe(error));
    }
  }

  return {
    refreshGrants,
    /** @param {HTMLButtonElement} button @param {string} action @param {string} id */
    async act(button, action, id) {
      if (action === "revoke") return revoke(button, id);
      const article = button.closest(".turn");
      const block = button.closest("[data-approval], [data-together]");
      if (!(article instanceof HTMLElement) || !(block instanceof HTMLElement)) return;
      if (action === "approve_all" || action === "deny_all")
        return decideAll(article, block, action.replace("_all", ""));
      const path = `/approvals/${encodeURIComponent(id)}`;
      switch (action) {
        case "approve":
        case "deny": {
          const body = readDecision(block, action);
          if (body === undefined) return;
          return settle(
            article,
            block,
            `${path}/decision`,
            body,
            action === "approve" ? "Approved" : "Denied",
          );
        }
        case "edit":
          return working(block, async () => {
            const form = await fragment(`/playground${path}/edit`);
            // The turn may have been drawn anew meanwhile.
            const now = document.querySelector(`[data-approval="${CSS.escape(id)}"]`);
            if (now instanceof HTMLElement) showForm(now, form);
          });
        case "edit_cancel":
          return closeForm(block);
        case "look_up":
          return lookUp(block, id);
        case "settle_happened":
        case "settle_did_not": {
          const outcome = action.replace("settle_", "");
          return settle(article, block, `${path}/settle`, { outcome }, "Settled");
        }
      }
    },
  };
}

/**
 * Decides several requests as they are drawn, each by itself.
 * @param {string[]} ids @param {{ decision: string, reason?: string }} body
 * @returns {Promise<string[]>} what was refused, in words
 */
export async function decideTogether(ids, { decision, reason }) {
  const request = { decision, approval_ids: ids, ...(reason === undefined ? {} : { reason }) };
  const response = await post("/approvals/decisions", request);
  const { decisions } = /** @type {{ decisions: { outcome: string, message: string }[] }} */ (
    await response.json()
  );
  return decisions
    .filter(({ outcome }) => !["approved", "denied", "recorded"].includes(outcome))
    .map(({ message }) => message);
}

/**
 * Puts the form where the request stands, with the first fault, or else the first field, in focus.
 * @param {HTMLElement} block @param {DocumentFragment} content
 */
function showForm(block, content) {
  const wasOpen = block.querySelector("[data-edit] .edit-more[open]") !== null;
  block.querySelector("[data-edit]")?.remove();
  const request = part(block, "[data-request]");
  request.hidden = true;
  request.after(content);
  const more = block.querySelector(".edit-more");
  if (more instanceof HTMLDetailsElement && wasOpen) more.open = true;
  focusFirst(block);
}

/** @param {HTMLElement} block */
function closeForm(block) {
  block.querySelector("[data-edit]")?.remove();
  part(block, "[data-request]").hidden = false;
  part(block, "[data-action=edit]").focus();
}
