import type nock from "nock";
import { afterEach, describe, expect, it } from "vitest";

import {
  createIssue,
  deleteIssue,
  linkIssues,
  transitionIssue,
  updateIssue,
} from "#servers/jira/operations.ts";
import { onlyPreparedRequests } from "#test/only-prepared.ts";

import { adf, call, cloud, cloudScope, endScopes, listed } from "./support.ts";

const ben = {
  accountId: "5b10ac8d82e05b22cc7d4ef5",
  displayName: "Ben Okafor",
  active: true,
  accountType: "atlassian",
};

onlyPreparedRequests();
afterEach(endScopes);

/** GET issue as Jira Cloud v3 documents it. */
function whole(key: string, more: object = {}): object {
  const base = listed(key, ben) as { fields: object };
  return {
    ...base,
    fields: {
      ...base.fields,
      project: { id: "10000", key: "SHOP", name: "Shop", simplified: true },
      reporter: { accountId: "5b10a2844c20165700ede21g", displayName: "Mia Krystof" },
      labels: ["login"],
      parent: {
        id: "1",
        key: "SHOP-10",
        fields: { summary: "Checkout", issuetype: { name: "Epos", hierarchyLevel: 1 } },
      },
      created: "2026-11-01T09:00:00.000+0000",
      duedate: "2026-12-24",
      description: adf("Blank page"),
      issuelinks: [
        {
          id: "1",
          type: { id: "1", name: "Blocks", inward: "is blocked by", outward: "blocks" },
          inwardIssue: {
            key: "OPS-4",
            fields: { summary: "Disk", status: { name: "To Do", statusCategory: { key: "new" } } },
          },
        },
        {
          id: "2",
          type: { id: "1", name: "Blocks", inward: "is blocked by", outward: "blocks" },
          outwardIssue: { key: "OPS-9", fields: { summary: "Deploy" } },
        },
      ],
      comment: {
        comments: [
          { id: "10100", author: ben, body: adf("Reproduced."), created: "2026-11-02T10:00:00.000+0000" },
        ],
        maxResults: 1,
        total: 2,
        startAt: 0,
      },
      ...more,
    },
    changelog: {
      startAt: 0,
      maxResults: 2,
      total: 2,
      histories: [
        {
          id: "2",
          author: ben,
          created: "2026-11-03T10:00:00.000+0000",
          items: [{ field: "labels", fieldtype: "jira", fromString: "", toString: "login" }],
        },
        {
          id: "1",
          author: ben,
          created: "2026-11-02T09:00:00.000+0000",
          items: [{ field: "description", fieldtype: "jira" }],
        },
      ],
    },
  };
}

function issueAnswers(key: string, more: object = {}): nock.Scope {
  return cloudScope()
    .get(`/rest/api/3/issue/${key}`)
    .query((query) => query.expand === "changelog" && String(query.fields).includes("description"))
    .reply(200, whole(key, { comment: { comments: [], total: 0 }, ...more }));
}

function projectAnswers(): nock.Scope {
  return cloudScope()
    .get("/rest/api/3/project/SHOP")
    .reply(200, {
      key: "SHOP",
      name: "Shop",
      issueTypes: [
        { name: "Task", subtask: false },
        { name: "Bug", subtask: false },
        { name: "Sub-task", subtask: true },
      ],
    })
    .get("/rest/api/3/priority/search")
    .query({ startAt: 0, maxResults: 50 })
    .reply(200, { values: [{ name: "High" }, { name: "Low" }], isLast: true, total: 2 });
}

describe("Jira Cloud v3", () => {
  it("reads an issue with all its comments, its epic, links and history", async () => {
    cloudScope()
      .get("/rest/api/3/issue/SHOP-1")
      .query(true)
      .reply(200, whole("SHOP-1"))
      .get("/rest/api/3/issue/SHOP-1/comment")
      .query({ startAt: 1, maxResults: 100 })
      .reply(200, {
        comments: [
          { id: "10101", author: null, body: adf("Me too."), created: "2026-11-04T10:00:00.000+0000" },
        ],
        total: 2,
      });
    expect(await cloud().issue("SHOP-1", call())).toEqual({
      key: "SHOP-1",
      summary: "Summary of SHOP-1",
      type: "Bug",
      status: "In Progress",
      status_category: "in_progress",
      priority: "High",
      assignee: { id: "5b10ac8d82e05b22cc7d4ef5", name: "Ben Okafor" },
      updated: "2026-11-20T17:05:06.000Z",
      url: "http://127.0.0.1:8081/browse/SHOP-1",
      project: { key: "SHOP", name: "Shop" },
      reporter: { id: "5b10a2844c20165700ede21g", name: "Mia Krystof" },
      labels: ["login"],
      epic: { key: "SHOP-10", summary: "Checkout" },
      created: "2026-11-01T09:00:00.000Z",
      due_date: "2026-12-24",
      description: "Blank page",
      links: [
        {
          type: "is blocked by",
          key: "OPS-4",
          summary: "Disk",
          status: "To Do",
          url: "http://127.0.0.1:8081/browse/OPS-4",
        },
        {
          type: "blocks",
          key: "OPS-9",
          summary: "Deploy",
          status: null,
          url: "http://127.0.0.1:8081/browse/OPS-9",
        },
      ],
      comments: [
        {
          id: "10100",
          author: { id: "5b10ac8d82e05b22cc7d4ef5", name: "Ben Okafor" },
          created: "2026-11-02T10:00:00.000Z",
          body: "Reproduced.",
        },
        { id: "10101", author: null, created: "2026-11-04T10:00:00.000Z", body: "Me too." },
      ],
      history: [
        {
          at: "2026-11-02T09:00:00.000Z",
          author: { id: "5b10ac8d82e05b22cc7d4ef5", name: "Ben Okafor" },
          field: "description",
          from: null,
          to: null,
        },
        {
          at: "2026-11-03T10:00:00.000Z",
          author: { id: "5b10ac8d82e05b22cc7d4ef5", name: "Ben Okafor" },
          field: "labels",
          from: "",
          to: "login",
        },
      ],
    });
  });

  it("does not take the parent of a subtask for an epic", async () => {
    issueAnswers("SHOP-1", {
      parent: {
        key: "SHOP-2",
        fields: { summary: "Story", issuetype: { name: "Story", hierarchyLevel: 0 } },
      },
    });
    expect((await cloud().issue("SHOP-1", call())).epic).toBeNull();
  });

  it("searches page by page with nextPageToken, and goes on from a cursor", async () => {
    const first = 'project = "SHOP" AND assignee = currentUser() ORDER BY updated DESC';
    cloudScope()
      .get("/rest/api/3/project/SHOP")
      .reply(200, { key: "SHOP", name: "Shop" })
      .get("/rest/api/3/search/jql")
      .query({
        jql: first,
        maxResults: 3,
        fields: "summary,issuetype,status,priority,assignee,created,updated,duedate",
      })
      .reply(200, {
        issues: [listed("SHOP-1", ben), listed("SHOP-2", null)],
        nextPageToken: "t1",
        isLast: false,
      })
      .post("/rest/api/3/search/approximate-count", { jql: 'project = "SHOP" AND assignee = currentUser()' })
      .reply(200, { count: 5 })
      .get("/rest/api/3/search/jql")
      .query({ jql: first, maxResults: 1, fields: /summary/, nextPageToken: "t1" })
      .reply(200, { issues: [listed("SHOP-3", ben)], nextPageToken: "t2", isLast: false });
    const reports: string[] = [];
    const watched = call(async (done, total) => void reports.push(`${done}/${total}`));
    const page = await cloud().search({ project: "SHOP", assignee: "me", limit: 3 }, watched);
    expect(page.issues.map(({ key, assignee }) => [key, assignee?.name ?? null])).toEqual([
      ["SHOP-1", "Ben Okafor"],
      ["SHOP-2", null],
      ["SHOP-3", "Ben Okafor"],
    ]);
    expect(page).toMatchObject({ total: 5, jql: first });
    expect(reports).toEqual(["1/3", "2/3", "3/3"]);

    cloudScope()
      .get("/rest/api/3/search/jql")
      .query({ jql: first, maxResults: 20, fields: /summary/, nextPageToken: "t2" })
      .reply(200, { issues: [listed("SHOP-4", ben)], isLast: true })
      .post("/rest/api/3/search/approximate-count")
      .reply(200, { count: 5 });
    const rest = await cloud().search({ cursor: page.next_cursor ?? "", limit: 20 }, call());
    expect(rest.issues.map(({ key }) => key)).toEqual(["SHOP-4"]);
    expect(rest.next_cursor).toBeNull();
  });

  it("adds a restriction to a search without one, which Cloud demands", async () => {
    cloudScope()
      .get("/rest/api/3/search/jql")
      .query((query) => query.jql === 'created >= "1970-01-01" ORDER BY updated DESC')
      .reply(200, { issues: [listed("SHOP-1", ben)], isLast: true });
    expect((await cloud().search({ limit: 20 }, call())).total).toBe(1);
  });

  it("names an assignee in JQL by account id", async () => {
    cloudScope()
      .get("/rest/api/3/user/search")
      .query({ query: "okafor", maxResults: 50 })
      .reply(200, [ben])
      .get("/rest/api/3/search/jql")
      .query((query) => query.jql === 'assignee = "5b10ac8d82e05b22cc7d4ef5" ORDER BY updated DESC')
      .reply(200, { issues: [], isLast: true });
    expect((await cloud().search({ assignee: "okafor", limit: 20 }, call())).issues).toEqual([]);
  });

  it("finds people, with their addresses where they show them, and no apps", async () => {
    cloudScope()
      .get("/rest/api/3/user/search")
      .query({ query: "okafor", maxResults: 50 })
      .reply(200, [
        { ...ben, emailAddress: "ben@acme.example.com" },
        { accountId: "5b10a2844c20165700ede21g", displayName: "Mia Okafor", active: true, emailAddress: "" },
        { accountId: "557058:f58131cb-b67d-43c7-b30d-6b58d40bd077", displayName: "Bot", accountType: "app" },
        { accountId: "5b10ac8d82e05b22cc7d4ef6", displayName: "Gone Okafor", active: false },
      ]);
    expect(await cloud().people("okafor", call())).toEqual([
      { id: ben.accountId, name: "Ben Okafor", email: "ben@acme.example.com" },
      { id: "5b10a2844c20165700ede21g", name: "Mia Okafor", email: null },
    ]);
  });

  it("composes every condition with the names of the site", async () => {
    const jql =
      'text ~ "log in" AND project = "SHOP" AND type in ("Bug", "Sub-task") AND status = "In Progress" AND ' +
      'priority = "High" AND labels = "web" AND assignee is EMPTY AND ' +
      'reporter = "5b10ac8d82e05b22cc7d4ef5" AND parent = "SHOP-10" AND created >= "2026-11-01" AND ' +
      'due <= "2026-11-30" ORDER BY due ASC';
    cloudScope()
      .get("/rest/api/3/project/search")
      .query(true)
      .reply(200, { values: [{ key: "SHOP", name: "Web shop" }], isLast: true })
      .get("/rest/api/3/project/SHOP")
      .reply(200, { key: "SHOP", name: "Web shop" })
      .get("/rest/api/3/issuetype")
      .reply(200, [{ name: "Bug" }, { name: "Sub-task", subtask: true }, { name: "Bug" }])
      .get("/rest/api/3/status")
      .reply(200, [{ name: "To Do" }, { name: "In Progress" }])
      .get("/rest/api/3/priority/search")
      .query(true)
      .reply(200, { values: [{ name: "High" }], isLast: true })
      .get("/rest/api/3/user/search")
      .query({ query: "okafor", maxResults: 50 })
      .reply(200, [ben])
      .get("/rest/api/3/search/jql")
      .query((query) => query.jql === jql)
      .reply(200, { issues: [listed("SHOP-1", null)], isLast: true });
    const found = await cloud().search(
      {
        query: "log in",
        project: "web shop",
        type: "bugs, subtasks",
        status: "in progress",
        priority: "high",
        labels: ["web"],
        assignee: "none",
        reporter: "okafor",
        epic: "SHOP-10",
        created_after: "2026-11-01",
        due_before: "2026-11-30",
        order_by: "due",
        limit: 20,
      },
      call(),
    );
    expect(found).toMatchObject({ jql, total: 1 });
  });

  it("names what there is for a condition that is not known, and searches nothing", async () => {
    cloudScope()
      .get("/rest/api/3/issuetype")
      .reply(200, [{ name: "Bug" }, { name: "Task" }]);
    await expect(cloud().search({ type: "incident", limit: 20 }, call())).rejects.toThrow(
      'unknown type "incident". Possible: Bug, Task',
    );
  });

  it("counts with the approximate count, without reading an issue", async () => {
    cloudScope()
      .post("/rest/api/3/search/approximate-count", { jql: "statusCategory != Done" })
      .reply(200, { count: 412 });
    expect(await cloud().count({ status_category: "open" }, undefined, call())).toEqual({
      total: 412,
      groups: [],
      complete: true,
      jql: "statusCategory != Done",
    });
    cloudScope()
      .post("/rest/api/3/search/approximate-count", { jql: "nonsense" })
      .reply(400, { errorMessages: ["Error in the JQL Query"] });
    await expect(cloud().count({ jql: "nonsense" }, undefined, call())).rejects.toThrow(
      "Error in the JQL Query",
    );
  });

  it("counts by group through all pages", async () => {
    const of = (key: string, labels: string[], parent: string | null): object => {
      const { fields, ...issue } = listed(key, ben) as { fields: object };
      const epic = {
        key: parent,
        fields: { summary: "Checkout", issuetype: { name: "Epic", hierarchyLevel: 1 } },
      };
      return { ...issue, fields: { ...fields, labels, ...(parent === null ? {} : { parent: epic }) } };
    };
    const pages = (): void => {
      const jql = "assignee = currentUser() ORDER BY key ASC";
      const fields =
        "summary,issuetype,status,priority,assignee,created,updated,duedate,project,reporter,labels,parent";
      cloudScope()
        .get("/rest/api/3/search/jql")
        .query({ jql, maxResults: 100, fields })
        .reply(200, {
          issues: [of("SHOP-1", ["web", "login"], "SHOP-10"), of("SHOP-2", [], null)],
          nextPageToken: "t",
          isLast: false,
        })
        .post("/rest/api/3/search/approximate-count")
        .reply(200, { count: 4 })
        .get("/rest/api/3/search/jql")
        .query({ jql, maxResults: 100, fields, nextPageToken: "t" })
        .reply(200, { issues: [of("SHOP-3", ["web"], "SHOP-10")], isLast: true });
    };
    pages();
    expect(await cloud().count({ assignee: "me" }, "label", call())).toEqual({
      // What was read is nearer to the truth than the approximate count.
      total: 3,
      groups: [
        { value: "web", count: 2 },
        { value: "login", count: 1 },
        { value: "no label", count: 1 },
      ],
      complete: true,
      jql: "assignee = currentUser()",
    });
    pages();
    expect((await cloud().count({ assignee: "me" }, "epic", call())).groups).toEqual([
      { value: "SHOP-10 Checkout", count: 2 },
      { value: "no epic", count: 1 },
    ]);
  });

  it("says so when the groups hold only the first thousand", async () => {
    const hundred = Array.from({ length: 100 }, (_, at) => listed(`SHOP-${at + 1}`, null));
    cloudScope()
      .get("/rest/api/3/search/jql")
      .query(true)
      .times(10)
      .reply(200, { issues: hundred, nextPageToken: "t", isLast: false })
      .post("/rest/api/3/search/approximate-count", { jql: 'created >= "1970-01-01"' })
      .reply(200, { count: 2345 });
    expect(await cloud().count({}, "assignee", call())).toMatchObject({
      total: 2345,
      groups: [{ value: "unassigned", count: 1000 }],
      complete: false,
    });
  });

  it("creates an issue with a document as description, after naming what would be created", async () => {
    const input = {
      project: "shop",
      summary: "Printer on fire",
      type: "bug",
      description: "It **burns**",
      priority: "high",
      assignee: "ben",
      epic_key: "SHOP-10",
    };
    const resolve = (): void => {
      projectAnswers();
      cloudScope()
        .get("/rest/api/3/user/assignable/search")
        .query({ query: "ben", project: "SHOP", maxResults: 50 })
        .reply(200, [ben]);
      issueAnswers("SHOP-10");
    };
    resolve();
    const dry = await createIssue(cloud(), input, true, call());
    expect(dry).toMatchObject({
      dry_run: true,
      before: null,
      after: {
        project: "SHOP",
        type: "Bug",
        summary: "Printer on fire",
        priority: "High",
        assignee: "Ben Okafor",
        epic_key: "SHOP-10",
      },
      issue: null,
    });

    resolve();
    cloudScope()
      .post("/rest/api/3/issue", {
        fields: {
          project: { key: "SHOP" },
          summary: "Printer on fire",
          issuetype: { name: "Bug" },
          description: {
            type: "doc",
            version: 1,
            content: [
              {
                type: "paragraph",
                content: [
                  { type: "text", text: "It " },
                  { type: "text", text: "burns", marks: [{ type: "strong" }] },
                ],
              },
            ],
          },
          priority: { name: "High" },
          assignee: { accountId: "5b10ac8d82e05b22cc7d4ef5" },
          parent: { key: "SHOP-10" },
        },
      })
      .reply(201, { id: "10009", key: "SHOP-77", self: "…" });
    issueAnswers("SHOP-77");
    expect((await createIssue(cloud(), input, false, call())).issue?.key).toBe("SHOP-77");
  });

  it("updates fields, and takes an issue out of its epic the way Cloud wants it", async () => {
    issueAnswers("SHOP-1");
    cloudScope()
      .put("/rest/api/3/issue/SHOP-1", {
        fields: { summary: "New", labels: ["a"], duedate: null },
        update: { parent: [{ set: { none: true } }] },
      })
      .reply(204);
    issueAnswers("SHOP-1", { summary: "New" });
    const change = await updateIssue(
      cloud(),
      "SHOP-1",
      { summary: "New", labels: ["a"], due_date: null, epic_key: null },
      false,
      call(),
    );
    expect(change.before).toEqual({
      summary: "Summary of SHOP-1",
      labels: ["login"],
      due_date: "2026-12-24",
      epic_key: "SHOP-10",
    });
    expect(change.issue.summary).toBe("New");
  });

  it("moves an issue by the transition that leads to the status", async () => {
    const transitions = {
      transitions: [
        { id: "11", name: "Stop", to: { name: "To Do", statusCategory: { key: "new" } } },
        { id: "31", name: "Finish", to: { name: "Done", statusCategory: { key: "done" } } },
      ],
    };
    issueAnswers("SHOP-1");
    cloudScope()
      .get("/rest/api/3/issue/SHOP-1/transitions")
      .reply(200, transitions)
      .post("/rest/api/3/issue/SHOP-1/transitions", { transition: { id: "31" } })
      .reply(204);
    issueAnswers("SHOP-1", { status: { name: "Done", statusCategory: { key: "done" } } });
    const change = await transitionIssue(cloud(), "SHOP-1", "done", false, call());
    expect(change).toMatchObject({
      before: { status: "In Progress" },
      after: { status: "Done" },
      issue: { status_category: "done" },
    });

    issueAnswers("SHOP-1");
    cloudScope().get("/rest/api/3/issue/SHOP-1/transitions").reply(200, transitions);
    await expect(transitionIssue(cloud(), "SHOP-1", "Closed", false, call())).rejects.toThrow(
      "Possible: To Do, Done",
    );
  });

  it("reports a change that was made even when the issue cannot be read afterwards", async () => {
    projectAnswers();
    cloudScope()
      .post("/rest/api/3/issue")
      .reply(201, { id: "10009", key: "SHOP-78" })
      .get("/rest/api/3/issue/SHOP-78")
      .query(true)
      .reply(500, "");
    const created = await createIssue(cloud(), { project: "SHOP", summary: "x" }, false, call());
    expect(created).toMatchObject({ key: "SHOP-78", dry_run: false, issue: null });

    issueAnswers("SHOP-1");
    cloudScope()
      .put("/rest/api/3/issue/SHOP-1", { fields: { summary: "New" } })
      .reply(204)
      .get("/rest/api/3/issue/SHOP-1")
      .query(true)
      .reply(403, "");
    const updated = await updateIssue(cloud(), "SHOP-1", { summary: "New" }, false, call());
    expect(updated.issue).toMatchObject({ key: "SHOP-1", summary: "New", priority: "High" });
  });

  it("comments, assigns, links and deletes", async () => {
    cloudScope()
      .post("/rest/api/3/issue/SHOP-1/comment", { body: adf("Done.") })
      .reply(201, { id: "1", author: ben, body: adf("Done."), created: "2026-11-21T10:00:00.000+0000" });
    expect(await cloud().comment("SHOP-1", "Done.", call())).toMatchObject({
      id: "1",
      body: "Done.",
      author: { name: "Ben Okafor" },
    });

    issueAnswers("SHOP-1");
    cloudScope()
      .get("/rest/api/3/myself")
      .reply(200, ben)
      .put("/rest/api/3/issue/SHOP-1/assignee", { accountId: "5b10ac8d82e05b22cc7d4ef5" })
      .reply(204);
    issueAnswers("SHOP-1");
    expect((await updateIssue(cloud(), "SHOP-1", { assignee: "me" }, false, call())).after).toEqual({
      assignee: "Ben Okafor",
    });

    issueAnswers("SHOP-1");
    cloudScope().put("/rest/api/3/issue/SHOP-1/assignee", { accountId: null }).reply(204);
    issueAnswers("SHOP-1", { assignee: null });
    expect(
      (await updateIssue(cloud(), "SHOP-1", { assignee: "unassigned" }, false, call())).issue.assignee,
    ).toBeNull();

    cloudScope()
      .get("/rest/api/3/issueLinkType")
      .reply(200, {
        issueLinkTypes: [{ id: "1", name: "Blocks", inward: "is blocked by", outward: "blocks" }],
      })
      .post("/rest/api/3/issueLink", {
        type: { name: "Blocks" },
        inwardIssue: { key: "SHOP-2" },
        outwardIssue: { key: "SHOP-1" },
      })
      .reply(201);
    issueAnswers("SHOP-1");
    issueAnswers("SHOP-2");
    expect(await linkIssues(cloud(), "SHOP-1", "SHOP-2", "is blocked by", call())).toMatchObject({
      from_key: "SHOP-1",
      to_key: "SHOP-2",
      type: "is blocked by",
    });

    issueAnswers("SHOP-1");
    cloudScope().delete("/rest/api/3/issue/SHOP-1").reply(204);
    expect(await deleteIssue(cloud(), "SHOP-1", false, call())).toMatchObject({
      before: { key: "SHOP-1" },
      after: null,
      issue: null,
    });
  });

  it("lists all projects over pages, with leads and counts", async () => {
    const page = (values: object[], startAt: number, isLast: boolean): nock.Scope =>
      cloudScope()
        .get("/rest/api/3/project/search")
        .query({ expand: "lead,insight", startAt, maxResults: 50 })
        .reply(200, { values, startAt, isLast });
    page([{ key: "SHOP", name: "Shop", lead: ben, insight: { totalIssueCount: 42 } }], 0, false);
    page([{ key: "OPS", name: "Operations" }], 1, true);
    expect(await cloud().projects(call())).toEqual([
      {
        key: "SHOP",
        name: "Shop",
        lead: { id: ben.accountId, name: "Ben Okafor" },
        issues: 42,
        url: "http://127.0.0.1:8081/browse/SHOP",
      },
      { key: "OPS", name: "Operations", lead: null, issues: null, url: "http://127.0.0.1:8081/browse/OPS" },
    ]);
  });

  it("names the projects when one is unknown, and the people who can be assigned", async () => {
    const projects = { values: [{ key: "SHOP", name: "Shop" }], isLast: true };
    cloudScope()
      .get("/rest/api/3/project/SHPO")
      .reply(404, { errorMessages: ["No project could be found with key 'SHPO'."], errors: {} })
      .get("/rest/api/3/project/search")
      .query(true)
      .reply(200, projects);
    await expect(cloud().choices("SHPO", call())).rejects.toThrow(
      'unknown project "SHPO". Projects: SHOP (Shop)',
    );

    cloudScope()
      .get("/rest/api/3/user/assignable/search")
      .query({ query: "zoe", project: "SHOP", maxResults: 50 })
      .reply(200, [])
      .get("/rest/api/3/user/assignable/search")
      .query({ query: "", project: "SHOP", maxResults: 50 })
      .reply(200, [ben]);
    await expect(cloud().findPerson("zoe", "SHOP", call())).rejects.toThrow(
      "People: Ben Okafor (5b10ac8d82e05b22cc7d4ef5)",
    );
  });
});
