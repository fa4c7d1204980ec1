import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";
import type { Core } from "#contract/core.ts";
import { alikeApprovals, MOST_TOGETHER, recentlyDecided } from "#src/base/alike.ts";
import { isTakenBack } from "#src/base/approvers.ts";
import { personText } from "#src/base/ids.ts";
import { askText } from "#src/base/statement.ts";
import type { Words } from "#src/base/words/en.ts";

import type { Flow } from "../document/tree.ts";
import type { ButtonSpec } from "./actions.ts";
import { bold, linked, words } from "./line.ts";
import { countText, statementLine } from "./notice.ts";

/** What waits for one person. */
export interface Inbox {
  groups: InboxGroup[];
  /** How many more wait than the groups show. */
  rest: number;
  /** What was decided lately of what the person decided or asked for. */
  recent: InboxItem[];
}

/** Requests of one kind; the buttons decide them together where there are several. */
interface InboxGroup {
  items: InboxItem[];
  buttons: ButtonSpec[];
}

interface InboxItem {
  approval: Approval;
  /** The address of its message. */
  link?: string;
}

/** Of a flood of requests the most urgent are shown. */
const MOST_SHOWN = 12;

interface InboxDeps {
  core: Pick<Core, "approvals" | "approvalsFor">;
  link: (turnId: string) => Promise<string | undefined>;
  say: Words;
}

/** What waits for a person in the channels whose ids begin with `place`, the most urgent kind first. */
export async function readInbox(actor: ActorId, place: string, deps: InboxDeps): Promise<Inbox> {
  const waiting = (await deps.core.approvalsFor(actor)).filter(({ channel }) => channel.startsWith(place));
  let room = MOST_SHOWN;
  const groups = await Promise.all(
    alikeApprovals(waiting).map(async ({ kind, approvals }): Promise<InboxGroup> => {
      const shown = approvals.slice(0, room);
      room -= shown.length;
      const items = await Promise.all(shown.map((approval) => toItem(approval, deps)));
      const together = Math.min(approvals.length, MOST_TOGETHER);
      if (together < 2) return { items, buttons: [] };
      const { approveBoth, approveThese, denyBoth, denyThese } = deps.say.buttons;
      const isBoth = together === 2;
      const value = `${kind}|${place}`;
      return {
        items,
        buttons: [
          { action: "approve_alike", label: isBoth ? approveBoth : approveThese(together), value },
          { action: "deny_alike", label: isBoth ? denyBoth : denyThese(together), value },
        ],
      };
    }),
  );
  const rest = waiting.length - (MOST_SHOWN - room);
  const decided = (await deps.core.approvals({ takenPartBy: [actor] })).filter(({ channel }) =>
    channel.startsWith(place),
  );
  const recent = await Promise.all(recentlyDecided(decided, actor).map((approval) => toItem(approval, deps)));
  return { groups: groups.filter(({ items }) => items.length > 0), rest, recent };
}

/** In the reader's language, wherever it was asked. */
async function toItem(asked: Approval, { link: linkOf, say }: InboxDeps): Promise<InboxItem> {
  const approval = { ...asked, statement: { ...asked.statement, language: say.locale } };
  const link = await linkOf(approval.turnId);
  return link === undefined ? { approval } : { approval, link };
}

/** What the button of a group names. */
export function readAlikeValue(value: string): { kind: string; place: string } | undefined {
  const [, kind, place] = /^([0-9a-f]{12})\|(\w+:[^|]*:)$/.exec(value) ?? [];
  return kind === undefined || place === undefined ? undefined : { kind, place };
}

/** What is asked, as it was asked; then by whom and until when, in the reader's language. */
export function inboxLines({ approval, link }: InboxItem, say: Words): Flow[] {
  const { requestedBy, names, expiresAt } = approval;
  return [
    statementLine(approval, { link: () => link }),
    [
      ...words(say.inbox.askedExpires(personText(requestedBy, names, say))),
      { type: "moment", at: expiresAt },
      ...words(`.${countText(approval)}`),
    ],
  ];
}

/** How what was decided lately stands, a line each below a heading; none where there is nothing. */
export function recentLines({ recent }: Pick<Inbox, "recent">, say: Words): Flow[] {
  if (recent.length === 0) return [];
  return [
    bold(say.inbox.recent),
    ...recent.map(({ approval, link }): Flow => {
      const { statement, state, decidedAt = 0, votes, names } = approval;
      const last = votes.at(-1)?.actor;
      const by = last === undefined ? "" : say.outcome.by(personText(last, names, say));
      return [
        ...linked(askText(statement), link),
        ...words(`: ${isTakenBack(approval) ? say.inbox.takenBack : say.inbox.ends[state]}${by}, `),
        { type: "moment", at: decidedAt },
      ];
    }),
  ];
}

/** What stands below the rows that are shown; empty where these are all. */
export function restText({ rest }: Inbox, { notices: say }: Words): string {
  return rest > 0 ? say.andMore(rest) : "";
}

/** What stands in a list of notifications, and is read out. */
export function inboxText({ groups, rest }: Inbox, { inbox: say }: Words): string {
  const amount = groups.reduce((sum, { items }) => sum + items.length, rest);
  return amount === 0 ? say.nothing : say.some(amount);
}
