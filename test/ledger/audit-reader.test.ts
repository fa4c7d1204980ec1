import { sql } from "kysely";
import { describe, expect, it } from "vitest";

import type { AuditFilter, AuditPage, AuditReader } from "#contract/audit.ts";
import { createRedactor } from "#src/base/redact.ts";
import { createAuditReader } from "#src/ledger/audit-reader.ts";

import { ana, anyone, ben, createDesk, type Desk } from "./desk.ts";
import { storeKinds, useStores } from "./stores.ts";

const stores = useStores();

describe.each(storeKinds)("the audit record for people on %s", (kind) => {
  async function open(): Promise<
    Desk & { reader: AuditReader; page: (filter: Partial<AuditFilter>) => Promise<AuditPage> }
  > {
    const d = createDesk(await stores.open(kind));
    const reader = createAuditReader({
      db: d.db,
      redactor: createRedactor(["hunter2hunter2"]),
      nameOf: (actor) => Promise.resolve(actor === ana ? "Ana Lindqvist" : undefined),
    });
    const page = (filter: Partial<AuditFilter>): Promise<AuditPage> =>
      reader.page({ about: "decisions", query: "", limit: 50, ...filter });
    return { ...d, reader, page };
  }

  it("[http.playground] tells who asked for and decided what, newest first, and leaves steps between out", async () => {
    const d = await open();
    const approval = await d.ask({ rule: anyone, args: { summary: "Chair with hunter2hunter2" } });
    await d.first.decide({ approvalId: approval.id, actor: ben, decision: "deny", reason: "not now" });
    const { items, next } = await d.page({});
    expect(next).toBeUndefined();
    expect(items.map(({ kind: what, actor, name }) => [what, actor, name])).toEqual([
      ["approval.vote", ben, undefined],
      ["approval.pending", ana, "Ana Lindqvist"],
    ]);
    expect(items[0]).toMatchObject({ data: { reason: "not now" }, statement: { verb: "Create issue" } });
    expect(items.map(({ statement }) => statement?.object?.title)).toEqual(
      Array(2).fill("Chair with [redacted]"),
    );
    expect((await d.page({ about: "all" })).items.length).toBeGreaterThan(2);
  });

  it("[http.playground] is read to its end, and searched by person, words and ids", async () => {
    const d = await open();
    const asked = [];
    for (let at = 0; at < 7; at += 1)
      asked.push(await d.ask({ rule: anyone, args: { summary: `Chair ${at}` }, by: at === 3 ? ben : ana }));
    const seen: number[] = [];
    for (let before: number | undefined; ;) {
      const { items, next } = await d.page({ limit: 3, ...(before === undefined ? {} : { before }) });
      seen.push(...items.map(({ seq }) => seq));
      if (next === undefined) break;
      before = next;
    }
    expect(seen).toHaveLength(7);
    expect(seen).toEqual(seen.toSorted((a, b) => b - a));
    const found = async (query: string): Promise<number> => (await d.page({ query })).items.length;
    expect([await found("lindqvist chair"), await found("CHAIR 3"), await found(asked[5]?.id ?? "")]).toEqual(
      [6, 1, 1],
    );
    expect(await found("lindqvist slack:T1:ben")).toBe(0);
  });

  it("[http.playground] a search that finds nothing ends where it has looked, and goes on from there", async () => {
    const d = await open();
    for (let batch = 0; batch < 21; batch += 1) {
      await d.transact(async (_tx, note) => {
        for (let at = 0; at < 1_000; at += 1) note({ kind: "tool.changed", data: { tool: "a.b" } });
      });
    }
    const { items, next } = await d.page({ query: "walrus" });
    expect([items, next]).toEqual([[], 1_001]);
    expect(await d.page({ query: "walrus", before: next ?? 0 })).toEqual({ items: [] });
  });

  it("[http.playground] shows an entry that was tampered with as it stands, and where the chain breaks", async () => {
    const d = await open();
    await d.ask({ rule: anyone });
    expect(await d.reader.verify()).toMatchObject({ ok: true });
    await sql`update audit set data = 'nonsense' where kind = 'approval.pending'`.execute(d.db);
    expect((await d.page({})).items).toMatchObject([{ data: "nonsense" }]);
    const [first, second] = await Promise.all([d.reader.verify(), d.reader.verify()]);
    expect(first).toMatchObject({ ok: false });
    expect(second).toBe(first);
    expect((await d.reader.head()).seq).toBeGreaterThan(0);
  });
});
