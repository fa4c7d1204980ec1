import type nock from "nock";
import { afterEach, describe, expect, it } from "vitest";

import { createIssue, readEpic, updateIssue } from "#servers/jira/operations.ts";
import { onlyPreparedRequests } from "#test/only-prepared.ts";

import { call, dataCenter, dataCenterScope, listed, endScopes } from "./support.ts";

const ben = {
  name: "bokafor",
  key: "JIRAUSER10100",
  displayName: "Ben Okafor",
  emailAddress: "ben@example.com",
  active: true,
};

const fieldList = [
  { id: "summary", name: "Summary", custom: false, schema: { type: "string", system: "summary" } },
  {
    id: "customfield_10101",
    name: "Epic Link",
    custom: true,
    schema: { type: "any", custom: "com.pyxis.greenhopper.jira:gh-epic-link", customId: 10_101 },
  },
  {
    id: "customfield_10103",
    name: "Epic Name",
    custom: true,
    schema: { type: "string", custom: "com.pyxis.greenhopper.jira:gh-epic-label", customId: 10_103 },
  },
];

onlyPreparedRequests();
afterEach(endScopes);

function whole(key: string, more: object = {}): object {
  const base = listed(key, ben) as { fields: object };
  return {
    ...base,
    fields: {
      ...base.fields,
      project: { id: "10000", key: "SHOP", name: "Shop" },
      reporter: ben,
      labels: [],
      created: "2026-11-01T09:00:00.000+0100",
      duedate: null,
      description: "h2. Steps\r\n# Log *in*\r\n# See {{500}}",
      issuelinks: [],
      comment: {
        comments: [{ id: "1", author: ben, body: "_me too_", created: "2026-11-02T10:00:00.000+0000" }],
        total: 1,
        maxResults: 1,
        startAt: 0,
      },
      customfield_10101: null,
      ...more,
    },
    changelog: { histories: [] },
  };
}

function issueAnswers(key: string, more: object = {}): nock.Scope {
  return dataCenterScope()
    .get(`/rest/api/2/issue/${key}`)
    .query((query) => String(query.fields).includes("customfield_10101"))
    .reply(200, whole(key, more));
}

function fieldsAnswer(): nock.Scope {
  return dataCenterScope().get("/rest/api/2/field").reply(200, fieldList);
}

describe("Jira Data Center v2", () => {
  it("reads wiki markup as Markdown, user names as ids and the epic through its custom field", async () => {
    fieldsAnswer();
    issueAnswers("SHOP-1", { customfield_10101: "SHOP-10" });
    dataCenterScope()
      .get("/rest/api/2/issue/SHOP-10")
      .query({ fields: "summary" })
      .reply(200, { key: "SHOP-10", fields: { summary: "Checkout" } });
    expect(await dataCenter().issue("SHOP-1", call())).toMatchObject({
      assignee: { id: "bokafor", name: "Ben Okafor" },
      description: "## Steps\n1. Log **in**\n1. See `500`",
      epic: { key: "SHOP-10", summary: "Checkout" },
      comments: [{ body: "*me too*" }],
      created: "2026-11-01T08:00:00.000Z",
      url: "http://127.0.0.1:8082/jira/browse/SHOP-1",
    });
  });

  it("searches page by page with startAt, and goes on from a cursor", async () => {
    const jql = "assignee = bokafor ORDER BY key";
    dataCenterScope()
      .get("/rest/api/2/search")
      .query({ jql, startAt: 0, maxResults: 2, fields: /summary/ })
      .reply(200, {
        startAt: 0,
        maxResults: 2,
        total: 3,
        issues: [listed("SHOP-1", ben), listed("SHOP-2", ben)],
      })
      .get("/rest/api/2/search")
      .query({ jql, startAt: 2, maxResults: 2, fields: /summary/ })
      .reply(200, { startAt: 2, maxResults: 2, total: 3, issues: [listed("SHOP-3", null)] });
    const jira = dataCenter();
    const first = await jira.search({ jql, limit: 2 }, call());
    expect(first).toMatchObject({ total: 3, jql, issues: [{ key: "SHOP-1" }, { key: "SHOP-2" }] });
    const second = await jira.search({ cursor: first.next_cursor ?? "", limit: 2 }, call());
    expect(second).toMatchObject({ total: 3, issues: [{ key: "SHOP-3" }], next_cursor: null });
  });

  it("composes conditions in its own words: epics by their link, people by user name", async () => {
    const jql = 'type = "Bug" AND assignee = "bokafor" AND "Epic Link" = "SHOP-10" ORDER BY updated DESC';
    dataCenterScope()
      .get("/rest/api/2/issuetype")
      .reply(200, [{ name: "Bug", subtask: false }])
      .get("/rest/api/2/user/search")
      .query({ username: "ben", maxResults: 50 })
      .reply(200, [ben])
      .get("/rest/api/2/search")
      .query((query) => query.jql === jql)
      .reply(200, { startAt: 0, maxResults: 20, total: 0, issues: [] });
    const found = await dataCenter().search(
      { type: "bug", assignee: "ben", epic: "SHOP-10", limit: 20 },
      call(),
    );
    expect(found).toMatchObject({ total: 0, jql });
  });

  it("finds people by what people type", async () => {
    dataCenterScope()
      .get("/rest/api/2/user/search")
      .query({ username: "ben@acme.example.com", maxResults: 50 })
      .reply(200, [{ ...ben, emailAddress: "ben@acme.example.com", active: true }]);
    expect(await dataCenter().people("ben@acme.example.com", call())).toEqual([
      { id: ben.name, name: ben.displayName, email: "ben@acme.example.com" },
    ]);
  });

  it("counts with the total of a page without issues", async () => {
    dataCenterScope()
      .get("/rest/api/2/search")
      .query({ jql: "statusCategory = Done", maxResults: 0 })
      .reply(200, { startAt: 0, maxResults: 0, total: 17, issues: [] });
    expect(await dataCenter().count({ status: "closed" }, undefined, call())).toMatchObject({
      total: 17,
      groups: [],
    });
  });

  it("counts by epic with the keys that the issues have, asking for no epic", async () => {
    const of = (key: string, epic: string | null): object => {
      const { fields, ...issue } = listed(key, ben) as { fields: object };
      return { ...issue, fields: { ...fields, customfield_10101: epic } };
    };
    fieldsAnswer();
    dataCenterScope()
      .get("/rest/api/2/search")
      .query(
        (query) => query.jql === "ORDER BY key ASC" && String(query.fields).endsWith("customfield_10101"),
      )
      .reply(200, {
        startAt: 0,
        maxResults: 100,
        total: 3,
        issues: [of("SHOP-1", "SHOP-10"), of("SHOP-2", null), of("SHOP-3", "SHOP-10")],
      });
    expect(await dataCenter().count({}, "epic", call())).toEqual({
      total: 3,
      groups: [
        { value: "SHOP-10", count: 2 },
        { value: "no epic", count: 1 },
      ],
      complete: true,
      jql: "",
    });
  });

  it("reads an epic with its children", async () => {
    fieldsAnswer();
    issueAnswers("SHOP-10", { issuetype: { name: "Epic" } });
    dataCenterScope()
      .get("/rest/api/2/search")
      .query((query) => query.jql === '"Epic Link" = SHOP-10 ORDER BY created ASC')
      .reply(200, { startAt: 0, maxResults: 100, total: 1, issues: [listed("SHOP-11", ben)] });
    expect(await readEpic(dataCenter(), "SHOP-10", call())).toMatchObject({
      epic: { key: "SHOP-10" },
      children: [{ key: "SHOP-11" }],
      progress: { todo: 0, in_progress: 1, done: 0, total: 1 },
    });
  });

  it("creates an epic with wiki markup, a user name and the epic name Jira demands", async () => {
    const project = { key: "SHOP", name: "Shop", issueTypes: [{ name: "Epic" }, { name: "Task" }] };
    dataCenterScope()
      .get("/rest/api/2/project/SHOP")
      .reply(200, project)
      .get("/rest/api/2/priority")
      .reply(200, [{ id: "1", name: "High" }])
      .get("/rest/api/2/user/assignable/search")
      .query({ username: "ben", project: "SHOP", maxResults: 50 })
      .reply(200, [ben])
      .post("/rest/api/2/issue", {
        fields: {
          project: { key: "SHOP" },
          summary: "Gifts",
          issuetype: { name: "Epic" },
          description: "h2. Why\n\nSo *nice*",
          assignee: { name: "bokafor" },
          customfield_10103: "Gifts",
        },
      })
      .reply(201, { id: "1", key: "SHOP-20" });
    fieldsAnswer();
    issueAnswers("SHOP-20");
    const input = {
      project: "SHOP",
      type: "Epic",
      summary: "Gifts",
      description: "## Why\n\nSo **nice**",
      assignee: "ben",
    };
    expect((await createIssue(dataCenter(), input, false, call())).issue?.key).toBe("SHOP-20");
  });

  it("updates, assigns and comments", async () => {
    const jira = dataCenter();
    fieldsAnswer();
    issueAnswers("SHOP-1");
    issueAnswers("SHOP-10");
    dataCenterScope()
      .put("/rest/api/2/issue/SHOP-1", { fields: { customfield_10101: "SHOP-10" } })
      .reply(204);
    issueAnswers("SHOP-1");
    expect((await updateIssue(jira, "SHOP-1", { epic_key: "SHOP-10" }, false, call())).before).toEqual({
      epic_key: null,
    });

    issueAnswers("SHOP-1");
    dataCenterScope().put("/rest/api/2/issue/SHOP-1/assignee", { name: null }).reply(204);
    issueAnswers("SHOP-1", { assignee: null });
    expect((await updateIssue(jira, "SHOP-1", { assignee: null }, false, call())).issue.assignee).toBeNull();

    dataCenterScope()
      .post("/rest/api/2/issue/SHOP-1/comment", { body: "See {{log}}" })
      .reply(201, { id: "7", author: ben, body: "See {{log}}", created: "2026-11-02T10:00:00.000+0000" });
    expect((await jira.comment("SHOP-1", "See `log`", call())).body).toBe("See `log`");
  });

  it("lists projects and exports one with progress for every issue", async () => {
    dataCenterScope()
      .get("/rest/api/2/project")
      .query({ expand: "lead" })
      .reply(200, [{ key: "SHOP", name: "Shop", lead: ben }])
      .get("/rest/api/2/project/SHOP")
      .reply(200, { key: "SHOP", name: "Shop", issueTypes: [] })
      .get("/rest/api/2/search")
      .query((query) => query.jql === 'project = "SHOP" ORDER BY key ASC')
      .reply(200, {
        startAt: 0,
        maxResults: 100,
        total: 2,
        issues: [listed("SHOP-1", ben), listed("SHOP-2", ben)],
      });
    const jira = dataCenter();
    expect(await jira.projects(call())).toMatchObject([
      { key: "SHOP", lead: { id: "bokafor" }, issues: null },
    ]);
    const reports: string[] = [];
    const { issues } = await jira.exportIssues(
      "shop",
      call(async (done, total) => void reports.push(`${done}/${total}`)),
    );
    expect(issues.map(({ key }) => key)).toEqual(["SHOP-1", "SHOP-2"]);
    expect(reports).toEqual(["1/2", "2/2"]);
  });
});
