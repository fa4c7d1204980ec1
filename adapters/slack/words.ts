/** What a person wrote, from Slack's markup: mentions, links and escapes become plain text. */
export function plainWords(text: string): string {
  return text
    .replaceAll(/<([^<>]*)>/g, (_, inner: string) => linkText(inner))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .trim();
}

/** Without the mentions of the bot itself. */
export function withoutMention(text: string, botUser: string): string {
  return text.replaceAll(new RegExp(`\\s*<@${botUser}(?:\\|[^<>]*)?>`, "g"), "").trim();
}

export function mentions(text: string, botUser: string): boolean {
  return text.includes(`<@${botUser}>`) || text.includes(`<@${botUser}|`);
}

/** `@U1|ana` reads "@ana", `#C1|general` "#general", `https://x|shown` the address itself. */
function linkText(inner: string): string {
  const [target = "", label] = inner.split("|", 2);
  if (target.startsWith("@") || target.startsWith("#")) {
    return label === undefined || label === "" ? target : `${target.charAt(0)}${label}`;
  }
  if (target.startsWith("!")) return label ?? `@${target.slice(1)}`;
  return target.replace(/^mailto:/, "");
}
