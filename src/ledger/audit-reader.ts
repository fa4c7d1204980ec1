import type { ActorId } from "#contract/actor.ts";
import type { AuditAbout, AuditFilter, AuditItem, AuditReader, AuditVerdict } from "#contract/audit.ts";

import { isObject, parseJson } from "../base/json.ts";
import type { Redactor } from "../base/redact.ts";
import { askText } from "../base/statement.ts";
import type { Db } from "../store/schema.ts";
import { readAuditHead, verifyAudit } from "./audit.ts";
import { maskedStatement } from "./rows.ts";

export interface AuditReaderOptions {
  db: Db;
  redactor: Redactor;
  /** What somebody is called, without asking anybody for it. */
  nameOf: (actor: ActorId) => Promise<string | undefined>;
}

/** Entries that are read at once, and how often for one page: a search that finds little ends as well. */
const CHUNK = 500;
const MOST_CHUNKS = 40;

/** Steps on the way that the entries around them tell already. */
const STEPS = ["approval.approved", "approval.denied", "approval.executing", "approval.reminded"];
const DECISIONS = ["approval.", "grant.", "conversation.", "privacy.", "account.", "tool."];

export function createAuditReader({ db, redactor, nameOf }: AuditReaderOptions): AuditReader {
  let verifying: Promise<AuditVerdict> | undefined;

  async function readItems(before: number, about: AuditAbout): Promise<AuditItem[]> {
    const rows = await db
      .selectFrom("audit")
      .leftJoin("turns", "turns.id", "audit.turn_id")
      .leftJoin("approvals", "approvals.id", "audit.approval_id")
      .select([
        "audit.seq",
        "audit.at",
        "audit.kind",
        "audit.turn_id",
        "audit.approval_id",
        "audit.actor",
        "audit.data",
        "audit.hash",
        "turns.conversation_id",
        "approvals.tool_id",
        "approvals.statement",
        "approvals.args",
      ])
      .where("audit.seq", "<", before)
      .$if(about === "messages", (query) => query.where("audit.kind", "=", "turn.accepted"))
      .$if(about === "decisions", (query) =>
        query
          .where("audit.kind", "not in", STEPS)
          .where((is) => is.or(DECISIONS.map((prefix) => is("audit.kind", "like", `${prefix}%`)))),
      )
      .orderBy("audit.seq", "desc")
      .limit(CHUNK)
      .execute();
    return rows.map(({ seq, at, kind, hash, ...row }) => {
      const { turn_id, approval_id, actor, conversation_id, tool_id, statement, args } = row;
      const kept = parseJson(row.data);
      return {
        seq,
        at,
        kind,
        hash,
        // What was tampered with is shown as it stands.
        data: isObject(kept) ? (kept["redacted"] ?? kept) : redactor.text(row.data),
        ...(actor === null ? {} : { actor: actor as ActorId }),
        ...(turn_id === null ? {} : { turnId: turn_id }),
        ...(approval_id === null ? {} : { approvalId: approval_id }),
        ...(conversation_id === null ? {} : { conversationId: conversation_id }),
        ...(tool_id === null || args === null
          ? {}
          : { toolId: tool_id, statement: maskedStatement({ statement, tool_id, args }, redactor) }),
      };
    });
  }

  /** Adds names; each person is looked up once. */
  function createNaming(): (item: AuditItem) => Promise<AuditItem> {
    const known = new Map<ActorId, Promise<string | undefined>>();
    return async (item) => {
      const { actor } = item;
      if (actor === undefined) return item;
      const looking = known.get(actor) ?? nameOf(actor);
      known.set(actor, looking);
      const name = await looking;
      return name === undefined ? item : { ...item, name };
    };
  }

  return {
    head: () => readAuditHead(db),
    verify() {
      verifying ??= verifyAudit(db).finally(() => {
        verifying = undefined;
      });
      return verifying;
    },
    async page({ about, query, before, limit }: AuditFilter) {
      const words = query
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word !== "");
      const named = createNaming();
      const items: AuditItem[] = [];
      let from = before ?? Number.MAX_SAFE_INTEGER;
      for (let times = 0; times < MOST_CHUNKS; times += 1) {
        const read = await readItems(from, about);
        for (const one of read) {
          const item = await named(one);
          if (!hasAll(item, words)) continue;
          if (items.length === limit) return { items, next: items.at(-1)?.seq ?? from };
          items.push(item);
        }
        if (read.length < CHUNK) return { items };
        from = read.at(-1)?.seq ?? 0;
      }
      return { items, next: from };
    },
  };
}

/** Digests and ids, in which every short word would be found. */
const OPAQUE = /\b[0-9a-f]{32,}\b|\b[a-z]+_[0-9A-Z]{26}\b/g;

function hasAll(item: AuditItem, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const { kind, actor = "", name = "", toolId = "", statement, data, turnId = "", approvalId = "" } = item;
  const asked = statement === undefined ? "" : askText(statement);
  const told = JSON.stringify(data).replaceAll(OPAQUE, "");
  const text = [kind, actor, name, toolId, asked, told].join("\n").toLowerCase();
  const ids = [turnId.toLowerCase(), approvalId.toLowerCase(), item.hash];
  return words.every((word) => text.includes(word) || ids.includes(word));
}
