import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";
import type { Core } from "#contract/core.ts";
import { alikeApprovals, MOST_TOGETHER } from "#src/base/alike.ts";
import { personText } from "#src/base/ids.ts";
import { count } from "#src/base/text.ts";

import type { Flow } from "../document/tree.ts";
import type { ButtonSpec } from "./actions.ts";
import { words } from "./line.ts";
import { countText, statementLine } from "./notice.ts";

/** What waits for one person. */
export interface Inbox {
  groups: InboxGroup[];
  /** How many more wait than the groups show. */
  rest: number;
}

/** Requests of one kind; the button decides them together where there are several. */
interface InboxGroup {
  items: InboxItem[];
  button?: ButtonSpec;
}

interface InboxItem {
  approval: Approval;
  /** The address of its message. */
  link?: string;
}

/** Of a flood of requests the most urgent are shown. */
const MOST_SHOWN = 12;

/** What waits for a person in the channels whose ids begin with `place`, the most urgent kind first. */
export async function readInbox(
  actor: ActorId,
  place: string,
  deps: { core: Pick<Core, "approvalsFor">; link: (turnId: string) => Promise<string | undefined> },
): Promise<Inbox> {
  const waiting = (await deps.core.approvalsFor(actor)).filter(({ channel }) => channel.startsWith(place));
  let room = MOST_SHOWN;
  const groups = await Promise.all(
    alikeApprovals(waiting).map(async ({ kind, approvals }): Promise<InboxGroup> => {
      const shown = approvals.slice(0, room);
      room -= shown.length;
      const items = await Promise.all(shown.map((approval) => withLink(approval, deps.link)));
      const together = Math.min(approvals.length, MOST_TOGETHER);
      if (together < 2) return { items };
      const label = together === 2 ? "Approve both" : `Approve these ${together}`;
      return { items, button: { action: "approve_alike", label, value: `${kind}|${place}` } };
    }),
  );
  const rest = waiting.length - (MOST_SHOWN - room);
  return { groups: groups.filter(({ items }) => items.length > 0), rest };
}

async function withLink(
  approval: Approval,
  linkOf: (turnId: string) => Promise<string | undefined>,
): Promise<InboxItem> {
  const link = await linkOf(approval.turnId);
  return link === undefined ? { approval } : { approval, link };
}

/** What the button of a group names. */
export function readAlikeValue(value: string): { kind: string; place: string } | undefined {
  const [, kind, place] = /^([0-9a-f]{12})\|(\w+:[^|]*:)$/.exec(value) ?? [];
  return kind === undefined || place === undefined ? undefined : { kind, place };
}

/** What is asked, then by whom and until when. */
export function inboxLines({ approval, link }: InboxItem): Flow[] {
  const { requestedBy, names, expiresAt } = approval;
  return [
    statementLine(approval, { link: () => link }),
    [
      ...words(`${personText(requestedBy, names)} asked. Expires `),
      { type: "moment", at: expiresAt },
      ...words(`.${countText(approval)}`),
    ],
  ];
}

/** What stands below the rows that are shown; empty where these are all. */
export function restText({ rest }: Inbox): string {
  return rest > 0 ? `and ${rest} more` : "";
}

/** What stands in a list of notifications, and is read out. */
export function inboxText({ groups, rest }: Inbox): string {
  const amount = groups.reduce((sum, { items }) => sum + items.length, rest);
  return amount === 0
    ? "Nothing waits for your approval."
    : `${count(amount, "request")} ${amount === 1 ? "waits" : "wait"} for your approval.`;
}
