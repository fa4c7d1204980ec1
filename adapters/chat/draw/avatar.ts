import { type Child, jsx as el } from "hono/jsx";

/** People by their first letter in one of five colours, the app by its seal; `name` is the class. */
export function drawAvatar(name: string, author: string, isApp: boolean): Child {
  if (!isApp) {
    const letters = Array.from(author);
    const sum = letters.reduce((all, letter) => all + (letter.codePointAt(0) ?? 0), 0);
    const first = letters[0]?.toUpperCase() ?? "";
    return el("span", { class: `${name} ${name}-${sum % 5}`, "aria-hidden": "true" }, first);
  }
  const tick = el("path", {
    d: "M5 12.5l4.5 4.5L19 7.5",
    fill: "none",
    stroke: "currentColor",
    "stroke-width": "3",
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
  });
  return el(
    "span",
    { class: `${name} ${name}-app`, "aria-hidden": "true" },
    el("svg", { viewBox: "0 0 24 24", width: "20", height: "20" }, tick),
  );
}
