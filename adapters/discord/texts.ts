/** The words of components, as far as they are text. */
export function textsOf(components: unknown): string {
  if (Array.isArray(components)) {
    return components
      .map(textsOf)
      .filter((text) => text !== "")
      .join("\n");
  }
  if (typeof components !== "object" || components === null) return "";
  const own = "content" in components && typeof components.content === "string" ? components.content : "";
  const inner = "components" in components ? textsOf(components.components) : "";
  return [own, inner].filter((text) => text !== "").join("\n");
}
