import { fork } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import type { Grouping, IssueFilter } from "#servers/jira/arguments.ts";
import { seedState } from "#servers/jira/demo/seed.ts";
import {
  createIssue,
  deleteIssue,
  linkIssues,
  readEpic,
  transitionIssue,
  updateIssue,
} from "#servers/jira/operations.ts";
import { searchText } from "#servers/jira/text.ts";

import { call, demo, newFolder, now } from "./support.ts";

describe("the demo site", () => {
  const state = seedState(now);

  it("has three projects and at least 60 issues with epics, links, comments, assignees and history", () => {
    expect(state.projects.map(({ key }) => key)).toEqual(["DEMO", "OPS", "MOB"]);
    expect(state.issues.length).toBeGreaterThanOrEqual(60);
    expect(state.issues.filter(({ epic }) => epic !== null).length).toBeGreaterThan(30);
    expect(state.issues.flatMap(({ comments }) => comments).length).toBeGreaterThan(20);
    expect(state.links.length).toBeGreaterThan(5);
  });

  it("names only people, epics, statuses and issues that exist, and past times in order", () => {
    const keys = new Set(state.issues.map(({ key }) => key));
    expect(keys.size).toBe(state.issues.length);
    for (const issue of state.issues) {
      const people = [
        issue.assignee,
        issue.reporter,
        ...issue.comments.map((c) => c.author),
        ...issue.history.map((h) => h.author),
      ];
      for (const id of people) if (id !== null) expect(Object.keys(state.people)).toContain(id);
      expect(state.statuses.map(({ name }) => name)).toContain(issue.status);
      expect(state.types).toContain(issue.type);
      expect(state.priorities).toContain(issue.priority);
      if (issue.epic !== null) expect(state.issues.find(({ key }) => key === issue.epic)?.type).toBe("Epic");
      expect(issue.created <= issue.updated && issue.updated <= now.toISOString()).toBe(true);
    }
    for (const link of state.links) {
      expect(keys).toContain(link.from);
      expect(keys).toContain(link.to);
      expect(state.linkTypes.map(({ name }) => name)).toContain(link.type);
    }
  });
});

describe("reading the demo store", () => {
  const jira = demo();

  it("gives a whole issue, links as seen from it", async () => {
    const issue = await jira.issue("DEMO-1", call());
    expect(issue).toMatchObject({
      key: "DEMO-1",
      status_category: "in_progress",
      assignee: { id: "ben", name: "Ben Okafor" },
      reporter: { id: "chloe", name: "Chloé Martin" },
      project: { key: "DEMO", name: "Demo Shop" },
      epic: { key: "DEMO-2", summary: "Accounts and login" },
      created: "2026-11-12T09:14:00.000Z",
      due_date: "2026-11-23",
      url: "https://jira.example.com/browse/DEMO-1",
    });
    expect(issue.links.map(({ type, key }) => `${type} ${key}`)).toEqual([
      "relates to MOB-3",
      "is blocked by OPS-4",
    ]);
    expect(issue.comments).toHaveLength(4);
    expect(issue.history.map(({ field }) => field)).toContain("status");
  });

  it("says which keys there are for one that is not there", async () => {
    await expect(jira.issue("DEMO-999", call())).rejects.toThrow("Demo Shop has keys from DEMO-1 to DEMO-27");
    await expect(jira.issue("XYZ-1", call())).rejects.toThrow("Projects: DEMO, OPS, MOB");
  });

  it("finds issues that hold all words, in any form, best match first", async () => {
    const { issues, total, jql } = await jira.search(
      { query: "find issues about logins", limit: 100 },
      call(),
    );
    expect(issues[0]?.summary).toMatch(/login/i);
    expect(new Set(issues.map(({ key }) => key.split("-")[0]))).toEqual(new Set(["DEMO", "OPS", "MOB"]));
    expect(total).toBe(issues.length);
    expect(jql).toContain('text ~ "find issues about logins"');
    const both = await jira.search({ query: "login emoji", limit: 100 }, call());
    expect(both.issues.map(({ key }) => key).toSorted()).toEqual(["DEMO-1", "MOB-3"]);
    expect((await jira.search({ query: "mob-1", limit: 5 }, call())).issues[0]?.key).toBe("MOB-1");
    expect((await jira.search({ query: "zeppelin", limit: 5 }, call())).issues).toEqual([]);
  });

  it("narrows by project, status and assignee", async () => {
    const open = await jira.search(
      { project: "ops", status: "open", assignee: "Sokolov", limit: 100 },
      call(),
    );
    expect(open.issues.map(({ key }) => key).toSorted()).toEqual([
      "OPS-1",
      "OPS-10",
      "OPS-13",
      "OPS-2",
      "OPS-4",
      "OPS-8",
    ]);
    const free = await jira.search(
      { assignee: "unassigned", project: "Mobile App", status: "to do", limit: 9 },
      call(),
    );
    expect(free.issues.map(({ key }) => key)).toEqual(["MOB-17"]);
    await expect(jira.search({ status: "Finished", limit: 1 }, call())).rejects.toThrow(
      "Possible: Backlog, To Do",
    );
    await expect(jira.search({ project: "shop", limit: 1 }, call())).rejects.toThrow(
      'unknown project "shop"',
    );
  });

  const keysFor = async (filter: IssueFilter): Promise<string[]> =>
    (await jira.search({ ...filter, limit: 100 }, call())).issues.map(({ key }) => key);

  it.each<[IssueFilter, string[]]>([
    [{ type: "bugs", project: "Mobile app", status_category: "todo" }, ["MOB-17", "MOB-20", "MOB-3"]],
    [{ type: "epics, stories", project: "ops" }, ["OPS-8", "OPS-15", "OPS-10", "OPS-1"]],
    [
      { status: "in review, in progress", project: "OPS" },
      ["OPS-4", "OPS-8", "OPS-17", "OPS-2", "OPS-12", "OPS-1"],
    ],
    [{ priority: "highest", status_category: "open" }, ["OPS-4", "DEMO-14", "DEMO-1", "MOB-3"]],
    [{ priority: "Low, Lowest", project: "OPS", status: "open" }, ["OPS-20", "OPS-6", "OPS-9"]],
    [{ labels: ["login", "customer"] }, ["DEMO-1", "DEMO-7"]],
    [{ assignee: "none", type: "bug" }, ["OPS-20", "MOB-17", "OPS-6", "DEMO-4"]],
    [{ assignee: "me", status_category: "in_progress" }, ["DEMO-10", "DEMO-2"]],
    [{ reporter: "Chloé", status_category: "done", project: "MOB" }, ["MOB-13"]],
    [{ epic: "DEMO-10", status_category: "done" }, ["DEMO-13", "DEMO-17", "DEMO-16"]],
    [{ created_after: "2026-11-20" }, ["OPS-20", "MOB-17"]],
    [{ created_before: "2026-08-30" }, ["MOB-2", "OPS-3", "MOB-1", "OPS-1", "DEMO-2"]],
    [{ created_after: "2026-11-16", created_before: "2026-11-16" }, ["OPS-4"]],
    [{ updated_after: "2026-11-20", project: "DEMO" }, ["DEMO-27", "DEMO-3", "DEMO-14", "DEMO-11"]],
    [{ updated_before: "2026-09-30", project: "DEMO", type: "story" }, ["DEMO-23", "DEMO-15", "DEMO-6"]],
    [
      { due_before: "2026-11-20", status_category: "open", order_by: "due" },
      ["OPS-13", "DEMO-2", "DEMO-4", "MOB-9"],
    ],
    [
      { due_after: "2026-11-21", due_before: "2026-11-26", order_by: "due" },
      ["MOB-3", "OPS-4", "DEMO-1", "OPS-5"],
    ],
    [{ query: "login", type: "bug", assignee: "emi" }, ["MOB-3"]],
    [{ project: "OPS", type: "epic", order_by: "created" }, ["OPS-10", "OPS-1"]],
    [{ project: "OPS", type: "epic", order_by: "created", order: "asc" }, ["OPS-1", "OPS-10"]],
    [{ query: "dark mode", order_by: "key" }, ["DEMO-17", "MOB-17"]],
    [{ query: "dark mode", order_by: "key", order: "desc" }, ["MOB-17", "DEMO-17"]],
  ])("finds by %j", async (filter, keys) => {
    expect(await keysFor(filter)).toEqual(keys);
  });

  it("gives the due date with each issue of a list", async () => {
    const { issues } = await jira.search({ assignee: "me", due_before: "2026-11-20", limit: 5 }, call());
    expect(issues).toMatchObject([{ key: "DEMO-2", due_date: "2026-11-17" }]);
    expect(searchText({ issues, total: 1, next_cursor: null, jql: "" })).toContain(
      "DEMO-2 Accounts and login (Epic, In Progress, High, Ana Lindqvist, due 2026-11-17)",
    );
  });

  it("sorts by priority and by status", async () => {
    const { issues: urgent } = await jira.search(
      { project: "OPS", order_by: "priority", limit: 100 },
      call(),
    );
    const ranks = urgent.map(({ priority }) =>
      ["Highest", "High", "Medium", "Low", "Lowest"].indexOf(priority ?? ""),
    );
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
    const { issues: moved } = await jira.search({ project: "OPS", order_by: "status", limit: 100 }, call());
    expect([...new Set(moved.map(({ status }) => status))]).toEqual([
      "Backlog",
      "To Do",
      "In Progress",
      "In Review",
      "Done",
      "Won't Do",
    ]);
  });

  it("counts, in groups where it is asked to", async () => {
    const bugs = { type: "bug", status_category: "open", project: "OPS" } as const;
    expect(await jira.count(bugs, undefined, call())).toEqual({
      total: 5,
      groups: [],
      complete: true,
      jql: 'project = "OPS" AND type = "Bug" AND statusCategory != Done',
    });
    const groups = async (by: Grouping): Promise<string[]> => {
      const result = await jira.count(bugs, by, call());
      expect(result).toMatchObject({ total: 5, complete: true });
      return result.groups.map(({ value, count }) => `${value}: ${count}`);
    };
    expect(await groups("status")).toEqual(["In Progress: 2", "To Do: 2", "In Review: 1"]);
    expect(await groups("status_category")).toEqual(["in_progress: 3", "todo: 2"]);
    expect(await groups("type")).toEqual(["Bug: 5"]);
    expect(await groups("priority")).toEqual(["High: 2", "Low: 2", "Highest: 1"]);
    expect(await groups("assignee")).toEqual(["Dmitri Sokolov: 2", "unassigned: 2", "Ben Okafor: 1"]);
    expect(await groups("reporter")).toEqual([
      "Emi Tanaka: 2",
      "Ben Okafor: 1",
      "Chloé Martin: 1",
      "Dmitri Sokolov: 1",
    ]);
    expect(await groups("project")).toEqual(["OPS Operations: 5"]);
    expect(await groups("label")).toEqual([
      "alerts: 2",
      "database: 2",
      "capacity: 1",
      "login: 1",
      "logs: 1",
      "office: 1",
      "on-call: 1",
      "printer: 1",
    ]);
    expect(await groups("epic")).toEqual(["no epic: 3", "OPS-1 Quiet nights: 2"]);
    expect((await jira.count({ query: "zeppelin" }, "status", call())).groups).toEqual([]);
    expect((await jira.count({ jql: "project = MOB ORDER BY key" }, undefined, call())).jql).toBe(
      "project = MOB",
    );
  });

  it("pages through everything once, each cursor enough by itself", async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await jira.search(
        cursor === undefined ? { status: "open", limit: 7 } : { cursor, limit: 7 },
        call(),
      );
      seen.push(...page.issues.map(({ key }) => key));
      cursor = page.next_cursor ?? undefined;
      expect(page.total).toBe((await jira.search({ status: "open", limit: 1 }, call())).total);
    } while (cursor !== undefined);
    const all = await jira.search({ status: "open", limit: 100 }, call());
    expect(seen).toEqual(all.issues.map(({ key }) => key));
    await expect(jira.search({ cursor: "nonsense", limit: 5 }, call())).rejects.toThrow(
      "expected next_cursor",
    );
  });

  it("[mcp.progress] reports every issue of an export, and ends when it is cancelled", async () => {
    const reports: string[] = [];
    const watched = {
      ...call(),
      progress: async (done: number, total: number | undefined) => void reports.push(`${done}/${total}`),
    };
    const { issues } = await jira.exportIssues("mob", watched);
    expect(issues[0]?.key).toBe("MOB-1");
    expect(reports).toEqual(issues.map((_, at) => `${at + 1}/${issues.length}`));
    const stop = new AbortController();
    const stopped = {
      signal: stop.signal,
      progress: async (done: number) => void (done === 3 && stop.abort()),
    };
    await expect(jira.exportIssues("MOB", stopped)).rejects.toThrow("the call was cancelled");
  });

  it("counts an epic's children, and says what an issue is that is no epic", async () => {
    const { children, progress } = await readEpic(jira, "DEMO-10", call());
    expect(progress).toEqual({ todo: 3, in_progress: 2, done: 3, total: 8 });
    expect(children).toHaveLength(8);
    await expect(readEpic(jira, "DEMO-12", call())).rejects.toThrow(
      "DEMO-12 is a Story, not an epic; its epic is DEMO-10",
    );
  });
});

describe("changing the demo store", () => {
  it("changes nothing in a dry run and says what would change", async () => {
    const folder = newFolder();
    const jira = demo(folder);
    await jira.issue("DEMO-1", call());
    const before = readFileSync(join(folder, "jira-demo.json"), "utf8");
    const created = await createIssue(
      jira,
      { project: "demo", summary: "Printer on fire", assignee: "me" },
      true,
      call(),
    );
    expect(created).toEqual({
      key: null,
      dry_run: true,
      before: null,
      after: { project: "DEMO", type: "Task", summary: "Printer on fire", assignee: "Ana Lindqvist" },
      issue: null,
    });
    const updated = await updateIssue(
      jira,
      "DEMO-4",
      { priority: "low", assignee: "emi", epic_key: null },
      true,
      call(),
    );
    expect(updated.before).toEqual({ priority: "High", assignee: null, epic_key: "DEMO-2" });
    expect(updated.after).toEqual({ priority: "Low", assignee: "Emi Tanaka", epic_key: null });
    const moved = await transitionIssue(jira, "DEMO-4", "in-progress", true, call());
    expect([moved.before, moved.after]).toEqual([{ status: "To Do" }, { status: "In Progress" }]);
    const removed = await deleteIssue(jira, "DEMO-4", true, call());
    expect(removed).toMatchObject({ before: { key: "DEMO-4" }, after: null, issue: { key: "DEMO-4" } });
    expect(readFileSync(join(folder, "jira-demo.json"), "utf8")).toBe(before);
  });

  it("keeps changes, with history, for the next process", async () => {
    const folder = newFolder();
    const jira = demo(folder, "Chloé");
    const { issue } = await createIssue(
      jira,
      { project: "OPS", summary: "Printer on fire", type: "bug", epic_key: "OPS-1" },
      false,
      call(),
    );
    expect(issue?.key).toBe("OPS-21");
    await transitionIssue(jira, "OPS-21", "In Progress", false, call());
    await updateIssue(
      jira,
      "OPS-21",
      { labels: ["office", "office"], due_date: "2026-12-24" },
      false,
      call(),
    );
    await jira.comment("OPS-21", "It is **out** now.", call());
    await linkIssues(jira, "OPS-21", "OPS-6", "is caused by", call());
    const again = await demo(folder).issue("OPS-21", call());
    expect(again).toMatchObject({
      status: "In Progress",
      reporter: { id: "chloe" },
      labels: ["office"],
      due_date: "2026-12-24",
      comments: [{ author: { id: "chloe" }, body: "It is **out** now." }],
      links: [{ type: "is caused by", key: "OPS-6" }],
    });
    expect(again.history.map(({ field, to }) => `${field}: ${to}`)).toEqual([
      "status: In Progress",
      "labels: office",
      "due date: 2026-12-24",
      "link: is caused by OPS-6",
    ]);
    await deleteIssue(demo(folder), "OPS-21", false, call());
    await expect(jira.issue("OPS-21", call())).rejects.toThrow("there is no issue OPS-21");
    expect((await createIssue(jira, { project: "OPS", summary: "Another" }, false, call())).issue?.key).toBe(
      "OPS-22",
    );
  });

  it("names what exists for values that do not", async () => {
    const jira = demo();
    const create = (input: object) =>
      createIssue(jira, { project: "DEMO", summary: "x", ...input }, true, call());
    await expect(create({ project: "SHOP" })).rejects.toThrow(
      "Projects: DEMO (Demo Shop), OPS (Operations), MOB (Mobile App)",
    );
    await expect(create({ type: "Bugg" })).rejects.toThrow("did you mean Bug?");
    await expect(create({ priority: "urgent" })).rejects.toThrow(
      "Possible: Highest, High, Medium, Low, Lowest",
    );
    await expect(create({ assignee: "zoe" })).rejects.toThrow(
      "People: Ana Lindqvist (ana), Ben Okafor (ben)",
    );
    await expect(create({ epic_key: "DEMO-1" })).rejects.toThrow("DEMO-1 is a Bug, not an epic");
    await expect(transitionIssue(jira, "DEMO-1", "Finished", true, call())).rejects.toThrow(
      'DEMO-1 is In Progress and cannot become "Finished". Possible: Backlog, To Do, In Review, Done, Won\'t Do',
    );
    await expect(updateIssue(jira, "DEMO-1", {}, true, call())).rejects.toThrow(
      "nothing to change: give at least one of",
    );
    await expect(linkIssues(jira, "DEMO-1", "DEMO-2", "hates", call())).rejects.toThrow(
      "Possible: blocks, is blocked by",
    );
    await expect(linkIssues(jira, "DEMO-1", "DEMO-1", "blocks", call())).rejects.toThrow(
      "cannot be linked to itself",
    );
    await expect(jira.findPerson("an", "DEMO", call())).resolves.toEqual({
      id: "ana",
      name: "Ana Lindqvist",
    });
    await expect(demo(newFolder(), "nobody-here").findPerson("me", "DEMO", call())).rejects.toThrow(
      "unknown user",
    );
  });

  it("links once however often it is asked, and in the direction of the phrase", async () => {
    const jira = demo();
    await linkIssues(jira, "DEMO-6", "DEMO-8", "blocked by", call());
    await linkIssues(jira, "DEMO-8", "DEMO-6", "Blocks", call());
    const links = (await jira.issue("DEMO-8", call())).links;
    expect(links.map(({ type, key }) => `${type} ${key}`)).toEqual(["blocks DEMO-6"]);
  });

  it("loses no change when several processes write at once", async () => {
    const folder = newFolder();
    const writers = Array.from({ length: 3 }, () =>
      fork(join(import.meta.dirname, "../../fakes/jira-writer.ts"), [folder, "6"], {
        execArgv: [],
        stdio: "inherit",
      }),
    );
    const codes = await Promise.all(writers.map(async (writer) => (await once(writer, "exit"))[0] as number));
    expect(codes).toEqual([0, 0, 0]);
    const jira = demo(folder);
    const { total } = await jira.search({ jql: "summary ~ concurrent", limit: 1 }, call());
    expect(total).toBe(18);
  });

  it("sees what another process wrote", async () => {
    const folder = newFolder();
    const [one, two] = [demo(folder), demo(folder)];
    expect((await two.issue("DEMO-4", call())).status).toBe("To Do");
    await transitionIssue(one, "DEMO-4", "Done", false, call());
    expect((await two.issue("DEMO-4", call())).status).toBe("Done");
  });

  it("names a damaged file and leaves it as it is", async () => {
    const folder = newFolder();
    const path = join(folder, "jira-demo.json");
    writeFileSync(path, '{"version":');
    await expect(demo(folder).issue("DEMO-1", call())).rejects.toThrow(`${path} is not valid JSON`);
    expect(readFileSync(path, "utf8")).toBe('{"version":');
  });

  it("reads without a writable folder and says why it cannot write", async () => {
    // A file where the folder should be: unlike a mode, that stops root as well.
    const folder = join(newFolder(), "file");
    writeFileSync(folder, "");
    chmodSync(folder, 0o400);
    const jira = demo(folder);
    expect((await jira.issue("DEMO-1", call())).key).toBe("DEMO-1");
    await expect(jira.comment("DEMO-1", "x", call())).rejects.toThrow(
      "set COUNTERSIGN_DATA to another folder",
    );
  });
});
