import { describe, expect, it } from "vitest";

import { errorForUser } from "#adapters/chat/actions.ts";
import { CountersignError, messageOf, refusalOf } from "#src/base/errors.ts";
import { reason } from "#src/mcp/errors.ts";

describe("what people are told of an error", () => {
  const refused = new CountersignError("reason_required", "Say why.");

  it("is a refusal's own words, in the core and on a chat platform", () => {
    expect(refusalOf(refused)).toBe("Say why.");
    expect(errorForUser(refused)).toBe("Say why.");
  });

  it("is nothing of any other error, which may hold what is not for them", () => {
    const others = [
      new CountersignError("run_replaced", "row 7 of turns"),
      Object.assign(new Error("row 7 of turns"), { code: "reason_required" }),
      new Error("row 7 of turns"),
      "row 7 of turns",
    ];
    for (const other of others) {
      expect(errorForUser(other)).toMatch(/nothing was changed/);
      expect(() => refusalOf(other)).toThrow("row 7 of turns");
    }
  });

  it("is told by the error itself, and does not make its line in the log longer", () => {
    expect(refused.forPeople).toBe(true);
    expect(Object.keys(refused)).not.toContain("forPeople");
  });
});

describe("the words of an error", () => {
  it("are without the value of a header that could not be sent", async () => {
    const errors = await Promise.all(
      [
        () => new Headers({ a: 'hush "hush"\nit' }),
        () => new Headers().append("a", "hush\0"),
        () => fetch("http://127.0.0.1:9/", { headers: { a: "hush\nit" } }),
        () => new Response("", { headers: { a: "hush\nit" } }),
      ].map((make) =>
        Promise.resolve()
          .then(make)
          .catch((error: unknown) => error),
      ),
    );
    for (const error of errors) {
      expect(messageOf(error)).toMatch(/a header has an invalid value\.?$/);
      expect(reason(new Error("not sent", { cause: error }))).not.toContain("hush");
    }
  });
});
