import { decodeHTML } from "entities";
import { Lexer, type Token, type Tokens, type TokensList } from "marked";

/** Deeper nesting than any person writes is shown as its source. */
export const MAX_DEPTH = 24;
const MAX_CHARS = 100_000;
/** Each line may begin something: a point of a list, a row of a table. */
export const MAX_LINES = 2_500;
/**
 * The lexer looks from every mark to the end of its paragraph, some for all the marks between: marks
 * times characters say what a paragraph costs, a million about 2.5 ms.
 */
const MAX_PARAGRAPH = 2_000_000;
const MAX_ALL = 30_000_000;
/** What an item of a list and a run of words cost at the least. */
const EACH_BLOCK = 15_000;
const EACH_RUN = 4_000;
const MARKS = /[!&*:<>@[\\\]_`~]/g;

/** The lexer of every surface: what would cost it too much stays text. */
class GuardedLexer extends Lexer {
  private depth = 0;
  private left = MAX_ALL;
  private known: number | undefined;

  override blockTokens(src: string, tokens: Token[] = [], isClipped?: boolean): Token[] & TokensList {
    this.left -= EACH_BLOCK;
    if (this.depth >= MAX_DEPTH || this.left < 0) {
      tokens.push({ type: "text", raw: src, text: src, tokens: [{ type: "text", raw: src, text: src }] });
      return tokens as Token[] & TokensList;
    }
    this.depth += 1;
    const read = super.blockTokens(src, tokens, isClipped);
    this.depth -= 1;
    return read as Token[] & TokensList;
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    // All definitions are read before the first paragraph.
    this.known ??= Object.keys(this.tokens.links).length;
    const cost = EACH_RUN + (src.match(MARKS)?.length ?? 0) * src.length + this.known;
    if (cost > MAX_PARAGRAPH || cost > this.left) {
      tokens.push({ type: "text", raw: src, text: src });
      return tokens;
    }
    this.left -= cost;
    return super.inlineTokens(src, tokens);
  }
}

/**
 * Markdown as its tokens; what is longer than people write, in characters or lines, is a box of its source.
 * The conversion is made here and not by the platform: so only what a renderer makes can become a mention,
 * a link or a format, and the parts of a long text can be laid on several pages. Takes at most some tens
 * of milliseconds, whatever the text.
 */
export function readMarkdown(source: string): Token[] {
  const text = source.replaceAll(/\r\n?/g, "\n");
  const end = text.length > MAX_CHARS ? 0 : endOfLines(text, MAX_LINES);
  try {
    return [...new GuardedLexer({ gfm: true }).lex(text.slice(0, end)), ...box(text.slice(end))];
  } catch {
    // Nesting that exhausts the lexer's stack: the source is still readable.
    return box(text);
  }
}

function box(text: string): Tokens.Code[] {
  return text.trim() === "" ? [] : [{ type: "code", raw: text, text }];
}

function endOfLines(text: string, lines: number): number {
  let end = 0;
  for (let line = 0; line < lines; line += 1) {
    const next = text.indexOf("\n", end);
    if (next === -1) return text.length;
    end = next + 1;
  }
  return end;
}

/** Where a link or an image leads. */
export function addressOf(token: Tokens.Link | Tokens.Image): string {
  return token.type === "link" && token.autolink === true ? token.href : decodeHTML(token.href);
}
