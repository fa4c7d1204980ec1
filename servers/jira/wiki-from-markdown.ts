import { marked, type Token, type Tokens } from "marked";

/** Markdown as Jira's wiki markup, which Data Center keeps. What wiki markup has no form for stays as text. */
export function toWiki(markdown: string): string {
  return blocks(marked.lexer(markdown)).trim();
}

function blocks(tokens: Token[]): string {
  return tokens
    .map(block)
    .filter((text) => text !== "")
    .join("\n\n");
}

function block(token: Token): string {
  switch (token.type) {
    case "heading":
      return `h${(token as Tokens.Heading).depth}. ${inline(token)}`;
    case "code": {
      const { lang, text } = token as Tokens.Code;
      // "{code}" inside would end the block; {noformat} is the other form for the same thing.
      if (text.includes("{code")) return `{noformat}\n${text}\n{noformat}`;
      return `{code${lang === undefined || lang === "" ? "" : `:${lang.split(/\s/)[0] ?? ""}`}}\n${text}\n{code}`;
    }
    case "blockquote":
      return `{quote}\n${blocks((token as Tokens.Blockquote).tokens)}\n{quote}`;
    case "list":
      return list(token as Tokens.List, "");
    case "table":
      return table(token as Tokens.Table);
    case "hr":
      return "----";
    case "space":
    case "def":
      return "";
    default:
      return "tokens" in token && token.tokens !== undefined ? inline(token) : escapeText(token.raw).trim();
  }
}

function list(token: Tokens.List, outer: string): string {
  const mark = `${outer}${token.ordered ? "#" : "*"}`;
  return token.items
    .map((item) => {
      const box = item.task ? `\\[${item.checked === true ? "x" : " "}\\] ` : "";
      const lines: string[] = [];
      const nested: string[] = [];
      for (const child of item.tokens) {
        if (child.type === "list") nested.push(list(child as Tokens.List, mark));
        else if (child.type === "space" || child.type === "checkbox") continue;
        else lines.push(block(child));
      }
      return [`${mark} ${box}${lines.join("\n")}`, ...nested].join("\n");
    })
    .join("\n");
}

function table({ header, rows }: Tokens.Table): string {
  const cell = (content: Tokens.TableCell): string => inline(content).replace(/\n/g, " ") || " ";
  const head = `||${header.map(cell).join("||")}||`;
  return [head, ...rows.map((row) => `|${row.map(cell).join("|")}|`)].join("\n");
}

function inline(token: { tokens?: Token[] | undefined }): string {
  return (token.tokens ?? []).map(span).join("");
}

function span(token: Token): string {
  switch (token.type) {
    case "strong":
      return `*${inline(token)}*`;
    case "em":
      return `_${inline(token)}_`;
    case "del":
      return `-${inline(token)}-`;
    case "codespan":
      return `{{${(token as Tokens.Codespan).text}}}`;
    case "br":
      return "\\\\\n";
    case "link": {
      const { href, text } = token as Tokens.Link;
      return text === href ? `[${href}]` : `[${inline(token)}|${href}]`;
    }
    case "image":
      return `!${(token as Tokens.Image).href}!`;
    case "escape":
      return escapeText((token as Tokens.Escape).text);
    case "text": {
      const text = token as Tokens.Text;
      return text.tokens === undefined ? escapeText(text.raw) : inline(text);
    }
    default:
      return escapeText(token.raw);
  }
}

/** Signs that would format, where they would. */
function escapeText(text: string): string {
  return text
    .replace(/[{}[\]|*^~]|(?<!\w)_|_(?!\w)/g, "\\$&")
    .replace(/(^|[\s(])([-+!#])(?=\S)/gm, "$1\\$2")
    .replace(/^([-#])(?=\s)/gm, "\\$1");
}
