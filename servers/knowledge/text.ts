import type { Found, Related } from "./knowledge.ts";

// Answers as Markdown for whoever reads them, models first. What was found is data: it stands in blocks of code or
// quotes, so that nothing in it becomes a part of the answer around it.

const CONTENT_CHARS = 2000;
const DESCRIPTION_CHARS = 500;
const PAGE_CHARS = 1000;

type Hit = Found["results"][number];

export function queryText({ results }: Found): string {
  if (results.length === 0) return "No relevant results found.";
  const parts = results.map(
    ({ source_type: type, relevance_score: score, source_id: id, content }, at) =>
      `### ${at + 1}. ${type} (relevance ${score.toFixed(3)})\n\n**Source:** ${oneLine(id)}\n\n${quote(cut(content, CONTENT_CHARS))}`,
  );
  return parts.join("\n\n");
}

export function codeText({ results }: Found): string {
  if (results.length === 0) return "No code matches found.";
  return results
    .map(
      (hit) => `### ${placeOf(hit)}\n\n${fenced(cut(hit.content, CONTENT_CHARS), textOf(hit, "language"))}`,
    )
    .join("\n\n");
}

export function ticketsText({ results }: Found): string {
  if (results.length === 0) return "No relevant tickets found.";
  return results
    .map((hit) => {
      const labels = hit.metadata["labels"];
      return [
        `### ${textOf(hit, "key") || oneLine(hit.source_id)}: ${textOf(hit, "summary")}`,
        [
          `**Status:** ${textOf(hit, "status") || "unknown"}`,
          `**Priority:** ${textOf(hit, "priority") || "none"}`,
          `**Labels:** ${Array.isArray(labels) && labels.length > 0 ? oneLine(labels.join(", ")) : "none"}`,
        ].join(" | "),
        quote(cut(hit.content, DESCRIPTION_CHARS)),
      ].join("\n\n");
    })
    .join("\n\n");
}

export function pagesText({ results }: Found): string {
  if (results.length === 0) return "No relevant pages found.";
  return results
    .map((hit) =>
      [
        `### ${textOf(hit, "page_title") || oneLine(hit.source_id)} (${textOf(hit, "space") || "no space"})`,
        `**Last modified:** ${textOf(hit, "last_modified") || "unknown"}`,
        quote(cut(hit.content, PAGE_CHARS)),
      ].join("\n\n"),
    )
    .join("\n\n");
}

export function relatedText(entity: string, rows: readonly Related[]): string {
  if (rows.length === 0) return `No related code found for ${oneLine(entity)}.`;
  const groups = Map.groupBy(rows, ({ relationship }) => relationship);
  return [...groups]
    .map(([relationship, group]) => {
      const lines = group.map(({ name, file, line }) => `- ${code(name)}: ${code(`${file}:${line}`)}`);
      return `### ${relationTitle(relationship)}\n\n${lines.join("\n")}`;
    })
    .join("\n\n");
}

/** How it was searched, where that matters to whoever reads the answer. */
export function notesOf({ search, indexing, empty }: Found): string {
  return [
    empty ? "Nothing is indexed here yet: `countersign knowledge ingest SOURCE` indexes something." : "",
    search === "lexical" && !empty
      ? "Searched by words alone: no model for embeddings answered, or nothing has vectors yet."
      : "",
    indexing === undefined
      ? ""
      : `The index is being built: ${indexing} % is done, so there may be more later.`,
  ]
    .filter((note) => note !== "")
    .join(" ");
}

function relationTitle(relationship: string): string {
  const words = relationship.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `repo/path:12-40`. */
function placeOf({ source_id: id, metadata }: Hit): string {
  const { repo, file_path: path, line_start: start, line_end: end } = metadata;
  if (typeof path !== "string") return oneLine(id);
  const lines = typeof start === "number" ? `:${start}${typeof end === "number" ? `-${end}` : ""}` : "";
  return oneLine(`${typeof repo === "string" && repo !== "" ? `${repo}/` : ""}${path}${lines}`);
}

function textOf({ metadata }: Hit, name: string): string {
  const value = metadata[name];
  return typeof value === "string" || typeof value === "number" ? oneLine(String(value)) : "";
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, 300);
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

function quote(text: string): string {
  return text.replaceAll(/^/gm, "> ");
}

function code(text: string): string {
  return `\`${oneLine(text).replaceAll("`", "'")}\``;
}

/** A block of code whose fence is longer than any in it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language.replaceAll(/[^\w+#-]/g, "")}\n${text}\n${fence}`;
}
