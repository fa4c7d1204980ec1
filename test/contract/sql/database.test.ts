import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Client as McpClient, InMemoryTransport } from "@modelcontextprotocol/client";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { createSqlServer, openDatabase } from "#servers/sql/server.ts";
import { type PostgresServer, joinPostgres } from "#test/fakes/postgres.ts";

vi.setConfig({ hookTimeout: 120_000, testTimeout: 60_000 });

interface Answer {
  text: string;
  isError: boolean;
  data: Record<string, unknown>;
}

/** One running server with the demo's data, as a client sees it. */
interface Site {
  call(tool: string, args: Record<string, unknown>): Promise<Answer>;
  client: McpClient;
}

const folder = mkdtempSync(join(tmpdir(), "sql-"));
let postgres: PostgresServer;
let admin: Client;
/** The address for a role that may read, and the one of the superuser. */
let readerUrl = "";
let superuserUrl = "";
const sites = new Map<string, Site>();

beforeAll(async () => {
  postgres = await joinPostgres();
  superuserUrl = await postgres.createDatabase();
  admin = new Client({ connectionString: superuserUrl });
  await admin.connect();
  // The demo's tables; what counts them up is SQLite's, and a few rows are enough.
  const demo = readFileSync(new URL("../../../servers/sql/demo.sql", import.meta.url), "utf8");
  await admin.query(/^CREATE TABLE[\s\S]*?(?=\n\nINSERT INTO products)/m.exec(demo)?.[0] ?? "");
  await admin.query(`
    INSERT INTO orders SELECT n, 1 + n * 7 % 16, '2026-01-02', 'new' FROM generate_series(1, 240) n;
    CREATE VIEW monthly_revenue AS SELECT 1 AS month;
    CREATE SCHEMA stock; CREATE TABLE stock.shelves (id int8 PRIMARY KEY, note text);
    CREATE ROLE reader LOGIN PASSWORD 'reader' IN ROLE pg_read_all_data;
    CREATE FUNCTION wipe() RETURNS int LANGUAGE sql AS 'DELETE FROM orders RETURNING 1';
    -- A role that may write: what keeps it from writing is the transaction.
    GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO reader;`);
  readerUrl = superuserUrl.replace("postgres:postgres@", "reader:reader@");
  await open("SQLite", {});
  await open("Postgres", { SQL_URL: readerUrl });
});
afterAll(async () => {
  await Promise.all([...sites.values()].map(({ client }) => client.close()));
  await admin.end();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function open(name: string, env: NodeJS.ProcessEnv): Promise<Site> {
  const database = await openDatabase({ COUNTERSIGN_DATA: folder, SQL_TIMEOUT_MS: "3000", ...env });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await createSqlServer(database).connect(there);
  const client = new McpClient({ name: "test", version: "1" });
  await client.connect(here);
  const site: Site = {
    client,
    async call(tool, args) {
      const result = await client.callTool({ name: tool, arguments: args });
      const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
      const data = (result.structuredContent ?? {}) as Record<string, unknown>;
      return { text, isError: result.isError === true, data };
    },
  };
  sites.set(name, site);
  return site;
}

describe.each(["SQLite", "Postgres"])("a database that is only read (%s)", (dialect) => {
  const call: Site["call"] = (tool, args) => (sites.get(dialect) as Site).call(tool, args);
  const query = (sql: string, limit = 100): Promise<Answer> => call("query", { sql, limit });
  const orders = async (): Promise<unknown> => (await query("SELECT count(*) AS n FROM orders")).data["rows"];

  it("[tools.sql] has three tools that say of themselves that they only read", async () => {
    const { tools } = await (sites.get(dialect) as Site).client.listTools();
    expect(
      tools.map(({ name, annotations, outputSchema }) => [name, annotations, outputSchema?.type]),
    ).toEqual(
      ["query", "list_tables", "describe_table"].map((name) => [
        name,
        { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
        "object",
      ]),
    );
    expect(tools[0]?.description).toContain(dialect);
  });

  it("[tools.sql] answers a query with columns in its order and rows by name", async () => {
    const { data, text, isError } = await query("SELECT name, id FROM customers WHERE id < 3 ORDER BY id");
    expect(isError).toBe(false);
    expect(data).toEqual({
      columns: ["name", "id"],
      rows: [
        { name: "Hanna Berg", id: 1 },
        { name: "Luca Moretti", id: 2 },
      ],
      row_count: 2,
      truncated: false,
    });
    expect(text).toContain("| Hanna Berg | 1 |");
    // A join may have a name twice, and numbers may be larger than JSON's.
    const twice = await query(
      "SELECT 1 AS id, NULL AS none, 9007199254740993 AS id FROM customers WHERE id = 1",
    );
    expect(Object.values((twice.data["rows"] as object[])[0] ?? {})).toEqual([1, null, "9007199254740993"]);
    expect(new Set(twice.data["columns"] as string[]).size).toBe(3);
  });

  it("[tools.sql] gives as many rows as are wanted, and says that there are more", async () => {
    const some = await query("SELECT id FROM orders ORDER BY id", 5);
    expect(some.data).toMatchObject({ row_count: 5, truncated: true });
    expect(some.text).toContain("There are more rows");
    expect((await query("SELECT id FROM orders", 240)).data).toMatchObject({
      row_count: 240,
      truncated: false,
    });
  });

  it("[tools.sql] lists tables and describes one, by a name that need not be exact", async () => {
    const tables = (await call("list_tables", {})).data["tables"];
    expect(tables).toEqual(
      expect.arrayContaining([
        { name: "orders", kind: "table", columns: ["id", "customer_id", "ordered", "status"] },
        { name: "monthly_revenue", kind: "view", columns: expect.arrayContaining(["month"]) as string[] },
      ]),
    );
    const { data, text } = await call("describe_table", { table: "Orders" });
    expect(data["table"]).toBe("orders");
    expect(data["columns"]).toEqual([
      expect.objectContaining({ name: "id", primary_key: true, nullable: false, references: null }),
      expect.objectContaining({ name: "customer_id", references: "customers.id", nullable: false }),
      expect.objectContaining({ name: "ordered", primary_key: false, default: null }),
      expect.objectContaining({ name: "status", default: expect.stringContaining("'new'") as string }),
    ]);
    expect(text).toContain("refers to customers.id");
    const unknown = await call("describe_table", { table: "ordres" });
    expect(unknown).toMatchObject({ isError: true });
    expect(unknown.text).toMatch(/did you mean orders.*customers/);
  });

  it.each([
    "DELETE FROM orders",
    "UPDATE orders SET status = 'paid'",
    "INSERT INTO customers VALUES (99, 'x', 'x', 'x', 'x')",
    "DROP TABLE order_items",
    "CREATE TABLE mine (id int)",
    "BEGIN",
    "COMMIT",
    ...(dialect === "SQLite"
      ? [
          "ATTACH DATABASE '/tmp/other.sqlite' AS other",
          "PRAGMA writable_schema = 1",
          "PRAGMA query_only = 0",
          "VACUUM INTO '/tmp/copy.sqlite'",
          "SELECT * FROM pragma_table_info('orders')",
          "WITH old AS (SELECT 1) DELETE FROM orders",
        ]
      : [
          "COPY orders TO '/tmp/orders.csv'",
          "COPY (SELECT 1) TO PROGRAM 'touch /tmp/copied'",
          "SET TRANSACTION READ WRITE",
          "DO $$ BEGIN DELETE FROM orders; END $$",
          "CALL nothing()",
          "WITH gone AS (DELETE FROM orders RETURNING id) SELECT * FROM gone",
          "SELECT wipe()",
          "SELECT * FROM orders FOR UPDATE",
        ]),
  ])("[tools.sql] refuses what is not a read: %s", async (sql) => {
    const before = await orders();
    const { isError, text } = await query(sql);
    expect(text).toMatch(/^read_only: /);
    expect(isError).toBe(true);
    expect(await orders()).toEqual(before);
  });

  it.each([
    "SELECT 1; DELETE FROM orders",
    "SELECT 1; COMMIT; DROP TABLE orders",
    "SELECT ';' /* ; */; SELECT 2",
  ])("[tools.sql] refuses several statements at once: %s", async (sql) => {
    const before = await orders();
    expect((await query(sql)).text).toMatch(/^one_statement: /);
    expect(await orders()).toEqual(before);
  });

  it("[tools.sql] takes a semicolon and comments at the end", async () => {
    const { data, text } = await query("SELECT ';--' AS text ; -- that is all\n/* really */ ");
    expect(text).not.toContain("one_statement");
    expect(data["rows"]).toEqual([{ text: ";--" }]);
  });

  it("[tools.sql] ends a query that does not end, while others are answered", async () => {
    const endless = query(
      "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n",
    );
    expect((await query("SELECT 1 AS one")).data["rows"]).toEqual([{ one: 1 }]);
    expect((await endless).text).toMatch(/^timeout: .* 3 s/);
  });

  it("[tools.sql] ends a query whose call is cancelled", async () => {
    const { client } = sites.get(dialect) as Site;
    const stop = new AbortController();
    const sql = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";
    const asked = client.callTool({ name: "query", arguments: { sql } }, { signal: stop.signal });
    stop.abort();
    await expect(asked).rejects.toThrow(/abort/i);
    expect((await query("SELECT 1 AS one")).isError).toBe(false);
  });

  it("[tools.sql] keeps an answer small, whatever the query makes of it", async () => {
    const huge = dialect === "SQLite" ? "hex(zeroblob(5000000))" : "repeat('ab', 5000000)";
    const long = await query(`SELECT ${huge} AS long`);
    expect(JSON.stringify(long.data).length).toBeLessThan(5000);
    const monstrous = dialect === "SQLite" ? "zeroblob(900000000)" : "repeat('ab', 20000000)";
    expect((await query(`SELECT ${monstrous} AS long`)).text).toMatch(/^(?:too_large|sql_error|timeout): /);
    const wide = dialect === "SQLite" ? "hex(zeroblob(1500))" : "repeat('ab', 1500)";
    const many = await query(`SELECT ${wide} AS long FROM orders`, 240);
    expect(many.data["truncated"]).toBe(true);
  });

  it("[tools.sql] says in the database's words what is wrong with a query", async () => {
    const { isError, text } = await query("SELECT one FROM nowhere");
    expect(isError).toBe(true);
    expect(text).toMatch(/^sql_error: .*nowhere.*which tables there are/);
  });
});

describe("what cannot be opened", () => {
  const refused = (env: NodeJS.ProcessEnv): Promise<unknown> =>
    openDatabase({ COUNTERSIGN_DATA: folder, ...env }).catch((error: unknown) => error);

  it("[tools.sql] is said before anything is served, without a password", async () => {
    expect(await refused({ SQL_URL: "mysql://root:secret@host/db" })).toMatchObject({
      code: "bad_url",
      message: "SQL_URL: expected postgres://… or sqlite:PATH, got mysql:",
    });
    expect(await refused({ SQL_URL: `sqlite:${folder}/none.db` })).toMatchObject({ code: "no_database" });
    expect(await refused({ SQL_TIMEOUT_MS: "soon" })).toMatchObject({ code: "bad_timeout" });
  });

  it("[tools.sql] refuses a superuser of Postgres, whom functions give files and programs", async () => {
    const site = await open("superuser", { SQL_URL: superuserUrl });
    const { text } = await site.call("query", { sql: "SELECT pg_read_file('/etc/passwd')" });
    expect(text).toMatch(/^superuser: .*CREATE ROLE/);
    const denied = await sites.get("Postgres")?.call("query", { sql: "SELECT pg_read_file('/etc/passwd')" });
    expect(denied?.text).toContain("permission denied");
  });

  it("[tools.sql] says why Postgres cannot be used", async () => {
    const wrong = await open("wrong", { SQL_URL: readerUrl.replace(":reader@", ":forgotten@") });
    expect((await wrong.call("list_tables", {})).text).toMatch(
      /^unreachable: .*password authentication failed/,
    );
    const gone = await open("gone", { SQL_URL: "postgres://reader:reader@127.0.0.1:1/shop" });
    expect((await gone.call("list_tables", {})).text).toMatch(/^unreachable: .*ECONNREFUSED/);
  });

  it("[tools.sql] finds tables of other schemas by their full name", async () => {
    const { data } = await (sites.get("Postgres") as Site).call("describe_table", { table: "stock.shelves" });
    expect(data["table"]).toBe("stock.shelves");
    expect(data["columns"]).toMatchObject([
      { name: "id", type: "bigint", primary_key: true },
      { name: "note" },
    ]);
  });
});
