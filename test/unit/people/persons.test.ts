import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import type { ActorId } from "#contract/actor.ts";
import type { ConfiguredPerson, Profile } from "#contract/people.ts";
import { createPersons, type Persons, type PersonsOptions } from "#src/people/persons.ts";
import { openEmbeddedStore, type Store } from "#src/store/open.ts";

const slackBen: ActorId = "slack:T1:U_BEN";
const httpBen: ActorId = "http:ben";

async function store(): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), "people-"));
  const opened = await openEmbeddedStore(folder);
  onTestFinished(async () => {
    await opened.close();
    await rm(folder, { recursive: true, force: true });
  });
  return opened;
}

interface Bench {
  persons: Persons;
  db: Store["db"];
  /** What the surface says; an error is thrown. */
  says: Map<ActorId, Profile | Error>;
  asked: ActorId[];
  pass: (ms: number) => void;
}

async function bench(more: Partial<PersonsOptions> = {}): Promise<Bench> {
  const { db } = await store();
  const says: Bench["says"] = new Map();
  const asked: ActorId[] = [];
  let time = 1_790_000_000_000;
  const persons = createPersons({
    db,
    now: () => time,
    known: () => [],
    matchByEmail: () => true,
    async profile(actor) {
      asked.push(actor);
      const said = says.get(actor);
      if (said instanceof Error) throw said;
      return said;
    },
    log: { debug: () => undefined },
    ...more,
  });
  return { persons, db, says, asked, pass: (ms) => void (time += ms) };
}

it("[card.people] takes whom the operator's file names on two surfaces for one person", async () => {
  const known = [{ name: "Ben Okafor", actors: [slackBen, httpBen], accounts: {} }];
  const { persons, asked } = await bench({ known: () => known });
  expect(await persons.areSame("slack:T2:U_BEN", httpBen)).toBe(true);
  expect(await persons.areSame("http:ana", httpBen)).toBe(false);
  expect(await persons.profile(slackBen)).toEqual({ name: "Ben Okafor" });
  expect(asked).not.toContain(httpBen);
});

it("[card.people] takes entries that share an actor, as file and token do, for one person", async () => {
  const known: ConfiguredPerson[] = [
    { name: "Ben", email: "Ben@acme.example.com", actors: [slackBen], accounts: { jira: "ben" } },
    { actors: [httpBen, slackBen], accounts: {} },
    { email: "ben@acme.example.com", actors: ["console:ben"], accounts: {} },
  ];
  const { persons } = await bench({
    known: () => known,
  });
  expect(await persons.areSame("console:ben", httpBen)).toBe(true);
  expect(persons.configured(httpBen)).toMatchObject({ name: "Ben", accounts: { jira: "ben" } });
});

it("[card.people] matches people by an address that both sides give, whatever its case", async () => {
  const known = [{ email: "Ben@Acme.example.com", actors: [httpBen], accounts: {} }];
  const { persons, says, db } = await bench({ known: () => known });
  says.set(slackBen, { name: "Ben Okafor", email: "ben@acme.example.com" });
  says.set("slack:T1:U_ANA", { name: "Ana", email: "ana@acme.example.com" });
  expect(await persons.areSame(httpBen, slackBen)).toBe(true);
  expect(await persons.areSame(slackBen, httpBen)).toBe(true);
  expect(await persons.areSame("slack:T1:U_ANA", httpBen)).toBe(false);
  expect(await persons.keysOf(httpBen)).toEqual(["http:ben", "slack:U_BEN"]);
  const off = createPersons({
    db,
    now: Date.now,
    known: () => known,
    matchByEmail: () => false,
    profile: () => Promise.resolve(says.get(slackBen) as Profile),
    log: { debug: () => undefined },
  });
  expect(await off.areSame(httpBen, slackBen)).toBe(false);
});

it("asks a platform about an actor once in a while, and goes by what it said when it fails", async () => {
  const known = [{ email: "ben@acme.example.com", actors: [httpBen], accounts: {} }];
  const { persons, says, asked, pass } = await bench({ known: () => known });
  says.set(slackBen, { email: "ben@acme.example.com" });
  await persons.areSame(httpBen, slackBen);
  await persons.areSame(httpBen, slackBen);
  expect(asked).toEqual([slackBen]);
  pass(7 * 3_600_000);
  says.set(slackBen, new Error("Slack is down"));
  expect(await persons.areSame(httpBen, slackBen)).toBe(true);
  says.set("slack:T1:U_NEW", new Error("Slack is down"));
  await expect(persons.areSame(httpBen, "slack:T1:U_NEW")).rejects.toThrow("Slack is down");
});

it("never asks about two people of one workspace, who have no address in common", async () => {
  const { persons, asked } = await bench();
  expect(await persons.areSame(slackBen, "slack:T1:U_ANA")).toBe(false);
  expect(asked).toEqual([]);
});

it("[card.people] two who say that they are one account may be one person, but gain nothing by it", async () => {
  const { persons, db } = await bench();
  for (const person of ["slack:U_BEN", "http:mallory"])
    await db
      .insertInto("accounts")
      .values({ person, server: "jira", said_by: person, account: "ben", name: "Ben", email: null, at: 1 })
      .execute();
  expect(await persons.mayBeSame(slackBen, "http:mallory")).toBe(true);
  expect(await persons.areSame(slackBen, "http:mallory")).toBe(false);
});
