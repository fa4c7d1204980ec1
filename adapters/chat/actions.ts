import type { Approval } from "#contract/approval.ts";
import type { Card, CardAction } from "#contract/card.ts";
import type { AccountList } from "#contract/connections.ts";
import type { PersonView } from "#contract/people.ts";
import { wordsFor } from "#src/base/statement.ts";
import { cutText } from "#src/base/text.ts";
import { en, type Words } from "#src/base/words/en.ts";

/** What buttons do. `value` of those that page and unfold: see `pageValue` and `foldValue`. */
export const ACTIONS = [
  "approve",
  "deny",
  "approve_all",
  "deny_all",
  "approve_alike",
  "deny_alike",
  "grant",
  "grants",
  "revoke",
  "edit",
  "details",
  "lookup",
  "settle_happened",
  "settle_did_not",
  "stop",
  "prompt",
  "show_json",
  "run_log",
  "show_all",
  "show_result",
  "page_previous",
  "page_next",
  "privacy",
  "fill_in",
  "next",
  "menu",
  "rate_good",
  "rate_bad",
  "share",
  "connect",
  "disconnect",
  "use_site",
  "open_form",
  "me_change",
  "me_forget",
] as const;

export type ActionName = (typeof ACTIONS)[number];

export interface ButtonSpec {
  action: ActionName;
  label: string;
  value: string;
  style?: "primary" | "danger";
}

/** A button of a card. */
export function toButton({ id, label, value, style }: CardAction): ButtonSpec {
  return { action: id, label, value, ...(style === undefined ? {} : { style }) };
}

/** Reference and page of a button that turns pages; asking for the same page twice changes nothing. */
export function pageValue(ref: string, page: number): string {
  return `${ref}|${page}`;
}

export function readPageValue(value: string): { ref: string; page: number } | undefined {
  const match = /^(.*)\|(\d{1,6})$/s.exec(value);
  return match === null ? undefined : { ref: match[1] ?? "", page: Number(match[2]) };
}

/** Reference of a card and the place of the folded element in it. */
export function foldValue(ref: string, path: string): string {
  return `${ref}|${path}`;
}

export function readFoldValue(value: string): { ref: string; path: string } | undefined {
  const match = /^(.*)\|(\d+(?:\.\d+)*|reply)$/s.exec(value);
  return match === null ? undefined : { ref: match[1] ?? "", path: match[2] ?? "" };
}

/** What the buttons of a message refer to: a turn (its reply), one of its results, or an approval. */
export type Ref =
  | { kind: "turn"; turnId: string }
  | { kind: "result"; turnId: string; index: number }
  | { kind: "approval"; approvalId: string }
  /** All requests of a turn that wait. */
  | { kind: "group"; turnId: string };

export function turnRef(turnId: string): string {
  return `t:${turnId}`;
}

export function resultRef(turnId: string, index: number): string {
  return `r:${index}:${turnId}`;
}

export function approvalRef(approvalId: string): string {
  return `a:${approvalId}`;
}

export function groupRef(turnId: string): string {
  return `g:${turnId}`;
}

export function readRef(ref: string): Ref | undefined {
  const [, kind, index, id = ""] = /^(?:([tag])|r:(\d{1,6})):(.+)$/s.exec(ref) ?? [];
  if (kind === "t") return { kind: "turn", turnId: id };
  if (kind === "a") return { kind: "approval", approvalId: id };
  if (kind === "g") return { kind: "group", turnId: id };
  return index === undefined ? undefined : { kind: "result", turnId: id, index: Number(index) };
}

/** Those that are drawn as one card, as each of them can be decided now; none where a single one waits. */
export function groupOf(approvals: readonly Approval[]): Approval[] {
  const waiting = approvals.filter(({ state }) => state === "pending");
  return waiting.length > 1 ? waiting : [];
}

/** Requests that wait come first, then the others as they were asked for; those that were replaced come last. */
export function openFirst(approvals: readonly Approval[]): Approval[] {
  const rank = (one: Approval): number => (isOpen(one) ? 0 : one.state === "superseded" ? 2 : 1);
  return approvals.toSorted((one, other) => rank(one) - rank(other));
}

export function isOpen(approval: Approval): boolean {
  return approval.state === "pending" || approval.state === "unknown";
}

/** What a chat platform offers beside the buttons of the card. */
export function approvalButtons(approval: Approval): ButtonSpec[] {
  const { id: value, grants, quorum } = approval;
  const { buttons: say } = wordsFor(approval.statement);
  if (approval.state === "pending") {
    const mayGrant = grants !== undefined && quorum <= 1;
    const reads = grants?.reads;
    const trust = reads && wordsFor(approval.statement).grants.trustReads(reads.server);
    const label = trust === undefined ? say.approveForAWhile : cutText(trust, 30);
    return [
      ...(mayGrant ? [{ action: "grant", label, value } as const] : []),
      { action: "edit", label: say.edit, value },
      detailsButton(approval),
    ];
  }
  if (approval.state === "unknown") {
    const lookup = { action: "lookup", label: say.lookUp, value } as const;
    return [...(approval.lookup === undefined ? [] : [lookup]), detailsButton(approval)];
  }
  return hasStanding(approval) ? [{ action: "grants", label: say.standing, value }] : [];
}

/** Whether a standing approval was given with it and not taken back, or allowed it. */
function hasStanding({ standing, votes, createdAt }: Approval): boolean {
  if (standing !== undefined) return standing.revokedBy === undefined;
  // Only the ledger votes in the moment a request is made; see views/cards/grants.ts.
  return votes.some(({ reason, at }) => at === createdAt && reason?.startsWith("grant grant_") === true);
}

export function detailsButton({ id, statement }: Approval): ButtonSpec {
  return { action: "details", label: wordsFor(statement).buttons.details, value: id };
}

/** The list of accounts with what can be pressed in it; below `said` where something just happened. */
export function accountsCard(
  { card, actions }: AccountList,
  said?: string,
): { card: Card; buttons: ButtonSpec[] } {
  const above: Card["elements"] = said === undefined ? [] : [{ type: "text", text: said }];
  const buttons = actions.map(({ action, label, value }): ButtonSpec => ({
    action,
    label,
    value,
    ...(action === "use_site" ? {} : { style: action === "connect" ? "primary" : "danger" }),
  }));
  return { card: { ...card, elements: [...above, ...card.elements] }, buttons };
}

/** Of more servers than these, the words of the command say how. */
const MOST_SERVERS = 5;

/** Who a person is in each server, with what can be pressed to change it; what the operator's file says stays. */
export function meButtons({ servers }: PersonView, { buttons: say }: Words): ButtonSpec[] {
  return servers
    .filter(({ account }) => account?.origin !== "file")
    .slice(0, MOST_SERVERS)
    .flatMap(({ server: value, title, account }): ButtonSpec[] => [
      { action: "me_change", label: (account === undefined ? say.sayWho : say.changeWho)(title), value },
      ...(account?.origin === "told"
        ? [{ action: "me_forget", label: say.forgetWho(title), value } as const]
        : []),
    ]);
}

/** An error as a sentence for the person who caused it; what is not meant for people stays in the log. */
export function errorForUser(error: unknown): string {
  // Refusals are marked where they are made, see the contract's Core.
  if (error instanceof Error && "forPeople" in error && error.forPeople === true) return error.message;
  return en.recorded.failed();
}
