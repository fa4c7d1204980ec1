// @ts-check

/**
 * Shows the panel of a tab.
 * @param {HTMLElement} tab
 */
function select(tab) {
  const root = tab.closest("[data-tabs]");
  if (root === null) return;
  for (const other of root.querySelectorAll("[role=tab]")) {
    const on = other === tab;
    other.setAttribute("aria-selected", String(on));
    /** @type {HTMLElement} */ (other).tabIndex = on ? 0 : -1;
    const panel = document.getElementById(other.getAttribute("aria-controls") ?? "");
    if (panel !== null) panel.hidden = !on;
  }
}

/** Click, arrow keys, Home and End, for tabs that are there and those to come. */
export function watchTabs() {
  document.addEventListener("click", ({ target }) => {
    const tab = target instanceof Element ? target.closest("[role=tab]") : null;
    if (tab instanceof HTMLElement) select(tab);
  });
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (!(target instanceof HTMLElement) || target.role !== "tab") return;
    const tabs = [...(target.parentElement?.querySelectorAll("[role=tab]") ?? [])];
    const at = tabs.indexOf(target);
    const steps = /** @type {Record<string, number>} */ ({
      ArrowRight: (at + 1) % tabs.length,
      ArrowLeft: (at - 1 + tabs.length) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    });
    const next = tabs[steps[key] ?? -1];
    if (!(next instanceof HTMLElement)) return;
    event.preventDefault();
    next.focus();
    select(next);
  });
}
