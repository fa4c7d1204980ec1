import { expect, it } from "vitest";

import { toHttpActor } from "#adapters/http/actors.ts";
import { actorOf, createTokenBook } from "#adapters/http/identity.ts";

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

it("[http.auth] a token stands for its person, and its cookie for the token without showing it", () => {
  const book = createTokenBook([
    { token: "aaa", actor: "ana" },
    { token: "bbb", actor: "http:ben" },
  ]);
  expect(book.empty).toBe(false);
  expect([book.ofBearer("aaa"), book.ofBearer("bbb"), book.ofBearer("aa"), book.ofBearer("")]).toEqual([
    "http:ana",
    "http:ben",
    undefined,
    undefined,
  ]);
  const cookie = book.cookieFor("bbb") ?? "";
  expect(cookie).not.toContain("bbb");
  expect(book.ofCookie(cookie)).toBe("http:ben");
  expect(book.ofBearer(cookie)).toBeUndefined();
  expect(book.ofCookie("bbb")).toBeUndefined();
  expect(book.cookieFor("ccc")).toBeUndefined();
  expect(createTokenBook([{ token: "other", actor: "ben" }]).ofCookie(cookie)).toBeUndefined();
});

it("[http.auth] with tokens the body cannot name somebody else; without, it names whom it likes", () => {
  const ana = { mode: "token", actor: "http:ana" } as const;
  expect(actorOf(ana, undefined)).toBe("http:ana");
  expect(actorOf(ana, "ana")).toBe("http:ana");
  expect(() => actorOf(ana, "ben")).toThrow(expect.objectContaining({ status: 403, code: "actor_mismatch" }));
  expect(actorOf({ mode: "open" }, undefined)).toBe("http:local");
  expect(actorOf({ mode: "open" }, "ben")).toBe("http:ben");
  expect(() => actorOf(undefined, "ben")).toThrow(expect.objectContaining({ status: 401 }));
});
