import { expect, it } from "vitest";

import { createGuessLimit, type GuessLimit } from "#adapters/http/guard.ts";

const GOOD = "long-token-of-ana-0123456789";

function setUp(): {
  limit: GuessLimit;
  pass: (ms: number) => void;
  looked: string[];
  say: (token: string, from?: string) => string;
} {
  let now = 0;
  const looked: string[] = [];
  const limit = createGuessLimit(() => now);
  return {
    limit,
    looked,
    pass: (ms) => void (now += ms),
    say(token, from = "10.0.0.1") {
      const { found, retryAfterMs } = limit.guess(from, token, (one) => {
        looked.push(one);
        return [GOOD, "short"].includes(one) ? one : undefined;
      });
      return found === undefined ? (retryAfterMs === undefined ? "wrong" : "later") : "in";
    },
  };
}

it("[http.auth] of many guesses from one address ten are looked at in a minute", () => {
  const { say, looked, pass } = setUp();
  const answers = Array.from({ length: 400 }, (_, n) => say(`${n}-guess`));
  expect(answers.filter((one) => one === "wrong")).toHaveLength(10);
  expect(answers.filter((one) => one === "later")).toHaveLength(390);
  expect(looked).toHaveLength(10);
  // A short token might be found this way, so it waits as well.
  expect(say("short")).toBe("later");
  expect(say("short", "10.0.0.2")).toBe("in");
  pass(60_001);
  expect(say("short")).toBe("in");
  expect(say("wrong")).toBe("wrong");
});

it("[http.auth] behind one address a long token comes in whatever others guess", () => {
  const { say } = setUp();
  for (let n = 0; n < 400; n += 1) say(`${n}-guess-of-some-length-0123456789`);
  expect(say(GOOD)).toBe("in");
  for (let n = 0; n < 10; n += 1) expect(say(`${GOOD.slice(0, -1)}${n === 9 ? "x" : n}`)).toBe("later");
  expect(say(GOOD)).toBe("later");
  expect(say(GOOD, "10.0.0.2")).toBe("in");
});

it("[http.auth] guesses at one beginning from many addresses are bounded as well", () => {
  const { say, looked } = setUp();
  for (let n = 0; n < 400; n += 1) say(`${GOOD.slice(0, -3)}${n}`, `10.0.${n}.1`);
  expect(looked).toHaveLength(100);
  expect(say(GOOD)).toBe("later");
  expect(say("other-token-of-ben-0123456789")).toBe("wrong");
});

it("[http.auth] addresses of one IPv6 network count as one, and a right token clears nobody", () => {
  const { say, looked } = setUp();
  for (let n = 0; n < 20; n += 1) {
    say(`${n}-guess`, `2001:db8:0:1::${n.toString(16)}`);
    expect(say(GOOD, "2001:0db8:0:1:ffff::1")).toBe("in");
  }
  expect(looked.filter((one) => one.endsWith("-guess"))).toHaveLength(10);
  expect(say("short", "2001:db8:0:2::1")).toBe("in");
});

it("[http.auth] an address that goes on is not forgotten for the many others that come meanwhile", () => {
  const { say, looked } = setUp();
  for (let n = 0; n < 20_000; n += 1) {
    say(`${n}-guess`, `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
    if (n % 1000 === 0) say("try-me", "192.0.2.1");
  }
  expect(looked.filter((one) => one === "try-me").length).toBe(10);
});
