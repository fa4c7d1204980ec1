import type { Approval } from "#contract/approval.ts";
import { askText, groupText } from "#src/base/statement.ts";
import { plainLine, plainText, plural } from "#src/base/text.ts";

import { printCard } from "./answer.ts";
import { choose, chooseSome, confirmation } from "./choice.ts";
import { skipPast } from "./follow.ts";
import { printDone, printNote, type Session } from "./session.ts";

/** Lines shown of a folded text in an approval, so that the decider sees enough. */
export const FOLDED_LINES = 40;

/** What is done with one request by itself. */
export interface One {
  ask: (session: Session, approval: Approval) => Promise<void>;
  /** Shows what follows in a turn, and asks about what waits there. */
  goOn: (session: Session, turnId: string) => Promise<void>;
  /** Why there is nothing for the person to approve, as a sentence. */
  whyNotYours: (session: Session, approval: Approval) => Promise<string | undefined>;
}

/**
 * Shows requests that wait, each whole and under its number, and takes which of them the person decides, and how:
 * several at once, or one by itself, until each is decided or put off. `isPicked`: these and no fewer. On a terminal.
 */
export async function askTogether(
  session: Session,
  requests: readonly Approval[],
  one: One,
  { isPicked = false }: { isPicked?: boolean } = {},
): Promise<void> {
  for (let hasPicked = isPicked; ; hasPicked = false) {
    const open = await stillPending(session, requests);
    const [only] = open;
    if (only === undefined) return;
    if (open.length === 1) return one.ask(session, only);
    show(session, open);
    const picked = hasPicked ? open : ((await pickOf(session, open, one)) ?? []);
    const [alone] = picked;
    if (alone !== undefined && picked.length === 1) {
      await one.ask(session, alone);
      continue;
    }
    const made = await decideTogether(session, open, picked);
    if (made === "put off") {
      for (const { id } of open) session.putOff.add(id);
      printNote(session, "They wait. /approvals shows them again, also after a restart.");
      return;
    }
    // What follows from it, and what stands in the place of one that was shown.
    for (const turnId of new Set(open.map((each) => each.turnId))) await one.goOn(session, turnId);
  }
}

/** Those of them that wait for a decision and were not put off, as they are now. */
export async function stillPending(
  { core, putOff }: Session,
  requests: readonly Pick<Approval, "id">[],
): Promise<Approval[]> {
  const found = await Promise.all(
    requests.filter(({ id }) => !putOff.has(id)).map(({ id }) => core.approval(id)),
  );
  return found.flatMap((approval) => (approval?.state === "pending" ? [approval] : []));
}

function show(session: Session, requests: readonly Approval[]): void {
  const { screen, cards, results } = session;
  const count = requests.length;
  const all = plainLine(groupText(requests.map(({ statement }) => statement)));
  printNote(session, `\n${plural(count, "request")}: ${all}`);
  for (const [at, approval] of requests.entries()) {
    const card = cards.approval(approval);
    const shown = results.add(`Request ${at + 1} of ${count}`, card, { ...approval.args });
    screen.print();
    printCard(screen, shown, { foldedLines: FOLDED_LINES, actions: false });
  }
  screen.print();
}

/** Which of them the person wants to decide; those that are not theirs are none of them. */
async function pickOf(
  session: Session,
  open: readonly Approval[],
  one: One,
): Promise<Approval[] | undefined> {
  for (;;) {
    const chosen = await chooseSome(session, open.length);
    if (chosen === undefined) return undefined;
    const picked = chosen.flatMap((at) => open[at] ?? []);
    if (picked.length < 2) return picked;
    const refused: string[] = [];
    for (const each of picked) {
      const why = await one.whyNotYours(session, each);
      if (why !== undefined) refused.push(`${plainLine(askText(each.statement))}: ${why}`);
    }
    if (refused.length === 0) return picked;
    for (const why of refused) printNote(session, why);
  }
}

/** Decides what was picked of what was shown, each by itself, or nothing where something else waits by now. */
async function decideTogether(
  session: Session,
  shown: readonly Approval[],
  picked: readonly Approval[],
): Promise<"decided" | "put off" | "other"> {
  const { core, screen, keyboard } = session;
  if (picked.length === 0) return "put off";
  const words = ["approve", "deny", "later"].map((typed) => ({ typed }));
  const decision = await choose(session, words, { takesMessages: true });
  if (decision !== "approve" && decision !== "deny") return "put off";
  const sure = decision === "deny" ? picked : await confirmed(session, picked);
  if (sure.length === 0) return "put off";
  const isNeeded = sure.some(({ reasonRequired }) => reasonRequired);
  const prompt = screen.ink.paint("gray", isNeeded ? "Reason: " : "Reason (optional): ");
  const reason = isNeeded || decision === "deny" ? (await keyboard.ask(prompt))?.trim() : "";
  if (reason === undefined || (isNeeded && reason === "")) return "put off";
  // One that was edited or asked for anew stands in the place of one that was shown.
  const now = await Promise.all(shown.map(({ id }) => core.approval(id)));
  if (now.some((one) => one?.state !== "pending")) {
    printNote(
      session,
      "Other requests wait than were shown to you, so nothing was decided. Look at them again.",
    );
    return "other";
  }
  for (const { turnId } of sure) await skipPast(session, turnId);
  for (const seen of sure) {
    const why = reason === "" ? {} : { reason };
    const request = { approvalId: seen.id, actor: session.actor, decision, ...why, seen } as const;
    const { outcome, message } = await core.decide(request);
    const line = plainText(`${askText(seen.statement)}: ${message}`);
    if (outcome === "approved" || outcome === "recorded") printDone(session, line);
    else screen.say(line, `${screen.ink.paint(outcome === "denied" ? "red" : "yellow", "✖")} `);
  }
  screen.print();
  return "decided";
}

/** Those of them that destroy nothing, and those whose names the person typed. */
async function confirmed(session: Session, picked: readonly Approval[]): Promise<Approval[]> {
  const sure: Approval[] = [];
  for (const approval of picked) {
    const tool = session.core.tools().find((listing) => listing.tool.id === approval.toolId)?.tool;
    const { typed, about } = confirmation(approval, tool);
    const isSure =
      !approval.statement.isDestructive ||
      (await choose(session, [{ typed, ...(about === undefined ? {} : { about }) }, { typed: "later" }])) ===
        typed;
    if (isSure) sure.push(approval);
    else session.putOff.add(approval.id);
  }
  return sure;
}
