import type { Approval, Grant } from "#contract/approval.ts";
import { count } from "./render/layout.ts";
import { plainLine } from "#src/base/text.ts";
import { noteCard, printNote, printCardWhole, type Session } from "./session.ts";

/** The most that the request's rule offers; undefined where it offers nothing. */
export function offeredGrant({ grants, quorum }: Approval): { ttlMs: number; uses: number } | undefined {
  return grants === undefined || quorum > 1 ? undefined : { ttlMs: grants.maxTtlMs, uses: grants.maxUses };
}

/** `/grants`: what runs in this conversation without asking. */
export async function listGrants(session: Session): Promise<void> {
  const grants = (await session.core.grants(session.conversationId)).filter(isActive);
  if (grants.length === 0) {
    printNote(session, "Nothing is allowed without asking in this conversation.");
    return;
  }
  printCardWhole(
    session,
    noteCard(count(grants.length, "standing approval"), [
      ...grants.map((grant) => ({
        type: "section" as const,
        title: grant.toolId,
        elements: [
          {
            type: "fields" as const,
            items: [
              { label: "Id", value: grant.id },
              { label: "Must be equal", value: equal(grant) },
              { label: "May differ", value: grant.vary.length === 0 ? "nothing" : grant.vary.join(", ") },
              { label: "Used", value: `${grant.uses} of ${grant.maxUses}` },
              { label: "Ends", value: `in ${duration(grant.expiresAt - Date.now())}` },
              { label: "Given by", value: grant.grantedBy },
            ],
          },
        ],
      })),
      { type: "footer", text: "/revoke ID takes one back." },
    ]),
  );
}

/** `/revoke ID` */
export async function revokeById(session: Session, id: string | undefined): Promise<void> {
  if (id === undefined) {
    const grants = (await session.core.grants(session.conversationId)).filter(isActive);
    const ids =
      grants.length === 0 ? "Nothing is allowed without asking." : grants.map((grant) => grant.id).join(", ");
    printNote(session, `Type /revoke ID. ${ids}`);
    return;
  }
  const grant = await session.core.revokeGrant(id, session.actor);
  session.screen.print(
    `${session.screen.ink.paint("green", "✔")} Revoked: ${plainLine(grant.toolId)} asks again.`,
  );
}

export function isActive(grant: Grant): boolean {
  return grant.revokedBy === undefined && grant.uses < grant.maxUses && grant.expiresAt > Date.now();
}

/** `30 minutes`, `24 hours`: in the largest unit that says it to the minute. */
export function duration(ms: number): string {
  if (ms < 60_000) return count(Math.max(0, Math.floor(ms / 1000)), "second");
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 120) return count(minutes, "minute");
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? count(hours, "hour") : count(Math.floor(hours / 24), "day");
}

function equal(grant: Grant): string {
  const fixed = Object.entries(grant.args).filter(([name]) => !grant.vary.includes(name));
  if (fixed.length === 0) return "the tool, with no other argument";
  return `${fixed.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(" ")}, and nothing added`;
}
