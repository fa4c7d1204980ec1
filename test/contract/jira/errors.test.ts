import { createServer } from "node:net";
import { once } from "node:events";

import nock from "nock";
import { afterEach, describe, expect, it } from "vitest";

import { chooseBackend } from "#servers/jira/server.ts";
import { createRest } from "#servers/kit/rest.ts";
import { onlyPreparedRequests } from "#test/only-prepared.ts";

import { call, cloud, cloudScope, cloudUrl, endScopes } from "./support.ts";

onlyPreparedRequests();
afterEach(endScopes);

const transition = { id: "1", name: "Done", status: "Done", category: "done" } as const;

describe("errors of Jira", () => {
  it.each([
    [
      400,
      { errorMessages: ["Bad things."], errors: { summary: "You must specify a summary of the issue." } },
      "bad_request",
      "Jira refused the request: Bad things.; summary: You must specify a summary of the issue.",
    ],
    [
      401,
      { message: "Client must be authenticated to access this resource." },
      "unauthorized",
      "Client must be authenticated",
    ],
    [
      403,
      { errorMessages: ["You do not have permission."] },
      "forbidden",
      "(403): You do not have permission.",
    ],
    [
      404,
      { errorMessages: ["Issue does not exist or you do not have permission to see it."], errors: {} },
      "not_found",
      "Issue does not exist",
    ],
    [409, { errorMessages: ["The issue was changed."] }, "conflict", "The issue was changed."],
    [302, "", "unauthorized", "login page (302)"],
    [
      500,
      "<html>oops</html>",
      "service_error",
      "Jira answered 500 to POST /rest/api/3/issue/SHOP-1/transitions",
    ],
    [429, { errorMessages: [] }, "rate_limited", "Try again later"],
  ])("explains %i in Jira's own words, and sends a change only once", async (status, body, code, words) => {
    cloudScope().post("/rest/api/3/issue/SHOP-1/transitions").reply(status, body);
    const failure = await cloud()
      .transition("SHOP-1", transition, call())
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code, message: expect.stringContaining(words) });
  });

  it("says that an issue is not there", async () => {
    cloudScope()
      .get("/rest/api/3/issue/SHOP-9")
      .query(true)
      .reply(404, {
        errorMessages: ["Issue does not exist or you do not have permission to see it."],
        errors: {},
      });
    await expect(cloud().issue("SHOP-9", call())).rejects.toMatchObject({
      code: "unknown_issue",
      message: expect.stringMatching(/^there is no issue SHOP-9 .*Issue does not exist/),
    });
  });

  it("hands on what Jira says about a query", async () => {
    cloudScope()
      .get("/rest/api/3/search/jql")
      .query(true)
      .reply(400, {
        errorMessages: ["Field 'foo' does not exist or you do not have permission to view it."],
        errors: {},
      });
    await expect(cloud().search({ jql: "foo = 1", limit: 5 }, call())).rejects.toThrow(
      "Field 'foo' does not exist",
    );
  });

  it("reads again when it is told to wait, and gives up when the wait is too long", async () => {
    cloudScope()
      .get("/rest/api/3/issueLinkType")
      .reply(429, "", { "Retry-After": "0" })
      .get("/rest/api/3/issueLinkType")
      .reply(503, "", { "Retry-After": "0" })
      .get("/rest/api/3/issueLinkType")
      .reply(200, { issueLinkTypes: [] });
    expect(await cloud().linkTypes(call())).toEqual([]);

    cloudScope().get("/rest/api/3/issueLinkType").reply(429, "", { "Retry-After": "300" });
    await expect(cloud().linkTypes(call())).rejects.toThrow("Try again in 300 s");
  });

  it("reads at most as often as it may", async () => {
    const rest = createRest({ service: "Jira", baseUrl: cloudUrl, auth: { kind: "none" }, retries: 2 });
    nock(cloudUrl).get("/x").times(3).reply(503, "", { "Retry-After": "0" });
    await expect(rest.get("/x")).rejects.toMatchObject({ code: "service_error" });
  });

  it("knows an answer that is not Jira's", async () => {
    cloudScope()
      .get("/rest/api/3/issueLinkType")
      .reply(200, "<html>Log in</html>", { "content-type": "text/html" });
    await expect(cloud().linkTypes(call())).rejects.toThrow("other than JSON (text/html)");
    cloudScope().get("/rest/api/3/issueLinkType").reply(200, { values: [] });
    await expect(cloud().linkTypes(call())).rejects.toThrow(
      "Jira's answer for link types is not what its API describes",
    );
  });

  it("says that nothing listens, that an answer does not come, and that a call was cancelled", async () => {
    nock.enableNetConnect("127.0.0.1");
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as { port: number };
    const baseUrl = `http://127.0.0.1:${port}`;
    const rest = createRest({ service: "Jira", baseUrl, auth: { kind: "none" }, timeoutMs: 50 });
    await expect(rest.get("/x")).rejects.toMatchObject({ code: "timeout" });
    await expect(rest.post("/x", {})).rejects.toThrow("The change may or may not have been made");
    const stop = new AbortController();
    const waiting = createRest({ service: "Jira", baseUrl, auth: { kind: "none" } }).get("/x", {
      signal: stop.signal,
    });
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
    silent.close();
    const unreachable = createRest({
      service: "Jira",
      baseUrl: "http://127.0.0.1:1",
      auth: { kind: "none" },
    });
    await expect(unreachable.get("/x")).rejects.toMatchObject({
      code: "network",
      message: expect.stringContaining("Jira at http://127.0.0.1:1 cannot be reached: "),
    });
    nock.disableNetConnect();
  });

  it("refuses settings that do not fit together", async () => {
    await expect(chooseBackend({ JIRA_URL: cloudUrl })).rejects.toThrow(
      "JIRA_EMAIL and JIRA_API_TOKEN (Cloud) or JIRA_TOKEN",
    );
    await expect(chooseBackend({ JIRA_URL: "jira.local", JIRA_TOKEN: "x" })).rejects.toThrow(
      'expected http:// or https://, got "jira.local"',
    );
    await expect(chooseBackend({ JIRA_DEMO_DELAY_MS: "soon" })).rejects.toThrow("JIRA_DEMO_DELAY_MS");
  });
});
