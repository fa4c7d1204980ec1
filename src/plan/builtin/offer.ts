import type { Candidate } from "./choose.ts";
import type { Clause } from "./clause.ts";
import type { ToolEntry } from "./entry.ts";
import type { ToolIndex } from "./tool-index.ts";

const GREETING = /^\W*(?:hi|hey|hello|yo|good (?:morning|afternoon|evening)|moin)\b[\s\S]{0,20}$/i;
const THANKS = /^\W*(?:thanks|thank you|thx|ty|cheers|great|cool|nice)\b[\s\S]{0,20}$/i;

/** What is said instead of a guess: plain words, with two or three things that the tools can do. */
export function offer(message: string, likely: Candidate[], index: ToolIndex, clause: Clause): string {
  const offered = pick(likely, index, clause).map(describe);
  if (offered.length === 0)
    return "No tools are connected right now, so there is nothing I can do yet. Please try again in a moment.";
  const can = `I can, for example, ${joined(offered)}.`;
  if (message.trim() === "") return `There was nothing in that message. ${can}`;
  if (GREETING.test(message)) return `Hello! ${can}`;
  if (THANKS.test(message)) return `You are welcome. ${can}`;
  return `I have no tool that fits this, so I would rather not guess. ${can} Say it in other words, or name what you want to see or change.`;
}

/** The likeliest tools; then, so that the offer is never empty, searches and reads of different servers. */
function pick(likely: Candidate[], index: ToolIndex, clause: Clause): ToolEntry[] {
  const lexical = index.rank(clause);
  const byWords = index.entries
    .filter((entry) => (lexical.get(entry.tool.id) ?? 0) > 0.5)
    .toSorted((one, other) => (lexical.get(other.tool.id) ?? 0) - (lexical.get(one.tool.id) ?? 0));
  const searches = index.entries.filter((entry) => entry.intents.has("search"));
  const reads = index.entries.filter((entry) => !entry.changing);
  const servers = new Set<string>();
  const spread = [...searches, ...reads].filter(
    ({ tool }) => !servers.has(tool.server) && servers.add(tool.server),
  );
  const all = [...likely.map(({ entry }) => entry), ...byWords, ...spread, ...reads, ...index.entries];
  return [...new Set(all)].slice(0, 3);
}

/** A tool by what it does: its title, else the first sentence of its description, else its name. */
function describe({ tool }: ToolEntry): string {
  const title = tool.title ?? "";
  const sentence = tool.description.split(/(?<=[.!?])\s|\n/, 1)[0] ?? "";
  const [text = tool.name] = [title.split(" ").length > 2 ? title : "", sentence, title].filter(
    (each) => each.trim() !== "",
  );
  const plain = text
    .replace(/[.!?:]+$/, "")
    .replaceAll("_", " ")
    .slice(0, 100);
  const shouted = plain.split(" ").every((word) => /^[A-Z]/.test(word));
  return shouted ? plain.toLowerCase() : plain.charAt(0).toLowerCase() + plain.slice(1);
}

function joined(items: string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} or ${items.at(-1) ?? ""}`;
}
