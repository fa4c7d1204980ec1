import { isFields } from "./json.ts";
import { NOT_HERE } from "./structure.ts";
import type { Sent } from "./types.ts";

/** Slack's words for content that it cannot take, whoever sends it and whenever. */
const MALFORMED: ReadonlySet<string> = new Set([
  "invalid_arguments",
  "invalid_attachments",
  "invalid_blocks",
  "invalid_blocks_format",
  "invalid_metadata_format",
  "invalid_metadata_schema",
  "markdown_text_conflict",
  "msg_blocks_too_long",
  "msg_too_long",
  "no_text",
  "too_many_attachments",
  "view_too_large",
]);

/**
 * What an app sent that Slack would refuse for its form, or that would call a whole channel: one line
 * each, for the end of every test.
 */
export function violationsOf(sent: readonly Sent[]): string[] {
  return sent.flatMap((one) => [...malformed(one), ...callsOf(one), ...wordless(one)]);
}

/** Phones show nothing but the `text` of a message in a notification. */
function wordless({ method, text, blocks, error }: Sent): string[] {
  const isMessage = method === "chat.postMessage" || method === "chat.update";
  const isEmpty = (text ?? "").trim() === "";
  return isMessage && error === undefined && blocks.length > 0 && isEmpty
    ? [`${method}: a message without text, of which phones show nothing`]
    : [];
}

function malformed({ method, error, problems }: Sent): string[] {
  return MALFORMED.has(error ?? "")
    ? problems
        .filter((problem) => !problem.endsWith(NOT_HERE))
        .map((problem) => `${method}: ${problem === error ? problem : `${error}, ${problem}`}`)
    : [];
}

/** `<!channel>` and its like where Slack reads markup, and elements that do the same. */
function callsOf({ method, text, blocks, view }: Sent): string[] {
  const found = new Set<string>();
  if (text?.includes("<!") === true) found.add(`"${text.slice(0, 80)}"`);
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isFields(value)) return;
    if (value.type === "broadcast") found.add("a broadcast element");
    if (value.type === "mrkdwn" && String(value.text).includes("<!")) found.add("a mrkdwn text");
    Object.values(value).forEach(visit);
  };
  visit(blocks);
  visit(view);
  return [...found].map((where) => `${method}: calls a whole channel in ${where}`);
}
