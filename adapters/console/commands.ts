import type { Approval } from "#contract/approval.ts";
import type { CardElement, Cell } from "#contract/card.ts";
import { accounts } from "./accounts.ts";
import { askApproval, decide, listApprovals, waiting } from "./approvals.ts";
import { listGrants, revokeById } from "./grants.ts";
import { count } from "./render/layout.ts";
import { plainLine, plainText } from "#src/base/terminal-text.ts";
import { noteCard, printNote, printWhole, type Session } from "./session.ts";
import { COMMANDS, type CommandName } from "./slash.ts";
import { listTools } from "./tools.ts";
import { askOutcome, settle } from "./unknown.ts";

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
  printWhole(
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
  const [health, list] = await Promise.all([session.core.health(), waiting(session)]);
  const tone = (good: boolean): "good" | "bad" => (good ? "good" : "bad");
  const { model, store } = health;
  printWhole(
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
  else printWhole(session, shown.card);
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
    const list = await waiting(session);
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
