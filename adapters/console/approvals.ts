import type { Approval } from "#contract/approval.ts";
import { printCard } from "./answer.ts";
import { choose, type Choice } from "./choice.ts";
import { confirmation } from "./confirmation.ts";
import { editApproval } from "./edit.ts";
import { follow, skipPast } from "./follow.ts";
import { duration, offeredGrant } from "./grants.ts";
import { count } from "./render/layout.ts";
import { plainLine, plainText } from "#src/base/terminal-text.ts";
import { printNote, printWhole, type Session } from "./session.ts";
import { askOutcome, howToSettle } from "./unknown.ts";

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
      printWhole(session, shown.card);
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
export async function waiting(session: Session): Promise<Approval[]> {
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
  const list = await waiting(session);
  if (list.length === 0) {
    printNote(session, "Nothing waits for approval in this conversation.");
    return;
  }
  printWhole(session, {
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
    for (const approval of list) screen.print(howTo(approval));
    return;
  }
  const chosen = await pick(session, list);
  if (chosen === undefined) return;
  await askPerson(session, chosen);
}

function howTo(approval: Approval): string {
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
