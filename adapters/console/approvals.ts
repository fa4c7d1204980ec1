import type { Approval } from "#contract/approval.ts";
import type { JsonObject } from "#contract/json.ts";
import { recentlyDecided } from "#src/base/alike.ts";
import { approversText, isTakenBack } from "#src/base/approvers.ts";
import { isSamePerson, personText } from "#src/base/ids.ts";
import { momentText } from "#src/base/moments.ts";
import { askText, pendingOf } from "#src/base/statement.ts";
import { plainLine, plainText, plural } from "#src/base/text.ts";
import { en } from "#src/base/words/en.ts";

import { offersOf, printCall, printCard } from "./answer.ts";
import { type Choice, choose, confirmation } from "./choice.ts";
import { follow, skipPast } from "./follow.ts";
import { duration, offeredGrant } from "./grants.ts";
import { fillForm, FORM_KEYS } from "./questions.ts";
import { askTogether, FOLDED_LINES, type One, stillPending } from "./several.ts";
import { printProblem, problemOf } from "./screen.ts";
import { printCardWhole, printDone, printNote, printStatus, type Session } from "./session.ts";

/** Shows a turn to its end for now, and asks about what it ended with. */
export async function followAndAsk(session: Session, turnId: string): Promise<void> {
  const result = await follow(session, turnId);
  if (result !== undefined) session.answered = turnId;
  session.offered = result && { turnId, choices: offersOf(result) };
  const ids = result === undefined ? [] : pendingOf(result).map(({ id }) => id);
  const open = (await Promise.all(ids.map((id) => session.core.approval(id)))).flatMap((one) => one ?? []);
  const pending = await stillPending(session, open);
  if (pending.length > 1 && session.screen.interactive) await askTogether(session, pending, ONE);
  for (const { id } of open) {
    if (session.said !== undefined) return;
    // Somebody may have decided it while this person thought about the one before; so may they, as a decision
    // leads to what waits then.
    const approval = session.putOff.has(id) ? undefined : await session.core.approval(id);
    if (approval?.state === "pending" || approval?.state === "unknown") await askPerson(session, approval);
  }
}

/** Asks for a decision, or for what became of a call. */
async function askPerson(session: Session, approval: Approval): Promise<void> {
  session.putOff.delete(approval.id);
  if (approval.state === "unknown") await askOutcome(session, approval);
  else await askApproval(session, approval);
}

/** Shows a request and takes the decision in words; without a terminal says what to type. */
export async function askApproval(session: Session, approval: Approval, reasonGiven = ""): Promise<void> {
  const { screen, cards, results } = session;
  session.shown.add(approval.id);
  const shown = results.add("Needs approval", cards.approval(approval), { ...approval.args });
  screen.print();
  printCard(screen, shown, { foldedLines: FOLDED_LINES, actions: false });
  screen.print();
  const waitsFor = await whyNotYours(session, approval);
  if (waitsFor !== undefined) printNote(session, waitsFor);
  const isOwn = isSamePerson(approval.requestedBy, session.actor);
  if (!screen.interactive) {
    if (waitsFor !== undefined) {
      if (isOwn) screen.print(`To take it back:\n  /deny ${approval.id} REASON`);
      return;
    }
    const isOnly = (await waitingApprovals(session)).length === 1 && !approval.statement.isDestructive;
    screen.print(
      `${isOnly ? "To decide, type approve or deny. In a later run" : "To decide"}:\n  /approve ${approval.id}\n  /deny ${approval.id} REASON`,
    );
    return;
  }
  const tool = session.core.tools().find((listing) => listing.tool.id === approval.toolId)?.tool;
  const grant = waitsFor === undefined ? offeredGrant(approval) : undefined;
  const reads = approval.grants?.reads;
  const what = reads === undefined ? "the same" : `what ${reads.server} says only reads,`;
  const more = grant && {
    typed: confirmation(approval, tool, "grant").typed,
    about: `${what} for ${duration(grant.ttlMs)}, ${plural(grant.uses, "time")}`,
  };
  // Only what would be taken is offered.
  const mayEdit = tool !== undefined && (waitsFor === undefined || approval.requestedBy === session.actor);
  const mayDeny = waitsFor === undefined || isOwn || hasApproved(session, approval);
  const choices: Choice[] = [
    ...(waitsFor === undefined ? [confirmation(approval, tool)] : []),
    ...(more ? [more] : []),
    ...(mayDeny ? [{ typed: "deny" }] : []),
    ...(mayEdit ? [{ typed: "edit" }] : []),
    ...["details", "later"].map((typed) => ({ typed })),
  ];
  for (;;) {
    const decided = watchDecided(session, approval);
    const asking = { whyNotYours: waitsFor, takesMessages: true, signal: decided.signal };
    const word = await choose(session, choices, asking).finally(decided.stop);
    if (word === undefined && decided.signal.aborted) {
      printNote(session, "This was decided elsewhere, or nobody decided it in time.");
      return followAndAsk(session, approval.turnId);
    }
    if (word === "details") {
      printCardWhole(session, shown.card, { actions: false });
      screen.print();
      continue;
    }
    if (word === "edit") return edit(session, approval);
    if (word === undefined || word === "later") {
      session.putOff.add(approval.id);
      if (session.said === undefined)
        printNote(session, "It waits. /approvals shows it again, also after a restart.");
      return;
    }
    const decision = word === "deny" ? "deny" : "approve";
    const reason = reasonGiven === "" ? await askReason(session, approval, decision) : reasonGiven;
    if (reason === undefined) {
      session.putOff.add(approval.id);
      printNote(session, "Nothing was decided. /approvals shows it again.");
      return;
    }
    return decide(session, approval, decision, {
      reason,
      ...(grant !== undefined && word === more?.typed && { grant }),
    });
  }
}

/** Aborts its signal once the request waits no longer: somebody else decided it, or nobody did in time. */
function watchDecided(
  { core, signal: ended }: Session,
  { id, turnId }: Approval,
): { signal: AbortSignal; stop: () => void } {
  const elsewhere = new AbortController();
  const over = new AbortController();
  const isDecided = async (): Promise<boolean> => (await core.approval(id))?.state !== "pending";
  const watch = async (): Promise<void> => {
    const signal = AbortSignal.any([over.signal, ended]);
    const watched = core.changes({ after: await core.lastChange(), signal });
    // It may have been decided since it was read.
    if (await isDecided()) return elsewhere.abort();
    for await (const { changes, isComplete } of watched) {
      if (isComplete && !changes.some((change) => change.turnId === turnId)) continue;
      if (await isDecided()) return elsewhere.abort();
    }
  };
  // Without it the question is answered as it was before; the decision itself is checked in the store.
  watch().catch(() => undefined);
  return { signal: elsewhere.signal, stop: () => over.abort() };
}

function hasApproved({ actor }: Session, { votes }: Approval): boolean {
  return votes.some((vote) => vote.decision === "approve" && isSamePerson(vote.actor, actor));
}

const ONE: One = { ask: askPerson, goOn: followAndAsk, whyNotYours };

/** Why the person at the terminal has nothing to approve here, as a sentence; undefined where they have. */
async function whyNotYours(session: Session, approval: Approval): Promise<string | undefined> {
  const { core, actor } = session;
  if ((await core.approvalsFor(actor)).some(({ id }) => id === approval.id)) return undefined;
  const count = approval.votes.filter(({ decision }) => decision === "approve").length;
  if (hasApproved(session, approval))
    return `You have approved it: ${count} of ${plural(approval.quorum, "approval")}. It waits for somebody else.`;
  if (approval.excludeRequester && isSamePerson(approval.requestedBy, actor))
    return `You asked for it, so it waits for ${approval.quorum === 1 ? "somebody else" : `${approval.quorum} other people`}.`;
  const who = approversText(
    approval,
    (name) => (name.includes(":") ? personText(name, approval.names) : name),
    en,
  );
  return plainLine(`It waits for somebody else: ${who} may approve it.`);
}

/** The reason for a decision, empty where none is needed; undefined when it was broken off. */
async function askReason(
  { screen, keyboard }: Session,
  { reasonRequired }: Approval,
  decision: "approve" | "deny",
): Promise<string | undefined> {
  if (decision === "approve" && !reasonRequired) return "";
  return keyboard.ask(screen.ink.paint("gray", reasonRequired ? "Reason: " : "Reason (optional): "));
}

/** Lets the person edit the request, then asks about the new one. */
async function edit(session: Session, approval: Approval): Promise<void> {
  const edited = await editApproval(session, approval);
  if (edited === undefined) {
    // It may have been decided elsewhere meanwhile.
    const now = (await session.core.approval(approval.id)) ?? approval;
    if (now.state === "pending") await askApproval(session, now);
    return;
  }
  printDone(session, `Edited. This replaces the request: ${plainLine(askText(edited.statement))}`);
  session.screen.print();
  await followAndAsk(session, approval.turnId);
}

/**
 * Asks for every argument with its present value, and replaces the request by the edited one. Resolves
 * to the new request; undefined when it was broken off or nothing was changed.
 */
async function editApproval(session: Session, approval: Approval): Promise<Approval | undefined> {
  const { core } = session;
  const tool = core.tools().find((listing) => listing.tool.id === approval.toolId)?.tool;
  if (tool === undefined) {
    printNote(session, "This can't be edited now: its server may be down. See /status.");
    return undefined;
  }
  printNote(session, FORM_KEYS);
  const send = async (args: JsonObject): Promise<Approval | "unchanged"> => {
    if (JSON.stringify(args) === JSON.stringify(approval.args)) return "unchanged";
    await skipPast(session, approval.turnId);
    return core.edit({ approvalId: approval.id, actor: session.actor, args });
  };
  const edited = await fillForm(session, tool, approval.args, send);
  if (typeof edited === "object") return edited;
  const what = edited === "unchanged" ? "changed" : "edited";
  printNote(session, `Nothing was ${what}. The request waits as it was.`);
  return undefined;
}

/** Records a decision, says what came of it, and shows what follows from it. */
export async function decide(
  session: Session,
  approval: Approval,
  decision: "approve" | "deny",
  { reason, grant }: { reason: string; grant?: { ttlMs: number; uses: number } },
): Promise<void> {
  if (approval.state === "pending") await skipPast(session, approval.turnId);
  const words = reason.trim();
  const { outcome, message } = await session.core.decide({
    approvalId: approval.id,
    actor: session.actor,
    decision,
    ...(words !== "" && { reason: words }),
    ...(grant !== undefined && { grant }),
  });
  const { screen } = session;
  if (outcome === "approved" || outcome === "recorded") printDone(session, plainText(message));
  else {
    const mark = `${screen.ink.paint(outcome === "denied" ? "red" : "yellow", "✖")} `;
    screen.say(plainText(message), mark);
  }
  if (outcome !== "approved" && outcome !== "denied") return;
  screen.print();
  await followAndAsk(session, approval.turnId);
}

/** What waits in this conversation: decisions, and calls whose outcome nobody knows. */
export async function waitingApprovals({ core, conversationId }: Session): Promise<Approval[]> {
  const [pending, unknown] = await Promise.all([
    core.approvals({ state: "pending", conversationId }),
    core.approvals({ state: "unknown", conversationId }),
  ]);
  return [...pending, ...unknown].toSorted((one, other) => one.createdAt - other.createdAt);
}

/** What waits here, then what waits for this person in other conversations. */
async function inboxOf(session: Session): Promise<Approval[]> {
  const [here, mine] = await Promise.all([
    waitingApprovals(session),
    session.core.approvalsFor(session.actor),
  ]);
  const ids = new Set(here.map(({ id }) => id));
  const named = new Map(mine.map((approval) => [approval.id, approval]));
  return [
    ...here.map((approval) => named.get(approval.id) ?? approval),
    ...mine.filter(({ id }) => !ids.has(id)),
  ];
}

/** `/approvals`: the list, and on a terminal those of them that are to be decided now, one after the other. */
export async function listApprovals(session: Session): Promise<void> {
  const { screen, conversationId } = session;
  const list = await inboxOf(session);
  if (list.length === 0) {
    printNote(session, "Nothing waits for your approval.");
    return printRecent(session);
  }
  const [only] = list;
  if (screen.interactive && only !== undefined && list.length === 1) return askPerson(session, only);
  session.listed = list.map(({ id }) => id);
  printStatus(session, plural(list.length, "request"), [
    {
      type: "table",
      columns: [{ label: "#", align: "right" }, { label: "What" }, { label: "Asked by" }, { label: "State" }],
      rows: list.map((approval, index) => [
        index + 1,
        askText(approval.statement),
        personText(approval.requestedBy, approval.names),
        { text: stateText(approval, conversationId), tone: "warn" },
      ]),
    },
  ]);
  if (!screen.interactive) {
    screen.say(
      "To decide: /approve N, or /deny N REASON. To say what became of a call: /settle N happened, or did_not.",
    );
    return printRecent(session);
  }
  const picked = await pick(session, list);
  for (const { id } of picked) session.putOff.delete(id);
  if (picked.length > 1 && picked.every(({ state }) => state === "pending"))
    return askTogether(session, picked, ONE, { isPicked: true });
  for (const chosen of picked) {
    // Somebody may have decided it while this person thought about the one before.
    const now = await session.core.approval(chosen.id);
    if (now?.state === "pending" || now?.state === "unknown") await askPerson(session, now);
  }
}

/** What this person decided or asked for lately, and what became of it. */
async function printRecent(session: Session): Promise<void> {
  const recent = recentlyDecided(await session.core.approvals({}), session.actor);
  if (recent.length === 0) return;
  session.screen.print();
  printStatus(session, en.inbox.recent, [
    {
      type: "table",
      columns: [{ label: en.inbox.recent }, { label: "State" }, { label: "When" }],
      rows: recent.map((approval) => {
        const { statement, state, votes, names, decidedAt = 0 } = approval;
        const last = votes.at(-1)?.actor;
        const by = last === undefined ? "" : en.outcome.by(personText(last, names));
        return [
          askText(statement),
          `${isTakenBack(approval) ? en.inbox.takenBack : en.inbox.ends[state]}${by}`,
          momentText(new Date(decidedAt)),
        ];
      }),
    },
  ]);
}

function stateText({ state, conversationId }: Approval, here: string): string {
  if (state !== "pending") return "outcome unknown";
  return conversationId === here ? "needs approval" : "needs approval, asked elsewhere";
}

async function pick(session: Session, list: Approval[]): Promise<Approval[]> {
  const question = `Which (1 to ${list.length}, several as 1 3, all, empty for none)? `;
  const answer = (await session.keyboard.ask(session.screen.ink.paint("gray", question))) ?? "";
  if (answer.trim().toLowerCase() === "all") return list;
  const words = answer.split(/[\s,]+/).filter((word) => word !== "");
  const chosen = words.map((word) => (/^\d{1,6}$/.test(word) ? list[Number(word) - 1] : undefined));
  if (chosen.includes(undefined)) {
    printNote(session, `Expected numbers from 1 to ${list.length}, got ${plainLine(answer)}.`);
    return [];
  }
  return [...new Set(chosen.filter((one) => one !== undefined))];
}

/** Shows a call of unknown outcome and asks what became of it; `note` is recorded with the answer. */
export async function askOutcome(session: Session, approval: Approval, note?: string): Promise<void> {
  const { screen, cards, results } = session;
  const shown = results.add("Outcome unknown", cards.approval(approval), { ...approval.args });
  screen.print();
  printCard(screen, shown, { foldedLines: FOLDED_LINES, actions: false });
  screen.print();
  if (!screen.interactive) {
    screen.print(`Nobody knows whether it happened. To say what became of it:\n  ${howToSettle(approval)}`);
    return;
  }
  const words = ["happened", "did not", ...(approval.lookup === undefined ? [] : ["look it up"]), "later"];
  for (;;) {
    const word = await choose(
      session,
      words.map((typed) => ({ typed })),
    );
    if (word === "happened") return settle(session, approval, "happened", note);
    if (word === "did not") return settle(session, approval, "did_not", note);
    if (word !== "look it up") {
      session.putOff.add(approval.id);
      printNote(session, "It stays open. /approvals shows it again.");
      return;
    }
    try {
      printCall(screen, session.results, await session.core.lookup(approval.id, session.actor));
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
  note = "",
): Promise<void> {
  if (approval.state === "unknown") await skipPast(session, approval.turnId);
  await session.core.settle({
    approvalId: approval.id,
    actor: session.actor,
    outcome,
    ...(note !== "" && { note }),
  });
  printDone(session, `Settled: the change ${outcome === "happened" ? "happened" : "did not happen"}.`);
  session.screen.print();
  await follow(session, approval.turnId);
}
