import type { Approval } from "#contract/approval.ts";
import { plainLine, plainText } from "#src/base/text.ts";

import { printCall, printCard } from "./answer.ts";
import { type Choice, choose, confirmation } from "./choice.ts";
import { follow, skipPast } from "./follow.ts";
import { duration, offeredGrant } from "./grants.ts";
import { askField, refusedFields, reportFaults } from "./questions.ts";
import { count } from "./render/layout.ts";
import { printProblem, problemOf } from "./screen.ts";
import { printCardWhole, printNote, type Session } from "./session.ts";

/** Lines shown of a folded text in an approval: who decides should not have to look further. */
const FOLDED_LINES = 40;

/** Asks about what a turn ended with: a decision, or what became of a call. */
export async function askPerson(session: Session, approval: Approval): Promise<void> {
  if (approval.state === "unknown") await askOutcome(session, approval);
  else await askApproval(session, approval);
}

/** Shows a request and takes the decision in words; without a terminal says what to type. */
export async function askApproval(session: Session, approval: Approval, reasonGiven = ""): Promise<void> {
  const { screen, keyboard, cards, results } = session;
  const shown = results.add(`approval of ${plainLine(approval.toolId)}`, cards.approval(approval), {
    ...approval.args,
  });
  screen.print();
  printCard(screen, shown, { foldedLines: FOLDED_LINES, actions: false });
  screen.print();
  if (!screen.interactive) {
    screen.print(
      `Waiting for approval ${approval.id}. To decide:\n  /approve ${approval.id}\n  /deny ${approval.id} REASON`,
    );
    return;
  }
  const tool = session.core.tools().find((listing) => listing.tool.id === approval.toolId)?.tool;
  const yes = confirmation(approval, tool);
  const grant = offeredGrant(approval);
  const more = grant === undefined ? undefined : confirmation(approval, tool, "grant").typed;
  const choices: Choice[] = [
    yes,
    ...(grant === undefined || more === undefined
      ? []
      : [{ typed: more, about: `the same for ${duration(grant.ttlMs)}, ${count(grant.uses, "time")}` }]),
    { typed: "deny" },
    { typed: "edit" },
    { typed: "details" },
    { typed: "later" },
  ];
  for (;;) {
    const word = await choose(session, choices);
    if (word === "details") {
      printCardWhole(session, shown.card);
      screen.print();
      continue;
    }
    if (word === "edit") return edit(session, approval);
    if (word === undefined || word === "later") {
      printNote(session, "It waits. /approvals shows it again, also after a restart.");
      return;
    }
    let reason: string | undefined = reasonGiven;
    if (reason === "" && (word === "deny" || approval.reasonRequired)) {
      const prompt = approval.reasonRequired ? "Reason: " : "Reason (optional): ";
      reason = await keyboard.ask(screen.ink.paint("gray", prompt));
      if (reason === undefined) {
        printNote(session, `Nothing was decided. /approvals shows it again.`);
        return;
      }
    }
    return decide(session, approval, word === "deny" ? "deny" : "approve", {
      reason,
      ...(word === more && grant !== undefined && { grant }),
    });
  }
}

/** Replaces the request by what the person makes of it, and asks about the new one. */
async function edit(session: Session, approval: Approval): Promise<void> {
  const edited = await editApproval(session, approval);
  if (edited === undefined) {
    // It may have been decided elsewhere meanwhile.
    const now = (await session.core.approval(approval.id)) ?? approval;
    if (now.state === "pending") await askApproval(session, now);
    return;
  }
  session.screen.print(
    `${session.screen.ink.paint("green", "✔")} Edited: ${plainLine(edited.id)} takes the place of ${plainLine(approval.id)}.`,
  );
  session.screen.print();
  const result = await follow(session, approval.turnId);
  if (result?.pendingConfirmation !== undefined) await askPerson(session, result.pendingConfirmation);
}

/** Records a decision, says what came of it, and shows what follows from it. */
export async function decide(
  session: Session,
  approval: Approval,
  decision: "approve" | "deny",
  { reason = "", grant }: { reason?: string | undefined; grant?: { ttlMs: number; uses: number } },
): Promise<void> {
  if (approval.state === "pending") await skipPast(session, approval.turnId);
  const words = reason.trim();
  const reply = await session.core.decide({
    approvalId: approval.id,
    actor: session.actor,
    decision,
    ...(words !== "" && { reason: words }),
    ...(grant !== undefined && { grant }),
  });
  const { ink } = session.screen;
  const good = reply.outcome === "approved" || reply.outcome === "recorded";
  const mark = good ? ink.paint("green", "✔") : ink.paint(reply.outcome === "denied" ? "red" : "yellow", "✖");
  session.screen.print(`${mark} ${plainText(reply.message)}`);
  if (reply.outcome !== "approved" && reply.outcome !== "denied") return;
  session.screen.print();
  const result = await follow(session, approval.turnId);
  if (result?.pendingConfirmation !== undefined) await askPerson(session, result.pendingConfirmation);
}

/** What waits in this conversation: decisions, and calls whose outcome nobody knows. */
export async function waitingApprovals(session: Session): Promise<Approval[]> {
  const { core, conversationId } = session;
  const [pending, unknown] = await Promise.all([
    core.approvals({ state: "pending", conversationId }),
    core.approvals({ state: "unknown", conversationId }),
  ]);
  return [...pending, ...unknown].toSorted((one, other) => one.createdAt - other.createdAt);
}

/** `/approvals`: the list, and on a terminal one of them to decide now. */
export async function listApprovals(session: Session): Promise<void> {
  const { screen, cards } = session;
  const list = await waitingApprovals(session);
  if (list.length === 0) {
    printNote(session, "Nothing waits for approval in this conversation.");
    return;
  }
  printCardWhole(session, {
    kind: "status",
    title: count(list.length, "request"),
    elements: [
      {
        type: "table",
        columns: [
          { label: "#", align: "right" },
          { label: "Tool" },
          { label: "What" },
          { label: "By" },
          { label: "State" },
        ],
        rows: list.map((approval, index) => [
          index + 1,
          approval.toolId,
          cards.approval(approval).title,
          approval.requestedBy,
          { text: approval.state === "pending" ? "waiting" : "outcome unknown", tone: "warn" },
        ]),
      },
    ],
  });
  if (!screen.interactive) {
    for (const approval of list) screen.print(howToDecide(approval));
    return;
  }
  const chosen = await pick(session, list);
  if (chosen === undefined) return;
  await askPerson(session, chosen);
}

function howToDecide(approval: Approval): string {
  if (approval.state === "unknown") return howToSettle(approval);
  return `/approve ${approval.id}   or   /deny ${approval.id} REASON`;
}

async function pick(session: Session, list: Approval[]): Promise<Approval | undefined> {
  if (list.length === 1) return list[0];
  const answer = await session.keyboard.ask(
    session.screen.ink.paint("gray", `Which one (1 to ${list.length}, empty for none)? `),
  );
  const number = Number(answer?.trim());
  if (answer === undefined || answer.trim() === "") return undefined;
  const chosen = Number.isInteger(number) ? list[number - 1] : undefined;
  if (chosen === undefined) printNote(session, `There is no number ${plainLine(answer)} in the list.`);
  return chosen;
}

/**
 * Asks for every argument with its present value, and replaces the request by the edited one. Resolves
 * to the new request; undefined when it was broken off or nothing was changed.
 */
async function editApproval(session: Session, approval: Approval): Promise<Approval | undefined> {
  const { core, forms } = session;
  const tool = core.tools().find((listing) => listing.tool.id === approval.toolId)?.tool;
  if (tool === undefined) {
    printNote(
      session,
      `${plainLine(approval.toolId)} is not offered now; its server may be down. See /status.`,
    );
    return undefined;
  }
  const form = forms.toForm(tool, approval.args);
  const typed = new Map<string, string>();
  printNote(
    session,
    "Empty keeps a value, - clears an optional one, \\ at the end goes on in the next line. Ctrl-C leaves it.",
  );
  let asked = form.fields;
  for (;;) {
    for (const field of asked) {
      const text = await askField(session, field, typed.get(field.name) ?? field.value);
      if (text === undefined) {
        printNote(session, "Nothing was edited. The request waits as it was.");
        return undefined;
      }
      typed.set(field.name, text);
    }
    const reading = forms.fromForm(tool, approval.args, typed);
    if (!reading.ok) {
      asked = reportFaults(session, form.fields, reading.faults);
      continue;
    }
    if (JSON.stringify(reading.args) === JSON.stringify(approval.args)) {
      printNote(session, "Nothing was changed. The request waits as it was.");
      return undefined;
    }
    try {
      await skipPast(session, approval.turnId);
      return await core.edit({ approvalId: approval.id, actor: session.actor, args: reading.args });
    } catch (error) {
      const faults = refusedFields(error, form.fields);
      if (faults === undefined) throw error;
      printProblem(session.screen, problemOf(error));
      asked = reportFaults(session, form.fields, faults);
    }
  }
}

/** Shows a call whose outcome nobody knows, and takes what a person knows of it; `note` goes with it. */
export async function askOutcome(session: Session, approval: Approval, note?: string): Promise<void> {
  const { screen, cards } = session;
  printCardWhole(session, cards.approval(approval));
  if (!screen.interactive) {
    screen.print(`Nobody knows whether it happened. To settle it:\n  ${howToSettle(approval)}`);
    return;
  }
  for (;;) {
    const word = await choose(session, [
      { typed: "happened" },
      { typed: "did not" },
      ...(approval.lookup === undefined ? [] : [{ typed: "look it up" }]),
      { typed: "later" },
    ]);
    if (word !== "look it up") {
      if (word === "happened" || word === "did not")
        await settle(session, approval, word === "happened" ? "happened" : "did_not", note);
      else printNote(session, "It stays open. /approvals shows it again.");
      return;
    }
    try {
      printCall(session.screen, session.results, await session.core.lookup(approval.id, session.actor));
    } catch (error) {
      // The question stays: the person may look elsewhere.
      printProblem(screen, problemOf(error));
    }
    screen.print();
  }
}

function howToSettle({ id }: Approval): string {
  return `/settle ${id} happened   or   /settle ${id} did_not`;
}

/** Records what became of the call, and shows what follows from it. */
export async function settle(
  session: Session,
  approval: Approval,
  outcome: "happened" | "did_not",
  note: string | undefined,
): Promise<void> {
  if (approval.state === "unknown") await skipPast(session, approval.turnId);
  await session.core.settle({
    approvalId: approval.id,
    actor: session.actor,
    outcome,
    ...(note !== undefined && note !== "" && { note }),
  });
  session.screen.print(
    `${session.screen.ink.paint("green", "✔")} Settled: the change ${outcome === "happened" ? "happened" : "did not happen"}.`,
  );
  session.screen.print();
  await follow(session, approval.turnId);
}
