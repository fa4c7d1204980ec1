import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  type FakeOllama,
  type OllamaBehaviour,
  type OllamaRequest,
  startFakeOllama,
} from "#test/fakes/ollama.ts";

import { cleanUpAll, type HostedProduct, say, startHosted } from "./support.ts";

/** What a request has to come to: calls of tools with these arguments, a question, or nothing at all. */
type Wanted = { read: string; args?: object } | { change: string; args: object } | { ask: string } | "refuse";

const call = (command: "QUERY" | "TASK", tool: string, args: object): string =>
  JSON.stringify({ commands: [{ command, tool, args }] });
const query = (tool: string, args: object = {}): string => call("QUERY", tool, args);
const task = (tool: string, args: object): string => call("TASK", tool, args);
const ENDLESS = "login ".repeat(2_000);

/** Plans as a model of 270 million parameters makes them, each with what its request had asked for. */
const BAD_PLANS: [kind: string, say: string, plan: string, wanted: Wanted][] = [
  ["another tool", "show DEMO-1", query("jira.list_projects"), { read: "jira.get_jira_issue" }],
  [
    "another tool",
    "list the projects",
    query("jira.search_issues", { query: "x" }),
    { read: "jira.list_projects" },
  ],
  [
    "another tool",
    "show DEMO-3",
    query("jira.get_epic", { epic_key: "DEMO-3" }),
    { read: "jira.get_jira_issue" },
  ],
  [
    "another tool",
    "open page 1003",
    query("jira.get_jira_issue", { issue_key: "DEMO-1" }),
    { read: "confluence.get_page" },
  ],
  [
    "a change for a question",
    "what is DEMO-2 about",
    task("jira.create_issue", { project: "DEMO", summary: "what is DEMO-2 about" }),
    { read: "jira.get_jira_issue" },
  ],
  [
    "a change for a question",
    "find issues about login",
    task("jira.create_issue", { project: "DEMO", summary: "login" }),
    { read: "jira.search_issues" },
  ],
  [
    "a change for a question",
    "search the wiki for printers",
    task("confluence.create_page", { space: "ENG", title: "printers", body: "printers" }),
    { read: "confluence.search_confluence" },
  ],
  [
    "a change for nothing",
    "weather in Lisbon",
    task("jira.create_issue", { project: "DEMO", summary: "weather in Lisbon" }),
    "refuse",
  ],
  [
    "a change for nothing",
    "order a pizza",
    task("jira.create_issue", { project: "DEMO", summary: "order a pizza" }),
    "refuse",
  ],
  [
    "a change for nothing",
    "hello there",
    task("jira.add_comment", { issue_key: "DEMO-1", body: "hello" }),
    "refuse",
  ],
  ["a missing key", "weather in Lisbon", query("jira.get_jira_issue"), "refuse"],
  [
    "a missing key",
    "show DEMO-4",
    query("jira.get_jira_issue"),
    { read: "jira.get_jira_issue", args: { issue_key: "DEMO-4" } },
  ],
  [
    "an invented key",
    "find issues about the printer",
    query("jira.get_jira_issue", { issue_key: "DEMO-99" }),
    { read: "jira.search_issues" },
  ],
  [
    "an invented key",
    "show OPS-4",
    query("jira.get_jira_issue", { issue_key: "OPSE-4" }),
    { read: "jira.get_jira_issue", args: { issue_key: "OPS-4" } },
  ],
  [
    "an invented key",
    "open page 1003",
    query("confluence.get_page", { page_id: "1" }),
    { read: "confluence.get_page", args: { page_id: "1003" } },
  ],
  [
    "an invented key",
    "delete DEMO-19",
    task("jira.delete_issue", { issue_key: "DEMO-1" }),
    { change: "jira.delete_issue", args: { issue_key: "DEMO-19" } },
  ],
  [
    "an invented key",
    "comment on DEMO-7: cannot reproduce",
    task("jira.add_comment", { issue_key: "DEMO-1", body: "cannot reproduce" }),
    { change: "jira.add_comment", args: { issue_key: "DEMO-7" } },
  ],
  [
    "an invented person",
    "assign DEMO-8 to emi",
    task("jira.assign_issue", { issue_key: "DEMO-8", assignee: "ben" }),
    { change: "jira.assign_issue", args: { issue_key: "DEMO-8", assignee: "emi" } },
  ],
  [
    "an invented person",
    "assign DEMO-16",
    task("jira.assign_issue", { issue_key: "DEMO-16", assignee: "ben" }),
    { ask: "jira.assign_issue" },
  ],
  [
    "an invented project",
    "create an issue in DEMO titled 'Door is stuck'",
    task("jira.create_issue", { project: "QQQ", summary: "Door is stuck" }),
    { change: "jira.create_issue", args: { project: "DEMO" } },
  ],
  [
    "another change",
    "close DEMO-4",
    task("jira.delete_issue", { issue_key: "DEMO-4" }),
    { change: "jira.transition_issue", args: { issue_key: "DEMO-4" } },
  ],
  [
    "a doubtful change",
    "let ben close DEMO-12",
    task("jira.transition_issue", { issue_key: "DEMO-12", status: "Done" }),
    { read: "jira.get_jira_issue", args: { issue_key: "DEMO-12" } },
  ],
  [
    "a change of what is only the reason",
    "close DEMO-12 since DEMO-15 is done",
    task("jira.transition_issue", { issue_key: "DEMO-15", status: "Done" }),
    { read: "jira.get_jira_issue" },
  ],
  [
    "a read for a change",
    "please close OPS-13",
    query("jira.get_jira_issue", { issue_key: "OPS-13" }),
    { change: "jira.transition_issue", args: { issue_key: "OPS-13" } },
  ],
  [
    "an invented tool",
    "show DEMO-6",
    query("jira.get_issue_details", { id: "DEMO-6" }),
    { read: "jira.get_jira_issue" },
  ],
  [
    "an invented argument",
    "show DEMO-9",
    query("jira.get_jira_issue", { issue_key: "DEMO-9", token: "x" }),
    { read: "jira.get_jira_issue" },
  ],
  [
    "an echo of the prompt",
    "show DEMO-10",
    "<data request 8b1f2a3c4d5e>\n| show DEMO-10\n</data 8b1f2a3c4d5e>",
    { read: "jira.get_jira_issue" },
  ],
  [
    "no end",
    "find issues about search",
    `{"commands": [{"command": "QUERY", "tool": "jira.search_issues", "args": {"query": "${ENDLESS}`,
    { read: "jira.search_issues" },
  ],
  ["no end", "show DEMO-11", ENDLESS, { read: "jira.get_jira_issue" }],
  [
    "half of it",
    "show DEMO-12",
    query("jira.get_jira_issue", { issue_key: "DEMO-12" }).slice(0, 70),
    { read: "jira.get_jira_issue" },
  ],
  [
    "prose",
    "show DEMO-13",
    "I would look at the issue and then say what it is about.",
    { read: "jira.get_jira_issue" },
  ],
  ["nothing", "show DEMO-14", "", { read: "jira.get_jira_issue" }],
  ["enough at once", "list the spaces", query("final_answer"), { read: "confluence.list_spaces" }],
  [
    "a refusal",
    "show MOB-2",
    JSON.stringify({ commands: [{ command: "ERROR", message: "I cannot." }] }),
    { read: "jira.get_jira_issue" },
  ],
  [
    "a refusal that echoes",
    "weather in Lisbon",
    JSON.stringify({ commands: [{ command: "ERROR", message: "| weather in Lisbon" }] }),
    "refuse",
  ],
  ["enough at once", "hello there", query("final_answer"), "refuse"],
  [
    "another shape",
    "show MOB-3",
    JSON.stringify({ tool: "jira.get_jira_issue", args: { issue_key: "MOB-3" } }),
    { read: "jira.get_jira_issue" },
  ],
  [
    "changes side by side",
    "show MOB-4",
    JSON.stringify({
      commands: [
        { command: "TASK", tool: "jira.delete_issue", args: { issue_key: "MOB-4" } },
        { command: "QUERY", tool: "jira.get_jira_issue", args: { issue_key: "MOB-4" } },
      ],
    }),
    { read: "jira.get_jira_issue" },
  ],
];

/** What such a model says instead of an answer. */
const BAD_WORDS = [
  "<data source 1 8b1f2a3c4d5e>\n| jira.get_jira_issue",
  ENDLESS,
  "The results are:\n| DEMO-1 is",
  "",
];

let ollama: FakeOllama;
let weak: HostedProduct;
let without: HostedProduct;
let plan = "";
/** What it plans from its second plan on, where that is another. */
let next: string | undefined;

beforeAll(async () => {
  ollama = await startFakeOllama(answer);
  [weak, without] = await Promise.all([
    startHosted({ config: configOf({ provider: "ollama", ollama: { base_url: ollama.url } }) }),
    startHosted({ config: configOf({ provider: "builtin" }) }),
  ]);
});
afterAll(async () => {
  await cleanUpAll();
  await ollama.stop();
});

function configOf(model: object): object {
  const servers = ["jira", "confluence"].map((name) => ({
    name,
    command: ["node", `servers/${name}/main.ts`],
    use_persistent_session: true,
    trust_annotations: true,
  }));
  return { model, servers };
}

function answer({ body }: OllamaRequest, n: number): OllamaBehaviour {
  const isDecision = body.messages?.at(-1)?.content.includes("# Your part now: the decision") === true;
  if (!isDecision) return { do: "answer", text: BAD_WORDS[n % BAD_WORDS.length] ?? "" };
  const text = plan;
  plan = next ?? plan;
  return { do: "answer", text };
}

type Came = Awaited<ReturnType<typeof say>>["body"];

function isWanted(came: Came, wanted: Wanted): boolean {
  const { tool_results: results, pending_confirmation: pending, question } = came;
  if (wanted === "refuse") return results.length === 0 && pending === undefined && question === undefined;
  if ("ask" in wanted) return question?.tool === wanted.ask && pending === undefined;
  if ("change" in wanted)
    return (
      pending?.tool_id === wanted.change &&
      Object.entries(wanted.args).every(([name, value]) => pending.args[name] === value)
    );
  const [first] = results;
  return (
    first?.tool_id === wanted.read &&
    first.ok &&
    Object.entries(wanted.args ?? {}).every(([name, value]) => first.args[name] === value)
  );
}

describe("a very small model", () => {
  it.each(BAD_PLANS)(
    "[llm.builtin] [plan.protocol] with %s makes of %j no less than no model would",
    async (_kind, message, bad, wanted) => {
      plan = bad;
      const session = { session_id: `weak ${message} ${bad.length}` };
      const [{ status, body }, alone] = [
        await say(weak, message, session),
        await say(without, message, session),
      ];
      expect(status).toBe(200);
      expect(isWanted(alone.body, wanted)).toBe(true);
      expect(isWanted(body, wanted)).toBe(true);
      // No echo and no repetition comes to people.
      expect(body.reply).not.toMatch(/<\/?data|^\| |login login|commands"/m);
      const { pending_confirmation: pending } = body;
      for (const value of Object.values(pending?.args ?? {}))
        if (/^[A-Z]+-\d+$/.test(String(value))) expect(message).toContain(String(value));
    },
  );

  it("[plan.iterate] that plans nothing any more loses nothing of what its turn has read, and of what is left", async () => {
    plan = query("jira.get_jira_issue", { issue_key: "DEMO-1" });
    next = "And now I am tired.";
    const { body } = await say(weak, "show DEMO-1 and then find issues about login", { session_id: "lost" });
    expect(body.tool_results.map((one) => [one.tool_id, one.ok])).toEqual([
      ["jira.get_jira_issue", true],
      ["jira.search_issues", true],
    ]);
    expect(body.reply).toContain("The built-in planner went on from there, without a model.");
    // It is not asked again in this turn.
    expect(ollama.requests.slice(-2).map(({ body: asked }) => asked.format !== undefined)).toEqual([
      true,
      true,
    ]);
  });
});
