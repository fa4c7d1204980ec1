import type { CardElement, Cell } from "#contract/card.ts";
import type { ToolListing } from "#contract/core.ts";
import { count, cut, widest } from "./render/layout.ts";
import { plainLine } from "#src/base/terminal-text.ts";
import { noteCard, printNote, printWhole, type Session } from "./session.ts";

/** `/tools`: all of them, or one with its arguments. */
export function listTools(session: Session, name: string | undefined): void {
  const listings = session.core.tools();
  if (name === undefined) {
    // One line for each tool.
    const ids = Math.max(0, ...listings.map(({ tool }) => widest(tool.id)));
    const room = Math.max(24, Math.min(session.screen.columns, 120) - ids - 20);
    printWhole(
      session,
      noteCard("Tools", [
        {
          type: "table",
          columns: [{ label: "Tool" }, { label: "What it does" }, { label: "Use" }],
          rows: listings.map((listing) => [
            listing.tool.id,
            cut(plainLine(listing.tool.description), room),
            decisionCell(listing),
          ]),
        },
        {
          type: "footer",
          text: `${count(listings.length, "tool")}. /tools NAME shows one with its arguments.`,
        },
      ]),
    );
    return;
  }
  const listing =
    listings.find(({ tool }) => tool.id === name) ?? listings.findLast(({ tool }) => tool.name === name);
  if (listing === undefined)
    printNote(session, `There is no tool ${plainLine(name)}. /tools lists them all.`);
  else printWhole(session, noteCard(listing.tool.id, describeTool(listing)));
}

function describeTool(listing: ToolListing): CardElement[] {
  const { tool } = listing;
  const { properties = {}, required = [] } = tool.inputSchema;
  const needed = Array.isArray(required) ? required : [];
  const args = Object.entries(isObject(properties) ? properties : {});
  const decision = decisionCell(listing);
  return [
    {
      type: "header",
      text: tool.id,
      ...(tool.title !== undefined && { eyebrow: tool.title }),
      badges: [decision],
    },
    { type: "text", text: tool.description },
    args.length === 0
      ? { type: "text", text: "It takes no arguments." }
      : {
          type: "table",
          columns: [{ label: "Argument" }, { label: "Type" }, { label: "What it is" }],
          rows: args.map(([name, schema]): Cell[] => [
            needed.includes(name) ? `${name} (required)` : name,
            typeName(schema),
            isObject(schema) && typeof schema["description"] === "string" ? schema["description"] : null,
          ]),
        },
  ];
}

function typeName(schema: unknown): string {
  if (!isObject(schema)) return "any";
  if (Array.isArray(schema["enum"])) return schema["enum"].map(String).join(" | ");
  const type = schema["type"];
  if (type === "array") return `list of ${typeName(schema["items"])}`;
  return typeof type === "string" ? type : "any";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function decisionCell({ decision }: ToolListing): { text: string; tone: "good" | "warn" | "bad" } {
  if (decision === "allow") return { text: "free", tone: "good" };
  return decision === "ask" ? { text: "asks first", tone: "warn" } : { text: "refused", tone: "bad" };
}
