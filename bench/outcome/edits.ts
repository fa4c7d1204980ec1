import { changedBody } from "#servers/confluence/wiki.ts";

import { fold } from "./conditions.ts";
import type { DemoData } from "./demo-data.ts";
import type { Call } from "./match.ts";

/** Whole lines of a page that shall be gone or other, and those that shall come, in any order. */
export interface PageEdit {
  page: string;
  gone: string[];
  come: string[];
}

/** What a change makes of a page of the demo, by lines, against what was wanted. */
export interface EditResult {
  isSame: boolean;
  /** Only lines that were meant are touched: what stands there then is not what was wanted, or not all. */
  isNear: boolean;
  /** For whoever reads why. */
  shown: string;
}

/** Undefined where a call does not change a page's text, or its server would refuse it. */
export function editResult(call: Call, wanted: PageEdit, demo: DemoData): EditResult | undefined {
  if (call.tool !== "update_page") return undefined;
  const page = demo.pages.find(({ id }) => id === call.args["page_id"]);
  if (page === undefined) return undefined;
  const text = (name: string): string | undefined => {
    const value = call.args[name];
    return typeof value === "string" ? value : undefined;
  };
  const [body, append, under] = [text("body"), text("append"), text("under")];
  const [passage, replacement] = [text("passage"), text("replacement")];
  let after: string;
  try {
    after = changedBody(page.body, { body, append, under, passage, replacement, version: page.version });
  } catch {
    return undefined;
  }
  const [before, now] = [page.body, after].map(linesOf) as [string[], string[]];
  const [gone, come] = [without(before, now), without(now, before)];
  const [meantGone, meantCome] = [wanted.gone, wanted.come].map((lines) => lines.map(plain)) as [
    string[],
    string[],
  ];
  const isPage = page.id === wanted.page;
  const isSame =
    isPage &&
    without(gone, meantGone).length + without(meantGone, gone).length === 0 &&
    without(come, meantCome).length + without(meantCome, come).length === 0;
  return {
    isSame,
    isNear:
      isPage &&
      gone.length <= meantGone.length &&
      without(gone, meantGone).length === 0 &&
      (gone.length > 0 || meantGone.length === 0),
    shown: `makes ${JSON.stringify(gone)} ${JSON.stringify(come)}, expected ${JSON.stringify(meantGone)} ${JSON.stringify(meantCome)}`,
  };
}

function linesOf(markdown: string): string[] {
  return markdown
    .split("\n")
    .map(plain)
    .filter((line) => line !== "");
}

/** A line as people read it: without styles and numbers, and with one space where there are several. */
function plain(line: string): string {
  const unstyled = line
    .replaceAll(/\*\*|__|`|\\(?=[^\p{L}\p{N}\s])/gu, "")
    .replaceAll(/\[([^\]]*)\]\([^)\s]*\)/g, "$1");
  return fold(
    unstyled
      .replace(/^\s*\d+[.)]\s/, "1. ")
      .replaceAll(/\s+/g, " ")
      .trim(),
  );
}

/** The lines of one list that another does not have, as often as they are more. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return lines.filter((line) => {
    const at = left.indexOf(line);
    if (at === -1) return true;
    left.splice(at, 1);
    return false;
  });
}
