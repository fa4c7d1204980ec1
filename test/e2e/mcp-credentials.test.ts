import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Packed, unpacked, unpackedBeside } from "#src/store/packed.ts";
import { startFakeOllama } from "#test/fakes/ollama.ts";
import { SeedClient } from "#test/fakes/seed-client.ts";
import type { FakeOllama } from "#test/fakes/ollama.ts";

import {
  askFor,
  cleanUp,
  cleanUpAll,
  decide,
  follow,
  projectRoot,
  readStore,
  request,
  type RunningProduct,
  say,
  startProduct,
  temporaryFolder,
  type WirePending,
} from "./support.ts";

const tenant = { domain: "https://acme-canary.example", token: "tok-canary/äcme+1", ssl: true };
const source = { domain: "source-canary.example", token: "tok-canary-source-2" };
const target = { domain: "target-canary.example", token: "tok-canary-target-3", ssl: false };
/** Any writing of a canary holds one of these, or is looked for in its own writing below. */
const canaries = [tenant.domain, ...[tenant, source, target].map(({ token }) => token)];

let product: RunningProduct;
let model: FakeOllama;
let received: string;
let config: { model: object; servers: ({ name: string } & Record<string, unknown>)[] };
let dataDir: string;

/** Plans the call that the message names as TOOL ARGUMENT, then says that enough is known. */
function planned(prompt: string): { text: string; json: unknown } {
  const wanted = /do (?<tool>\w+\.\w+) (?<what>\w+)(?![\s\S]*do \w+\.\w+ \w+)/.exec(prompt)?.groups;
  const isDone = prompt.includes("Results so far:");
  const made = { tool: wanted?.tool ?? "", args: { what: wanted?.what ?? "", tenant_token: "guessed" } };
  const { tool, args } = made.tool.endsWith("migrate") ? { ...made, args: { what: made.args.what } } : made;
  const call =
    isDone || tool === "" ? { tool: "final_answer", args: {} } : { tool, args: { what: args.what } };
  return { text: "Here it is.", json: { commands: [{ command: "QUERY", ...call }] } };
}

const MAPPING = {
  tenant_domain: "tenant.domain",
  tenant_token: "tenant.token",
  tenant_ssl: "tenant.ssl",
  source_domain: "source.domain",
  source_token: "source.token",
  target_domain: "target.domain",
  target_token: "target.token",
  "meta:example.com/site": "{tenant.domain}#{tenant.token}",
};

/** The configuration with another mapping of the site server's credentials. */
function withMapping(changes: object): object {
  const servers = config.servers.map((server) =>
    server.name === "sites" ? { ...server, credentials: { ...MAPPING, ...changes } } : server,
  );
  return { ...config, servers };
}

async function startSites(folder: string): Promise<string> {
  const child = spawn(process.execPath, ["test/fakes/mcp-sites.ts", "http"], {
    cwd: projectRoot,
    env: { ...process.env, RECEIVED: join(folder, "received.jsonl") },
    stdio: ["ignore", "pipe", "ignore"],
  });
  cleanUp(async () => void child.kill("SIGKILL"));
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return url;
}

beforeAll(async () => {
  const folder = await temporaryFolder();
  received = join(folder, "received.jsonl");
  writeFileSync(received, "");
  dataDir = await temporaryFolder();
  model = await startFakeOllama(({ body }) => ({
    do: "answer",
    ...planned(body.messages?.at(-1)?.content ?? ""),
  }));
  cleanUp(() => model.stop());
  config = {
    model: { anchored: "model", provider: "ollama", ollama: { base_url: model.url } },
    servers: [
      {
        name: "sites",
        command: ["node", "test/fakes/mcp-sites.ts"],
        env: { RECEIVED: received },
        use_persistent_session: true,
        trust_annotations: true,
        credentials: MAPPING,
        modes: { migration: ["copy_*"] },
      },
      {
        name: "web",
        url: await startSites(folder),
        trust_annotations: true,
        use_persistent_session: true,
        headers: { "X-Key": "for-everybody" },
        person_headers: { "http:ana": { "x-key": "for-ana-alone" } },
        credentials: {
          "header:Authorization": "Bearer {tenant.token}",
          "header:X-Site": "tenant.domain",
          tenant_domain: "tenant.domain",
          tenant_token: "tenant.token",
        },
      },
    ],
  };
  product = await startProduct({ config, dataDir });
});
afterAll(cleanUpAll);

interface Received {
  name: string;
  args: Record<string, unknown>;
  meta: Record<string, unknown>;
  headers: Record<string, string>;
}

function lastReceived(): Received {
  return JSON.parse(readFileSync(received, "utf8").trim().split("\n").at(-1) ?? "null") as Received;
}

/** Where a canary stands, in any writing that a server or an encoder might choose. */
function leaks(text: string): string[] {
  return canaries.filter((canary) =>
    [
      canary,
      encodeURIComponent(canary),
      JSON.stringify(canary).slice(1, -1),
      Buffer.from(canary).toString("latin1"),
      Buffer.from(canary).toString("base64").slice(0, 16),
      Buffer.from(`user:${canary}`).toString("base64").slice(8, 24),
    ].some((form) => text.includes(form)),
  );
}

/** Every byte of the data folder, database, write-ahead log and all else, and what is packed in it. */
function dataBytes(): string {
  const bytes = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString("latin1"));
  const kept = readStore<{ text: Packed }>(
    dataDir,
    `select outcome as text from calls where outcome is not null union all select data from steps
      union all select result from turns where result is not null`,
  );
  const texts = kept.map(({ text }) => JSON.stringify([unpacked(text), unpackedBeside(text) ?? null]));
  return [...bytes, ...texts].join("\n");
}

function expectNoLeak(...texts: string[]): void {
  for (const text of [...texts, model.wire(), dataBytes()]) expect(leaks(text)).toEqual([]);
}

describe("credentials of a turn", () => {
  it("[mcp.credentials] are filled into arguments and _meta, and nobody plans or sees them", async () => {
    const { body } = await say(product, "do sites.read_site dashboards", { tenant_config: tenant });
    expect(body.tool_result).toMatchObject({ ok: true, args: { what: "dashboards" } });
    expect(lastReceived()).toMatchObject({
      args: {
        what: "dashboards",
        tenant_domain: tenant.domain,
        tenant_token: tenant.token,
        tenant_ssl: true,
      },
      meta: { "example.com/site": `${tenant.domain}#${tenant.token}` },
    });
    // The tool is offered without what is filled in.
    const { body: offered } = await request<{ tools: { id: string; input_schema: unknown }[] }>(
      product,
      "GET",
      "/tools",
    );
    expect(offered.tools.find((tool) => tool.id === "sites.read_site")?.input_schema).toMatchObject({
      properties: { what: { type: "string" } },
      required: ["what"],
    });
    expect(JSON.stringify(offered)).not.toContain("tenant_token");
    expect(JSON.stringify(body.tool_result?.data)).toContain("[redacted]");
    expect(leaks(JSON.stringify(body))).toEqual([]);
  });

  it("[mcp.credentials] are filled into headers of that turn's requests alone, before a person's own", async () => {
    const plain = { ...tenant, token: "tok-canary-plain-4" };
    canaries.push(plain.token);
    const sent = await say(product, "do web.read_site users", { tenant_config: plain, actor: "ana" });
    expect(sent.body.tool_result).toMatchObject({ ok: true });
    expect(lastReceived().headers).toEqual({
      authorization: `Bearer ${plain.token}`,
      domain: plain.domain,
      key: "for-ana-alone",
    });
    await say(product, "do web.read_site users", { tenant_config: plain, actor: "bo" });
    expect(lastReceived().headers.key).toBe("for-everybody");
    expect(JSON.stringify(product.log)).not.toContain("for-ana-alone");
  });

  it("[sisense.modes] a turn with the sites of a migration sees migrations and reads, any other the rest", async () => {
    const seenBy = async (extra: object): Promise<string[]> => {
      const before = model.requests.length;
      await say(product, "what can you do with dashboards", { session_id: randomUUID(), ...extra });
      const prompt = model.requests[before]?.body.messages?.map(({ content }) => content).join("\n") ?? "";
      return [...new Set([...prompt.matchAll(/\bsites\.\w+/g)].map(([id]) => id))].toSorted();
    };
    const one = ["sites.read_broken", "sites.read_site", "sites.remove_site", "sites.whoami"];
    const two = [
      "sites.copy_groups",
      "sites.migrate",
      "sites.read_broken",
      "sites.read_site",
      "sites.whoami",
    ];
    expect(await seenBy({})).toEqual(one);
    expect(await seenBy({ tenant_config: tenant })).toEqual(one);
    expect(await seenBy({ migration_config: { source, target } })).toEqual(two);
    expect(await seenBy({ mode: "migration" })).toEqual(two);
    expect(await seenBy({ mode: "chat", migration_config: { source, target } })).toEqual(one);

    const tab = new SeedClient(product.url, "modes");
    tab.tenant = tenant;
    tab.migration = { source, target };
    tab.mode = "migration";
    const asked = await tab.send("do sites.migrate groups");
    expect(asked.tool_result?.pending_confirmation).toMatchObject({
      args: { source_domain: source.domain, target_domain: target.domain, what: "groups" },
    });
    await tab.approve();
    expect(lastReceived()).toMatchObject({ name: "migrate", args: { target_token: target.token } });
    tab.mode = "chat";
    const sent = readFileSync(received, "utf8");
    const refused = await tab.send("do sites.migrate groups").catch(String);
    expect(JSON.stringify(refused)).not.toContain("pending_confirmation");
    expect(readFileSync(received, "utf8")).toBe(sent);
  });

  it("[mcp.credentials] a tool that needs them is not called without, and says what is missing", async () => {
    const before = readFileSync(received, "utf8");
    const { body } = await say(product, "do sites.read_site dashboards");
    expect(body.tool_result).toMatchObject({
      ok: false,
      error: {
        code: "refused",
        message: expect.stringContaining("none is chosen here. Connect or choose one with /connect"),
      },
    });
    expect(readFileSync(received, "utf8")).toBe(before);
  });

  it("[approve.card] [approve.key] an approval names where it acts, on the card, in its key and in the audit", async () => {
    const ask = (migration_config: object) =>
      askFor(product, "do sites.migrate everything", { session_id: "named", migration_config });
    const { pending, turnId } = await ask({ source, target });
    expect(pending).toMatchObject({
      args: {
        what: "everything",
        source_domain: source.domain,
        target_domain: target.domain,
      },
      targets: {
        "source.domain": source.domain,
        "target.domain": target.domain,
        "target.ssl": false,
      },
      sources: { source_domain: { from: "credential" }, target_domain: { from: "credential" } },
    });
    const page = await (await fetch(`${product.url}/playground/turns/${turnId}`)).text();
    expect(page).toContain(source.domain);
    expect(page).toContain(`${target.domain} (not encrypted)`);
    const audit = readStore<{ data: string }>(
      dataDir,
      "select data from audit where kind = 'approval.pending' order by seq desc limit 1",
    );
    expect(audit[0]?.data).toContain(`"target.domain":"${target.domain}"`);
    expectNoLeak(JSON.stringify(pending), page);

    // The same call on other sites is another one, and replaces nothing.
    const { pending: other } = await ask({ source: target, target: source });
    expect(other.key).not.toBe(pending.key);
    const before = readFileSync(received, "utf8");
    for (const wrong of [
      { ...pending.args, target_domain: source.domain },
      { what: "everything" },
      { ...pending.args, target_token: target.token },
    ])
      await request(product, "POST", "/agent/turn", {
        session_id: "named",
        approved_keys: [{ tool_id: pending.tool_id, args: wrong }],
      });
    expect(readFileSync(received, "utf8")).toBe(before);
    const edit = (args: object) =>
      request<WirePending>(product, "POST", `/approvals/${pending.approval_id}/edit`, { args });
    expect(await edit({ ...pending.args, target_domain: "evil.example" })).toMatchObject({
      status: 400,
      body: { error: { details: { fields: ["target_domain"] } } },
    });
    const edited = await edit({ ...pending.args, what: "some" });
    expect(edited).toMatchObject({
      status: 200,
      body: { args: { what: "some", target_domain: target.domain } },
    });
    await decide(product, edited.body.approval_id, "deny");
    await request(product, "POST", "/agent/turn", { session_id: "named", approved_keys: [other.key] });
    expect(lastReceived().args).toMatchObject({ source_domain: target.domain, target_domain: source.domain });
  });

  it("[ops.keys] what waits is called with them after the key was rotated, and what comes then is sealed with the new one", async () => {
    const ask = (session_id: string) =>
      askFor(product, "do sites.migrate everything", { session_id, migration_config: { source, target } });
    const { pending } = await ask("before-rotation");
    const keyFile = join(dataDir, "secret.key");
    const keysOf = () =>
      readStore<{ id: string }>(
        dataDir,
        "select distinct substr(value, 4, 11) as id from kv where key like 'sealed.%'",
      );
    const [before, text] = [keysOf(), readFileSync(keyFile, "utf8")];
    const told: string[] = [];
    const rotation = spawn(process.execPath, ["countersign.js", "keys", "rotate", "--json"], {
      cwd: projectRoot,
      env: { ...process.env, COUNTERSIGN_DATA: dataDir },
      stdio: ["ignore", "pipe", "inherit"],
    });
    rotation.stdout.setEncoding("utf8").on("data", (chunk: string) => told.push(chunk));
    expect(await once(rotation, "close")).toEqual([0, null]);
    const { key_id: id, unreadable } = JSON.parse(told.join("")) as { key_id: string; unreadable: number };
    expect([before.length, unreadable, keysOf()]).toEqual([1, 0, [{ id }]]);
    expect(before).not.toEqual([{ id }]);
    expect(readFileSync(keyFile, "utf8")).toMatch(/^[\w+/]{43}=\n$/);
    expect(readFileSync(keyFile, "utf8")).not.toBe(text);

    const after = await ask("after-rotation");
    expect(keysOf()).toEqual([{ id }]);
    for (const { approval_id } of [pending, after.pending]) {
      writeFileSync(received, "");
      await decide(product, approval_id, "approve");
      await expect.poll(() => lastReceived()?.args.target_token).toBe(target.token);
    }
  });

  it("[ops.connect] a site is tried, kept sealed, used in its channel alone, and disconnected", async () => {
    const own = { domain: "own-canary.example:8443", token: "tok-canary-own-5" };
    canaries.push(own.token);
    const asks = (session: string) =>
      say(product, "do sites.read_site dashboards", { actor: "ana", session_id: session });
    const site = { actor: "ana", session_id: "with-site" };
    const begun = await request<{ url: string }>(product, "POST", "/connections/sites", site);
    const send = (form: Record<string, string>) =>
      fetch(begun.body.url, { method: "POST", body: new URLSearchParams(form) });
    expect(await (await fetch(begun.body.url)).text()).toContain("asks Countersign to do with");
    const nonsense = await send({ name: "own", domain: "not a host", token: own.token });
    expect(nonsense.status).toBe(400);
    expect(await nonsense.text()).toContain("expected a host such as");
    const refused = await send({ name: "own", domain: own.domain, token: "revoked-1" });
    expect(await refused.text()).toContain("sites could not work with this site");
    expect((await asks("with-site")).body.tool_result).toMatchObject({ ok: false });

    const kept = await send({ name: "own", domain: `https://${own.domain}/`, token: own.token, ssl: "on" });
    const page = await kept.text();
    expect(page).toContain("sites could work with it");
    // The link is good once, for its person's browser and for anybody else's.
    for (const again of [await fetch(begun.body.url), await send({ ...own, name: "again" })])
      expect([again.status, await again.text()]).toEqual([400, expect.stringContaining("was used already")]);

    expect((await asks("with-site")).body.tool_result).toMatchObject({ ok: true });
    expect(lastReceived().args).toMatchObject({ tenant_domain: own.domain, tenant_token: own.token });
    // Another server that works on sites is not given it, nor another channel, nor another person.
    const elsewhere = await say(product, "do web.read_site users", site);
    expect(elsewhere.body.tool_result).toMatchObject({ ok: false, error: { code: "refused" } });
    expect((await asks("another")).body.tool_result).toMatchObject({ ok: false });
    const other = await say(product, "do sites.read_site users", { ...site, actor: "ben" });
    expect(other.body.tool_result).toMatchObject({ ok: false });
    const { body: listed } = await request<{ accounts: object[] }>(
      product,
      "GET",
      "/accounts?actor=ana&session_id=with-site",
    );
    expect(listed.accounts).toContainEqual(
      expect.objectContaining({ site: { name: "own", domain: own.domain, uses: ["tenant"] } }),
    );
    const choose = (choice: object) =>
      request(product, "PUT", "/connections/sites/site", { ...site, ...choice });
    expect(await choose({ name: "theirs", as: "tenant" })).toMatchObject({ status: 404 });
    expect(await choose({ name: null, as: "tenant" })).toMatchObject({ status: 200 });
    expect((await asks("with-site")).body.tool_result).toMatchObject({ ok: false });
    expect(await choose({ name: "OWN", as: "tenant" })).toMatchObject({ status: 200 });
    expect((await asks("with-site")).body.tool_result).toMatchObject({ ok: true });
    await request(product, "DELETE", "/connections/sites?whose=site:own", { actor: "ana" });
    expect((await asks("with-site")).body.tool_result).toMatchObject({ ok: false });
    const noted = readStore<{ kind: string }>(dataDir, "select kind from audit where kind like 'site.%'");
    expect(noted.map(({ kind }) => kind)).toEqual([
      "site.connected",
      "site.used",
      "site.used",
      "site.disconnected",
    ]);
    expectNoLeak(page, JSON.stringify(listed), JSON.stringify(product.log));
  });

  it("[mcp.credentials] a turn that ends because a person denies forgets them", async () => {
    const { body } = await say(product, "do sites.migrate everything", {
      migration_config: { source, target },
      session_id: "denied",
    });
    await decide(product, body.pending_confirmation?.approval_id ?? "", "deny");
    await follow(product, body.turn_id ?? "");
    expect(readStore(dataDir, "select key from kv where key like 'sealed.turn-credentials:%'")).toEqual([]);
  });

  it("[mcp.credentials] the values stand in no prompt, log line, event, card, file or byte of the store", async () => {
    const { body } = await say(product, "do sites.read_broken dashboards", {
      tenant_config: tenant,
      session_id: "broken",
    });
    await say(product, "do web.read_site users", { tenant_config: tenant, session_id: "broken" });
    expect(body.tool_result).toMatchObject({ ok: false, error: { code: "tool_error" } });
    const shown = JSON.stringify(await follow(product, body.turn_id ?? ""));
    const stderr = await product.line((line) => JSON.stringify(line).includes("sites: used"));
    expect(JSON.stringify(stderr)).toContain("[redacted]");
    const page = await (await fetch(`${product.url}/?session=broken`)).text();
    expectNoLeak(shown, page, JSON.stringify(product.log));
    expect(model.wire()).toContain("[redacted]");
    // The search finds what it looks for.
    expect(leaks(readFileSync(received, "utf8")).length).toBeGreaterThan(1);
  });

  it("[mcp.credentials] are kept sealed while a turn waits, also over a kill, and forgotten when it ends", async () => {
    const asked = await say(product, "do sites.migrate everything", {
      migration_config: { source, target },
      session_id: "waits",
    });
    const pending = asked.body.pending_confirmation;
    const rows = (): unknown[] =>
      readStore(dataDir, "select key from kv where key like 'sealed.turn-credentials:%'");
    expect(rows()).toHaveLength(1);
    expect(leaks(dataBytes())).toEqual([]);
    const elsewhere = await say(product, "do sites.migrate everything", {
      migration_config: { source: target, target: source },
      session_id: "turned",
    });

    await product.kill();
    const before = product.log;
    // What was approved is not sent elsewhere because the mapping is another one by now.
    const turned = { source_domain: "target.domain", target_domain: "source.domain" };
    product = await startProduct({ config: withMapping(turned), dataDir });
    const sent = readFileSync(received, "utf8");
    await decide(product, elsewhere.body.pending_confirmation?.approval_id ?? "", "approve");
    await follow(product, elsewhere.body.turn_id ?? "");
    const { body: refused } = await request<WirePending>(
      product,
      "GET",
      `/approvals/${elsewhere.body.pending_confirmation?.approval_id}`,
    );
    expect(refused).toMatchObject({ state: "void", note: "where it would act changed since the request" });
    expect(readFileSync(received, "utf8")).toBe(sent);

    await product.kill();
    product = await startProduct({ config, dataDir });
    await decide(product, pending?.approval_id ?? "", "approve");
    await follow(product, asked.body.turn_id ?? "", 0);
    expect(lastReceived()).toMatchObject({
      name: "migrate",
      args: {
        what: "everything",
        source_domain: source.domain,
        source_token: source.token,
        target_domain: target.domain,
        target_token: target.token,
      },
    });
    expect(rows()).toHaveLength(0);
    expectNoLeak(JSON.stringify([before, product.log, asked.body]));
    expect((await product.stop()) ?? 0).toBe(0);
    expectNoLeak();
  });
});
