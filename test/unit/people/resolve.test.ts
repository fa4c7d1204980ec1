import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

import type { ActorId } from "#contract/actor.ts";
import type { JsonObject } from "#contract/json.ts";
import type { ConfiguredPerson, Profile } from "#contract/people.ts";
import type { PlannedStep } from "#contract/plan.ts";
import type { Question, QuestionDraft, QuestionReply } from "#contract/question.ts";
import type { Tool } from "#contract/tool.ts";
import { type Accounts, createAccounts, type ServerPeople } from "#src/people/accounts.ts";
import { createKeepAnswer } from "#src/people/ask.ts";
import { createPersons } from "#src/people/persons.ts";
import { createResolver, type Resolver } from "#src/people/resolve.ts";
import { openEmbeddedStore, type Store } from "#src/store/open.ts";

const BEN: ActorId = "slack:T1:UBEN";
const CHANNEL = "slack:T1:C1";

const STAFF = [
  { id: "ana", name: "Ana Lindqvist", email: "ana@example.com" },
  { id: "ben", name: "Ben Okafor", email: "ben@example.com" },
  { id: "benedikt", name: "Benedikt Roth", email: null },
  { id: "emi.s", name: "Emi Sato", email: null },
  { id: "emi.t", name: "Emi Tanaka", email: null },
];

function tool(server: string, name: string, properties: JsonObject, reads = false): Tool {
  return {
    id: `${server}.${name}`,
    server,
    serverTitle: server === "jira" ? "Jira" : "Desk",
    name,
    description: "",
    inputSchema: { type: "object", properties },
    annotations: { readOnlyHint: reads },
    digest: "",
    trusted: true,
  };
}

const text = { type: "string" };
const TOOLS = [
  tool("jira", "find_people", { query: text }, true),
  tool("jira", "assign_issue", { issue_key: text, assignee: text }),
  tool("jira", "update_issue", { fields: { type: "object", properties: { assignee: text } } }),
  tool("jira", "search_issues", { jql: text, assignee: text }, true),
  tool("jira", "add_comment", { issue_key: text, body: text }),
  tool("desk", "hand_over", { ticket: text, owners: { type: "array", items: text } }),
];

interface Bench {
  resolver: Resolver;
  accounts: Accounts;
  db: Store["db"];
  asked: QuestionDraft[];
  /** The arguments of the plan's only call, or what is said instead. */
  plan: (toolId: string, args: JsonObject, actor?: ActorId) => Promise<unknown>;
}

async function bench({
  says = {},
  known = [],
  servers = [],
  answers = [],
}: {
  says?: Record<ActorId, Profile>;
  known?: ConfiguredPerson[];
  servers?: Partial<ServerPeople>[];
  answers?: QuestionReply[];
} = {}): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), "people-"));
  const store = await openEmbeddedStore(folder);
  const { db } = store;
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  const log = { debug: () => undefined };
  const now = (): number => 1_790_000_000_000;
  const profile = async (actor: ActorId): Promise<Profile | undefined> => says[actor];
  const persons = createPersons({ db, now, known: () => known, matchByEmail: () => true, profile, log });
  const rest = { actsAs: () => false, arguments: [], signed: {}, isTold: false };
  const options = {
    persons,
    servers: servers.map((one): ServerPeople => ({ server: "jira", ...rest, ...one })),
    tools: {
      tools: () => TOOLS,
      find: (name: string) => TOOLS.find(({ id }) => id === name),
      async call({ args }: { args: JsonObject }) {
        const wanted = (args.query as string).toLowerCase();
        const people = STAFF.filter(({ id, name, email }) =>
          [id, name.toLowerCase(), email ?? ""].some((one) => one.includes(wanted)),
        );
        return { ok: true, data: { people } };
      },
    },
  };
  const policy = () => ({ decision: "allow", rule: "reads", approvers: [] }) as never;
  const accounts = createAccounts({ ...options, db, now, policy, log });
  const resolver = createResolver({ ...options, accounts });
  const asked: QuestionDraft[] = [];
  const keep = createKeepAnswer(accounts);
  return {
    resolver,
    accounts,
    db,
    asked,
    async plan(toolId, args, actor = BEN) {
      const given: PlannedStep = {
        outcome: { kind: "calls", calls: [{ tool: toolId, args }] },
        planner: "builtin",
        attempts: [],
      } as never;
      const { outcome } = await resolver.resolve(given, {
        actor,
        channel: CHANNEL,
        async ask(question) {
          asked.push(question);
          const reply = answers.shift() ?? { action: "decline" };
          if (reply.action === "accept")
            await keep(db as never, { ...question, actor } as unknown as Question, reply.content ?? {});
          return reply;
        },
      });
      return outcome.kind === "calls" ? outcome.calls[0]?.args : outcome;
    },
  };
}

describe("who is meant", () => {
  it("[card.people] me is the account with the same e-mail address", async () => {
    const { plan, asked } = await bench({ says: { [BEN]: { name: "Ben", email: "Ben@Example.com" } } });
    for (const me of ["me", "@me", "Myself", "Ben"])
      expect(await plan("jira.assign_issue", { issue_key: "A-1", assignee: me })).toEqual({
        issue_key: "A-1",
        assignee: "ben",
      });
    expect(await plan("jira.update_issue", { fields: { assignee: "me" } })).toEqual({
      fields: { assignee: "ben" },
    });
    expect(asked).toEqual([]);
  });

  it("[card.people] me is whom the operator's file names, before any address", async () => {
    const { plan } = await bench({
      says: { [BEN]: { email: "ben@example.com" } },
      known: [{ actors: [BEN], accounts: { jira: "emi.t" } }],
    });
    expect(await plan("jira.assign_issue", { assignee: "me" })).toEqual({ assignee: "emi.t" });
  });

  it("[card.people] a name is the one account that it fits best, and a mention whoever is mentioned", async () => {
    const { plan, asked } = await bench({ says: { "slack:T1:U0ANA000": { email: "ana@example.com" } } });
    expect(await plan("jira.assign_issue", { assignee: "@Ben" })).toEqual({ assignee: "ben" });
    expect(await plan("jira.assign_issue", { assignee: "lindqvist" })).toEqual({ assignee: "ana" });
    // As Slack writes it, and as its text reads without the signs.
    for (const mention of ["<@U0ANA000>", "<@U0ANA000|ana>", "@U0ANA000", "U0ANA000"])
      expect(await plan("jira.assign_issue", { assignee: mention })).toEqual({ assignee: "ana" });
    // Whom nobody knows, and "nobody", are for the server to judge.
    expect(await plan("jira.assign_issue", { assignee: "unassigned" })).toEqual({ assignee: "unassigned" });
    expect(asked).toEqual([]);
  });

  it("[card.people] of several who fit, the person chooses for a change, and a read is left as it was said", async () => {
    const { plan, asked } = await bench({ answers: [{ action: "accept", content: { account: "emi.t" } }] });
    expect(await plan("jira.search_issues", { assignee: "emi" })).toEqual({ assignee: "emi" });
    expect(asked).toEqual([]);
    expect(await plan("jira.assign_issue", { assignee: "emi" })).toEqual({ assignee: "emi.t" });
    expect(asked).toMatchObject([{ kind: "form", message: "Who is emi in Jira?" }]);
    expect(await plan("jira.assign_issue", { assignee: "emi" })).toMatchObject({ kind: "message" });
  });

  it("[card.people] who is not known is asked once, by a choice or a search, and it is kept", async () => {
    const { plan, asked } = await bench({
      says: { [BEN]: { name: "Okafor" } },
      answers: [
        { action: "accept", content: { search: "nobody at all" } },
        { action: "accept", content: { search: "emi" } },
        { action: "accept", content: { account: "emi.s" } },
      ],
    });
    expect(await plan("jira.assign_issue", { assignee: "me" })).toEqual({ assignee: "emi.s" });
    expect(asked.map(({ message }) => message)).toEqual([
      "Who are you in Jira?",
      "Jira knows nobody called “nobody at all”. Who are you in Jira?",
      "Who are you in Jira?",
    ]);
    expect(asked[0]).toMatchObject({ schema: { properties: { account: { oneOf: [{ const: "ben" }] } } } });
    expect(await plan("jira.search_issues", { jql: 'assignee = me AND text ~ "me"' })).toEqual({
      jql: 'assignee = emi.s AND text ~ "me"',
    });
    expect(await plan("jira.search_issues", { jql: "reporter = currentUser()" })).toEqual({
      jql: "reporter = emi.s",
    });
    expect(asked).toHaveLength(3);
  });

  it("[card.people] without an answer nothing is planned, and the person reads why", async () => {
    const { plan } = await bench();
    expect(await plan("jira.assign_issue", { assignee: "me" })).toEqual({
      kind: "message",
      message:
        "I don't know who you are in Jira, so I did nothing. Tell me with /countersign me, or name a person.",
    });
  });

  it("nobody becomes an account that the operator gave to somebody else", async () => {
    const { plan, accounts } = await bench({
      known: [{ actors: ["http:ana"], accounts: { jira: "ana" } }],
      answers: [{ action: "accept", content: { account: "ana" } }],
      says: { [BEN]: { name: "Ana" } },
    });
    await expect(plan("jira.assign_issue", { assignee: "me" })).rejects.toMatchObject({
      code: "not_eligible",
    });
    expect(await accounts.of(BEN, "jira", { channel: CHANNEL })).toBeUndefined();
  });

  it("[card.people] whose calls are made with an account of their own is sent as me", async () => {
    const { plan } = await bench({
      says: { [BEN]: { email: "ben@example.com" } },
      servers: [{ actsAs: (actor) => actor === BEN }],
    });
    expect(await plan("jira.assign_issue", { assignee: "me" })).toEqual({ assignee: "me" });
  });

  it("lists of people, and servers without a search, are resolved too", async () => {
    const { plan, asked } = await bench({ answers: [{ action: "accept", content: { name: "b.okafor" } }] });
    expect(await plan("desk.hand_over", { ticket: "7", owners: ["me", "zoe"] })).toEqual({
      ticket: "7",
      owners: ["b.okafor", "zoe"],
    });
    expect(asked).toMatchObject([{ message: "Who are you in Desk?", schema: { required: ["name"] } }]);
  });
});

describe("what the bot's account writes", () => {
  it("[card.people] begins with the asker's name where the operator says so", async () => {
    const { plan } = await bench({
      says: { [BEN]: { name: "Ben", email: "ben@example.com" } },
      servers: [{ signed: { add_comment: "body" } }],
    });
    const once = await plan("jira.add_comment", { issue_key: "A-1", body: "<@UBEN> is on it" });
    expect(once).toEqual({ issue_key: "A-1", body: "Ben Okafor (via Countersign): @Ben is on it" });
    expect(await plan("jira.add_comment", once as JsonObject)).toEqual(once);
  });

  it("[card.people] is told the asker where the server signs by itself, save for reads and own accounts", async () => {
    const { resolver } = await bench({
      says: { [BEN]: { email: "ben@example.com" } },
      servers: [{ isTold: true, actsAs: (actor) => actor === "http:ana" }],
    });
    const [, , , read, comment] = TOOLS as [Tool, Tool, Tool, Tool, Tool];
    const asker = { name: "Ben Okafor", account: "ben" };
    expect(await resolver.asker(comment, BEN, CHANNEL)).toEqual(asker);
    expect(await resolver.asker(read, BEN, CHANNEL)).toBeUndefined();
    expect(await resolver.asker(comment, "http:ana", CHANNEL)).toBeUndefined();
    expect(await resolver.actingAs(comment, BEN, CHANNEL)).toBe("the bot, for Ben Okafor");
    expect(await resolver.actingAs(comment, "http:ana", CHANNEL)).toBeUndefined();
  });

  it("[card.people] an editor's me is the editor, and nobody is guessed", async () => {
    const { resolver } = await bench({ says: { [BEN]: { email: "ben@example.com" } } });
    const [, assign] = TOOLS as [Tool, Tool];
    const by = { editor: BEN, requestedBy: "http:ana" as ActorId, channel: CHANNEL };
    expect(await resolver.edited(assign, { assignee: "me" }, by)).toEqual({ assignee: "ben" });
    const stranger = { ...by, editor: "slack:T1:UNEW" as ActorId };
    await expect(resolver.edited(assign, { assignee: "me" }, stranger)).rejects.toMatchObject({
      code: "bad_args",
    });
  });
});
