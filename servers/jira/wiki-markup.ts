import { lexer, type MarkedToken, type Token, type Tokens } from "marked";

/** Markdown as Jira's wiki markup, which Data Center keeps. What wiki markup has no form for stays as text. */
export function toWiki(markdown: string): string {
  return blocks(lexer(markdown)).trim();
}

function blocks(tokens: Token[]): string {
  return tokens
    .map(block)
    .filter((text) => text !== "")
    .join("\n\n");
}

function block(token: Token): string {
  const known = token as MarkedToken;
  switch (known.type) {
    case "heading":
      return `h${known.depth}. ${inline(known)}`;
    case "code": {
      const { text, lang = "" } = known;
      // "{code}" inside would end the block; {noformat} is the other form for the same thing.
      if (text.includes("{code")) return `{noformat}\n${text}\n{noformat}`;
      return `{code${lang === "" ? "" : `:${lang.split(/\s/)[0] ?? ""}`}}\n${text}\n{code}`;
    }
    case "blockquote":
      return `{quote}\n${blocks(known.tokens)}\n{quote}`;
    case "list":
      return list(known, "");
    case "table":
      return table(known);
    case "hr":
      return "----";
    case "space":
    case "def":
      return "";
    default:
      return "tokens" in known && known.tokens !== undefined ? inline(known) : escapeText(known.raw).trim();
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
  const known = token as MarkedToken;
  switch (known.type) {
    case "strong":
      return `*${inline(known)}*`;
    case "em":
      return `_${inline(known)}_`;
    case "del":
      return `-${inline(known)}-`;
    case "codespan":
      return `{{${known.text}}}`;
    case "br":
      return "\\\\\n";
    case "link":
      return known.text === known.href ? `[${known.href}]` : `[${inline(known)}|${known.href}]`;
    case "image":
      return `!${known.href}!`;
    case "escape":
      return escapeText(known.text);
    case "text":
      return known.tokens === undefined ? escapeText(known.raw) : inline(known);
    default:
      return escapeText(known.raw);
  }
}

/** Signs that would format, where they would. */
function escapeText(text: string): string {
  return text
    .replace(/[{}[\]|*^~]|(?<!\w)_|_(?!\w)/g, "\\$&")
    .replace(/(^|[\s(])([-+!#])(?=\S)/gm, "$1\\$2")
    .replace(/^([-#])(?=\s)/gm, "\\$1");
}

/** Jira's wiki markup as Markdown. Reads line by line in linear time; what it does not know stays as text. */
export function fromWiki(wiki: string): string {
  const reader = { lines: wiki.replace(/\r\n?/g, "\n").split("\n"), at: 0 };
  return readBlocks(reader, undefined)
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

interface Reader {
  lines: string[];
  at: number;
}

/** Macros with a body, and what ends them. */
const bodyMacro = /^\s*\{(code|noformat|quote|panel|info|note|tip|warning)(?::([^{}]*))?\}/;

function readBlocks(reader: Reader, end: string | undefined): string[] {
  const out: string[] = [];
  while (reader.at < reader.lines.length) {
    const line = reader.lines[reader.at] ?? "";
    if (end !== undefined && line.trim() === end) {
      reader.at += 1;
      break;
    }
    const macro = bodyMacro.exec(line);
    if (macro !== null)
      out.push(...readMacro(reader, macro[1] ?? "", macro[2] ?? "", line.slice(macro[0].length)));
    else if (isRow(line)) out.push(...readTable(reader));
    else {
      out.push(toLine(line));
      reader.at += 1;
    }
  }
  return out;
}

function readMacro(reader: Reader, name: string, parameters: string, rest: string): string[] {
  reader.at += 1;
  const closing = `{${name}}`;
  const verbatim = name === "code" || name === "noformat";
  const body: string[] = [];
  /** Whether the macro ends in this line; what stands behind its end is read next. */
  const endsIn = (line: string, isFirst: boolean): boolean => {
    const stop = line.indexOf(closing);
    const before = stop < 0 ? line : line.slice(0, stop);
    const isShown = stop < 0 ? !isFirst || line.trim() !== "" : isFirst || before.trim() !== "";
    if (isShown) body.push(before);
    const tail = stop < 0 ? "" : line.slice(stop + closing.length);
    if (tail.trim() !== "") {
      reader.at -= 1;
      reader.lines[reader.at] = tail;
    }
    return stop >= 0;
  };
  let ended = endsIn(rest, true);
  while (!ended && reader.at < reader.lines.length) {
    const line = reader.lines[reader.at] ?? "";
    reader.at += 1;
    ended = endsIn(line, false);
  }
  if (verbatim) return fence(body, name === "code" ? languageOf(parameters) : "");
  const title = /(?:^|\|)title=([^|]*)/.exec(parameters)?.[1];
  const inner = readBlocks({ lines: body, at: 0 }, undefined);
  return [
    "",
    ...(title === undefined ? inner : [`**${title}**`, "", ...inner]).map((text) => `> ${text}`.trimEnd()),
    "",
  ];
}

/** A fence longer than any inside the text. */
function fence(body: string[], language: string): string[] {
  const longest = Math.max(2, ...body.map((line) => /^\s*(`{3,})/.exec(line)?.[1]?.length ?? 0));
  const ticks = "`".repeat(longest + 1);
  return ["", `${ticks}${language}`, ...body, ticks, ""];
}

/** "java", "java|title=X", "language=java|title=X". */
function languageOf(parameters: string): string {
  for (const part of parameters.split("|")) {
    const [name = "", value] = part.split("=");
    if (value === undefined && /^[\w+#-]+$/.test(name)) return name;
    if (name === "language") return value ?? "";
  }
  return "";
}

function isRow(line: string): boolean {
  return /^\s*\|/.test(line);
}

function readTable(reader: Reader): string[] {
  const rows: string[][] = [];
  let header = false;
  while (reader.at < reader.lines.length && isRow(reader.lines[reader.at] ?? "")) {
    const line = (reader.lines[reader.at] ?? "").trim();
    if (rows.length === 0) header = line.startsWith("||");
    rows.push(cellsOf(line));
    reader.at += 1;
  }
  const width = rows.reduce((most, row) => Math.max(most, row.length), 1);
  const toRow = (cells: string[]): string =>
    `| ${Array.from({ length: width }, (_, column) => cells[column] ?? "").join(" | ")} |`;
  const head = header ? (rows.shift() ?? []) : [];
  return ["", toRow(head), toRow(Array.from({ length: width }, () => "---")), ...rows.map(toRow), ""];
}

/** Cells end at an unescaped bar that is not inside a link. */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  let cell = "";
  let inLink = false;
  const inner = line.replace(/^\|{1,2}/, "");
  for (let at = 0; at < inner.length; at += 1) {
    const char = inner.charAt(at);
    if (char === "\\") {
      cell += char + inner.charAt(at + 1);
      at += 1;
    } else if (char === "|" && !inLink) {
      cells.push(cell);
      cell = "";
      if (inner.charAt(at + 1) === "|") at += 1;
    } else {
      if (char === "[") inLink = true;
      if (char === "]") inLink = false;
      cell += char;
    }
  }
  if (cell.trim() !== "") cells.push(cell);
  return cells.map((text) => toInline(text.trim()).replace(/\|/g, "\\|"));
}

function toLine(line: string): string {
  const heading = /^\s*h([1-6])\.\s+(.*)$/.exec(line);
  if (heading !== null) return `${"#".repeat(Number(heading[1]))} ${toInline(heading[2] ?? "")}`;
  const quoted = /^\s*bq\.\s+(.*)$/.exec(line);
  if (quoted !== null) return `> ${toInline(quoted[1] ?? "")}`;
  if (/^\s*-{4,}\s*$/.test(line)) return "---";
  const item = /^\s*([*#-]{1,10})\s+(.*)$/.exec(line);
  if (item !== null) {
    const marks = item[1] ?? "*";
    // Three columns indent under both "- " and "1. ".
    return `${"   ".repeat(marks.length - 1)}${marks.endsWith("#") ? "1." : "-"} ${toInline(item[2] ?? "").replace(/^\\\[([ x])\\\] /, "[$1] ")}`;
  }
  return toInline(line);
}

function toInline(text: string): string {
  const parts: string[] = [];
  let rest = text;
  for (;;) {
    const start = rest.indexOf("{{");
    const end = start < 0 ? -1 : rest.indexOf("}}", start + 2);
    if (end < 0) break;
    parts.push(toSpans(rest.slice(0, start)), code(rest.slice(start + 2, end)));
    rest = rest.slice(end + 2);
  }
  parts.push(toSpans(rest));
  return parts.join("");
}

function code(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** A private sign that stands for an escaped one until the formatting is done. */
const held = "\uE000";

function toSpans(text: string): string {
  const kept: string[] = [];
  const hold = (sign: string): string => {
    kept.push(sign);
    return `${held}${kept.length - 1}${held}`;
  };
  return text
    .replaceAll(held, "")
    .replace(/\\\\\s*$/, () => hold("  "))
    .replace(/\\\\(?=\s)/g, () => hold("  \n"))
    .replace(/\\([{}[\]|*_^~+!#\\-])/g, (_, sign: string) => hold(/[*_[\]]/.test(sign) ? `\\${sign}` : sign))
    .replace(/\{color(?::[^{}]*)?\}|\{anchor:[^{}]*\}/g, "")
    .replace(/\[~([^[\]|]+)\]/g, (_, user: string) => `@${user.replace(/^accountid:/, "")}`)
    .replace(
      /\[([^[\]|]+)\|([^[\]|]+)(?:\|[^[\]]*)?\]/g,
      (_, label: string, href: string) => `[${label}](${hold(href)})`,
    )
    .replace(/\[((?:https?|mailto|ftp):[^[\]|]+)\]/g, (_, href: string) => hold(`<${href}>`))
    .replace(/!([^!\s|.]{1,500}\.[^!\s|]{1,500})(?:\|[^!]*)?!/g, (_, href: string) =>
      hold(`![${href.split("/").at(-1) ?? href}](${href})`),
    )
    .replace(/(^|[^\w*])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\w*])/g, "$1**$2**")
    .replace(/(^|[^\w_])_([^\s_](?:[^_]*[^\s_])?)_(?![\w_])/g, "$1*$2*")
    .replace(/(^|[^\w-])-([^\s-](?:[^-]*[^\s-])?)-(?![\w-])/g, "$1~~$2~~")
    .replace(/(^|[^\w+])\+([^\s+](?:[^+]*[^\s+])?)\+(?![\w+])/g, "$1$2")
    .replace(new RegExp(`${held}(\\d+)${held}`, "g"), (_, index: string) => kept[Number(index)] ?? "");
}
