import type { JsonObject } from "#contract/json.ts";

import { asText } from "../model-text.ts";
import { type Slot, toSlots } from "../slot.ts";
import type { ToolEntry } from "./tool-index.ts";
import { STOP_WORDS, tokenize } from "./words.ts";

const word = { type: "string" };
const day = { type: "string", format: "date" };

/** What people ask of code, issues and pull requests, as arguments of a search that takes them one by one. */
const CONDITIONS: readonly Slot[] = toSlots({
  type: "object",
  properties: {
    query: word,
    repo: word,
    state: { ...word, enum: ["open", "closed"] },
    labels: { type: "array", items: word },
    reporter: word,
    assignee: word,
    created_after: day,
    created_before: day,
    updated_after: day,
    updated_before: day,
  },
});
const NAMES = new Set(CONDITIONS.map(({ name }) => name));
const IDENTIFIER = /^(?:[\p{Ll}\d]+\p{Lu}|\p{Lu}\p{Ll}+\p{Lu}|\w+_\w|\w+\()/u;

/** The argument of a search that takes what is looked for and its conditions as one text, as GitHub's do: `repo:a/b is:open`. */
export function qualifiedSlot({ tool, slots, changing, about }: ToolEntry): Slot | undefined {
  const query = slots.find(({ kind, required }) => kind === "query" && required);
  const isOf = /github/i.test([tool.server, about, query?.description ?? ""].join(" "));
  const isPlain = slots.every(
    ({ name, required }) => name === query?.name || (!required && !/repo|owner/.test(name)),
  );
  return !changing && isOf && isPlain && /search/i.test(tool.name) && /code|issue/i.test(tool.name)
    ? query
    : undefined;
}

/** The entry as if it took each condition by itself; of code only where it is. */
export function withQualifiers(entry: ToolEntry, slot: Slot): ToolEntry {
  const isCode = entry.objects.has("code");
  const own = CONDITIONS.filter(({ name }) => !isCode || name === "query" || name === "repo");
  const others = entry.slots.filter(({ name }) => name !== slot.name && !NAMES.has(name));
  return { ...entry, slots: [...own, ...others], takesTopic: true };
}

/** The arguments with their conditions as one text; undefined where nothing is looked for. */
export function composeQualified(
  args: JsonObject,
  slot: Slot,
  { objects }: ToolEntry,
  text: string,
): JsonObject | undefined {
  const quoted = (value: string): string => (/^[\w./@-]+$/.test(value) ? value : JSON.stringify(value));
  const part = (qualifier: string, name: string): string[] =>
    args[name] === undefined
      ? []
      : [`${qualifier.replace(/(?<!=)$/, ":")}${quoted(asText(args[name]).replace(/^me$/, "@me"))}`];
  const words = asText(args["query"] ?? "");
  const said = tokenize(words).every(({ lower }) => STOP_WORDS.has(lower)) ? "" : words;
  // Of code a name is looked for, and not what is said of it.
  const names = said.split(/[\s,]+/).filter((each) => IDENTIFIER.test(each));
  const isCode = objects.has("code");
  const query = isCode && names.length > 0 ? names.join(" ").replaceAll("()", "") : said;
  const kind = isCode
    ? []
    : /\b(?:pull requests?|prs?|merge requests?)\b/i.test(text)
      ? ["is:pr"]
      : /\bissues?\b/i.test(text)
        ? ["is:issue"]
        : [];
  const parts = [
    ...(query === "" ? [] : [query]),
    ...part("repo", "repo"),
    ...part("is", "state"),
    ...part("author", "reporter"),
    ...part("assignee", "assignee"),
    ...["created", "updated"].flatMap((field) => [
      ...part(`${field}:>=`, `${field}_after`),
      ...part(`${field}:<=`, `${field}_before`),
    ]),
    ...(Array.isArray(args["labels"]) ? args["labels"].map((label) => `label:${quoted(asText(label))}`) : []),
  ];
  // Whoever names one by its number searches for none.
  if (query === "" && (isCode || parts.every((each) => each.startsWith("repo:")))) return undefined;
  if (/(?<![\w.-])\d+(?![\w.-])/.test(said)) return undefined;
  const rest = Object.fromEntries(Object.entries(args).filter(([name]) => !NAMES.has(name)));
  return { [slot.name]: [...parts, ...kind].join(" "), ...rest };
}
