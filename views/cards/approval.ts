import { isDeepStrictEqual } from "node:util";

import type { Approval, ApprovalState } from "#contract/approval.ts";
import type { Card, CardAction, CardElement, Cell, Inline, SectionElement, Tone } from "#contract/card.ts";
import type { ArgSource } from "#contract/plan.ts";
import { groupValue } from "#src/base/alike.ts";
import { approversText, isTakenBack } from "#src/base/approvers.ts";
import { targetArguments } from "#src/base/call-targets.ts";
import {
  askText,
  buttonText,
  doneText,
  groupButtonText,
  groupText,
  labelText,
  languageOf,
  questionText,
  wordsFor,
} from "#src/base/statement.ts";
import { cutText } from "#src/base/text.ts";
import { exactDuration, roughDuration } from "#src/base/time.ts";
import { humanise } from "#src/base/tool-words.ts";
import type { Words } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";

import { changesElement } from "../change-data.ts";
import { knownFields } from "../parts.ts";
import { hrefOf, humanTime } from "../text.ts";
import { changeElements, visibleValue } from "./changes.ts";
import { argumentElements, exactLine, exactName, personLabel, personName, visibleLine } from "./exact.ts";
import { grantElements, standingElements, usedGrant } from "./grants.ts";
import { outcomeElements } from "./outcome.ts";

const TONES: Record<ApprovalState, Tone> = {
  pending: "warn",
  approved: "good",
  executing: "info",
  done: "good",
  failed: "bad",
  unknown: "warn",
  denied: "bad",
  expired: "neutral",
  void: "neutral",
  superseded: "neutral",
};

/**
 * What an approver reads before and after deciding: what will happen to what, what differs then, and who may decide
 * until when; everything exact stands in the details. Nothing on it comes from a model, and no argument can add
 * anything outside its own place.
 */
export function approvalCard(approval: Approval): Card {
  const { state, statement } = approval;
  const text = headingOf(approval);
  const say = wordsFor(statement);
  const badge: Inline = isTakenBack(approval)
    ? { text: say.inbox.takenBack, tone: "neutral" }
    : { text: say.approval.states[state], tone: TONES[state] };
  // With the state, where the heading does not tell it.
  const isTold = state === "pending" || state === "done" || state === "unknown";
  return {
    kind: "approval",
    ...languageOf(statement),
    title: cutText(isTold ? text : `${text} (${badge.text})`, 150),
    elements: [
      { type: "header", text, ...hrefOf(statement.object?.href), badges: [badge] },
      ...outcomeElements(approval),
      ...sinceElements(approval),
      ...changeElements(statement.changes, say),
      ...targetElements(approval),
      ...unknownReadElements(approval),
      ...guessElements(approval),
      ...terms(approval),
      ...undoUntil(approval),
      ...laterElements([approval]),
      ...votes(approval),
      ...standingElements(approval),
      ...actions(approval),
      detailsSection(approval),
    ],
  };
}

/** Requests of a turn that wait, each with what it changes and its own buttons, then those that decide all at once. */
export function approvalsCard(approvals: readonly Approval[]): Card {
  const [first] = approvals;
  const statements = approvals.map(({ statement }) => statement);
  const say = wordsFor(statements[0] ?? {});
  const text = say.statement.question(groupText(statements));
  const all = approvals.map((approval) => ({ approval, terms: terms(approval) }));
  // What holds for all of them is said once.
  const isShared = all.every((one) => isDeepStrictEqual(one.terms, all[0]?.terms));
  const items = all.map(({ approval, terms: own }): SectionElement => ({
    type: "section",
    role: "item",
    title: askText(approval.statement),
    ...hrefOf(approval.statement.object?.href),
    elements: [
      ...sinceElements(approval),
      ...changeElements(approval.statement.changes, say),
      ...targetElements(approval),
      ...unknownReadElements(approval),
      ...guessElements(approval),
      ...(isShared ? [] : own),
      ...votes(approval),
      ...actions(approval, "secondary"),
    ],
  }));
  const value = groupValue(first?.turnId ?? "", approvals);
  const style = statements.some(({ isDestructive }) => isDestructive) ? "danger" : "primary";
  const badge: Inline = { text: say.approval.needApproval(approvals.length), tone: "warn" };
  return {
    kind: "approval",
    ...languageOf(statements[0] ?? {}),
    title: cutText(text, 150),
    elements: [
      { type: "header", text, badges: [badge] },
      ...items,
      ...(isShared ? (all[0]?.terms ?? []) : []),
      ...laterElements(approvals),
      {
        type: "actions",
        items: [
          { id: "approve_all", label: groupButtonText(statements), style, value },
          { id: "deny_all", label: say.buttons.denyAll, value },
        ],
      },
    ],
  };
}

/** "Delete DEMO-5 “Export fails on Safari” permanently?", and "Deleted DEMO-5 …" once that is so. */
function headingOf({ state, statement }: Pick<Approval, "state" | "statement">): string {
  if (state === "done") return doneText(statement);
  const ask = askText(statement);
  const { didItHappen } = wordsFor(statement).statement;
  if (state === "unknown") return didItHappen(ask);
  return state === "pending" ? questionText(statement) : ask;
}

/** It was approved, and what it acts on changed before it ran. */
function sinceElements({ state, statement }: Approval): CardElement[] {
  const { since = [] } = statement;
  if (since.length === 0 || state !== "pending") return [];
  const say = wordsFor(statement);
  return [{ type: "section", title: say.approval.changedSince, elements: changeElements(since, say) }];
}

/** What the same message wishes for after this, so that nobody takes it for forgotten or for approved. */
function laterElements(approvals: readonly Approval[]): CardElement[] {
  const wishes = approvals.flatMap(({ state, statement }) =>
    state === "pending" ? (statement.later ?? []) : [],
  );
  if (wishes.length === 0) return [];
  const say = wordsFor(approvals[0]?.statement ?? {});
  const said = [...new Set(wishes)].map((wish) => say.quote(visibleLine(wish, 120)));
  return [{ type: "text", text: say.approval.later(say.and(said)) }];
}

/** The sites that it works on, of which the person brought the key. */
function targetElements({ targets = [], statement }: Approval): CardElement[] {
  const { sites, notEncrypted } = wordsFor(statement).approval;
  const items = targets.flatMap(({ name, value }) => {
    const [site = "", part] = name.split(".");
    if (part !== "domain") return [];
    const isOpen = targets.some((one) => one.name === `${site}.ssl` && one.value === false);
    const domain = visibleLine(String(value), 120);
    const label = site === "source" || site === "target" ? sites[site] : sites.tenant;
    return { label, value: { text: isOpen ? `${domain} (${notEncrypted})` : domain } };
  });
  return items.length === 0 ? [] : [{ type: "fields", items }];
}

/** Nothing but its server's own word says that it only reads, and that is not known to be so. */
function unknownReadElements({ grants, state, statement }: Approval): CardElement[] {
  if (grants?.reads === undefined || state !== "pending") return [];
  return [{ type: "text", text: wordsFor(statement).grants.unknownRead(exactLine(grants.reads.server)) }];
}

/** What a model made up stands where nobody overlooks it. */
function guessElements({ args, sources = {}, state, statement }: Approval): CardElement[] {
  if (state !== "pending") return [];
  const names = Object.keys(args).filter((name) => sources[name]?.from === "model");
  if (names.length === 0) return [];
  const say = wordsFor(statement);
  const labels = names.map((name) => visibleLine(labelText(humanise(name), say), 60)).join(", ");
  const value: Inline = { text: say.approval.assumed, tone: "warn" };
  return [{ type: "fields", items: [{ label: labels, value }] }];
}

/** "Requested by Ana · Ben may approve · until 14:30", and whether there is a way back. */
function terms(approval: Approval): CardElement[] {
  const { state, quorum, expiresAt, reasonRequired, requestedBy, statement } = approval;
  const words = wordsFor(statement);
  const say = words.approval;
  const asker = say.requestedBy(personName(requestedBy, approval));
  if (state !== "pending") return quorum === 0 ? [] : [{ type: "text", text: asker }];
  const given = approval.votes.filter((vote) => vote.decision === "approve").length;
  const who = approversText(
    approval,
    (name) => (name.includes(":") ? personName(name, approval) : exactLine(name)),
    words,
  );
  const as = statement.as === undefined ? undefined : recordedText(statement.as, words);
  const line = [
    asker,
    say.mayApprove(who),
    ...(quorum > 1 ? [say.given(given, quorum)] : []),
    say.until(humanTime(expiresAt)),
    ...(reasonRequired ? [say.needsReason] : []),
    ...(as === undefined ? [] : [say.actsAs(visibleLine(as, 80))]),
  ];
  const elements: CardElement[] = [{ type: "text", text: line.join(" · ") }];
  const { canUndo, undoMs } = statement;
  if (canUndo === false) elements.push({ type: "text", text: say.cannotUndo });
  else if (undoMs !== undefined)
    elements.push({ type: "text", text: say.canUndoFor(exactDuration(undoMs, words)) });
  else if (canUndo === true) elements.push({ type: "text", text: say.canUndo });
  return elements;
}

/** Until when a change that was made can be taken back, counted from the decision, which was before it. */
function undoUntil({ state, statement, decidedAt }: Approval): CardElement[] {
  const { undoMs } = statement;
  if (state !== "done" || undoMs === undefined || decidedAt === undefined) return [];
  const text = wordsFor(statement).approval.canUndoUntil(humanTime(decidedAt + undoMs));
  return [{ type: "text", text }];
}

/** Each decision so far, with its reason. */
function votes(approval: Approval): CardElement[] {
  // The sentence above says which standing approval it was; nobody clicked.
  if (usedGrant(approval) !== undefined) return [];
  // Once it is decided, the sentence above names them.
  const untold = approval.votes.filter(({ reason = "" }) => approval.state === "pending" || reason !== "");
  if (untold.length === 0) return [];
  const say = wordsFor(approval.statement).approval;
  return [
    {
      type: "list",
      items: untold.map((vote) => ({
        text: (vote.decision === "approve" ? say.approvedOn : say.deniedOn)(
          personName(vote.actor, approval),
          humanTime(vote.at),
        ),
        ...(vote.reason === undefined || vote.reason === ""
          ? {}
          : { detail: say.reason(visibleLine(vote.reason)) }),
      })),
    },
  ];
}

/** `secondary`: beside buttons that decide more. */
function actions({ state, statement, id: value }: Approval, rank?: "secondary"): CardElement[] {
  const say = wordsFor(statement).buttons;
  if (state === "pending") {
    const style = statement.isDestructive ? "danger" : "primary";
    const approve: CardAction = { id: "approve", label: buttonText(statement), value };
    if (rank !== "secondary") approve.style = style;
    return [{ type: "actions", items: [approve, { id: "deny", label: say.deny, value }] }];
  }
  if (state !== "unknown") return [];
  const happened = { id: "settle_happened", label: say.happened, value } as const;
  return [{ type: "actions", items: [happened, { id: "settle_did_not", label: say.didNot, value }] }];
}

/** Where nothing was sent, or nobody can say, the card speaks of what was asked for. */
const ARGUMENTS_TITLE: Partial<
  Record<
    ApprovalState,
    Exclude<keyof Words["details"], "asInMessage" | "fromResultOf" | "expires" | "reminded">
  >
> = {
  pending: "willBeSent",
  approved: "willBeSent",
  executing: "isBeingSent",
  done: "wasSent",
  unknown: "wasSent",
};

/** Everything exact about a request: the call as it is bound, the rule, ids, and where values come from. */
function detailsSection(approval: Approval): SectionElement {
  const say = wordsFor(approval.statement);
  const title = say.details[ARGUMENTS_TITLE[approval.state] ?? "wasAskedFor"];
  return {
    type: "section",
    role: "details",
    title: say.buttons.details,
    folded: true,
    elements: [
      {
        type: "section",
        title,
        elements: argumentElements({ ...approval.args, ...targetArguments(approval) }, say),
      },
      ...sourceElements(approval),
      ...effectElements(approval),
      ...grantElements(approval),
      recordFields(approval),
    ],
  };
}

/** The tool's own dry run, with everything that it changes. */
function effectElements({ effect, statement }: Approval): CardElement[] {
  if (effect === undefined) return [];
  const say = wordsFor(statement);
  const items = changesElement(effect.before, effect.after, say)
    .items.filter(({ before = null, after = null }) => !isDeepStrictEqual(before, after))
    .map(({ label, before, after }) => ({
      label: exactLine(label),
      before: visibleValue(before ?? null),
      after: visibleValue(after ?? null),
    }));
  if (items.length === 0) return [];
  return [{ type: "section", title: say.details.dryRun, elements: [{ type: "changes", items }] }];
}

function recordFields(approval: Approval): CardElement {
  const { state, names, createdAt, expiresAt, remindedAt, toolDescription, replacedBy } = approval;
  const isPending = state === "pending";
  const say = wordsFor(approval.statement);
  return knownFields(
    {
      Action: exactLine(approval.toolId),
      "About this action": toolDescription.trim() === "" ? null : visibleLine(toolDescription, 300),
      "Requested by": personLabel(approval.requestedBy, names),
      Expires: isPending
        ? say.details.expires(humanTime(expiresAt), roughDuration(expiresAt - createdAt, say))
        : null,
      Reminder: isPending && remindedAt !== undefined ? say.details.reminded(humanTime(remindedAt)) : null,
      Rule: exactLine(approval.rule),
      "Standing approval": usedGrant(approval)?.use ?? null,
      "Replaced by": replacedBy === undefined ? null : exactLine(replacedBy),
      Request: exactLine(approval.id),
      Key: exactLine(approval.key.slice(0, 12)),
    },
    say,
  );
}

/**
 * Where the arguments come from that nobody said in the message, those from one place together. What a model
 * made up comes first and has a badge, so that nobody overlooks it.
 */
function sourceElements({
  args,
  sources = {},
  statement,
}: Pick<Approval, "args" | "sources" | "statement">): CardElement[] {
  const say = wordsFor(statement);
  const guess = say.approval.assumed;
  const groups = new Map<string, string[]>([[guess, []]]);
  for (const [name, source] of Object.entries(sources)) {
    const words = sourceText(source, say);
    if (words === undefined || !Object.hasOwn(args, name)) continue;
    groups.set(words, [...(groups.get(words) ?? []), cutText(exactName(name), 80)]);
  }
  const items = [...groups]
    .filter(([, names]) => names.length > 0)
    .map(([text, names]): { label: string; value: Cell } => ({
      label: names.join(", "),
      value: text === guess ? { text, tone: "warn" } : text,
    }));
  if (items.length === 0) return [];
  return [{ type: "section", title: say.details.notFromMessage, elements: [{ type: "fields", items }] }];
}

/** Undefined where the person who asked said it, or filled it in. */
function sourceText({ from, ref }: ArgSource, { details: say, approval, quote }: Words): string | undefined {
  switch (from) {
    case "history":
      return ref === undefined ? say.fromEarlier : say.asInMessage(quote(visibleLine(ref, 120)));
    case "result":
      return ref === undefined ? say.fromEarlierResult : say.fromResultOf(exactLine(ref));
    case "default":
      return say.toolDefault;
    case "model":
      return approval.assumed;
    case "fixed":
      return say.fixed;
    case "form":
      return ref === "edit" ? say.fromForm : undefined;
    // Credentials are no argument of the request that people see.
    case "credential":
    case "message":
    default:
      return undefined;
  }
}
