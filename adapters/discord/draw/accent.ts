import { type Child, jsx as el } from "hono/jsx";

/**
 * The coloured edge of a container or embed. An image of one colour, as a style attribute is what strict
 * content security policies forbid. Nothing for a colour that is none.
 */
export function drawAccent(colour: unknown): Child {
  if (typeof colour !== "number" || !Number.isInteger(colour) || colour < 0 || colour > 0xff_ff_ff)
    return null;
  const fill = `#${colour.toString(16).padStart(6, "0")}`;
  return el(
    "svg",
    { class: "dc-accent", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" },
    el("rect", { width: "1", height: "1", fill }),
  );
}
