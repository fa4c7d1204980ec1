import { Readable } from "node:stream";

import type { Context, Hono } from "hono";

import type { AuditFilter, AuditItem, AuditReader } from "#contract/audit.ts";
import type { JsonObject } from "#contract/json.ts";

import { ApiError, badField } from "../errors.ts";
import { type HttpEnv, offerOf, requiredIdentity } from "../identity.ts";
import { AUDIT_COLUMNS, AUDIT_PATH, auditCells, auditPage, auditRefusal } from "../page/audit.ts";
import { prefersPage } from "../page/frame.ts";
import { fragment } from "../page/html.ts";
import { signInPage } from "../page/page.ts";
import { CSV_MARK, csvHeaders, csvLine, harmless } from "./csv.ts";

/** Entries of a page, and those that are read at once for the file. */
const SHOWN = 50;
const READ = 500;

/** The audit record for operators: a page for browsers, JSON for programs, and a file of what was looked for. */
export function addAuditRoutes(app: Hono<HttpEnv>): void {
  app.get(AUDIT_PATH, async (c) => {
    const isPage = prefersPage(c.req.header("accept"));
    if (c.get("identity") === undefined) return c.html(signInPage(undefined, AUDIT_PATH), 401);
    const { core, audit } = offerOf(c);
    const identity = requiredIdentity(c);
    if (audit === undefined && isPage) return fragment(c, auditRefusal(identity), 403);
    const reader = forOperators(audit);
    const filter = { ...readFilter(c), limit: SHOWN };
    // Before anything is read: what happens meanwhile is told once the page follows.
    const change = await core.lastChange();
    const found = await reader.page(filter);
    if (!isPage) {
      const next = found.next === undefined ? {} : { next_before: found.next };
      return c.json({ entries: found.items.map(itemToWire), ...next });
    }
    const verdict = c.req.query("check") === "1" ? await reader.verify() : undefined;
    const head = await reader.head();
    const about = { identity, filter, found, head, change };
    return fragment(c, auditPage({ ...about, ...(verdict === undefined ? {} : { verdict }) }));
  });

  app.get(`${AUDIT_PATH}/export`, (c) => {
    const lines = linesOf(forOperators(offerOf(c).audit), { ...readFilter(c), limit: READ });
    const body = Readable.toWeb(Readable.from(lines)) as ReadableStream<Uint8Array>;
    return c.body(body, 200, csvHeaders("audit.csv"));
  });
}

function forOperators(audit: AuditReader | undefined): AuditReader {
  if (audit !== undefined) return audit;
  throw new ApiError(403, "not_eligible", "The audit record is for operators: tokens with role: operator.");
}

function readFilter(c: Context<HttpEnv>): Omit<AuditFilter, "limit"> {
  const { about = "decisions", q = "", before } = c.req.query();
  if (about !== "decisions" && about !== "messages" && about !== "all") {
    const got = JSON.stringify(about.slice(0, 40));
    throw badField("about", `expected decisions, messages or all, got ${got}`);
  }
  if (before !== undefined && !/^[1-9]\d{0,14}$/.test(before))
    throw badField("before", `expected the number of an entry, got ${JSON.stringify(before.slice(0, 40))}`);
  return {
    about,
    query: q.trim().slice(0, 200),
    ...(before === undefined ? {} : { before: Number(before) }),
  };
}

/** The file, as it is read. */
async function* linesOf(reader: AuditReader, filter: AuditFilter): AsyncGenerator<string> {
  yield CSV_MARK + csvLine(AUDIT_COLUMNS);
  for (let before = filter.before; ;) {
    const { items, next } = await reader.page({ ...filter, ...(before === undefined ? {} : { before }) });
    yield items.map((item) => csvLine(auditCells(item).map(harmless))).join("");
    if (next === undefined) return;
    before = next;
  }
}

function itemToWire(item: AuditItem): JsonObject {
  const { seq, at, kind, actor, name, turnId, approvalId, toolId, data, hash } = item;
  return {
    seq,
    at: new Date(at).toISOString(),
    kind,
    ...(actor === undefined ? {} : { actor }),
    ...(name === undefined ? {} : { name }),
    ...(turnId === undefined ? {} : { turn_id: turnId }),
    ...(approvalId === undefined ? {} : { approval_id: approvalId }),
    ...(toolId === undefined ? {} : { tool_id: toolId }),
    data,
    hash,
  };
}
