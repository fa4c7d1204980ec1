import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";
import type { Notice } from "#contract/present.ts";
import { isSamePerson } from "#src/base/ids.ts";
import { askText, doneText, groupText, questionText, wordsFor } from "#src/base/statement.ts";
import { oneLine } from "#src/base/text.ts";
import { recordedText } from "#src/base/words/recorded.ts";

import type { Flow, Line } from "../document/tree.ts";
import { bold, linked, words } from "./line.ts";

/** Naming more people of one group than this would be a crowd. */
export const MAX_NAMED = 10;
/** Of many approvers that a rule names one by one the first are called. */
const MAX_CALLED = 20;
/** Of a flood of requests the first are listed. */
const MAX_LISTED = 10;

/** Who requests wait for. */
export interface Awaited {
  anyone: boolean;
  /** Named by the rule, or as the requester. */
  people: ActorId[];
  /** Groups of the configuration, with those of its members who can be named: none of a large one. */
  members: { group: string; people: ActorId[] }[];
  /** Groups that the platform knows by these names. */
  groups: string[];
}

/** Members of a group that the configuration lists; undefined for a group of the platform. */
export type GroupMembers = (group: string) => readonly ActorId[] | undefined;

/** Who may still decide: as the rules name them, without those who have, and without a requester whom the rule excludes. */
export function awaitedBy(approvals: readonly Approval[], membersOf: GroupMembers): Awaited {
  const awaited: Awaited = { anyone: false, people: [], members: [], groups: [] };
  for (const approval of approvals) {
    for (const approver of approval.approvers) {
      if (approver === "channel") awaited.anyone = true;
      else if (approver.startsWith("group:")) addGroup(awaited, approver.slice("group:".length), approval);
      else {
        const actor = approver === "requester" ? approval.requestedBy : (approver as ActorId);
        if (!isOut(approval, actor)) add(awaited.people, [actor]);
      }
    }
  }
  awaited.people.splice(MAX_CALLED);
  return awaited;

  function addGroup({ members, groups }: Awaited, group: string, approval: Approval): void {
    const listed = membersOf(group);
    if (listed === undefined) {
      if (!groups.includes(group)) groups.push(group);
      return;
    }
    const open = listed.length > MAX_NAMED ? [] : listed.filter((actor) => !isOut(approval, actor));
    const known = members.find((one) => one.group === group);
    if (known === undefined) members.push({ group, people: [...open] });
    else add(known.people, open);
  }
}

/** They have decided, or the rule excludes them. */
export function isOut({ votes, excludeRequester, requestedBy }: Approval, actor: ActorId): boolean {
  return (
    votes.some((vote) => isSamePerson(vote.actor, actor)) ||
    (excludeRequester && isSamePerson(actor, requestedBy))
  );
}

function add(list: ActorId[], more: readonly ActorId[]): void {
  for (const actor of more) if (!list.includes(actor)) list.push(actor);
}

/** What a notice says of people. Nobody is called by `name`. */
export interface NoticeNames {
  name: (actor: ActorId) => Line;
  /** The address of a request's message; undefined where there is none to be had. */
  link: (approval: Approval) => string | undefined;
}

/** What stands in a list of notifications, and is read out. */
export function noticeText({ kind, approvals }: Pick<Notice, "kind" | "approvals">): string {
  const [first] = approvals;
  if (first === undefined) return "";
  const words = wordsFor(first.statement);
  const say = words.notices;
  const asked = words.statement.question(groupText(approvals.map(({ statement }) => statement)));
  if (kind === "asked") return say.needed(asked);
  if (kind === "reminder") return say.stillNeeded(asked);
  return approvals.length === 1
    ? outcomeWords(first).heading
    : say.endedAndMore(approvals.length, oneLine(outcomeWords(first).heading, 150));
}

/** That requests wait: what, who asked, for whom and until when. */
export function waitingFlow(
  { kind, approvals }: Pick<Notice, "kind" | "approvals">,
  awaited: readonly Line[],
  names: NoticeNames,
): Flow[] {
  const [first] = approvals;
  if (first === undefined) return [];
  const { notices: say, statement: asks } = wordsFor(first.statement);
  const lead = kind === "reminder" ? words(say.stillWaiting) : [];
  const requesters = [...new Set(approvals.map(({ requestedBy }) => requestedBy))];
  const until = Math.min(...approvals.map(({ expiresAt }) => expiresAt));
  return [
    ...(approvals.length === 1
      ? [[...lead, ...statementLine(first, names)]]
      : [
          [...lead, ...bold(asks.question(groupText(approvals.map(({ statement }) => statement))))],
          ...listed(approvals, (one) => statementLine(one, names)),
        ]),
    [
      ...joined(requesters.slice(0, MAX_NAMED).map(names.name), ", "),
      ...words(say.asked),
      ...(awaited.length === 0 ? [] : [...words(say.waitingFor), ...joined(awaited, ", "), ...words(".")]),
      ...words(approvals.length === 1 ? say.expires : say.firstExpires),
      { type: "moment", at: until },
      ...words("."),
      ...words(approvals.length === 1 ? countText(first) : ""),
    ],
  ];
}

/** How requests ended, to who asked for them. `call` calls them. */
export function outcomeFlow(
  approvals: readonly Approval[],
  names: NoticeNames & { call: (actor: ActorId) => Line },
): Flow[] {
  const requesters = [...new Set(approvals.map(({ requestedBy }) => requestedBy))];
  const called = joined(requesters.slice(0, MAX_CALLED).map(names.call), " ");
  const [only] = approvals.length === 1 ? approvals : [];
  if (only === undefined) {
    const head = [
      ...called,
      ...words(` ${wordsFor(approvals[0]?.statement ?? {}).notices.ended(approvals.length)}`),
    ];
    return [head, ...listed(approvals, (one) => outcomeLine(one, names))];
  }
  return [[...called, ...words(" "), ...outcomeLine(only, names)]];
}

function outcomeLine(approval: Approval, names: NoticeNames): Line {
  const { heading, why } = outcomeWords(approval);
  const { notices: say } = wordsFor(approval.statement);
  const { state, votes } = approval;
  const by = votes.filter(({ decision }) => (decision === "deny") === (state === "denied"));
  const who =
    by.length === 0 || !["done", "denied", "failed"].includes(state)
      ? []
      : [
          ...words(state === "denied" ? say.deniedBy : say.approvedBy),
          ...joined(
            by.map((vote) => names.name(vote.actor)),
            ", ",
          ),
          ...words("."),
        ];
  return [...boldLinked(heading, names.link(approval)), ...who, ...words(why === "" ? "" : ` ${why}`)];
}

/** What happened in a sentence; then what did not, and what to do. */
function outcomeWords({ state, statement, note = "", quorum, votes }: Approval): {
  heading: string;
  why: string;
} {
  const asked = askText(statement);
  const words = wordsFor(statement);
  const say = words.notices;
  const said = oneLine(recordedText(note, words), 300).replace(/[.\s]+$/, "");
  const because = said === "" ? "" : `${said.charAt(0).toUpperCase()}${said.slice(1)}. `;
  switch (state) {
    case "done":
      return { heading: say.done(doneText(statement)), why: "" };
    case "failed":
      return { heading: say.failed(asked), why: `${because}${say.lookAndAsk}` };
    case "unknown":
      return {
        heading: say.unknown(asked),
        why: say.unknownWhy,
      };
    case "denied":
      return {
        heading: say.denied(asked),
        why: say.deniedWhy(said),
      };
    case "expired": {
      const given = votes.filter(({ decision }) => decision === "approve").length;
      const isLate = given >= quorum && because !== "";
      const few = given === 0 ? say.nobodyInTime : say.onlySome(given, quorum);
      return {
        heading: say.expired(asked),
        why: say.askAgain(isLate ? because : few),
      };
    }
    default:
      return { heading: say.notDone(asked), why: say.askAgain(because) };
  }
}

/** What is asked, as a link to where it is decided. */
export function statementLine(approval: Approval, { link }: Pick<NoticeNames, "link">): Line {
  return boldLinked(questionText(approval.statement), link(approval));
}

function boldLinked(text: string, url: string | undefined): Line {
  const children = linked(text, url);
  return children.length === 0 ? [] : [{ type: "strong", children }];
}

function listed(approvals: readonly Approval[], draw: (approval: Approval) => Line): Flow[] {
  const rest = approvals.length - MAX_LISTED;
  return [
    ...approvals.slice(0, MAX_LISTED).map((one): Line => [...words("• "), ...draw(one)]),
    ...(rest > 0 ? [words(wordsFor(approvals[0]?.statement ?? {}).notices.andMore(rest))] : []),
  ];
}

/** Lines side by side. */
export function joined(lines: readonly Line[], by: string): Line {
  return lines.flatMap((line, index) => [...(index === 0 ? [] : words(by)), ...line]);
}

/** " 1 of 2 approvals is there." Empty where one is enough. */
export function countText({ quorum, votes, statement }: Approval): string {
  if (quorum < 2) return "";
  const given = votes.filter(({ decision }) => decision === "approve").length;
  return wordsFor(statement).notices.given(given, quorum);
}
