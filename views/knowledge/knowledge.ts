import { z } from "zod";

import type { CardElement, Inline } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";
import { isObject } from "#src/base/json.ts";
import { oneLine } from "#src/base/text.ts";
import type { Words } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { omittedBeyond } from "../generic/table.ts";
import { resultView, type ViewResult } from "../parts.ts";
import { hrefOf, unpackJson } from "../text.ts";

const metadataSchema = z.looseObject({});

const foundSchema = z.object({
  results: z.array(
    z.object({
      content: z.string(),
      source_type: z.string(),
      source_id: z.string(),
      relevance_score: z.number().default(0),
      metadata: metadataSchema.default({}),
    }),
  ),
  search: z.string().nullish(),
  indexing: z.number().nullish(),
  empty: z.boolean().default(false),
});

type Hit = z.infer<typeof foundSchema>["results"][number];

const relatedSchema = z.object({
  entity: z.string(),
  results: z.array(
    z.object({ relationship: z.string(), name: z.string(), file: z.string(), line: z.number() }),
  ),
});

const MOST_HITS = 20;
const MOST_CODE = 8;
const MOST_RELATED = 25;
const EXCERPT_CHARS = 300;
/** From this score on a hit is close, and likely; the service gives 1 to what is best in every regard. */
const CLOSE = 0.75;
const LIKELY = 0.45;

/** KnowledgeView: what was found in code, tickets and pages, each with where it is from and how well it fits. */
export function knowledgeView(input: ViewInput): ViewResult {
  const say = wordsOf(input.language);
  const found = foundSchema.parse(unpackJson(input.data));
  const items = found.results.slice(0, MOST_HITS).map((hit) => ({
    text: titleOf(hit),
    ...hrefOf(textOf(hit, "url")),
    detail: [placeOf(hit, say), oneLine(excerptOf(hit), EXCERPT_CHARS)]
      .filter((line) => line !== "")
      .join("\n"),
    badges: [fitOf(hit, say)],
  }));
  return searched(input, found, say, [
    { type: "list", items },
    ...omittedBeyond(found.results.length, MOST_HITS, { of: "result", say }),
  ]);
}

/** CodeView: code by its path and lines, each piece as it is written. */
export function codeView(input: ViewInput): ViewResult {
  const say = wordsOf(input.language);
  const found = foundSchema.parse(unpackJson(input.data));
  const pieces = found.results.slice(0, MOST_CODE).map((hit, at): CardElement => {
    const language = textOf(hit, "language");
    return {
      type: "section",
      title: oneLine(codePlace(hit), 150),
      // The best is open, the others are there to be opened.
      ...(at === 0 ? {} : { folded: true }),
      elements: [{ type: "code", text: hit.content, ...(language === "" ? {} : { language }) }],
    };
  });
  return searched(input, found, say, [
    ...pieces,
    ...omittedBeyond(found.results.length, MOST_CODE, { of: "result", say }),
  ]);
}

/** RelatedCodeView: what code has to do with other code, by the kind of it. */
export function relatedCodeView({ data, language }: ViewInput): ViewResult {
  const say = wordsOf(language);
  const { entity, results } = relatedSchema.parse(unpackJson(data));
  const title = say.knowledge.relatedTo(oneLine(entity, 100));
  if (results.length === 0) {
    const nothing = say.knowledge.nothingRelated(oneLine(entity, 100));
    return resultView(
      title,
      [
        { type: "header", text: title },
        { type: "text", text: nothing },
      ],
      0,
    );
  }
  const groups = Map.groupBy(results, ({ relationship }) => relationship);
  const sections = [...groups].map(([relationship, rows]): CardElement => ({
    type: "section",
    title: relationTitle(relationship, oneLine(entity, 60), say),
    elements: [
      {
        type: "list",
        items: rows.slice(0, MOST_RELATED).map(({ name, file, line }) => ({
          text: oneLine(name, 150),
          detail: oneLine(`${file}:${line}`, 200),
        })),
      },
      ...omittedBeyond(rows.length, MOST_RELATED, { of: "result", say }),
    ],
  }));
  return resultView(title, [{ type: "header", text: title }, ...sections], results.length);
}

function relationTitle(relationship: string, name: string, { knowledge: say }: Words): string {
  const titles: Readonly<Record<string, string>> = {
    calls: say.calls(name),
    called_by: say.calledBy,
    imports: say.imports(name),
    imported_by: say.importedBy,
    extends: say.extends(name),
    extended_by: say.extendedBy,
  };
  return titles[relationship] ?? oneLine(relationship.replaceAll("_", " "), 60);
}

function searched(
  { args }: ViewInput,
  { results, search, indexing, empty }: z.infer<typeof foundSchema>,
  say: Words,
  elements: CardElement[],
): ViewResult {
  const query = isObject(args) && typeof args["query"] === "string" ? oneLine(args["query"], 100) : "";
  const found = results.length;
  const heading = found === 0 ? say.knowledge.nothingFound : say.amounts.result(found);
  const notes = [
    empty ? say.knowledge.empty : "",
    indexing == null ? "" : say.knowledge.indexing(indexing),
    search === "lexical" && !empty ? say.knowledge.byWords : "",
  ].filter((note) => note !== "");
  return resultView(
    query === "" ? heading : say.search.forWhat(heading, say.quote(query)),
    [
      { type: "header", text: heading, ...(query === "" ? {} : { eyebrow: say.quote(query) }) },
      ...(found === 0 ? [] : elements),
      ...(notes.length === 0 ? [] : [{ type: "footer" as const, text: notes.join(" ") }]),
    ],
    found,
  );
}

function fitOf({ relevance_score: score }: Hit, say: Words): Inline {
  if (score >= CLOSE) return { text: say.knowledge.close, tone: "good" };
  return score >= LIKELY
    ? { text: say.knowledge.likely, tone: "info" }
    : { text: say.knowledge.maybe, tone: "neutral" };
}

function titleOf(hit: Hit): string {
  const { source_type: type, source_id: id } = hit;
  const key = textOf(hit, "key");
  const section = textOf(hit, "section");
  const page = [textOf(hit, "page_title"), section].filter((part) => part !== "").join(": ");
  const name =
    type === "code"
      ? textOf(hit, "name") || codePlace(hit)
      : key === ""
        ? page
        : `${key} ${textOf(hit, "summary")}`;
  return oneLine(name === "" ? id : name, 150);
}

/** "Ticket, In Progress", "Page in ENG", "shop/src/pay.ts:3-9". */
function placeOf(hit: Hit, say: Words): string {
  if (hit.source_type === "code") return oneLine(codePlace(hit), 200);
  if (hit.source_type === "jira")
    return [say.knowledge.ticket, textOf(hit, "status")].filter((part) => part !== "").join(", ");
  const file = textOf(hit, "file_path");
  return file === ""
    ? say.knowledge.pageIn(textOf(hit, "space"))
    : oneLine(`${textOf(hit, "repo")}/${file}`, 200);
}

/** What stands there, without headings, which the title says already, and without the signs of Markdown. */
function excerptOf({ source_type: type, content }: Hit): string {
  if (type === "code") return content;
  return content
    .slice(0, 4 * EXCERPT_CHARS)
    .replaceAll(/^ {0,3}(?:#{1,6}(?: .*)?|(?:```|~~~).*)$/gm, "")
    .replaceAll(/^[ \t]*(?:(?:[-*+]|\d{1,3}[.)]) (?:\[[ x]\] )?|> ?)/gm, "")
    .replaceAll(/!?\[([^[\]\n]{1,200})\]\([^()\n]{0,500}\)/g, "$1")
    .replaceAll(/(\*\*|\*|`)(?=\S)([^*`\n]{1,200})(?<=\S)\1/g, "$2");
}

function codePlace(hit: Hit): string {
  const path = textOf(hit, "file_path");
  if (path === "") return hit.source_id;
  const { line_start: start, line_end: end } = hit.metadata;
  const lines = typeof start === "number" ? `:${start}${typeof end === "number" ? `-${end}` : ""}` : "";
  return `${[textOf(hit, "repo"), path].filter((part) => part !== "").join("/")}${lines}`;
}

function textOf({ metadata }: Hit, name: string): string {
  const value = metadata[name];
  return typeof value === "string" ? value : "";
}
