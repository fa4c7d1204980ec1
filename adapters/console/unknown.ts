import type { Approval } from "#contract/approval.ts";
import { printCall } from "./answer.ts";
import { choose } from "./choice.ts";
import { follow, skipPast } from "./follow.ts";
import { printProblem, problemOf } from "./problems.ts";
import { printNote, printWhole, type Session } from "./session.ts";

/** Shows a call whose outcome nobody knows, and takes what a person knows of it; `note` goes with it. */
export async function askOutcome(session: Session, approval: Approval, note?: string): Promise<void> {
  const { screen, cards } = session;
  printWhole(session, cards.approval(approval));
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

export function howToSettle({ id }: Approval): string {
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
