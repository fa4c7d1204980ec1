/** Turns one HTML page into Markdown, in a thread of its own: a hostile page can keep the converter busy for minutes. */
import { parentPort, workerData } from "node:worker_threads";

import { gfm } from "@joplin/turndown-plugin-gfm";
import { type Document, isTag } from "domhandler";
import { DomUtils, parseDocument } from "htmlparser2";
import TurndownService from "turndown";

export interface Page {
  html: string;
  /** What its links are relative to. */
  url: string;
}

export interface Converted {
  title: string;
  markdown: string;
}

/** What is around a page's text and not part of it. */
const AROUND = [
  "script",
  "style",
  "noscript",
  "template",
  "nav",
  "aside",
  "form",
  "iframe",
  "svg",
  "footer",
] as const;
/** The types of a browser are not there: what is needed of an element. */
interface WithAttributes {
  getAttribute(name: string): string | null;
}

const PARTS = ["main", "article"];

const port = parentPort;
const { html, url } = workerData as Page;
const document = parseDocument(html, { withStartIndices: true, withEndIndices: true });
port?.postMessage({ title: titleOf(document), markdown: convert(mainPart(document)) } satisfies Converted);

function titleOf(page: Document): string {
  const title = DomUtils.findOne(({ name }) => name === "title", page.children);
  return title === null ? "" : DomUtils.textContent(title).replaceAll(/\s+/g, " ").trim().slice(0, 300);
}

/** The text that the page is about, where it says which that is; else its body. */
function mainPart(page: Document): string {
  const found = DomUtils.filter((node) => isTag(node) && PARTS.includes(node.name), page.children, true, 3);
  const [part] = found.length === 1 || found.some((node) => isTag(node) && node.name === "main") ? found : [];
  const body = part ?? DomUtils.findOne(({ name }) => name === "body", page.children);
  if (body?.startIndex == null || body.endIndex == null) return html;
  return html.slice(body.startIndex, body.endIndex + 1);
}

function convert(part: string): string {
  const turndown = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
  });
  turndown.use(gfm).remove([...AROUND]);
  turndown.addRule("absolute links", {
    filter: "a",
    replacement(content, node) {
      const target = URL.parse((node as WithAttributes).getAttribute("href") ?? "", url);
      const text = content.trim();
      if (text === "" || (target?.protocol !== "https:" && target?.protocol !== "http:")) return text;
      return `[${text}](${target.href.replaceAll("(", "%28").replaceAll(")", "%29")})`;
    },
  });
  turndown.addRule("images as their text", {
    filter: "img",
    replacement: (_content, node) => turndown.escape((node as WithAttributes).getAttribute("alt") ?? ""),
  });
  return turndown
    .turndown(part)
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}
