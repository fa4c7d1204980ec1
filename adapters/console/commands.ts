import type { Approval } from "#contract/approval.ts";
import type { CardElement, Cell } from "#contract/card.ts";
import type { ToolListing } from "#contract/core.ts";
import { plainLine, plainText } from "#src/base/text.ts";

import { askApproval, askOutcome, decide, listApprovals, settle, waitingApprovals } from "./approvals.ts";
import { listGrants, revokeById } from "./grants.ts";
import { count, cut, widest } from "./render/layout.ts";
import { noteCard, printCardWhole, printNote, type Session } from "./session.ts";
import { type CommandName, COMMANDS } from "./slash.ts";

/** Runs one of the chat's own commands; true when the person wants to leave. */
export async function runCommand(session: Session, name: CommandName, words: string[]): Promise<boolean> {
  switch (name) {
    case "help":
      help(session);
      break;
    case "tools":
      listTools(session, words[0]);
      break;
    case "status":
      await status(session);
      break;
    case "show":
      show(session, words[0], false);
      break;
    case "json":
      show(session, words[0], true);
      break;
    case "approvals":
      await listApprovals(session);
      break;
    case "approve":
    case "deny":
      await decideById(session, name, words);
      break;
    case "settle":
      await settleById(session, words);
      break;
    case "grants":
      await listGrants(session);
      break;
    case "revoke":
      await revokeById(session, words[0]);
      break;
    case "accounts":
      await accounts(session, words);
      break;
    case "clear":
      session.screen.clear();
      break;
    case "quit":
      return true;
  }
  return false;
}

function help(session: Session): void {
  const configured = session.core.commands();
  const usage = (name: string, subcommands: string[]): string =>
    subcommands.length === 0 ? `/${name} …` : `/${name} [${subcommands.join("|")}] …`;
  printCardWhole(
    session,
    noteCard("Help", [
      {
        type: "text",
        text: "Say what you want in plain words. Nothing is changed until a person approves it.",
      },
      ...commandTable([
        ...COMMANDS.map((command): [string, string] => [command.usage, command.about]),
        ...configured.map((command): [string, string] => [
          usage(
            command.name,
            command.subcommands.map((subcommand) => subcommand.name),
          ),
          `asks ${command.server} at once, without planning`,
        ]),
      ]),
      {
        type: "text",
        text: "A backslash at the end of a line goes on in the next one. Tab completes commands. Ctrl-C stops what runs; at the prompt Ctrl-D or Ctrl-C twice leaves.",
      },
    ]),
  );
}

function commandTable(rows: [string, string][]): CardElement[] {
  return [{ type: "table", columns: [{ label: "Command" }, { label: "What it does" }], rows }];
}

async function status(session: Session): Promise<void> {
  const [health, list] = await Promise.all([session.core.health(), waitingApprovals(session)]);
  const tone = (good: boolean): "good" | "bad" => (good ? "good" : "bad");
  const { model, store } = health;
  printCardWhole(
    session,
    noteCard("Status", [
      {
        type: "fields",
        items: [
          { label: "Countersign", value: health.version },
          { label: "State", value: { text: health.status, tone: health.status === "ok" ? "good" : "warn" } },
          {
            label: "Model",
            value: {
              text:
                model.model === model.provider ? model.provider : `${model.provider} ${model.model}`.trim(),
              tone: tone(model.reachable),
            },
          },
          ...(model.reason === undefined ? [] : [{ label: "", value: model.reason }]),
          {
            label: "Store",
            value: {
              text: store.error === undefined ? store.kind : `${store.kind}: ${store.error}`,
              tone: tone(store.ok && store.damage === undefined),
            },
          },
          ...(store.damage ?? []).map((fault) => ({ label: "", value: `damaged: ${fault}` })),
          { label: "You", value: session.actor },
          { label: "Conversation", value: session.conversationId },
          {
            label: "Waiting",
            value: list.length === 0 ? "nothing" : `${count(list.length, "request")}, see /approvals`,
          },
        ],
      },
      {
        type: "table",
        columns: [
          { label: "Server" },
          { label: "State" },
          { label: "Tools", align: "right" },
          { label: "Trouble" },
        ],
        rows: health.servers.map((server): Cell[] => [
          server.name,
          { text: server.status, tone: server.status === "up" ? "good" : "warn" },
          server.tools,
          server.error ?? server.note ?? null,
        ]),
      },
    ]),
  );
}

function show(session: Session, which: string | undefined, asJson: boolean): void {
  const { results, screen } = session;
  const shown = results.find(which === undefined ? undefined : Number(which));
  if (shown === undefined) {
    const numbers = results.numbers();
    const known =
      numbers.length === 0 ? "Nothing was shown yet." : `There are ${numbers[0]} to ${numbers.at(-1)}.`;
    printNote(
      session,
      `${which === undefined ? "There is no result" : `There is no result ${plainLine(which)}`}. ${known}`,
    );
  } else if (asJson) screen.print(plainText(JSON.stringify(shown.data, null, 2)));
  else printCardWhole(session, shown.card);
}

async function decideById(session: Session, decision: "approve" | "deny", words: string[]): Promise<void> {
  const [id, ...reason] = words;
  const approval = await findApproval(session, id, `/${decision} ID`);
  if (approval === undefined) return;
  // The line may have been pasted; on a terminal the request is shown and a word approves it.
  if (decision === "approve" && approval.state === "pending" && session.screen.interactive)
    await askApproval(session, approval, reason.join(" "));
  else await decide(session, approval, decision, { reason: reason.join(" ") });
}

async function settleById(session: Session, words: string[]): Promise<void> {
  const [id, outcome, ...note] = words;
  if (outcome !== "happened" && outcome !== "did_not") {
    printNote(session, "Type /settle ID happened or /settle ID did_not.");
    return;
  }
  const approval = await findApproval(session, id, "/settle ID");
  if (approval === undefined) return;
  if (approval.state === "unknown" && session.screen.interactive)
    await askOutcome(session, approval, note.join(" "));
  else await settle(session, approval, outcome, note.join(" "));
}

async function findApproval(
  session: Session,
  id: string | undefined,
  usage: string,
): Promise<Approval | undefined> {
  if (id === undefined) {
    const list = await waitingApprovals(session);
    const ids =
      list.length === 0
        ? "Nothing waits in this conversation."
        : `Waiting: ${list.map((one) => one.id).join(", ")}`;
    printNote(session, `Type ${usage}. ${ids}`);
    return undefined;
  }
  const approval = await session.core.approval(id);
  if (approval === undefined)
    printNote(session, `There is no request ${plainLine(id)}. /approvals lists what waits.`);
  return approval;
}

/** `/tools`: all of them, or one with its arguments. */
function listTools(session: Session, name: string | undefined): void {
  const listings = session.core.tools();
  if (name === undefined) {
    // One line for each tool.
    const ids = Math.max(0, ...listings.map(({ tool }) => widest(tool.id)));
    const room = Math.max(24, Math.min(session.screen.columns, 120) - ids - 20);
    printCardWhole(
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
  else printCardWhole(session, noteCard(listing.tool.id, describeTool(listing)));
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

const USAGE = "/accounts connect SERVER connects one, /accounts disconnect SERVER disconnects it.";

/** `/accounts [connect|disconnect SERVER]`: accounts of the person that servers work with. */
async function accounts(session: Session, [deed, server]: string[]): Promise<void> {
  const { accounts: desk, actor, channel } = session;
  const { card, deeds } = await desk.list({ actor, channel });
  if (deed === undefined) {
    printCardWhole(session, card);
    if (deeds.length > 0) printNote(session, USAGE);
    return;
  }
  if ((deed !== "connect" && deed !== "disconnect") || server === undefined) {
    printNote(session, USAGE);
    return;
  }
  if (deed === "connect") return connect(session, server);
  const found = deeds.find((one) => one.deed === "disconnect" && one.server === server);
  const said = await desk.disconnect(found?.value ?? server, actor);
  printNote(session, plainLine(said));
}

async function connect(session: Session, server: string): Promise<void> {
  const { accounts: desk, actor, channel, screen } = session;
  const answer = await desk.connect(server, { actor, channel });
  printNote(session, plainLine(answer.words));
  if (!answer.ok) return;
  screen.print(`  Domain: ${screen.ink.paint("bold", plainLine(answer.link.domain))}`);
  screen.print(`  ${plainLine(answer.link.url)}`);
}
