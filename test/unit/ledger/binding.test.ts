import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import { approvalKey, bindingOf } from "#src/ledger/request.ts";

import { deleteIssue } from "./support.ts";

const json = fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue() as fc.Arbitrary<never>, {
  maxKeys: 5,
});

describe("the key of a request", () => {
  it("[approve.key] is the same for the same tool and arguments, in whatever order their names stand", () => {
    fc.assert(
      fc.property(json, (args: JsonObject) => {
        const turned = Object.fromEntries(Object.entries(args).toReversed());
        expect(approvalKey("jira.do", turned)).toBe(approvalKey("jira.do", args));
      }),
    );
  });

  it("[approve.key] differs for any other argument or tool", () => {
    const keys = [
      approvalKey("jira.do", { a: 1 }),
      approvalKey("jira.do", { a: "1" }),
      approvalKey("jira.do", { a: 1, b: null }),
      approvalKey("jira.do", { a: [1] }),
      approvalKey("jira.dont", { a: 1 }),
      approvalKey("jira.do", {}),
      approvalKey("jira.do", {}, [{ name: "tenant.domain", value: "a.example", args: [] }]),
      approvalKey("jira.do", {}, [{ name: "tenant.domain", value: "b.example", args: [] }]),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{64}$/);
  });

  it("[approve.binding] the binding differs with server, tool, digest, arguments and rule", () => {
    const args = { issue_key: "DEMO-1" };
    const bindings = [
      bindingOf(deleteIssue, args, "default"),
      bindingOf({ ...deleteIssue, server: "other" }, args, "default"),
      bindingOf({ ...deleteIssue, id: "jira.other" }, args, "default"),
      bindingOf({ ...deleteIssue, digest: "0".repeat(64) }, args, "default"),
      bindingOf(deleteIssue, { issue_key: "DEMO-2" }, "default"),
      bindingOf(deleteIssue, args, "rule 1 (jira.*)"),
      bindingOf(deleteIssue, args, "default", [{ name: "tenant.domain", value: "a.example", args: [] }]),
      bindingOf(deleteIssue, args, "default", [{ name: "tenant.domain", value: "b.example", args: [] }]),
      bindingOf(deleteIssue, args, "default", [{ name: "tenant.domain", value: "b.example", args: ["to"] }]),
    ];
    expect(new Set(bindings).size).toBe(bindings.length);
  });
});
