// @ts-check
import { drawAccounts } from "./accounts.js";
import { fragment, request } from "./api.js";

/** The conversation list as a drawer on narrow screens. */
export function watchDrawer() {
  const sidebar = /** @type {HTMLElement} */ (document.getElementById("sidebar"));
  const main = /** @type {HTMLElement} */ (document.querySelector(".main"));
  const scrim = /** @type {HTMLElement} */ (document.querySelector(".scrim"));
  const opener = /** @type {HTMLElement} */ (document.querySelector("[data-drawer=open]"));
  const narrow = matchMedia("(max-width: 800px)");

  /** @param {boolean} open */
  const set = (open) => {
    const drawer = narrow.matches;
    sidebar.classList.toggle("open", open && drawer);
    // What is out of sight is out of the keyboard's way as well.
    sidebar.inert = drawer && !open;
    main.inert = drawer && open;
    scrim.hidden = !(drawer && open);
    opener.setAttribute("aria-expanded", String(open && drawer));
    if (drawer && open) /** @type {HTMLElement} */ (sidebar.querySelector("[data-drawer=close]")).focus();
  };
  set(false);
  narrow.addEventListener("change", () => set(false));
  document.addEventListener("click", ({ target }) => {
    const control = target instanceof Element ? target.closest("[data-drawer]") : null;
    if (!(control instanceof HTMLElement)) return;
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
  document.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest("[data-sign-out]") : null;
    if (!(button instanceof HTMLButtonElement)) return;
    const where = button.dataset.signOut === "everywhere" ? "?everywhere=1" : "";
    request(`/session${where}`, { method: "DELETE" }).then(() => location.assign("/"), failed);
  });
}

/** Tools and health, drawn when opened and kept fresh while open. */
export function watchPanel() {
  const panel = /** @type {HTMLDialogElement} */ (document.getElementById("panel"));
  const body = /** @type {HTMLElement} */ (document.getElementById("panel-body"));

  const draw = async () => {
    const open = new Set(
      [...body.querySelectorAll("details[open] > summary > code")].map((name) => name.textContent),
    );
    const { content } = await fragment("/playground/panel");
    for (const name of content.querySelectorAll("details > summary > code")) {
      const details = name.closest("details");
      if (details !== null && open.has(name.textContent)) details.open = true;
    }
    body.replaceChildren(content);
    await drawAccounts();
  };
  const light = async () => {
    const { content } = await fragment("/playground/health");
    document.getElementById("health-line")?.replaceChildren(content);
  };
  /** @param {() => Promise<void>} work */
  const quietly = (work) =>
    work().catch(() => {
      const line = document.getElementById("health-line");
      if (line !== null) line.textContent = "The server does not answer";
    });

  document.addEventListener("click", ({ target }) => {
    if (target === panel) return panel.close();
    const control = target instanceof Element ? target.closest("[data-panel]") : null;
    if (!(control instanceof HTMLElement)) return;
    if (control.dataset.panel === "close") return panel.close();
    panel.showModal();
    void quietly(draw);
  });
  setInterval(() => {
    if (document.hidden) return;
    void quietly(light);
    if (panel.open && !body.contains(document.activeElement)) void quietly(draw);
  }, 10_000);
}
