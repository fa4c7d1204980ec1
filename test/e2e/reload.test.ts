import { readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it, vi } from "vitest";

import {
  askFor,
  cleanUpAll,
  decide,
  follow,
  jiraOnly,
  type LogLine,
  projectRoot,
  readStore,
  request,
  type RunningProduct,
  say,
  sayLive,
  startProduct,
  storedIssues,
  temporaryFolder,
} from "./support.ts";

vi.setConfig({ testTimeout: 120_000 });

/** Longer than anything here takes. */
const grace = "60s";
const jira = (jiraOnly() as { servers: object[] }).servers[0];
const second = { ...jira, name: "second", env: { JIRA_DEMO_DELAY_MS: 300 } };

let product: RunningProduct;
let file: string;
let prompts: string;

beforeAll(async () => {
  const folder = await temporaryFolder();
  file = join(folder, "countersign.json");
  prompts = join(folder, "prompts");
  await mkdir(prompts);
  await writeFile(join(prompts, "response.txt"), "Answer in one sentence.");
  await configure({});
  product = await startProduct({ env: { COUNTERSIGN_CONFIG: file }, endsWith: "file" });
});

afterAll(() => cleanUpAll());

/** Writes the configuration, with what differs from the Jira alone. */
async function configure(more: object): Promise<void> {
  const { model, ...base } = jiraOnly() as { model: object };
  await writeFile(
    file,
    JSON.stringify({ model: { ...model, prompts }, shutdown: { grace }, ...base, ...more }),
  );
}

/** The first look of a new watch finds what is known. */
function taken({ msg }: LogLine): boolean {
  const text = String(msg);
  return text.startsWith("configuration re") && !text.endsWith("nothing changed");
}

/** Has it read anew, by SIGHUP or as `change` does, and gives the line that tells what came of it. */
async function reload(
  change: () => Promise<void> | void = () => void process.kill(product.pid, "SIGHUP"),
): Promise<LogLine> {
  const before = product.log.filter(taken).length;
  await change();
  return product.line((line) => taken(line) && product.log.filter(taken).indexOf(line) >= before);
}

/** Until it is so: a process that ends says nothing. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
}

function children(): string[] {
  const { pid } = product;
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
}

async function notices(): Promise<string[]> {
  const { body } = await request<{ notices?: string[] }>(product, "GET", "/health");
  return body.notices ?? [];
}

async function servers(): Promise<string[]> {
  const { body } = await request<{ servers: Record<string, { status: string }> }>(product, "GET", "/health");
  return Object.entries(body.servers).map(([name, { status }]) => `${name} ${status}`);
}

it("[ops.reload] a configuration with an error is refused with its place, in the log and in health, and changes nothing", async () => {
  await configure({ polcy: {} });
  expect(await reload()).toMatchObject({
    level: "error",
    error: expect.stringMatching(/polcy.*policy/s) as string,
  });
  expect(await notices()).toEqual([expect.stringMatching(/^The configuration on disk was refused.*polcy/s)]);
  const page = await (await fetch(`${product.url}/playground/panel`)).text();
  expect(page).toContain("The configuration on disk was refused");
  expect((await say(product, "/jira DEMO-1", { session_id: "refused" })).body.tool_results).toHaveLength(1);
  // A view that there is not is found as well.
  await configure({ views: { get_jira_issue: "NoView" } });
  expect(String((await reload()).error)).toContain("NoView");
});

it("[ops.reload] [card.people] people are taken over: who asks is called as the operator names them now", async () => {
  const { pending } = await askFor(product, "create an issue in DEMO titled 'Named'", {
    actor: "ana",
    session_id: "named",
  });
  const asker = async (): Promise<string | undefined> =>
    (await request<{ requested_by_name?: string }>(product, "GET", `/approvals/${pending.approval_id}`)).body
      .requested_by_name;
  await configure({ people: [{ name: "Ana Lindqvist", actors: ["http:ana"] }] });
  await reload();
  expect(await asker()).toBe("Ana Lindqvist");
  await configure({ people: [{ name: "Ana Costa", actors: ["http:ana"] }] });
  expect(await reload()).toMatchObject({ changed: ["people"] });
  expect(await asker()).toBe("Ana Costa");
  await configure({});
  await reload();
});

it("[ops.reload] servers and rules are taken over, an address is not; unchanged servers run on, and what waits is judged as it runs", async () => {
  const { pending } = await askFor(product, "create an issue in DEMO titled 'Waited'", { actor: "ana" });
  const before = children();
  await configure({
    servers: [jira, second],
    commands: { two: { server: "second", default: "export_issues" } },
    policy: {
      rules: [
        { tools: ["jira.create_issue"], decision: "ask", approvers: ["http:ben"], exclude_requester: true },
      ],
    },
    http: { public_url: "https://countersign.example.com" },
    audit: { head_channel: "slack:T1:C1" },
  });
  expect(await reload()).toMatchObject({ changed: ["servers", "policy", "commands"] });
  expect(await notices()).toEqual([
    "The configuration was changed, and needs a restart for http.public_url, audit.head_channel.",
  ]);
  await until(async () => (await servers()).includes("second up"));
  expect(children()).toEqual(expect.arrayContaining(before));
  expect(children()).toHaveLength(before.length + 1);

  // Whoever may decide is whom the request names; that another rule decides now makes it void when it is to run.
  expect((await decide(product, pending.approval_id, "approve", { actor: "ana" })).status).toBe(200);
  await until(async () => {
    const { body } = await request<{ state: string }>(product, "GET", `/approvals/${pending.approval_id}`);
    return body.state === "void";
  });
  expect(storedIssues(product.dataDir, "Waited")).toEqual([]);
  const next = await askFor(product, "create an issue in DEMO titled 'Asked anew'", {
    actor: "ana",
    session_id: "anew",
  });
  expect((await decide(product, next.pending.approval_id, "approve", { actor: "ana" })).status).toBe(403);
  expect((await decide(product, next.pending.approval_id, "approve", { actor: "ben" })).status).toBe(200);
  await until(() => storedIssues(product.dataDir, "Asked anew").length === 1);
});

it("[ops.reload] a call that runs on a server that is taken away ends there, and then the server does", async () => {
  const leaving = await sayLive(product, "/two OPS", { session_id: "leaving" });
  await leaving.until((event) => event.event === "progress" && event.data.progress !== undefined);
  const before = children();
  await configure({ reload: { watch: true } });
  expect(await reload()).toMatchObject({ changed: ["servers", "policy", "commands", "reload"] });
  expect(await servers()).toEqual(["jira up"]);
  expect(children()).toHaveLength(before.length);
  const events = await follow(product, leaving.turnId);
  expect(events.at(-1)?.data["tool_results"]).toMatchObject([{ tool_id: "second.export_issues", ok: true }]);
  await until(() => children().length === before.length - 1);
});

it("[ops.reload] where it is watched, a change of the file or of a prompt is taken over by itself", async () => {
  expect(await reload(() => configure({ reload: { watch: true }, language: "German" }))).toMatchObject({
    why: "its files changed",
    changed: ["language"],
  });
  const response = join(prompts, "response.txt");
  expect(await reload(() => writeFile(response, "Answer briefly."))).toMatchObject({ changed: ["prompts"] });
  const template = join(prompts, "planner_prompt_template.txt");
  const wrong = await reload(() => writeFile(template, "no placeholders"));
  expect(String(wrong.error)).toContain("expected the placeholders {tools_section}");
  const shipped = await readFile(join(projectRoot, "prompts/planner_prompt_template.txt"), "utf8");
  expect(await reload(() => writeFile(template, `${shipped}\n`))).toMatchObject({ changed: ["prompts"] });
  expect(await notices()).toEqual([]);
  const noted = readStore<{ data: string }>(
    product.dataDir,
    "select data from audit where kind = 'configuration.changed'",
  );
  expect(noted.some(({ data }) => data.includes('"language"'))).toBe(true);
});

it("[ops.reload] SIGTERM takes no new turns, and lets those that run end", async () => {
  const slow = { ...jira, env: { JIRA_DEMO_DELAY_MS: 300 } };
  await reload(() => configure({ reload: { watch: true }, servers: [slow] }));
  await until(async () => (await servers()).includes("jira up"));
  const draining = await sayLive(product, "/jira export OPS", { session_id: "draining" });
  await draining.until((event) => event.event === "progress" && event.data.progress !== undefined);
  expect(await product.stop()).toBe(0);
  const [turn] = readStore<{ state: string }>(
    product.dataDir,
    "select state from turns where id = ?",
    draining.turnId,
  );
  expect(turn?.state).toBe("done");
});
