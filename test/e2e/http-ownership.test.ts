import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { Keyv } from "keyv";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createApp } from "#adapters/http/app.ts";
import { createGuessLimit } from "#adapters/http/guard.ts";
import { createSessions, createTokenRegistry } from "#adapters/http/identity.ts";
import { loadAssets } from "#adapters/http/page/assets.ts";
import type { AccountActions, Connections } from "#contract/connections.ts";
import { type AuthorisedServer, startAuthorisedServer } from "#test/fakes/auth-server.ts";
import { root } from "#test/fakes/mcp-box.ts";
import type { FakeSlack } from "#test/fakes/slack/slack.ts";
import { createFakeCore, createTurn } from "#test/unit/http/fake-core.ts";
import { createCards } from "#views/cards/cards.ts";
import { createForms } from "#views/forms/forms.ts";

import { follow, press } from "./oauth-browser.ts";
import { answerTo, startBot, startSlackWorkspace } from "./slack-support.ts";
import {
  cleanUp,
  cleanUpAll,
  freePort,
  jiraOnly,
  parseEventStream,
  readStore,
  type HostedProduct,
} from "./support.ts";

/** `ana` asked, `ben` approved, `chloe` did nothing there, `root` is an operator. */
const PEOPLE = ["ana", "ben", "chloe", "root"] as const;
type Person = (typeof PEOPLE)[number] | "eve" | "dan" | "sam" | "cleo";

const SESSION = "ana's kestrel";
const CONVERSATION = `http:${SESSION}`;

interface Ids {
  turn: string;
  /** The turn that drew a chart. */
  charted: string;
  /** The turn that asks for arguments. */
  fill: string;
  /** Approved by ben, and done. */
  done: string;
  /** Waits for ana. */
  pending: string;
  grant: string;
  question: string;
  file: string;
}

/** What everybody of PEOPLE is answered, in the order of the columns: ana, ben, chloe, root. */
interface Row {
  path: (ids: Ids) => string;
  body?: (ids: Ids) => unknown;
  accept?: string;
  /**
   * `public`: needs no token. `own`: everybody has one of their own. `list`: answered to all, and holds `mark` for
   * those alone who may see it. `id`: 404 to a stranger, in the words of an id that there is none of. `place`: the
   * same, but that one which does not exist yet is anybody's. `operator`: 403 to everybody else.
   */
  kind: "public" | "own" | "list" | "id" | "place" | "operator";
  mark?: (ids: Ids) => string;
  /** Statuses for those who may see it; 200 without. */
  seen?: number[];
  /** Of what ids of a chat platform it can be asked. */
  of?: "turn" | "approval";
}

const NONE = "none_0000";
const turnPath = (rest = "") => ({
  path: ({ turn }: Ids) => `/agent/turns/${turn}${rest}`,
  of: "turn" as const,
});
const privacy = () => `/channels/${encodeURIComponent(CONVERSATION)}/privacy`;
const session = encodeURIComponent(SESSION);

const TABLE: Record<string, Row> = {
  "GET /": { kind: "id", path: () => `/?c=${session}` },
  "GET /playground/thread": { kind: "id", path: () => `/playground/thread?c=${session}` },
  "POST /agent/turns/:id/feedback": {
    kind: "id",
    path: ({ turn }) => `/agent/turns/${turn}/feedback`,
    body: () => ({ verdict: "good" }),
  },
  "GET /agent/turns/:id/results/:n/table": {
    kind: "id",
    path: ({ turn }) => `/agent/turns/${turn}/results/0/table`,
  },
  "GET /agent/turns/:id/results/:n/chart.svg": {
    kind: "id",
    path: ({ charted }) => `/agent/turns/${charted}/results/0/chart.svg`,
  },
  "GET /playground/commands": { kind: "own", path: () => "/playground/commands" },
  "GET /playground/troubles": { kind: "own", path: () => "/playground/troubles" },
  "POST /session": { kind: "public", path: () => "/session" },
  "DELETE /session": { kind: "public", path: () => "/session" },
  "GET /health": { kind: "public", path: () => "/health" },
  "GET /oauth/callback": { kind: "public", path: () => "/oauth/callback?state=x" },
  "POST /oauth/callback": { kind: "public", path: () => "/oauth/callback" },
  // The link is a secret of its own.
  "GET /connect/:token": { kind: "public", path: () => `/connect/${"x".repeat(32)}` },
  "POST /connect/:token": { kind: "public", path: () => `/connect/${"x".repeat(32)}` },
  "GET /connect.css": { kind: "public", path: () => "/connect.css" },
  "GET /oauth/client.json": { kind: "public", path: () => "/oauth/client.json" },
  "GET /playground/assets/:name": { kind: "public", path: () => "/playground/assets/app.js" },
  "GET /tools": { kind: "own", path: () => "/tools" },
  "GET /playground/health": { kind: "own", path: () => "/playground/health" },
  "GET /playground/panel": { kind: "own", path: () => "/playground/panel" },
  "GET /connections": { kind: "own", path: () => "/connections" },
  "GET /people/me": { kind: "own", path: () => "/people/me" },
  "GET /people/me/accounts/:server": { kind: "own", path: () => "/people/me/accounts/jira?query=ana" },
  "PUT /people/me/accounts/:server": {
    kind: "own",
    path: () => "/people/me/accounts/jira",
    body: () => ({ account: "emi" }),
  },
  "DELETE /people/me/accounts/:server": {
    kind: "own",
    path: () => "/people/me/accounts/jira",
    body: () => ({}),
    seen: [200],
  },

  "POST /agent/turn": {
    kind: "place",
    path: () => "/agent/turn",
    body: () => ({ session_id: SESSION, message: "/jira DEMO-1" }),
    accept: "text/event-stream",
  },
  "GET /agent/turns/:id": { kind: "id", ...turnPath() },
  "POST /agent/turns/:id/stop": { kind: "id", ...turnPath("/stop"), body: () => ({}), seen: [202] },
  "GET /conversations": { kind: "list", path: () => "/conversations", mark: () => "Kestrel" },
  "GET /conversations/:session": { kind: "id", path: () => `/conversations/${session}` },
  "PATCH /conversations/:session": {
    kind: "id",
    path: () => `/conversations/${session}`,
    body: () => ({ title: "Kestrel" }),
  },
  // Something in it waits for a person.
  "DELETE /conversations/:session": {
    kind: "id",
    path: () => `/conversations/${session}`,
    body: () => ({}),
    seen: [409],
  },
  "GET /audit": { kind: "operator", path: () => "/audit" },
  "GET /metrics": { kind: "operator", path: () => "/metrics" },
  "GET /audit/export": { kind: "operator", path: () => "/audit/export" },
  "GET /changes": { kind: "own", path: () => "/changes", accept: "text/event-stream" },
  "GET /approvals": { kind: "list", path: () => "/approvals", mark: ({ pending }) => pending },
  "GET /playground/inbox": { kind: "own", path: () => "/playground/inbox" },
  "GET /approvals/:id": { kind: "id", path: ({ done }) => `/approvals/${done}`, of: "approval" },
  "POST /approvals/:id/decision": {
    kind: "id",
    path: ({ done }) => `/approvals/${done}/decision`,
    body: () => ({ decision: "deny" }),
    seen: [403, 409],
    of: "approval",
  },
  "POST /approvals/decisions": {
    kind: "id",
    path: () => "/approvals/decisions",
    body: ({ done }) => ({ decision: "deny", approval_ids: [done] }),
    seen: [403, 409],
    of: "approval",
  },
  "POST /approvals/:id/edit": {
    kind: "id",
    path: ({ done }) => `/approvals/${done}/edit`,
    body: () => ({ args: { issue_key: "DEMO-1", body: "Osprey" } }),
    seen: [403, 409],
    of: "approval",
  },
  "POST /approvals/:id/lookup": {
    kind: "id",
    path: ({ done }) => `/approvals/${done}/lookup`,
    body: () => ({}),
    seen: [403, 409],
    of: "approval",
  },
  "POST /approvals/:id/settle": {
    kind: "id",
    path: ({ done }) => `/approvals/${done}/settle`,
    body: () => ({ outcome: "did_not" }),
    seen: [403, 409],
    of: "approval",
  },
  "GET /grants": { kind: "list", path: () => "/grants", mark: ({ grant }) => grant },
  "GET /questions": { kind: "list", path: () => "/questions", mark: ({ question }) => question },
  "GET /questions/:id": { kind: "id", path: ({ question }) => `/questions/${question}` },
  "GET /files/:id": { kind: "id", path: ({ file }) => `/files/${file}` },
  "GET /channels/:id/privacy": { kind: "place", path: privacy },
  "PUT /channels/:id/privacy": { kind: "place", path: privacy, body: () => ({ summarize: true }) },
  "GET /accounts": { kind: "place", path: () => `/accounts?session_id=${session}` },
  "POST /connections/:server": {
    kind: "place",
    path: () => "/connections/crew",
    body: () => ({ session_id: SESSION }),
    seen: [201],
  },
  "PUT /connections/:server/site": {
    kind: "place",
    path: () => "/connections/files/site",
    body: () => ({ session_id: SESSION, name: null, as: "tenant" }),
  },
  "DELETE /connections/:server": {
    kind: "place",
    path: () => `/connections/team?whose=${encodeURIComponent(CONVERSATION)}`,
    seen: [200, 403],
  },

  "GET /playground/turns/:id": { kind: "id", path: ({ turn }) => `/playground/turns/${turn}`, of: "turn" },
  "GET /playground/turns/:id/drawings/:name": {
    kind: "id",
    path: ({ turn }) => `/playground/turns/${turn}/drawings/slack`,
    of: "turn",
  },
  "GET /playground/turns/:id/fill": { kind: "id", path: ({ fill }) => `/playground/turns/${fill}/fill` },
  "POST /playground/turns/:id/fill": {
    kind: "id",
    path: ({ fill }) => `/playground/turns/${fill}/fill`,
    body: () => ({ values: [], event_id: "e" }),
    seen: [422],
  },
  // It offers nothing there.
  "POST /playground/turns/:id/next/:at": {
    kind: "id",
    path: ({ turn }) => `/playground/turns/${turn}/next/9`,
    body: () => ({ event_id: "e" }),
    seen: [409],
  },
  "GET /playground/conversations": {
    kind: "list",
    path: () => "/playground/conversations",
    mark: () => "Kestrel",
  },
  "GET /playground/approvals/:id/edit": {
    kind: "id",
    path: ({ pending }) => `/playground/approvals/${pending}/edit`,
    of: "approval",
  },
  "POST /playground/approvals/:id/edit": {
    kind: "id",
    path: ({ pending }) => `/playground/approvals/${pending}/edit`,
    body: () => ({ values: [] }),
    seen: [422],
    of: "approval",
  },
  "POST /playground/approvals/:id/lookup": {
    kind: "id",
    path: ({ done }) => `/playground/approvals/${done}/lookup`,
    body: () => ({}),
    seen: [403, 409],
    of: "approval",
  },
  "GET /playground/grants": {
    kind: "list",
    path: () => `/playground/grants?c=${session}`,
    mark: ({ grant }) => grant,
  },
  "GET /playground/questions/:id": {
    kind: "id",
    path: ({ question }) => `/playground/questions/${question}`,
  },
  "GET /playground/accounts": { kind: "place", path: () => `/playground/accounts?c=${session}` },
  "POST /playground/accounts": {
    kind: "list",
    path: () => "/playground/accounts",
    body: () => ({ action: "connect", value: "crew", session_id: SESSION }),
    mark: () => "href=",
  },
  // What changes things for those who see it comes last.
  "POST /grants/:id/revoke": {
    kind: "id",
    path: ({ grant }) => `/grants/${grant}/revoke`,
    body: () => ({}),
    seen: [200, 403],
  },
  "POST /questions/:id/answer": {
    kind: "id",
    path: ({ question }) => `/questions/${question}/answer`,
    body: () => ({ action: "decline" }),
    seen: [200, 403],
  },
  "POST /playground/questions/:id/answer": {
    kind: "id",
    path: ({ question }) => `/playground/questions/${question}/answer`,
    body: () => ({ action: "decline", values: [] }),
    seen: [403, 409],
  },
};

let slack: FakeSlack;
let accounts: AuthorisedServer;
let product: HostedProduct;
let ids: Ids;

function tokenOf(person: Person): string {
  return `${person}-has-a-long-token`;
}

interface Answer {
  status: number;
  text: string;
}

/** The answer; of an event stream that is left open its status. */
async function ask(
  person: Person | undefined,
  method: string,
  path: string,
  body?: unknown,
  accept = "application/json",
): Promise<Answer> {
  const response = await fetch(`${product.url}${path}`, {
    method,
    redirect: "manual",
    headers: {
      accept,
      ...(person === undefined ? {} : { authorization: `Bearer ${tokenOf(person)}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true)
    return { status: response.status, text: await response.text() };
  await response.body?.cancel();
  return { status: response.status, text: "" };
}

function askRow(person: Person | undefined, key: string, row: Row, of: Ids): Promise<Answer> {
  return ask(person, key.split(" ")[0] ?? "", row.path(of), row.body?.(of), row.accept);
}

async function json<Body>(answer: Promise<Answer>): Promise<Body> {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(`${status} ${text}`);
  return JSON.parse(text) as Body;
}

interface Said {
  turn_id: string;
  tool_results: { files?: { file_id: string }[] }[];
  pending_confirmation?: { approval_id: string };
}

function say(person: Person, message: string, session_id = SESSION): Promise<Said> {
  return json(ask(person, "POST", "/agent/turn", { session_id, message }));
}

async function stored(sql: string, ...values: string[]): Promise<string> {
  return expect
    .poll(() => readStore<{ id: string }>(product.dataDir, sql, ...values)[0]?.id)
    .toBeTypeOf("string")
    .then(() => readStore<{ id: string }>(product.dataDir, sql, ...values)[0]?.id ?? "");
}

/** Reads what is counted. */
const SCRAPER = "the-scraper-has-a-long-token";
let metricsPort: number;

beforeAll(async () => {
  metricsPort = await freePort();
  slack = await startSlackWorkspace();
  accounts = await startAuthorisedServer(600);
  cleanUp(() => accounts.stop());
  const slackId = (name: string): string => `slack:${slack.team().id}:${slack.user(name).id}`;
  const base = jiraOnly({
    policy: {
      rules: [
        { tools: ["curious.*", "files.*"], decision: "allow", idempotent: true },
        {
          tools: ["jira.add_comment"],
          decision: "ask",
          approvers: ["requester", "http:ben"],
          grants: { max_ttl: "30m", max_uses: 5, vary: ["body"] },
        },
        { tools: ["jira.delete_issue"], decision: "ask", approvers: ["http:eve", "group:few"] },
      ],
      groups: { few: ["http:dan"] },
    },
  }) as { servers: object[]; commands: object };
  product = await startBot(slack, {
    config: {
      ...base,
      servers: [
        ...base.servers,
        { name: "curious", command: ["node", "test/fakes/mcp-fault.ts"], cwd: root },
        {
          name: "files",
          command: ["node", "test/fakes/mcp-files.ts"],
          cwd: root,
          credentials: { "meta:example.com/site": "tenant.domain" },
        },
        { name: "team", url: accounts.url, oauth: { per: "channel" } },
        { name: "crew", url: accounts.url, oauth: { per: "channel" } },
      ],
      commands: {
        ...base.commands,
        curious: { server: "curious", subcommands: { ask: "ask" } },
        files: { server: "files", subcommands: { report: "report" } },
      },
      slack: {
        bot_token: "${SLACK_BOT_TOKEN}",
        app_token: "${SLACK_APP_TOKEN:-}",
        api_url: "${SLACK_API_URL}",
      },
      metrics: { port: metricsPort, token: SCRAPER },
      http: {
        tokens: [
          ...(["ana", "ben", "chloe", "eve", "dan"] as const).map((actor) => ({
            token: tokenOf(actor),
            actor,
          })),
          { token: tokenOf("root"), actor: "root", role: "operator" },
          { token: tokenOf("sam"), actor: "sam", also: [slackId("ana")] },
          { token: tokenOf("cleo"), actor: "cleo", also: [slackId("chloe")] },
        ],
      },
    },
  });

  const comment = await say("ana", "add a comment to DEMO-1: Kestrel was here");
  const done = comment.pending_confirmation?.approval_id ?? "";
  await json(
    ask("ben", "POST", `/approvals/${done}/decision`, { decision: "approve", grant: { ttl: "10m" } }),
  );
  const { grants } = await json<{ grants: { grant_id: string }[] }>(ask("ben", "GET", "/grants"));
  const report = await say("ana", "/files report");
  const charted = await say("ana", "open issues in DEMO by status as a pie");
  const fill = await say("ana", "/jira create project=DEMO");
  const pending = await say("ana", "create an issue in DEMO titled 'Kestrel'");
  const { url } = await json<{ url: string }>(
    ask("ana", "POST", "/connections/team", { session_id: SESSION }),
  );
  const { callback } = await follow(url, "ana-account");
  await press(product, callback, { authorization: `Bearer ${tokenOf("ana")}` });
  const asking = await fetch(`${product.url}/agent/turn`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${tokenOf("ana")}`,
      accept: "text/event-stream",
      "content-type": "application/json",
    },
    body: JSON.stringify({ session_id: SESSION, message: "/curious ask" }),
  });
  let events = "";
  for await (const chunk of asking.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    events += chunk;
    if (events.includes("event: question") && events.endsWith("\n\n")) break;
  }
  const question = parseEventStream(events).find(({ event }) => event === "question")?.data.question_id;
  ids = {
    turn: comment.turn_id,
    charted: charted.turn_id,
    fill: fill.turn_id,
    done,
    pending: pending.pending_confirmation?.approval_id ?? "",
    grant: grants[0]?.grant_id ?? "",
    question: String(question),
    file: report.tool_results[0]?.files?.[0]?.file_id ?? "",
  };
});

afterAll(() => cleanUpAll());

async function routes(): Promise<string[]> {
  const core = createFakeCore(createTurn(), async function* () {});
  const all = {
    core,
    connections: {} as Connections,
    accounts: {} as AccountActions,
    view: () => Promise.resolve(undefined),
  };
  const write = (): void => undefined;
  const tokens = createTokenRegistry([]);
  const app = createApp({
    offers: { all, of: () => all },
    cards: createCards(),
    forms: createForms(),
    tokens,
    sessions: createSessions(new Keyv(), tokens),
    limit: createGuessLimit(),
    assets: await loadAssets(),
    drawings: [],
    options: {
      host: "127.0.0.1",
      port: 0,
      tokens: [],
      version: "0",
      examples: [],
      log: { info: write, warn: write, error: write },
    },
    stopping: new AbortController().signal,
  });
  const own = app.routes.filter(({ method }) => method !== "ALL");
  return [...new Set(own.map(({ method, path }) => `${method} ${path}`))];
}

/** As if it had come of words that were said before. */
function sayWhereFrom(approval: string, sources: object): void {
  const db = new DatabaseSync(join(product.dataDir, "countersign.db"), { timeout: 5_000 });
  try {
    db.prepare("update approvals set sources = ? where id = ?").run(JSON.stringify(sources), approval);
  } finally {
    db.close();
  }
}

describe("what belongs to others", () => {
  it("[http.ownership] every route stands in the table of who may use it", async () => {
    expect((await routes()).toSorted()).toEqual(Object.keys(TABLE).toSorted());
  });

  it("[http.ownership] looking changes nothing, whoever follows the link, an unfurler too", async () => {
    const state = (): unknown[] => [
      readStore(product.dataDir, "select count(*) as entries from audit"),
      readStore(product.dataDir, "select id, state from approvals order by id"),
      readStore(product.dataDir, "select id, state from questions order by id"),
      readStore(product.dataDir, "select id, state, stopped_by from turns order by id"),
      readStore(product.dataDir, "select id, uses, revoked_by from grants order by id"),
      readStore(product.dataDir, "select key from kv where key like 'mcp-oauth%' order by key"),
    ];
    const { url } = await json<{ url: string }>(
      ask("ana", "POST", "/connections/crew", { session_id: SESSION }),
    );
    const { callback } = await follow(url, "ana-account");
    const before = state();
    const links = Object.entries(TABLE).filter(([key]) => key.startsWith("GET "));
    for (const method of ["GET", "HEAD"]) {
      for (const person of [undefined, "chloe", "ana"] as const) {
        for (const [, row] of links) await ask(person, method, row.path(ids), undefined, "text/html");
        await ask(person, method, `/oauth/callback${callback.search}`);
      }
    }
    expect(state()).toEqual(before);
    // A second person presses, and whose link it is can still end it; nobody can twice.
    const end = (person: Person): Promise<Response> =>
      press(product, callback, { authorization: `Bearer ${tokenOf(person)}` });
    expect([(await end("chloe")).status, (await end("ana")).status, (await end("ana")).status]).toEqual([
      403, 200, 400,
    ]);
    const gone = `/connections/crew?whose=${encodeURIComponent(CONVERSATION)}`;
    expect((await ask("ana", "DELETE", gone)).status).toBe(200);
  });

  it("[http.ownership] every route and id serves those who take part and operators alone", async () => {
    expect(Object.values(ids).filter((id) => !/^[a-z]+_\w+$/.test(id))).toEqual([]);
    const none = Object.fromEntries(Object.keys(ids).map((name) => [name, NONE])) as unknown as Ids;
    for (const [key, row] of Object.entries(TABLE)) {
      const nobody = await askRow(undefined, key, row, ids);
      if (row.kind === "public") {
        expect([key, [200, 204, 303].includes(nobody.status) || nobody.text.includes("html")]).toEqual([
          key,
          true,
        ]);
        continue;
      }
      expect([key, nobody.status]).toEqual([key, 401]);
      const stranger = await askRow("chloe", key, row, ids);
      if (row.kind === "operator") {
        const others = [stranger, await askRow("ana", key, row, ids)];
        expect([key, ...others.map(({ status }) => status)]).toEqual([key, 403, 403]);
        expect([key, (await askRow("root", key, row, ids)).status]).toEqual([key, 200]);
        continue;
      }
      if (row.kind === "id" || row.kind === "place") expect([key, stranger.status]).toEqual([key, 404]);
      if (row.kind === "id") {
        const words = (text: string): string =>
          Object.values(ids)
            .concat(NONE)
            .reduce((said, id) => said.replaceAll(id, "ID"), text);
        const unknown = await askRow("chloe", key, row, none);
        expect([key, words(stranger.text)]).toEqual([key, words(unknown.text)]);
      }
      if (row.kind === "list") {
        expect([key, stranger.status, stranger.text.includes(row.mark?.(ids) ?? "")]).toEqual([
          key,
          200,
          false,
        ]);
      }
      for (const person of ["ben", "root", "ana"] as const) {
        const { status, text } = await askRow(person, key, row, ids);
        const allowed = row.seen ?? [200];
        expect([key, person, status]).toEqual([key, person, allowed.includes(status) ? status : allowed]);
        if (row.kind === "list")
          expect([key, person, text.includes(row.mark?.(ids) ?? "")]).toEqual([key, person, true]);
      }
    }
  });

  it("[ops.metrics] the token for it reads /metrics, on a port of its own as well, and nothing else", async () => {
    const own = `http://127.0.0.1:${metricsPort}`;
    const get = (url: string, token?: string): Promise<Response> =>
      fetch(url, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
    for (const url of [product.url, own]) {
      const read = await get(`${url}/metrics`, SCRAPER);
      expect([read.status, read.headers.get("content-type")]).toEqual([
        200,
        "application/openmetrics-text; version=1.0.0; charset=utf-8",
      ]);
      // Aggregates alone: nothing that somebody said, and nobody's name.
      expect(await read.text()).not.toMatch(/kestrel|DEMO-1|http:ana|turn_0/i);
      for (const token of [undefined, "a-guess", tokenOf("ana")])
        expect((await get(`${url}/metrics`, token)).ok, `${url} ${token}`).toBe(false);
    }
    expect((await get(`${own}/metrics`, tokenOf("root"))).status).toBe(401);
    expect((await get(`${own}/health`, SCRAPER)).status).toBe(404);
    for (const [key, row] of Object.entries(TABLE)) {
      if (row.kind === "public" || key === "GET /metrics") continue;
      const [method = ""] = key.split(" ");
      const body = row.body === undefined ? {} : { body: JSON.stringify(row.body(ids)) };
      const headers = { authorization: `Bearer ${SCRAPER}`, "content-type": "application/json" };
      const { status } = await fetch(`${product.url}${row.path(ids)}`, { method, headers, ...body });
      // Too many wrong tokens from one address are answered so.
      expect([key, status === 429 ? 401 : status]).toEqual([key, 401]);
    }
  });

  it("[http.ownership] a stranger opens no stream, approves by no key and finds no session", async () => {
    expect(
      (await ask("chloe", "GET", `/agent/turns/${ids.turn}`, undefined, "text/event-stream")).status,
    ).toBe(404);
    const { key } = await json<{ key: string }>(ask("root", "GET", `/approvals/${ids.pending}`));
    const approving = { session_id: SESSION, approved_keys: [key] };
    expect((await ask("chloe", "POST", "/agent/turn", approving)).status).toBe(404);
    for (const path of [
      `/approvals?session_id=${session}`,
      `/grants?session_id=${session}`,
      `/questions?session_id=${session}`,
    ]) {
      expect(Object.values(await json<object>(ask("chloe", "GET", path)))).toEqual([[]]);
    }
    // Two sessions whose names and events run together are two.
    const first = await json<Said>(
      ask("ana", "POST", "/agent/turn", { session_id: "a", event_id: "b/c", message: "/jira DEMO-1" }),
    );
    const second = await json<Said>(
      ask("chloe", "POST", "/agent/turn", { session_id: "a/b", event_id: "c", message: "/jira DEMO-1" }),
    );
    expect(second.turn_id).not.toBe(first.turn_id);
  });

  it("[http.ownership] whom a rule names sees their request, decides it, and takes part then", async () => {
    const asked = await say("ana", "delete issue DEMO-2", "for-eve");
    const approval = asked.pending_confirmation?.approval_id ?? "";
    sayWhereFrom(approval, { issue_key: { from: "history", ref: "before the audit that nobody knows of" } });
    const { text: own } = await ask("ana", "GET", `/approvals/${approval}`);
    expect(own).toContain("nobody knows of");
    // Who may not approve is told who may, and takes their own request back.
    const buttons = async (person: Person, path: string): Promise<string[]> => {
      const { text } = await ask(person, "GET", path);
      expect(text).toContain(approval);
      return ["approve", "deny", "edit"].filter((action) =>
        new RegExp(`<button[^>]*data-action="${action}"[^>]*data-value="${approval}"`).test(text),
      );
    };
    for (const path of ["/?c=for-eve", "/playground/inbox"]) {
      expect([path, await buttons("ana", path)]).toEqual([path, ["deny", "edit"]]);
      expect([path, await buttons("eve", path)]).toEqual([path, ["approve", "deny", "edit"]]);
      expect((await ask("ana", "GET", path)).text).toMatch(
        /eve or anyone of the group few may approve this/i,
      );
    }
    for (const path of [`/approvals/${approval}`, "/approvals?state=pending", "/playground/inbox"]) {
      const { text } = await ask("eve", "GET", path);
      expect([path, text.includes(approval), text.includes("nobody knows of")]).toEqual([path, true, false]);
    }
    for (const [person, may] of [
      ["eve", true],
      ["dan", true],
      ["ben", false],
      ["chloe", false],
    ] as const) {
      const { text } = await ask(person, "GET", "/approvals?state=pending");
      expect([person, text.includes(approval)]).toEqual([person, may]);
      expect([person, (await ask(person, "GET", `/approvals/${approval}`)).status]).toEqual([
        person,
        may ? 200 : 404,
      ]);
      const page = await ask(person, "GET", "/?c=for-eve");
      expect([person, page.text.includes(approval), page.text.includes("delete issue DEMO-2")]).toEqual([
        person,
        may,
        false,
      ]);
      const list = await ask(person, "GET", "/playground/conversations");
      expect([person, list.text.includes("c=for-eve")]).toEqual([person, may]);
      expect((await ask(person, "GET", `/agent/turns/${asked.turn_id}`)).status).toBe(404);
      expect(
        (await ask(person, "POST", "/agent/turn", { session_id: "for-eve", message: "hello" })).status,
      ).toBe(404);
    }
    expect(
      (await ask("chloe", "POST", `/approvals/${approval}/decision`, { decision: "approve" })).status,
    ).toBe(404);
    const { key } = await json<{ key: string }>(ask("eve", "GET", `/approvals/${approval}`));
    const went = await ask("eve", "POST", "/agent/turn", { session_id: "for-eve", approved_keys: [key] });
    expect([went.status, went.text.includes("DEMO-2")]).toEqual([200, true]);
    expect((await ask("eve", "GET", `/agent/turns/${asked.turn_id}`)).status).toBe(200);
    expect((await ask("dan", "GET", `/agent/turns/${asked.turn_id}`)).status).toBe(404);
  });

  it("[http.ownership] tells operators why something is wrong, and others that it is", async () => {
    const health = async (person: Person): Promise<{ servers: Record<string, object>; model: object }> =>
      json(ask(person, "GET", "/health"));
    expect((await health("root")).servers.jira).toEqual({ status: "up", tools: expect.any(Number) });
    expect((await health("ana")).servers).toEqual(
      Object.fromEntries(
        Object.entries((await health("root")).servers).map(([name, server]) => [
          name,
          Object.fromEntries(
            Object.entries(server).filter(([field]) => ["status", "tools", "note"].includes(field)),
          ),
        ]),
      ),
    );
    expect(Object.keys((await health("ana")).model)).not.toContain("reason");
  });
});

describe("of a chat platform", () => {
  it("[http.ownership] a direct message is nobody's over HTTP but of whom the operator says they are it", async () => {
    const message = slack.user("ana").say("dm", "create an issue in DEMO titled 'Merlin'");
    await answerTo(slack, message, "cs:approve");
    const turn = await stored("select id from turns where surface = 'slack' and message like '%Merlin%'");
    const approval = await stored("select id from approvals where turn_id = ?", turn);
    const of: Ids = { ...ids, turn, done: approval, pending: approval };
    for (const [key, row] of Object.entries(TABLE).filter(([, row]) => row.of !== undefined)) {
      for (const person of ["ana", "ben", "chloe", "cleo"] as const) {
        expect([key, person, (await askRow(person, key, row, of)).status]).toEqual([key, person, 404]);
      }
      for (const person of ["root", "sam"] as const) {
        expect([key, person, (await askRow(person, key, row, of)).status]).not.toEqual([key, person, 404]);
      }
    }
    const state = readStore<{ state: string }>(
      product.dataDir,
      "select state from approvals where id = ?",
      approval,
    );
    // Sam is who asked on Slack, and so the one who could deny it here.
    expect(state).toEqual([{ state: "denied" }]);
    for (const [person, may] of [
      ["ana", false],
      ["cleo", false],
      ["sam", true],
      ["root", true],
    ] as const) {
      expect([person, (await ask(person, "GET", "/approvals")).text.includes(approval)]).toEqual([
        person,
        may,
      ]);
    }
  });

  it("[http.ownership] a channel's members see what is said in it, as the platform knows them", async () => {
    slack.user("ben").mention("general", "show me DEMO-3");
    slack.user("ben").mention("ops-private", "show me DEMO-4");
    const open = await stored("select id from turns where surface = 'slack' and message like '%DEMO-3%'");
    const closed = await stored("select id from turns where surface = 'slack' and message like '%DEMO-4%'");
    const statuses = async (person: Person): Promise<number[]> =>
      Promise.all([open, closed].map(async (id) => (await ask(person, "GET", `/agent/turns/${id}`)).status));
    expect(await statuses("cleo")).toEqual([200, 404]);
    expect(await statuses("sam")).toEqual([200, 200]);
    expect(await statuses("ana")).toEqual([404, 404]);
    const place = readStore<{ channel: string }>(
      product.dataDir,
      "select channel from turns where id = ?",
      closed,
    );
    const privacyOf = `/channels/${encodeURIComponent(place[0]?.channel ?? "")}/privacy`;
    expect((await ask("cleo", "GET", privacyOf)).status).toBe(404);
    expect((await ask("sam", "GET", privacyOf)).status).toBe(200);
  });
});
