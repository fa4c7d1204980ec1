import type { Approval } from "#contract/approval.ts";
import type { CardElement, Cell } from "#contract/card.ts";
import type { ToolListing } from "#contract/core.ts";
import type { JsonValue } from "#contract/json.ts";
import { isObject } from "#src/base/json.ts";
import { didYouMean } from "#src/base/suggest.ts";
import { plainLine, plainText, plural } from "#src/base/text.ts";
import { humanise } from "#src/base/tool-words.ts";

import { askApproval, askOutcome, decide, listApprovals, settle, waitingApprovals } from "./approvals.ts";
import { listGrants, revokeById } from "./grants.ts";
import { cut, widest } from "./render/layout.ts";
import { printCardWhole, printDone, printLink, printNote, printStatus, type Session } from "./session.ts";
import { type CommandName, COMMANDS, usableCommands } from "./slash.ts";

type Command = (session: Session, words: string[]) => void | Promise<void>;

const COMMAND: Record<Exclude<CommandName, "quit">, Command> = {
  help,
  tools: (session, [name]) => listTools(session, name),
  status,
  show: (session, [which]) => show(session, which, false),
  json: (session, [which]) => show(session, which, true),
  approvals: listApprovals,
  approve: (session, words) => decideById(session, "approve", words),
  deny: (session, words) => decideById(session, "deny", words),
  settle: settleById,
  grants: listGrants,
  revoke: (session, [id]) => revokeById(session, id),
  accounts,
  connect,
  good: (session) => rate(session, "good"),
  bad: (session, words) => rate(session, "bad", words),
  me: whoAmI,
  clear: ({ screen }) => screen.clear(),
};

/** Runs one of the chat's own commands; true when the person wants to leave. */
export async function runCommand(session: Session, name: CommandName, words: string[]): Promise<boolean> {
  if (name === "quit") return true;
  await COMMAND[name](session, words);
  return false;
}

function help(session: Session): void {
  const usable = usableCommands(session.core);
  const configured = usable.map(({ name, server, subcommands, defaultTool }): Cell[] => {
    const choices = subcommands.map((subcommand) => subcommand.name).join("|");
    const which = defaultTool === undefined ? choices : `[${choices}]`;
    return [
      choices === "" ? `/${name} …` : `/${name} ${which} …`,
      `asks ${titleOf(session, server)} directly`,
    ];
  });
  const names = new Set(usable.map(({ name }) => name));
  const absent = session.core.commands().filter(({ name }) => !names.has(name));
  printStatus(session, "Help", [
    {
      type: "text",
      text: "Say what you want in plain words. Nothing is changed until a person approves it.",
    },
    {
      type: "table",
      columns: [{ label: "Command" }, { label: "What it does" }],
      rows: [...COMMANDS.map(({ usage, about }): Cell[] => [usage, about]), ...configured],
    },
    ...(absent.length === 0
      ? []
      : [
          {
            type: "text" as const,
            text: `Not available now: ${absent.map(({ name }) => `/${name}`).join(", ")}. /status says what is down.`,
          },
        ]),
    {
      type: "text",
      text: "A backslash at the end of a line goes on in the next one. Tab completes commands. Ctrl-C stops what runs; at the prompt Ctrl-D or Ctrl-C twice leaves.",
    },
  ]);
}

/** What people call a server. */
function titleOf({ core }: Session, server: string): string {
  return core.tools().find(({ tool }) => tool.server === server)?.tool.serverTitle ?? humanise(server);
}

async function status(session: Session): Promise<void> {
  const [health, list] = await Promise.all([session.core.health(), waitingApprovals(session)]);
  const tone = (good: boolean): "good" | "bad" => (good ? "good" : "bad");
  const { model, store } = health;
  const planner = model.model === model.provider ? model.provider : `${model.provider} ${model.model}`.trim();
  printStatus(session, "Status", [
    {
      type: "fields",
      items: [
        { label: "Countersign", value: health.version },
        { label: "State", value: { text: health.status, tone: health.status === "ok" ? "good" : "warn" } },
        { label: "Model", value: { text: planner, tone: tone(model.reachable) } },
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
          value: list.length === 0 ? "nothing" : `${plural(list.length, "request")}, see /approvals`,
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
  ]);
}

function show(session: Session, which: string | undefined, asJson: boolean): void {
  const { results, screen } = session;
  const shown = results.find(which === undefined ? undefined : Number(which));
  if (shown === undefined) {
    const numbers = results.numbers();
    const known =
      numbers.length === 0 ? "Nothing was shown yet." : `There are ${numbers[0]} to ${numbers.at(-1)}.`;
    const missing = which === undefined ? "" : ` ${plainLine(which)}`;
    printNote(session, `There is no result${missing}. ${known}`);
  } else if (asJson) screen.print(plainText(JSON.stringify(shown.data, null, 2)));
  else {
    printCardWhole(session, shown.card);
    if (shown.call !== undefined) printNote(session, `\n${shown.call}`);
  }
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

/** What a line decides that is only `approve` or `deny`, with a reason after a colon if there is one. */
export function typedDecision(text: string): { decision: "approve" | "deny"; reason: string } | undefined {
  const [, word = "", reason = ""] = /^\s*(approve|deny)\s*(?:[.!]\s*|:\s*(.*))?$/iu.exec(text) ?? [];
  if (word === "") return undefined;
  return { decision: word.toLowerCase() === "deny" ? "deny" : "approve", reason: reason.trim() };
}

/**
 * Decides the one request that waits in this conversation. On a terminal it is shown and asked about; on a
 * pipe nothing is approved that this chat has not shown, and nothing that destroys without its id.
 */
export async function decideWaiting(
  session: Session,
  { decision, reason }: { decision: "approve" | "deny"; reason: string },
): Promise<void> {
  const list = (await waitingApprovals(session)).filter(({ state }) => state === "pending");
  const [only] = list;
  if (only === undefined) return printNote(session, "Nothing waits for approval in this conversation.");
  if (list.length > 1) {
    const which = session.screen.interactive ? "" : ` Say which, such as /${decision} 1.`;
    printNote(session, `Nothing was decided: ${list.length} requests wait.${which}`);
    return listApprovals(session);
  }
  const isSeen = session.shown.has(only.id) && !only.statement.isDestructive;
  if (session.screen.interactive || (decision === "approve" && !isSeen)) {
    if (!session.screen.interactive)
      printNote(session, "Nothing was decided. Look at the request, and approve it by its id:");
    return askApproval(session, only, reason);
  }
  return decide(session, only, decision, { reason });
}

async function settleById(session: Session, words: string[]): Promise<void> {
  const [id, outcome, ...note] = words;
  if (outcome !== "happened" && outcome !== "did_not") {
    const got = outcome === undefined ? "" : didYouMean(outcome, ["happened", "did_not"]);
    const usage = id === undefined ? "/settle ID" : `/settle ${plainLine(id)}`;
    printNote(session, `Say what became of it: ${usage} happened, or ${usage} did_not.${got}`);
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
  const approval = await session.core.approval(listedId(session, id) ?? id);
  if (approval === undefined) printNote(session, await unknownRequest(session, id));
  return approval;
}

/** The number of a request is that under which it was listed last. */
function listedId({ listed = [] }: Session, word: string): string | undefined {
  return /^[1-9]\d{0,3}$/.test(word) ? listed[Number(word) - 1] : undefined;
}

async function unknownRequest(session: Session, id: string): Promise<string> {
  if (/^\d+$/.test(id))
    return `No request was listed under ${plainLine(id)}. /approvals lists what waits, with numbers.`;
  const waiting = await waitingApprovals(session);
  const guess = didYouMean(
    id,
    waiting.map((one) => one.id),
  );
  return plainLine(`There is no request ${id}.${guess} /approvals lists what waits.`);
}

/** `/tools`: all of them, or one with its arguments. */
function listTools(session: Session, name: string | undefined): void {
  const listings = session.core.tools();
  if (name !== undefined) {
    const listing =
      listings.find(({ tool }) => tool.id === name) ?? listings.findLast(({ tool }) => tool.name === name);
    if (listing === undefined) {
      const guess = didYouMean(
        name,
        listings.map(({ tool }) => tool.id),
      );
      printNote(session, plainLine(`There is no tool ${name}.${guess} /tools lists them all.`));
    } else printStatus(session, listing.tool.id, describeTool(listing));
    return;
  }
  const offered = listings.filter(({ decision }) => decision !== "deny");
  const refused = listings.filter(({ decision }) => decision === "deny");
  const servers = [...new Set(offered.map(({ tool }) => tool.server))];
  const count = plural(offered.length, "tool");
  printStatus(session, "Tools", [
    ...servers.map((server): CardElement => {
      const ofServer = offered.filter(({ tool }) => tool.server === server);
      const title = titleOf(session, server);
      return { type: "section", title, elements: [toolTable(ofServer, session.screen.columns)] };
    }),
    {
      type: "footer",
      text: `${count}. /tools NAME shows one with its arguments.${
        refused.length === 0
          ? ""
          : ` Not allowed here: ${refused.map(({ tool }) => plainLine(tool.id)).join(", ")}.`
      }`,
    },
  ]);
}

/** One line for each tool; what it does is left out where a narrow terminal has no room for it. */
function toolTable(listings: readonly ToolListing[], width: number): CardElement {
  const names = Math.max(0, ...listings.map(({ tool }) => widest(tool.name)));
  const room = Math.min(width, 120) - names - 30;
  const isWide = room >= 16;
  return {
    type: "table",
    columns: [{ label: "Tool" }, ...(isWide ? [{ label: "What it does" }] : []), { label: "Use" }],
    rows: listings.map((listing): Cell[] => {
      const { name, description } = listing.tool;
      const about = isWide ? [cut(plainLine(description), room)] : [];
      return [name, ...about, decisionCell(listing)];
    }),
  };
}

function describeTool(listing: ToolListing): CardElement[] {
  const { id, title, description, inputSchema } = listing.tool;
  const { properties, required } = inputSchema;
  const rows = Object.entries(isObject(properties) ? properties : {}).map(([name, schema]): Cell[] => {
    const about = isObject(schema) ? schema["description"] : undefined;
    return [
      Array.isArray(required) && required.includes(name) ? `${name} (required)` : name,
      typeName(schema),
      typeof about === "string" ? about : null,
    ];
  });
  const columns = [{ label: "Argument" }, { label: "Type" }, { label: "What it is" }];
  return [
    {
      type: "header",
      text: id,
      ...(title !== undefined && { eyebrow: title }),
      badges: [decisionCell(listing)],
    },
    { type: "text", text: description },
    rows.length === 0 ? { type: "text", text: "It takes no arguments." } : { type: "table", columns, rows },
  ];
}

function typeName(schema: JsonValue | undefined): string {
  if (!isObject(schema)) return "any";
  const { enum: choices, type, items } = schema;
  if (Array.isArray(choices)) return choices.map(String).join(" | ");
  if (type === "array") return `list of ${typeName(items)}`;
  return typeof type === "string" ? type : "any";
}

function decisionCell({ decision }: ToolListing): { text: string; tone: "good" | "warn" | "bad" } {
  if (decision === "allow") return { text: "runs at once", tone: "good" };
  return decision === "ask" ? { text: "needs approval", tone: "warn" } : { text: "not allowed", tone: "bad" };
}

/** `/good`, `/bad WORDS`: what the person thinks of the last answer. */
async function rate(session: Session, verdict: "good" | "bad", words: string[] = []): Promise<void> {
  const { core, actor, answered } = session;
  if (answered === undefined) {
    printNote(session, "Nothing was answered yet.");
    return;
  }
  const said = words.join(" ").trim();
  await core.rate({ turnId: answered, actor, verdict, ...(said === "" ? {} : { words: said }) });
  const more = verdict === "bad" && said === "" ? " /bad with some words says what should have come." : "";
  printDone(session, `Thank you, noted with the answer.${more}`);
}

/** `/me [SERVER NAME|forget]`: who the person is in the servers. */
async function whoAmI(session: Session, words: string[]): Promise<void> {
  const asker = { actor: session.actor, command: "/me" };
  printCardWhole(session, (await session.me.me(words.join(" "), asker)).card);
}

const USAGE =
  "/connect SERVER connects one, /accounts disconnect NAME disconnects it. Sites: /connect use NAME, /connect from NAME to NAME, /connect stop.";

/** `/connect [WORDS]`. */
async function connect(session: Session, words: string[]): Promise<void> {
  const { actor, conversationId: channel } = session;
  const reply = await session.accounts.byWords(words.join(" "), { actor, channel });
  if (reply === undefined) return accounts(session, []);
  printNote(session, plainLine(reply.words));
  if (reply.ok) printLink(session, reply.link);
  return undefined;
}

/** `/accounts [connect|disconnect SERVER]`: accounts of the person that servers work with. */
async function accounts(session: Session, [action, server]: string[]): Promise<void> {
  const { actor, conversationId: channel } = session;
  const { card, actions } = await session.accounts.list({ actor, channel });
  if (action === undefined) {
    printCardWhole(session, card);
    if (actions.length > 0) printNote(session, USAGE);
  } else if ((action !== "connect" && action !== "disconnect") || server === undefined) {
    printNote(session, `${plainLine(didYouMean(action, ["connect", "disconnect"]))} ${USAGE}`.trim());
  } else if (action === "disconnect") {
    const found = actions.find(
      (one) => one.action === "disconnect" && [one.server, one.value.split("|site:")[1]].includes(server),
    );
    printNote(session, plainLine(await session.accounts.disconnect(found?.value ?? server, actor)));
  } else {
    const answer = await session.accounts.connect(server, { actor, channel });
    printNote(session, plainLine(answer.words));
    if (answer.ok) printLink(session, answer.link);
  }
}
