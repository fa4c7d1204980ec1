import type { JsonValue } from "#contract/json.ts";

import { plain } from "./generic/cells.ts";
import { isObject } from "./json.ts";
import { humanise, oneLine } from "./text.ts";

/** Arguments that say how many and where, not what. */
const PAGING = ["limit", "cursor", "max_results", "page"];

/** What was searched, in words: `“login”, project DEMO, status Open`. Empty when nothing was named. */
export function searchedFor(args: JsonValue): string {
  if (!isObject(args)) return "";
  const parts = Object.entries(args)
    .filter(([name, value]) => !PAGING.includes(name) && value !== null && value !== "")
    .map(([name, value]) => {
      const text = oneLine(plain(value), 100);
      if (name === "query" || name === "text") return `“${text}”`;
      return name === "jql" ? text : `${humanise(name).toLowerCase()} ${text}`;
    });
  return oneLine(parts.join(", "), 300);
}
