import { decodeHTML } from "entities";
import { lexer } from "marked";
import type { Token, Tokens } from "marked";

/** Deeper nesting than any person writes is shown as its source. */
export const MAX_DEPTH = 24;
/** Marks of quotes and lists on one line beyond what people nest: the lexer takes seconds for thousands. */
const TOO_DEEP = /^[ \t]*(?:>[ \t]*|(?:[-*+]|\d{1,9}[.)])[ \t]+){25}/m;
/** Longer texts are shown as they are. */
const MAX_CHARS = 100_000;

/**
 * Markdown as its tokens; undefined for what is shown as it is. The conversion is made here and not by the
 * platform: so only what a renderer makes can become a mention, a link or a format, and the parts of a
 * long text can be laid on several pages.
 */
export function readMarkdown(source: string): Token[] | undefined {
  if (source.length > MAX_CHARS || TOO_DEEP.test(source)) return undefined;
  try {
    return lexer(source, { gfm: true });
  } catch {
    // Nesting that exhausts the lexer's stack: the source is still readable.
    return undefined;
  }
}

/** Where a link or an image leads. */
export function addressOf(token: Tokens.Link | Tokens.Image): string {
  return token.type === "link" && token.autolink === true ? token.href : decodeHTML(token.href);
}
