/** Whitespace and line breaks as single spaces, cut to `max` characters with an ellipsis. */
export function oneLine(text: string, max = 150): string {
  // A long text is shortened before it is searched: the result needs its start only.
  return cut(
    text
      .slice(0, max * 8)
      .replaceAll(/\s+/g, " ")
      .trim(),
    max,
  );
}

/** At most `max` characters, the last one an ellipsis when something was cut. */
export function cut(text: string, max: number): string {
  return text.length <= max
    ? text
    : `${text
        .slice(0, max - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, "")}…`;
}

/** `issue_key`, `issueKey` or `issue-key` as "Issue key". */
export function humanise(name: string): string {
  const words = name
    .slice(0, 400)
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/[_\-\s]+/g, " ")
    .trim()
    .split(" ")
    .map((word) => (/^[A-Z][a-z]/.test(word) ? word.toLowerCase() : word))
    .map((word) => (/^(?:id|url|uri|jql|api|html|json)$/i.test(word) ? word.toUpperCase() : word))
    .join(" ");
  if (words === "") return name === "" ? "(no name)" : name;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** "1 issue", "12 issues", "10,000 issues". */
export function count(amount: number, one: string, many = `${one}s`): string {
  return `${grouped(amount)} ${amount === 1 ? one : many}`;
}

/** 10000 as "10,000". */
export function grouped(amount: number): string {
  return amount.toLocaleString("en-GB");
}

export function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s<>"]+$/i.test(text) && URL.canParse(text);
}

/** `{ href }` for an address that may be linked, else nothing: made to be spread. */
export function hrefOf(url: string | null | undefined): { href?: string } {
  return url != null && isHttpUrl(url) ? { href: url } : {};
}
