import { oneLine } from "#src/base/text.ts";
import { cleanText } from "../../chat/text.ts";
import { webAddress } from "../../chat/line.ts";

/*
 * Discord reads markup in every text it shows, so every text of a message goes through this file. What it
 * makes of a mark is prevented by a backslash; where a backslash is no help (`@everyone`, three backticks
 * in a code block) by a character of no width.
 */

const NO_WIDTH = "\u200B";

/** Data as text that formats nothing, mentions nobody and links nowhere; line breaks stay. */
export function escapeText(text: string): string {
  return cleanText(text).split("\n").map(escapeLine).join("\n");
}

function escapeLine(line: string): string {
  // Most lines of a long text hold no mark: asking first takes half the time.
  const inner = /[\\*_~`|<[\]:@]/.test(line)
    ? line
        .replaceAll(/[\\*_~`|<[\]]/g, String.raw`\$&`)
        // Else the words of a link before it would go on to here, and lead to what follows.
        .replaceAll("](", String.raw`]\(`)
        // At the end as well: what stands next to it may be the rest of an address, an emoji or a mention.
        .replaceAll(/:(?=\S|$)/g, String.raw`\:`)
        // A long text is escaped in pieces, and the next one may bring the rest of the word.
        .replaceAll(/@(?=everyone|here|(?:e|ev|eve|ever|every|everyo|everyon|h|he|her)?$)/g, `@${NO_WIDTH}`)
    : line;
  if (!/^\s*[-+>#\d]/.test(inner)) return inner;
  return inner.replace(/^(\s*)([-+>#])/, String.raw`$1\$2`).replace(/^(\s*\d+)([.)])/, String.raw`$1\$2`);
}

/** Data as the words of a link: Discord gives up on a link whose words hold brackets of their own. */
export function escapeLabel(text: string): string {
  return escapeText(oneLine(text).replaceAll("[", "［").replaceAll("]", "］"));
}

/** What the characters of a text take up at most once they are escaped. */
export function escapedCost(unit: number): number {
  switch (unit) {
    case 0x28: // (
    case 0x2a: // *
    case 0x3a: // :
    case 0x3c: // <
    case 0x40: // @
    case 0x5b: // [
    case 0x5c: // backslash
    case 0x5d: // ]
    case 0x5f: // _
    case 0x60: // `
    case 0x7c: // |
    case 0x7e: // ~
      return 2;
    default:
      return 1;
  }
}

/** Data in a fixed width within a line, where nothing is formatted. */
export function inlineCode(text: string): string {
  const inner = oneLine(cleanText(text)).replaceAll("`", "ˋ").replaceAll("](", `]${NO_WIDTH}(`);
  return inner === "" ? "" : `\`${inner}\``;
}

/** Data in a box of fixed width. */
export function codeBlock(text: string, language = ""): string {
  const inner = text
    .replaceAll(/`(?=`)/g, `\`${NO_WIDTH}`)
    .replace(/`$/, `\`${NO_WIDTH}`)
    // The words of a link above the box could go on in it.
    .replace(/^[^[]*/, (start) => start.replaceAll("](", `]${NO_WIDTH}(`));
  // An empty box is drawn as its own marks.
  return `\`\`\`${language}\n${inner.trim() === "" ? NO_WIDTH : inner}\n\`\`\``;
}

/** The address if it may be linked: http or https, well formed and not too long; with its brackets encoded. */
export function safeUrl(href: string): string | undefined {
  const url = href.length > 500 ? undefined : webAddress(href);
  return url?.replaceAll(/[()\\`[\]|*~]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}
