// @ts-check
import { actor } from "./actor.js";
import { fragment, post, RequestError, toTemplate } from "./api.js";

const place = /** @type {HTMLElement} */ (document.getElementById("panel-accounts"));
const session = document.querySelector(".app")?.getAttribute("data-session") ?? "";

/** Draws the accounts of who looks, at the head of the panel. */
export async function drawAccounts() {
  const name = actor();
  const as = name === undefined ? "" : `&actor=${encodeURIComponent(name)}`;
  const { content } = await fragment(`/playground/accounts?c=${encodeURIComponent(session)}${as}`).catch(
    (error) => {
      // In the conversation of others, to which a request that waits has led, nobody connects anything.
      if (error instanceof RequestError && error.status === 404) return document.createElement("template");
      throw error;
    },
  );
  // What was just said, such as the link to open, stays until there is something newer to say.
  const said = place.querySelector("[data-account-said]");
  const fresh = content.querySelector("[data-account-said]");
  if (said !== null && fresh !== null) fresh.replaceWith(said);
  place.replaceChildren(content);
}

/** @param {(error: unknown) => string} describe */
export function watchAccounts(describe) {
  place.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest("[data-account]") : null;
    if (button instanceof HTMLButtonElement) void press(button);
  });

  /** @param {HTMLButtonElement} button */
  async function press(button) {
    const name = actor();
    button.disabled = true;
    try {
      const body = {
        deed: button.dataset.account,
        value: button.dataset.value,
        session_id: session,
        ...(name === undefined ? {} : { actor: name }),
      };
      const response = await post("/playground/accounts", body, "text/html");
      say(toTemplate(await response.text()).content);
      await drawAccounts();
    } catch (error) {
      say(describe(error));
    } finally {
      button.disabled = false;
    }
  }

  /** @param {DocumentFragment | string} words */
  function say(words) {
    place.querySelector("[data-account-said]")?.replaceChildren(words);
  }
}
