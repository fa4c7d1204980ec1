import { Keyv } from "keyv";
import { expect, it } from "vitest";

import {
  actorOf,
  createSessions,
  createTokenRegistry,
  type SignedIn,
  toHttpActor,
} from "#adapters/http/identity.ts";

it("[http.auth] a name becomes an actor of this surface, with or without its prefix", () => {
  expect(toHttpActor("ana")).toBe("http:ana");
  expect(toHttpActor("http:ana@example.com")).toBe("http:ana@example.com");
  for (const name of [
    "",
    "http:",
    "slack:T1:U1",
    "console:ana",
    "http:http:ana",
    "a b",
    "a\n",
    "ä",
    "x".repeat(65),
  ]) {
    expect(() => toHttpActor(name)).toThrow(expect.objectContaining({ code: "bad_request", status: 400 }));
  }
});

const two = [
  { token: "aaa", actor: "ana" },
  { token: "bbb", actor: "http:ben", role: "operator" as const },
];

it("[http.auth] a token stands for its person, and nothing near it does", () => {
  const book = createTokenRegistry(two);
  expect(book.empty).toBe(false);
  expect(["aaa", "aa", "", "aaaa"].map((token) => book.ofBearer(token)?.actor)).toEqual([
    "http:ana",
    undefined,
    undefined,
    undefined,
  ]);
  expect([book.ofBearer("aaa")?.isOperator, book.ofBearer("bbb")?.isOperator]).toEqual([false, true]);
});

it("[http.auth] sessions are random, ended one by one or all of a person, and gone with their token", async () => {
  const state = new Keyv<SignedIn>();
  const sessions = createSessions(state, createTokenRegistry(two));
  const ids = await Promise.all(["aaa", "aaa", "bbb"].map((token) => sessions.begin(token)));
  const [first = "", second = "", bens = ""] = ids;
  expect(new Set(ids).size).toBe(3);
  const whose = async (): Promise<(string | undefined)[]> =>
    Promise.all(ids.map(async (id) => (await sessions.of(id))?.actor));
  expect(await whose()).toEqual(["http:ana", "http:ana", "http:ben"]);
  // Neither the id nor the token stands in the store.
  const kept: unknown[] = [];
  for await (const entry of state.iterator()) kept.push(entry);
  expect(kept).toHaveLength(3);
  for (const id of ids) expect(JSON.stringify(kept)).not.toContain(id);
  // As a word: a digest may well hold three letters in a row.
  expect(JSON.stringify(kept)).not.toMatch(/\b(?:aaa|bbb)\b/);

  // With another token of the same person it is another's proof.
  const renewed = createSessions(state, createTokenRegistry([{ token: "new", actor: "ana" }]));
  expect([await renewed.of(first), await renewed.of(bens)]).toEqual([undefined, undefined]);

  await sessions.end(first);
  expect(await whose()).toEqual([undefined, "http:ana", "http:ben"]);
  const third = await sessions.begin("aaa");
  await sessions.endAll("http:ana");
  expect([await sessions.of(second), await sessions.of(third)]).toEqual([undefined, undefined]);
  expect((await sessions.of(bens))?.actor).toBe("http:ben");
});

it("[http.auth] with tokens the body cannot name somebody else; without, it names whom it likes", () => {
  const ana = { mode: "token", actor: "http:ana", isOperator: false, also: [] } as const;
  expect(actorOf(ana, undefined)).toBe("http:ana");
  expect(actorOf(ana, "ana")).toBe("http:ana");
  expect(() => actorOf(ana, "ben")).toThrow(expect.objectContaining({ status: 403, code: "actor_mismatch" }));
  expect(actorOf({ mode: "open" }, undefined)).toBe("http:local");
  expect(actorOf({ mode: "open" }, "ben")).toBe("http:ben");
  expect(() => actorOf(undefined, "ben")).toThrow(expect.objectContaining({ status: 401 }));
});
