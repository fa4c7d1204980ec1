// @ts-check
import { asActor, describe, fragment, post, request, RequestError, session, toFragment } from "./api.js";
import { copyOf, on, part, released } from "./dom.js";

/** The conversation list as a drawer on narrow screens. */
export function watchDrawer() {
  const sidebar = part(document, "#sidebar");
  const main = part(document, ".main");
  const scrim = part(document, ".scrim");
  const opener = part(document, "[data-drawer=open]");
  const narrow = matchMedia("(max-width: 800px)");

  /** @param {boolean} wanted */
  const set = (wanted) => {
    const isOpen = wanted && narrow.matches;
    sidebar.classList.toggle("open", isOpen);
    // What is out of sight is out of the keyboard's way as well.
    sidebar.inert = narrow.matches && !isOpen;
    main.inert = isOpen;
    scrim.hidden = !isOpen;
    opener.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) part(sidebar, "[data-drawer=close]").focus();
  };
  set(false);
  narrow.addEventListener("change", () => set(false));
  on("click", "[data-drawer]", (control) => {
    set(control.dataset.drawer === "open");
    if (control.dataset.drawer === "close") opener.focus();
  });
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !sidebar.classList.contains("open")) return;
    set(false);
    opener.focus();
  });
}

/** @param {(error: unknown) => void} failed */
export function watchSignOut(failed) {
  on("click", "[data-sign-out]", (button) => {
    const where = button.dataset.signOut === "everywhere" ? "?everywhere=1" : "";
    request(`/session${where}`, { method: "DELETE" }).then(() => location.assign("/"), failed);
  });
}

/**
 * Tools and health, drawn when opened and while open; the status line and what does not work, whenever told.
 * @returns {{ open: () => Promise<void>, refresh: () => Promise<void>, line: (isThere: boolean) => void }}
 */
export function watchPanel() {
  const panel = /** @type {HTMLDialogElement} */ (part(document, "#panel"));
  const body = part(document, "#panel-body");
  const line = part(document, "#health-line");
  const trouble = part(document, "#trouble");
  let isThere = true;

  const draw = async () => {
    const nameOf = (/** @type {Element} */ details) => details.querySelector("summary > code")?.textContent;
    const open = new Set([...body.querySelectorAll("details[open]")].map(nameOf));
    const content = await fragment("/playground/panel");
    for (const details of content.querySelectorAll("details")) details.open = open.has(nameOf(details));
    body.replaceChildren(content);
    await drawAccounts();
  };

  async function refresh() {
    try {
      const [status, troubles] = await Promise.all([
        fragment("/playground/health"),
        fragment("/playground/troubles"),
      ]);
      await Promise.all([released("#health-line"), released("#trouble")]);
      line.replaceChildren(status);
      trouble.replaceChildren(troubles);
      showLight();
      if (panel.open && !body.contains(document.activeElement)) await draw();
    } catch {
      // Told again when the line is back.
    }
  }

  /** The light stands in the header as well, where the list is out of sight. */
  function showLight() {
    const light = line.querySelector(".light")?.className ?? "";
    for (const copy of document.querySelectorAll("[data-light]")) copy.className = light;
  }
  showLight();

  panel.addEventListener("click", ({ target }) => {
    if (target === panel) panel.close();
  });
  on("click", "[data-panel]", (control) => {
    if (control.dataset.panel === "close") return panel.close();
    void open();
  });

  function open() {
    panel.showModal();
    return draw().catch((error) => {
      body.textContent = describe(error);
    });
  }

  return {
    open,
    refresh,
    line(there) {
      if (there === isThere) return;
      isThere = there;
      if (there) void refresh();
      else {
        line.replaceChildren(copyOf("gone-line"));
        trouble.replaceChildren(copyOf("gone-template"));
        showLight();
      }
    },
  };
}

const accounts = part(document, "#panel-accounts");

/** Draws the accounts of who looks, at the head of the panel. */
async function drawAccounts() {
  const path = asActor(`/playground/accounts?c=${encodeURIComponent(session)}`);
  const content = await fragment(path).catch((error) => {
    // In the conversation of others, to which a request that waits has led, nobody connects anything.
    if (error instanceof RequestError && error.status === 404) return document.createDocumentFragment();
    throw error;
  });
  // What was just said, such as the link to open, stays until there is something newer to say.
  const said = accounts.querySelector("[data-account-said]");
  if (said !== null) content.querySelector("[data-account-said]")?.replaceWith(said);
  accounts.replaceChildren(content);
}

/**
 * The buttons that connect and disconnect them.
 * @returns {(words: string) => Promise<void>} Does what is typed after `/connect`.
 */
export function watchAccounts() {
  on("click", "[data-account]", (element) => void press(/** @type {HTMLButtonElement} */ (element)));
  on("submit", "[data-me]", (element, event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (element);
    const field = /** @type {HTMLInputElement} */ (form.querySelector("[name=account]"));
    const account = field.value.trim();
    const button = /** @type {HTMLButtonElement} */ (form.querySelector("[type=submit]"));
    if (account !== "") void send(button, "me", `${form.dataset["me"]} ${account}`);
  });

  /** @param {HTMLButtonElement} button */
  function press(button) {
    const { account: action, value } = button.dataset;
    return send(button, action, value);
  }

  /**
   * @param {HTMLButtonElement} button
   * @param {string | undefined} action
   * @param {string | undefined} value
   */
  async function send(button, action, value) {
    button.disabled = true;
    await tell(action, value);
    button.disabled = false;
  }

  /**
   * @param {string | undefined} action
   * @param {string | undefined} value
   */
  async function tell(action, value) {
    // The link of an earlier press is good once only: nobody shall follow it while the next one is on its way.
    say("");
    try {
      const response = await post(
        "/playground/accounts",
        { action, value, session_id: session },
        "text/html",
      );
      const said = await toFragment(response);
      // What is said comes last: whoever presses its link while the panel is drawn would press nothing.
      await drawAccounts();
      say(said);
    } catch (error) {
      say(describe(error));
    }
  }

  /** @param {DocumentFragment | string} words */
  function say(words) {
    accounts.querySelector("[data-account-said]")?.replaceChildren(words);
  }

  return (words) => tell("words", words);
}
