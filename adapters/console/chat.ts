import type { ActorId } from "#contract/actor.ts";
import type { AccountActions } from "#contract/connections.ts";
import type { MeActions } from "#contract/people.ts";
import type { Cards, Core } from "#contract/core.ts";
import type { Forms } from "#contract/form.ts";
import type { Choice, NextStep } from "#contract/plan.ts";
import type { TurnRequest } from "#contract/turn.ts";
import { CountersignError } from "#src/base/errors.ts";
import { plainLine, plural } from "#src/base/text.ts";

import { Results } from "./answer.ts";
import { followAndAsk, waitingApprovals } from "./approvals.ts";
import { decideWaiting, runCommand, typedDecision } from "./commands.ts";
import { type Keyboard, openPipe } from "./keyboard.ts";
import { fillForm, FORM_KEYS } from "./questions.ts";
import { type ConsoleInput, type ConsoleOutput, printProblem, problemOf, Screen } from "./screen.ts";
import { printNote, type Session } from "./session.ts";
import { complete, readLine } from "./slash.ts";
import { openHistory, TerminalKeyboard } from "./terminal-keyboard.ts";

export interface ConsoleOptions {
  /** The person at the terminal. */
  actor: ActorId;
  /** Keep it stable, and a conversation goes on after a restart. */
  conversationId: string;
  input: ConsoleInput;
  output: ConsoleOutput;
  /** Created with owner-only rights; only used on a terminal. */
  historyFile: string;
  version: string;
  /** Whether to use colours and hyperlinks; the caller heeds NO_COLOR and FORCE_COLOR. */
  color: boolean;
  /** Ends the chat, for a program that is told to end. */
  signal?: AbortSignal;
}

/**
 * The terminal chat. Resolves when the person leaves or the input ends; a turn that runs then is
 * shown to its end first. With input and output on a terminal it edits lines and answers keys,
 * otherwise every line is a message and what it prints has no cursor movement in it.
 */
export async function startConsole(
  core: Core,
  { cards, forms, accounts, me }: { cards: Cards; forms: Forms; accounts: AccountActions; me: MeActions },
  options: ConsoleOptions,
): Promise<void> {
  const interactive = options.input.isTTY === true && options.output.isTTY === true;
  const screen = new Screen(options.output, { color: options.color, interactive });
  const results = new Results(core);
  const keyboard = interactive
    ? openTerminal(core, screen, results, options)
    : openPipe(options.input, screen);
  // Whoever read the output has gone, as in `countersign chat | head`: nothing is left to do here.
  const gone = new AbortController();
  // The listener stays: what was written last may fail after the end of the chat.
  options.output.on("error", () => gone.abort());
  const session: Session = {
    core,
    cards,
    forms,
    accounts,
    me,
    screen,
    keyboard,
    results,
    actor: options.actor,
    conversationId: options.conversationId,
    signal: options.signal === undefined ? gone.signal : AbortSignal.any([options.signal, gone.signal]),
    followed: new Map(),
    putOff: new Set(),
    shown: new Set(),
  };
  const leave = (): void => keyboard.close();
  session.signal.addEventListener("abort", leave, { once: true });
  try {
    await showErrors(session, () => welcome(session, options.version));
    while (!session.signal.aborted) {
      const { said } = session;
      session.said = undefined;
      const line = said ?? (await keyboard.next());
      if (line === undefined) return;
      if (await showErrors(session, () => answer(session, line))) return;
      if (said !== undefined && session.said === undefined)
        await showErrors(session, () => tellWaiting(session));
    }
  } finally {
    session.signal.removeEventListener("abort", leave);
    keyboard.close();
  }
}

function openTerminal(core: Core, screen: Screen, results: Results, options: ConsoleOptions): Keyboard {
  const history = openHistory(options.historyFile, (message) =>
    screen.say(screen.ink.paint("yellow", plainLine(message))),
  );
  const source = { core, results, conversationId: options.conversationId };
  return new TerminalKeyboard({
    input: options.input,
    output: options.output,
    screen,
    history,
    // Completion is a help, never a reason to fail.
    complete: (line) => complete(line, source).catch((): [string[], string] => [[], line]),
  });
}

/** Runs a step; an error is shown and the chat goes on. True when the person wants to leave. */
async function showErrors(session: Session, step: () => Promise<boolean>): Promise<boolean> {
  try {
    return await step();
  } catch (error) {
    if (!session.signal.aborted) printProblem(session.screen, problemOf(error));
    return false;
  }
}

async function answer(session: Session, text: string): Promise<boolean> {
  const line = readLine(text, session.core);
  if (line.kind === "command") {
    const leaving = await runCommand(session, line.name, line.words);
    if (!leaving) session.screen.print();
    return leaving;
  }
  if (line.kind === "unknown") {
    const guess = line.meant === undefined ? "" : ` Did you mean /${line.meant}?`;
    printNote(session, `There is no command /${plainLine(line.name)}.${guess} /help lists them all.\n`);
    return false;
  }
  const decision = typedDecision(text);
  if (decision !== undefined) {
    await decideWaiting(session, decision);
    session.screen.print();
    return false;
  }
  const chosen = choiceIn(session, text);
  const turnId = chosen === undefined ? await begin(session, text) : await take(session, chosen);
  if (turnId !== undefined) await followAndAsk(session, turnId);
  session.screen.print();
  return false;
}

/** Resolves to the id of the turn. */
async function begin(
  session: Session,
  message: string,
  about: Pick<TurnRequest, "call" | "undoes"> = {},
): Promise<string> {
  const { core, actor, conversationId } = session;
  const { turnId } = await core.submit({
    surface: "console",
    actor,
    conversationId,
    // It owns its MCP sessions and settings itself.
    channel: conversationId,
    message,
    ...about,
  });
  return turnId;
}

/** Does what was chosen, or opens its form. */
async function take(session: Session, chosen: Choice | NextStep): Promise<string | undefined> {
  if (!("kind" in chosen) || chosen.kind === "form") return fillChoice(session, chosen);
  const { kind, title, tool, args } = chosen;
  const of = session.offered?.turnId ?? "";
  if (kind === "undo") return begin(session, title, { undoes: of });
  const message = kind === "retry" ? ((await session.core.turn(of))?.message ?? title) : title;
  return begin(session, message, { call: { tool, args } });
}

/** What the number stands for that was typed, where the last turn offered something under it. */
function choiceIn({ offered, screen }: Session, text: string): Choice | NextStep | undefined {
  const number = /^\s*(\d)\s*$/.exec(text)?.[1];
  return screen.interactive ? offered?.choices[Number(number) - 1] : undefined;
}

/** Asks for the arguments of what was chosen; resolves to the turn that begins, if one does. */
async function fillChoice(session: Session, { tool: id, args }: Choice): Promise<string | undefined> {
  const { core, offered } = session;
  const tool = core.tools().find((listing) => listing.tool.id === id)?.tool;
  const asked = await core.turn(offered?.turnId ?? "");
  if (tool === undefined || asked === undefined) {
    printNote(session, "This is not there now; its server may be down. Nothing was sent. See /status.");
    return undefined;
  }
  printNote(session, FORM_KEYS);
  const sent = await fillForm(session, tool, args, async (filled) => {
    const checked = core.checkCall({ tool: id, args: filled });
    if (checked.ok) return begin(session, asked.message, { call: { tool: id, args: filled } });
    const fields = checked.faults.map(({ name }) => name);
    throw new CountersignError("bad_args", checked.message, { details: { fields } });
  });
  if (sent !== "broken_off") return sent;
  printNote(session, "Nothing was sent.");
  return undefined;
}

/** Greets, resumes turns that an earlier run left unfinished, and names what waits. */
async function welcome(session: Session, version: string): Promise<boolean> {
  const { screen, core } = session;
  const { ink } = screen;
  if (screen.interactive) {
    const health = await core.health();
    const servers = health.servers.map((server) =>
      server.status === "up"
        ? `${server.name} (${plural(server.tools, "tool")})`
        : `${server.name} (${server.note ?? server.status})`,
    );
    screen.print(`${ink.paint(["bold", "cyan"], "Countersign")} ${version}`);
    printNote(session, plainLine([`${health.model.provider} planner`, ...servers].join(" · ")));
    printNote(session, "Ask in plain words. Nothing is changed until you approve it. /help shows more.\n");
  }
  const turns = await core.conversation(session.conversationId);
  for (const turn of turns.filter(({ state }) => state === "queued" || state === "running")) {
    printNote(session, `Going on with: ${plainLine(turn.message)}`);
    await followAndAsk(session, turn.id);
    screen.print();
  }
  return tellWaiting(session);
}

/** Names what waits for a decision, or to be settled, in this conversation. */
async function tellWaiting(session: Session): Promise<boolean> {
  const { screen } = session;
  const list = await waitingApprovals(session);
  if (list.length > 0) {
    const waits = list.length === 1 ? "1 request waits" : `${list.length} requests wait`;
    screen.say(screen.ink.paint("yellow", `${waits} in this conversation: type /approvals.\n`));
  }
  return false;
}
