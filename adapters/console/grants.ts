import type { Approval, Grant } from "#contract/approval.ts";
import type { CardElement } from "#contract/card.ts";
import { allowedText, statementById } from "#src/base/plain-statement.ts";
import { askText } from "#src/base/statement.ts";
import { plainLine, plural } from "#src/base/text.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#src/base/time.ts";
import { printDone, printNote, printStatus, type Session } from "./session.ts";

/** Returns the largest grant that the request's rule offers; undefined for none. */
export function offeredGrant({ grants, quorum }: Approval): { ttlMs: number; uses: number } | undefined {
  return grants === undefined || quorum > 1 ? undefined : { ttlMs: grants.maxTtlMs, uses: grants.maxUses };
}

/** `/grants`: what runs in this conversation without asking. */
export async function listGrants(session: Session): Promise<void> {
  const grants = await activeGrants(session);
  if (grants.length === 0) {
    printNote(session, "Nothing is allowed without asking in this conversation.");
    return;
  }
  printStatus(session, plural(grants.length, "standing approval"), [
    ...grants.map((grant): CardElement => ({
      type: "section",
      title: titleOf(grant),
      elements: [
        {
          type: "fields",
          items: [
            { label: "Id", value: grant.id },
            ...(grant.reads === undefined
              ? [
                  { label: "Must be equal", value: equal(grant) },
                  { label: "May differ", value: grant.vary.length === 0 ? "nothing" : grant.vary.join(", ") },
                ]
              : []),
            { label: "Used", value: `${grant.uses} of ${grant.maxUses}` },
            { label: "Ends", value: `in ${duration(grant.expiresAt - Date.now())}` },
            { label: "Given by", value: grant.grantedBy },
          ],
        },
      ],
    })),
    { type: "footer", text: "/revoke ID takes one back." },
  ]);
}

/** `/revoke ID` */
export async function revokeById(session: Session, id: string | undefined): Promise<void> {
  if (id === undefined) {
    const grants = await activeGrants(session);
    const ids =
      grants.length === 0 ? "Nothing is allowed without asking." : grants.map((grant) => grant.id).join(", ");
    printNote(session, `Type /revoke ID. ${ids}`);
    return;
  }
  const grant = await session.core.revokeGrant(id, session.actor);
  const what = titleOf(grant);
  printDone(session, plainLine(`Revoked. “${what}” needs approval again.`));
}

export async function activeGrants({
  core,
  conversationId,
}: Pick<Session, "core" | "conversationId">): Promise<Grant[]> {
  const grants = await core.grants(conversationId);
  return grants.filter(
    ({ revokedBy, uses, maxUses, expiresAt }) =>
      revokedBy === undefined && uses < maxUses && expiresAt > Date.now(),
  );
}

/** `30 minutes`, `24 hours`: in the largest unit that says it to the minute. */
export function duration(ms: number): string {
  if (ms < MINUTE_MS) return plural(Math.max(0, Math.floor(ms / SECOND_MS)), "second");
  if (ms < 2 * HOUR_MS) return plural(Math.floor(ms / MINUTE_MS), "minute");
  if (ms < 2 * DAY_MS) return plural(Math.floor(ms / HOUR_MS), "hour");
  return plural(Math.floor(ms / DAY_MS), "day");
}

function titleOf(grant: Grant): string {
  return grant.reads === undefined ? askText(statementById(grant.toolId, grant.args)) : allowedText(grant);
}

function equal(grant: Grant): string {
  const fixed = Object.entries(grant.args).filter(([name]) => !grant.vary.includes(name));
  if (fixed.length === 0) return "the tool, with no other argument";
  return `${fixed.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(" ")}, and nothing added`;
}
