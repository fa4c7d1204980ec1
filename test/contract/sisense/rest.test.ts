import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";

import nock from "nock";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { createRest } from "#servers/kit/rest.ts";
import { ToolFailure } from "#servers/kit/tool.ts";
import { createApi } from "#servers/sisense/api.ts";
import { openRows } from "#servers/sisense/demo/deployment.ts";
import { generate, type World } from "#servers/sisense/demo/generate.ts";
import { answer } from "#servers/sisense/demo/routes.ts";
import type { Method } from "#servers/sisense/deployment.ts";

import { amount } from "#test/amount.ts";
import { ACCESS, type Case, DASHBOARD, DATAMODEL, MIGRATION, WEEKLY, WELLCHECK } from "./cases.ts";
import { type Answer, type Desk, openDesk } from "./support.ts";

let desk: Desk;
let rows: ReturnType<typeof openRows>;
let eu: Site;
let us: Site;

beforeAll(async () => {
  if (!nock.isActive()) nock.activate();
  desk = await openDesk();
  rows = openRows(desk.folder);
  [eu, us] = await Promise.all([startSite("token-of-eu"), startSite("token-of-us")]);
});
afterAll(async () => {
  eu.server.close();
  us.server.close();
  await desk.close();
  nock.restore();
});

/** A deployment on this machine, which is told what a demo would answer and knows no other token. */
interface Site {
  domain: string;
  token: string;
  server: Server;
  /** Set by each test. */
  handle: (
    asked: string,
    query: Record<string, string>,
    body: unknown,
  ) => Promise<[status: number, body: unknown]>;
}

async function startSite(token: string): Promise<Site> {
  const site: Site = { domain: "", token, server: createServer(), handle: async () => [500, {}] };
  site.server.on("request", (request, response) => {
    void (async () => {
      const text = await readText(request);
      const url = new URL(request.url ?? "/", "http://host");
      const isKnown = request.headers.authorization === `Bearer ${token}`;
      const [status, body] = isKnown
        ? await site.handle(
            `${request.method} ${url.pathname}`,
            Object.fromEntries(url.searchParams),
            text === "" ? undefined : JSON.parse(text),
          )
        : ([401, { message: "no such token" }] as const);
      response.writeHead(status, { "content-type": "application/json", "retry-after": "0" });
      response.end(body === undefined ? "" : JSON.stringify(body));
    })();
  });
  site.server.listen(0, "127.0.0.1");
  await once(site.server, "listening");
  site.domain = `127.0.0.1:${(site.server.address() as AddressInfo).port}`;
  return site;
}

/** A POST that only reads. */
const READS = /\/(?:searches|ecm\/|table_schema_details)$/;
const isRead = (asked: string): boolean => asked.includes("GET /") || READS.test(asked);

type Fault = (asked: string) => number | undefined;

/** What a demo answers, at a site. */
function serve(site: Site, world: World, asked: string[], role: string, fault: Fault): void {
  site.handle = async (one, query, body) => {
    asked.push(`${role}${one}`);
    const status = fault(one);
    if (status !== undefined) return [status, { message: `refused, with Bearer ${site.token}` }];
    const [method = "", path = ""] = one.split(" ");
    try {
      if (path.endsWith("/sql")) return [200, await rows(query["query"] ?? "", AbortSignal.timeout(5000))];
      return [200, answer(world, method as Method, path, { query, body })];
    } catch (error) {
      const known = { not_found: 404, conflict: 409, bad_request: 400 };
      const code = error instanceof ToolFailure ? error.code : "";
      return [known[code as "conflict"] ?? 500, { message: String(error) }];
    }
  };
}

/** Calls a tool of one or two deployments, and tells what they were asked for. */
async function callOver(
  { tool, args }: Pick<Case, "tool" | "args">,
  fault: Fault = () => undefined,
  worlds: { source?: World; target?: World; signal?: AbortSignal } = {},
) {
  const asked: string[] = [];
  const two = tool.startsWith("migration.");
  const { source = generate("source"), target = generate("target"), signal } = worlds;
  serve(eu, source, asked, two ? "source " : "", fault);
  if (two) serve(us, target, asked, "target ", fault);
  const site = (at: Site, role = ""): object => ({
    [`${role}domain`]: at.domain,
    [`${role}token`]: at.token,
    [`${role}ssl`]: false,
  });
  const sites = two ? { ...site(eu, "source_"), ...site(us, "target_") } : site(eu);
  const answered = await desk.call(tool, { ...args, ...sites }, signal && { signal });
  return { ...answered, asked };
}

/** As the case has it, where ":" stands for any part of a path. */
function asCase(asked: string, asks: readonly string[]): string {
  const fits = (one: string): boolean =>
    new RegExp(`^${one.replaceAll(/[.()]/g, String.raw`\$&`).replaceAll(":", "[^/]+")}$`).test(asked);
  return asks.find(fits) ?? asked;
}

const ALL = [...ACCESS, ...DASHBOARD, ...DATAMODEL, ...MIGRATION, ...WELLCHECK];
const OVER_REST = ALL.filter(({ asks }) => asks.length > 0);
const CHANGES = OVER_REST.filter(({ asks }) => asks.some((one) => !isRead(one)));

describe("the tools over REST", () => {
  it.each(ALL)(
    "[sisense.tools] $tool asks for what it needs, and brings what the demo brings",
    async (one) => {
      const { data, text, isError, asked } = await callOver(one);
      expect([isError, text.slice(0, 300)]).toEqual([false, expect.any(String)]);
      expect(data).toMatchObject(one.brings as object);
      expect([...new Set(asked.map((path) => asCase(path, one.asks)))].toSorted()).toEqual(
        one.asks.toSorted(),
      );
      expect(text).not.toContain("token-of");
    },
  );

  const said = ({ data, text }: Pick<Answer, "data" | "text">): string =>
    `${text} ${JSON.stringify(data.failed ?? "")}`;

  it.each([
    [401, /does not accept the credentials \(401\).*Check the token/, 1],
    [403, /does not allow this to the account in use \(403\)/, 1],
    [404, /\(404\)|not there/, 1],
    [429, /limiting requests \(429\)/, 4],
    [502, /answered 502 to/, 4],
  ] as const)(
    "[sisense.tools] a read answered %i fails in words, whichever tool asked",
    async (status, words, tries) => {
      // In the short form each status meets every third tool, and each tool more than one status.
      const each = amount(1, 3);
      for (const one of OVER_REST.filter((_, at) => (at + status) % each === 0)) {
        const { asked, ...answered } = await callOver(one, () => status);
        expect([one.tool, said(answered)]).toEqual([one.tool, expect.stringMatching(words)]);
        expect(said(answered)).not.toContain("token-of");
        if (answered.isError)
          expect(answered.data).toMatchObject({ tool_id: one.tool, ok: false, error: answered.text });
        // A list is asked for again by who needs it next, and something not found under its title.
        const often = Math.max(...asked.map((path) => asked.filter((other) => other === path).length));
        const isRetried = tries > 1 && asked.some((path) => isRead(path));
        if (status !== 404) expect([one.tool, often >= 4]).toEqual([one.tool, isRetried]);
      }
    },
  );

  it.each(CHANGES)("[sisense.tools] $tool sends a change once, whatever it is answered", async (one) => {
    for (const status of [429, 500]) {
      const { asked, ...answered } = await callOver(one, (path) => (isRead(path) ? undefined : status));
      expect(said(answered)).toMatch(status === 429 ? /429/ : /answered 500/);
      const changes = asked.filter((path) => !isRead(path));
      // Of a migration another item's path may be the same.
      if (!one.tool.startsWith("migration.")) expect(new Set(changes).size).toBe(changes.length);
      if (answered.isError && status === 500)
        expect(answered.text).toContain("may or may not have been made");
    }
  });
});

const EU = { domain: "eu.example", token: "token-of-eu" };

describe("sites of calls", () => {
  afterEach(() => nock.cleanAll());

  it("[sisense.server] a token goes to the domain that it came with, and never to another", async () => {
    const alone = await desk.call("access.get_users_all", { token: "secret-token" });
    expect(alone.data).toMatchObject({
      error_type: "bad_site",
      error: expect.stringContaining("token came without domain"),
    });
    const env = { SISENSE_DOMAIN: eu.domain, SISENSE_TOKEN: eu.token, SISENSE_SSL: "false" };
    await using other = await openDesk(env);
    const stolen = await other.call("access.get_users_all", { domain: us.domain, ssl: false });
    expect(stolen.data.error).toBe("domain came without token: expected both");
    serve(eu, generate("source"), [], "", () => undefined);
    expect((await other.call("access.get_users_all")).data).toMatchObject({ count: 43 });
    const none = await other.call("migration.migrate_all_groups");
    expect(none.data.error).toContain("no source is configured");
  });

  it.each([
    ["8.8.8.8", "is elsewhere: leave ssl out"],
    ["http://1.1.1.1/", "is elsewhere"],
    ["user@host", "expected a host such as acme.example.com"],
    ["host/path", "expected a host such as"],
  ])("[sisense.server] refuses plain http to %s", async (domain, words) => {
    const { data } = await desk.call("access.get_users_all", { domain, token: "secret-token", ssl: false });
    expect(data).toMatchObject({ ok: false, error_type: "bad_site", error: expect.stringContaining(words) });
  });

  it("[sisense.server] https is what a site is asked by, with its token", async () => {
    nock("https://eu.example", { reqheaders: { authorization: "Bearer token-of-eu" } })
      .get("/api/v1/users")
      .reply(200, [])
      .get("/api/v1/groups")
      .reply(200, [])
      .get("/api/roles")
      .reply(200, []);
    expect((await desk.call("access.get_users_all", EU)).data).toEqual({ users: [], count: 0 });
    expect(nock.pendingMocks()).toEqual([]);
  });

  it("[sisense.server] a certificate that does not hold is refused with a clear word", async () => {
    const failure = Object.assign(new Error("self-signed certificate"), {
      code: "DEPTH_ZERO_SELF_SIGNED_CERT",
    });
    nock("https://eu.example").get("/api/v2/connections").query({ name: "x" }).replyWithError(failure);
    const { data } = await desk.call("datamodel.get_connection", { connection_name: "x", ...EU });
    expect(data).toMatchObject({
      error_type: "certificate",
      error: expect.stringContaining(
        "the certificate of eu.example cannot be trusted (self-signed certificate)",
      ),
    });
  });

  it.skipIf(spawnSync("openssl", ["version"]).status !== 0)(
    "[sisense.server] a site with a certificate of its own making is sent nothing, the token least of all",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "sisense-"));
      const made =
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost";
      const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
      spawnSync("openssl", [...made.split(" "), "-keyout", key, "-out", cert]);
      let asked = 0;
      const server = createHttps({ key: readFileSync(key), cert: readFileSync(cert) }, () => (asked += 1));
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const domain = `localhost:${(server.address() as AddressInfo).port}`;
      const { data } = await desk.call("access.get_users_all", { domain, token: "canary-of-tls" });
      server.close();
      expect(data).toMatchObject({
        error_type: "certificate",
        error: expect.stringMatching(
          /^the certificate of localhost:\d+ cannot be trusted \(self-signed cert/,
        ),
      });
      expect([asked, JSON.stringify(data).includes("canary")]).toEqual([0, false]);
    },
  );

  it("[sisense.server] an answer of another form is told, and is no crash", async () => {
    eu.handle = async () => [200, { users: "none" }];
    const site = { domain: eu.domain, token: eu.token, ssl: false };
    expect((await desk.call("access.get_users_all", site)).data).toMatchObject({
      error_type: "invalid_answer",
      error: expect.stringContaining("in a form that is not known"),
    });
  });
});

describe("what goes wrong at a site", () => {
  afterEach(() => nock.cleanAll());

  it("[sisense.server] a host that is not there is named once, and only what may be done is in doubt", async () => {
    const away = (): Error => Object.assign(new Error("connect ECONNRESET"), { code: "ECONNRESET" });
    nock("https://eu.example").post("/api/v1/dashboards/searches").replyWithError(away());
    const read = await desk.call("access.get_all_dashboard_shares", EU);
    expect(read.text).toBe("Sisense at eu.example cannot be reached: connect ECONNRESET");
    nock("https://eu.example").post("/api/v2/connections").replyWithError(away());
    const connection_payload = { name: "a", provider: "RedShift" };
    const made = await desk.call("datamodel.create_connections", { connection_payload, ...EU });
    expect(made.text).toContain("The change may or may not have been made");
  });

  it.each([
    [{ domain: "http://127.0.0.1:1", ssl: true }, "http://127.0.0.1:1 came with ssl: true"],
    [{ domain: "https://127.0.0.1:1", ssl: false }, "https://127.0.0.1:1 came with ssl: false"],
    [{ domain: "http://ana:pa55word@host" }, 'got "http://…@host"'],
  ])("[sisense.server] %j is refused", async (site, words) => {
    const { data } = await desk.call("access.get_users_all", { ...site, token: "secret-token" });
    expect(data).toMatchObject({ error_type: "bad_site", error: expect.stringContaining(words) });
    expect(JSON.stringify(data)).not.toContain("pa55word");
  });

  it("[sisense.migration] one end that was given is never filled up with the demo", async () => {
    const source = { source_domain: eu.domain, source_token: eu.token, source_ssl: false };
    expect((await desk.call("migration.migrate_all_groups", source)).data).toMatchObject({
      error_type: "bad_site",
      error: expect.stringContaining("give target_domain and target_token"),
    });
  });

  const all = { tool: "migration.migrate_dashboards", args: { dashboard_names: ["Weekly Sales", "Visits"] } };
  const overwrite = { ...all, args: { ...all.args, action: "overwrite" } };

  it("[sisense.migration] a title that stands twice at an end overwrites nothing", async () => {
    for (const end of ["source", "target"] as const) {
      const worlds = { source: generate("source"), target: generate("target") };
      const of = (title: string) => worlds[end].dashboards.find((one) => one.title === title);
      const there = worlds.target.dashboards.find(({ title }) => title === "Weekly Sales");
      Object.assign(there ?? {}, { oid: "another" });
      worlds[end].dashboards.push({ ...of("Weekly Sales"), oid: `twin-${end}` } as never);
      const args = { ...overwrite.args, dashboard_names: undefined, dashboard_ids: [WEEKLY] };
      const { data, asked } = await callOver({ ...overwrite, args }, undefined, worlds);
      expect(data.failed).toMatchObject([
        { reason: expect.stringContaining(`there are 2 "Weekly Sales" at the ${end}`) },
      ]);
      expect(asked.filter((one) => !isRead(one))).toEqual([]);
    }
  });

  it("[sisense.migration] an export without a body is one that failed, and the others go on", async () => {
    let first = true;
    serve(us, generate("target"), [], "", () => undefined);
    serve(eu, generate("source"), [], "", () => undefined);
    const { handle } = eu;
    eu.handle = async (asked, query, body) => {
      const isEmpty = first && asked.includes("-exports/");
      if (isEmpty) first = false;
      return isEmpty ? [200, undefined] : handle(asked, query, body);
    };
    const sites = { source_domain: eu.domain, source_token: eu.token, source_ssl: false };
    const { data } = await desk.call("migration.migrate_all_datamodels", {
      ...sites,
      target_domain: us.domain,
      target_token: us.token,
      target_ssl: false,
      action: "overwrite",
    });
    expect(data.failed).toEqual(
      expect.arrayContaining([expect.objectContaining({ reason: expect.stringContaining("export") })]),
    );
    expect(data.succeeded.length).toBeGreaterThan(3);
  });

  const script = {
    tool: "dashboard.add_dashboard_script",
    args: { dashboard_id: WEEKLY, script: "on();", executing_user: "admin.demo@shop.example" },
  };

  it("[sisense.dashboard] a cancelled call gives a dashboard back to its owner, with its shares", async () => {
    const source = generate("source");
    const before = structuredClone(source.dashboards.find(({ oid }) => oid === WEEKLY));
    const stop = new AbortController();
    let restored = (): void => {};
    const isRestored = new Promise<void>((resolve) => (restored = resolve));
    const fault: Fault = (asked) => {
      if (asked.startsWith("PUT ")) stop.abort("enough");
      if (asked.startsWith("POST /api/shares/")) setImmediate(restored);
      return undefined;
    };
    await expect(callOver(script, fault, { source, signal: stop.signal })).rejects.toThrow("enough");
    await isRestored;
    const after = source.dashboards.find(({ oid }) => oid === WEEKLY);
    expect([after?.owner, after?.shares]).toEqual([before?.owner, before?.shares]);
  });

  it("[sisense.dashboard] what could not be given back is told, and nothing that nobody knows", async () => {
    const shares = await callOver(script, (asked) =>
      asked.startsWith("POST /api/shares") ? 500 : undefined,
    );
    expect(shares.text).toMatch(/^The script was written, and the shares of Weekly Sales may be others/);
    let owners = 0;
    const owner = await callOver(script, (asked) => {
      if (asked.includes("change_owner")) owners += 1;
      return asked.startsWith("PUT ") || owners > 1 ? 500 : undefined;
    });
    expect(owner.text).toMatch(/^Whether the script was written is not known .*may still be admin\.demo/);
  });

  it("[sisense.access] dashboards of one title have each a line of their own", async () => {
    const source = generate("source");
    const visits = source.dashboards.find(({ title }) => title === "Visits");
    source.dashboards.push({ ...visits, oid: "5f0000000000000000000000" } as never);
    const args = {
      executing_user: "admin.demo@shop.example",
      folder_name: "Web",
      new_owner_name: "ben.okafor@shop.example",
      dry_run: true,
    };
    const tool = "access.change_folder_and_dashboard_ownership";
    const { data } = await callOver({ tool, args }, undefined, { source });
    expect(Object.keys(data.after)).toEqual(
      expect.arrayContaining([
        "Folder Web",
        expect.stringMatching(/^Dashboard Visits \(.+\)$/),
        "Dashboard Visits (5f0000000000000000000000)",
      ]),
    );
  });

  it("[sisense.server] a list that could not be read is asked for again by who needs it next", async () => {
    let tries = 0;
    const deployment = {
      name: "x",
      request: async () => {
        tries += 1;
        if (tries === 1) throw new ToolFailure("network", "gone");
        return [];
      },
    };
    const api = createApi(deployment, AbortSignal.timeout(5000));
    await expect(api.groups()).rejects.toThrow("gone");
    expect(await api.groups()).toEqual([]);
  });
});

describe("answers without an end", () => {
  it.each([
    [200, "too_large", "answered with more than 50 MB: ask for less"],
    [403, "forbidden", "does not allow this"],
  ])("[sisense.server] of %i are read as far as it takes", async (status, code, words) => {
    const endless = createServer((_, response) => {
      response.writeHead(status);
      const chunk = Buffer.alloc(1024 * 1024, "x");
      const write = (): void => void (!response.destroyed && response.write(chunk) && setImmediate(write));
      response.on("drain", write);
      write();
    });
    endless.listen(0, "127.0.0.1");
    await once(endless, "listening");
    const baseUrl = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`;
    const rest = createRest({ service: "It", baseUrl, auth: { kind: "none" } });
    await expect(rest.get("/x")).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
    endless.close();
  });
});
