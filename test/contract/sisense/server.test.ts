import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { z } from "zod";
import { describe, expect, it } from "vitest";

import { buildTools, read, type ToolRow } from "#servers/sisense/registry.ts";

import { openDesk } from "./support.ts";

const row = (id: string, more: Partial<Parameters<typeof read>[0]> = {}): ToolRow =>
  read({
    id,
    title: "A tool",
    description: "What it does",
    input: {},
    output: {},
    ask: "do it",
    example: {},
    run: async () => ({}),
    ...more,
  });

describe("the registry", () => {
  it("[sisense.registry] lists tools with schemas, annotations and the arguments of their sites", async () => {
    await using desk = await openDesk();
    const { tools } = await desk.client.listTools();
    expect(tools).toHaveLength(62);
    const of = (name: string) => tools.find((tool) => tool.name === name);
    expect(of("access.get_user")).toMatchObject({
      title: "Get a user",
      annotations: { readOnlyHint: true, destructiveHint: false },
      inputSchema: { type: "object", required: ["user_name"], additionalProperties: false },
      outputSchema: { type: "object" },
      _meta: { tags: ["access", "users", "read"], examples: [{ user_query: expect.any(String) }] },
    });
    for (const { name, inputSchema, annotations, _meta } of tools) {
      const names = Object.keys(inputSchema.properties ?? {});
      const two = [
        "source_domain",
        "source_token",
        "source_ssl",
        "target_domain",
        "target_token",
        "target_ssl",
      ];
      const isMigration = name.startsWith("migration.");
      expect(names).toEqual(expect.arrayContaining(isMigration ? two : ["domain", "token", "ssl"]));
      expect(_meta?.["when"]).toBe(isMigration ? "migration" : undefined);
      expect(names.includes("dry_run")).toBe(annotations?.readOnlyHint === false);
    }
    expect(of("access.delete_user")?.annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
    });
    expect(of("access.create_user")?.annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: false,
    });
    expect(of("migration.migrate_dashboards")?.annotations).toMatchObject({ destructiveHint: true });
  });

  it.each([
    ["a name without a module", [row("get_user")], "get_user: expected an id such as access.get_user"],
    ["two of an id", [row("a.b"), row("a.b")], "a.b: there are two tools of this id"],
    ["no title", [row("a.b", { title: " " })], "a.b: expected a title and a description"],
    [
      "an argument that is a credential's",
      [row("a.b", { input: { token: z.string() } })],
      "token is that of the credentials",
    ],
    [
      "an example that does not fit",
      [row("a.b", { input: { x: z.string() } })],
      'the example "do it" does not fit',
    ],
  ])("[sisense.registry] refuses %s", (_what, rows, words) => {
    expect(() => buildTools(rows, undefined)).toThrow(words);
  });

  it("[sisense.registry] serves the allowed modules alone, and refuses one that is not there", async () => {
    await using desk = await openDesk({ SISENSE_MODULES: "wellcheck, dashboard" });
    expect((await desk.client.listTools()).tools).toHaveLength(18);
    await expect(desk.call("access.get_user", {})).rejects.toThrow("Tool access.get_user not found");
    await expect(openDesk({ SISENSE_MODULES: "acces" })).rejects.toThrow(
      "expected some of access, dashboard",
    );
    await expect(openDesk({ SISENSE_TOKEN: "t" })).rejects.toThrow("expected SISENSE_DOMAIN beside it");
  });
});

describe("calls", () => {
  it.each([
    [
      "access.change_folder_and_dashboard_ownership",
      { executing_user: "" },
      /executing_user.*folder_name.*new_owner_name/,
    ],
    ["access.get_user", { username: "ana" }, /no argument "username": did you mean user_name\?/],
    [
      "access.create_schedule_build",
      { datamodel_name: "Orders", days: ["MOON"], hour: 6 },
      /days: expected some of SUN/,
    ],
    [
      "access.create_schedule_build",
      { datamodel_name: "Orders", days: ["MONKEY"], hour: 6 },
      /days: expected some of SUN.*got MONKEY/,
    ],
    [
      "access.create_schedule_build",
      { datamodel_name: "Orders", days: [], hour: 6 },
      /days: expected some of SUN.*got none/,
    ],
    [
      "access.create_schedule_build",
      { datamodel_name: "Orders", interval_hours: 6, minute: 30 },
      /either days, hour and minute, or an interval/,
    ],
    ["datamodel.add_datamodel_shares", { datamodel_name: "Orders", shares: "[{" }, /expected JSON, got \[\{/],
    [
      "datamodel.add_datamodel_shares",
      { datamodel_name: "Orders", shares: [{ name: "x" }] },
      /shares\[0\]\.type/,
    ],
    ["access.get_user", { user_name: "nobody@x" }, /there is no user "nobody@x"/],
    ["migration.migrate_dashboards", {}, /expected dashboard_ids or dashboard_names/],
    [
      "migration.migrate_datamodels",
      { datamodel_names: ["a", "b"], new_title: "c" },
      /new_title: expected action duplicate/,
    ],
    [
      "migration.migrate_groups",
      { group_name_list: ["a"], source_domain: "source", target_domain: "source.demo" },
      /source and target are both/,
    ],
    [
      "datamodel.get_data",
      { datamodel_name: "Orders", table_name: "orders", query: "DELETE FROM orders" },
      /expected one SELECT/,
    ],
    [
      "datamodel.get_data",
      { datamodel_name: "Orders", table_name: "nope" },
      /Orders has no table "nope"\. It has orders, customers, products/,
    ],
  ])("[sisense.server] %s with %j fails in words", async (tool, args, words) => {
    await using desk = await openDesk();
    const { data, text, isError } = await desk.call(tool, args);
    expect([isError, text]).toEqual([true, expect.stringMatching(words)]);
    expect(data).toEqual({ tool_id: tool, ok: false, error: text, error_type: expect.any(String) });
  });

  it("[sisense.server] refuses changes where they are switched off, whatever comes, and writes a line about each", async () => {
    await using desk = await openDesk({ SISENSE_ALLOW_CHANGES: "false" });
    const user_data = { email: "canary@x.example", password: "canary-password" };
    const { data } = await desk.call("access.create_user", {
      user_data,
      domain: "https://ana:canary-password@source",
      token: "canary-token",
      nickname: "canary-token",
    });
    const error = "Tool 'access.create_user' changes data and changes are switched off here";
    expect(data).toEqual({ tool_id: "access.create_user", ok: false, error, error_type: "changes_off" });
    expect(desk.audited).toMatchObject([
      {
        audit: "access.create_user",
        arguments: { user_data: ["email", "password"], domain: "https://…@source", nickname: "…" },
        ok: false,
        error_type: "changes_off",
      },
    ]);
    await desk.call("dashboard.add_dashboard_script", { dashboard_id: "5f", script: "canary-token()" });
    await desk.call("datamodel.create_connections", {
      connection_payload: { parameters: { Pwd: "canary-password" } },
    });
    expect(JSON.stringify(desk.audited)).not.toMatch(/canary-(?:token|password)/);
    expect((await desk.call("access.get_users_all")).data.count).toBe(43);
  });

  it("[sisense.server] selects of several tables run in a process that can be ended", async () => {
    await using desk = await openDesk();
    const query =
      "SELECT c.city, SUM(o.revenue) AS sum FROM orders o JOIN customers c USING (customer_id) GROUP BY c.city";
    const { data } = await desk.call("datamodel.get_data", {
      datamodel_name: "Orders",
      table_name: "orders",
      query,
    });
    expect(data.rows).toHaveLength(5);
    expect(data.rows[0]).toEqual({ city: "Berlin", sum: expect.any(Number) });
  });
});

describe("migrations", () => {
  it("[sisense.streaming] tell each step by messages and progress, and both in one order", async () => {
    await using desk = await openDesk();
    const events: Record<string, unknown>[] = [];
    desk.client.setNotificationHandler("notifications/message", ({ params }) => {
      events.push(params.data as Record<string, unknown>);
    });
    const progress: string[] = [];
    await desk.call(
      "migration.migrate_all_users",
      {},
      { onProgress: (message) => void progress.push(message) },
    );
    expect(events[0]).toEqual({
      type: "started",
      step: "migrate_users",
      message: "Migrating 43 users from source.demo to target.demo",
      total: 43,
      succeeded: 0,
      skipped: 0,
      failed: 0,
    });
    expect(events.at(-1)).toMatchObject({ type: "completed", succeeded: 36, skipped: 6, failed: 1 });
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(["started", "progress", "warning", "error", "completed"]),
    );
    expect(progress).toHaveLength(44);
    expect(progress.at(-1)).toBe("43 users done: 36 migrated, 6 skipped, 1 failed");
  });

  it("[sisense.streaming] stop before the next one when cancelled; done again they make nothing twice", async () => {
    await using desk = await openDesk({ SISENSE_DEMO_DELAY_MS: "20" });
    const stop = new AbortController();
    const progress: string[] = [];
    const ended: Promise<string> = new Promise((resolve) => {
      desk.client.setNotificationHandler("notifications/message", ({ params }) => {
        const { type, message } = params.data as { type: string; message: string };
        if (type === "completed") resolve(message);
      });
    });
    const onProgress = (message: string): void => {
      if (progress.push(message) === 10) stop.abort("enough");
    };
    await expect(
      desk.call("migration.migrate_all_users", {}, { signal: stop.signal, onProgress }),
    ).rejects.toThrow("enough");
    const [, tried = "0"] = /^Stopped after (\d+) of 43 users/.exec(await ended) ?? [];
    expect(Number(tried)).toBeLessThan(43);
    const before = (await desk.call("access.get_users_all", { domain: "target" })).data;
    const again = await desk.call("migration.migrate_all_users");
    expect(again.data.succeeded.length + before.count).toBe(42);
    const { data } = await desk.call("access.get_users_all", { domain: "target" });
    const emails = data.users.map(({ email }: { email: string }) => email);
    expect(new Set(emails).size).toBe(emails.length);
    // Nor are duplicates duplicated.
    const duplicate = { dashboard_names: ["Weekly Sales"], action: "duplicate" };
    expect((await desk.call("migration.migrate_dashboards", duplicate)).data.meta).toMatchObject({
      succeeded: 1,
    });
    expect((await desk.call("migration.migrate_dashboards", duplicate)).data.meta).toMatchObject({
      skipped: 1,
    });
  });

  it("[sisense.streaming] killed in the middle and made again, make nothing twice", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sisense-"));
    const client = new Client({ name: "test", version: "1" });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: ["servers/sisense/main.ts"],
      env: { COUNTERSIGN_DATA: folder, SISENSE_DEMO_DELAY_MS: "10" },
      stderr: "ignore",
    });
    await client.connect(transport);
    const onprogress = ({ progress }: { progress: number }): void => {
      if (progress === 12) process.kill(transport.pid ?? 0, "SIGKILL");
    };
    const call = client.callTool({ name: "migration.migrate_all_users", arguments: {} }, { onprogress });
    await expect(call).rejects.toThrow("closed");
    await using desk = await openDesk({}, folder);
    const emailsOf = async (): Promise<string[]> => {
      const { data } = await desk.call("access.get_users_all", { domain: "target" });
      return data.users.map(({ email }: { email: string }) => email);
    };
    const before = (await emailsOf()).length;
    expect(before).toBeGreaterThan(6);
    // What was under way may have been done, as its line was not written any more.
    const tried = await desk.call("migration.migrate_all_users", { dry_run: true });
    const run = tried.data.meta.last_run;
    expect(run).toMatchObject({
      outcome: "interrupted",
      total: 43,
      skipped: 6,
      under_way: expect.stringContaining("@"),
    });
    expect([before - 6, before - 7]).toContain(run.succeeded);
    expect(run.succeeded + run.skipped + run.failed.length + 1 + run.not_tried).toBe(43);
    const { data } = await desk.call("migration.migrate_all_users");
    expect(data.meta.succeeded).toBe(42 - before);
    const after = await emailsOf();
    expect([after.length, new Set(after).size]).toEqual([42, 42]);
  });

  it("[sisense.streaming] go on where their record cannot be kept, or was damaged", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sisense-"));
    const place = join(folder, "sisense-migrations");
    writeFileSync(place, "in the way");
    await using desk = await openDesk({}, folder);
    const migrated = async (name: string): Promise<number> =>
      (await desk.call("migration.migrate_groups", { group_name_list: [name] })).data.meta.succeeded;
    const tried = async (): Promise<Record<string, unknown>> =>
      (await desk.call("migration.migrate_groups", { group_name_list: ["Data"], dry_run: true })).data.meta;
    expect(await migrated("Support")).toBe(1);
    expect(await tried()).not.toHaveProperty("last_run");
    rmSync(place);
    expect(await migrated("Data")).toBe(1);
    const [record = ""] = readdirSync(place);
    const lines = readFileSync(join(place, record), "utf8");
    expect(lines).not.toContain(".demo");
    expect((await tried())["last_run"]).toMatchObject({ outcome: "completed", succeeded: 1 });
    writeFileSync(join(place, record), `${lines.slice(0, 9)}\n`);
    expect(await tried()).not.toHaveProperty("last_run");
  });

  it("[sisense.server] run one at a time, and whoever waits is told", async () => {
    await using desk = await openDesk({ SISENSE_DEMO_DELAY_MS: "5" });
    const waiting: string[] = [];
    const both = await Promise.all([
      desk.call("migration.migrate_all_groups"),
      desk.call("migration.migrate_all_groups", {}, { onProgress: (message) => void waiting.push(message) }),
    ]);
    expect(both.map(({ data }) => data.succeeded.length)).toEqual([6, 0]);
    expect(waiting[0]).toBe("Waiting: 1 of its kind run already");
    // A dry run waits for none, and knows of the one that runs.
    const running = desk.call("migration.migrate_all_datamodels");
    const tried = await desk.call("migration.migrate_all_datamodels", { dry_run: true });
    expect(tried.data.meta.last_run).toMatchObject({ outcome: "running", failed: [], under_way: null });
    expect((await running).data.meta).toMatchObject({ succeeded: 8 });
    const later = await desk.call("migration.migrate_all_datamodels", { dry_run: true });
    expect(later.data.meta.last_run).toMatchObject({ outcome: "completed", succeeded: 8, not_tried: 0 });
    // Another migration of the same kind is not the same.
    const other = await desk.call("migration.migrate_datamodels", {
      datamodel_names: ["Web"],
      dry_run: true,
    });
    expect(other.data.meta).not.toHaveProperty("last_run");
  });
});

it("[sisense.server] is served over HTTP at /mcp and /mcp/, with its health", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sisense-"));
  const child = spawn(process.execPath, ["servers/sisense/main.ts", "--transport", "http", "--port", "0"], {
    env: { ...process.env, COUNTERSIGN_DATA: folder, SISENSE_ALLOW_CHANGES: "no" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    let url = "";
    for await (const line of createInterface({ input: child.stderr })) {
      url = /^listening on (.+)$/.exec(line)?.[1] ?? "";
      if (url !== "") break;
    }
    expect(await (await fetch(url.replace("/mcp", "/health"))).json()).toEqual({
      ok: true,
      modules: ["access", "dashboard", "datamodel", "migration", "wellcheck"],
      tools: 62,
      mutations_allowed: false,
    });
    for (const address of [url, `${url}/`]) {
      const client = new Client({ name: "test", version: "1" });
      await client.connect(new StreamableHTTPClientTransport(new URL(address)));
      expect(await client.callTool({ name: "access.get_group", arguments: { name: "Data" } })).toMatchObject({
        structuredContent: { name: "Data" },
      });
      await client.close();
    }
  } finally {
    child.kill();
    await once(child, "exit");
  }
});
