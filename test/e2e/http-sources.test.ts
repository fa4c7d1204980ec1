import { expect, it } from "vitest";

import { startFakeOllama } from "#test/fakes/ollama.ts";

import {
  askFor,
  cleanUp,
  follow,
  jiraOnly,
  request,
  say,
  startHosted,
  type WirePending,
  type WireToolResult,
} from "./support.ts";

type Sources = Record<string, { from: string; ref?: string }>;

const sourcesOf = (of: WirePending | WireToolResult | undefined): Sources | undefined =>
  (of as { sources?: Sources } | undefined)?.sources;

async function approvalOf(product: { url: string }, id: string): Promise<WirePending> {
  return (await request<WirePending>(product, "GET", `/approvals/${id}`)).body;
}

it('[approve.card] says that a change of "it" comes from what was read before, on the request and on its card', async () => {
  const product = await startHosted({ config: jiraOnly() });
  const inTurn = { session_id: "it" };
  const read = await say(product, "show me DEMO-1", inTurn);
  expect(sourcesOf(read.body.tool_results[0])).toEqual({ issue_key: { from: "message" } });

  const { pending, turnId } = await askFor(product, "move it to Done", inTurn);
  const sources = { issue_key: { from: "result", ref: "jira.get_jira_issue" }, status: { from: "message" } };
  expect(pending.args).toEqual({ issue_key: "DEMO-1", status: "Done" });
  expect(sourcesOf(pending)).toEqual(sources);
  expect(sourcesOf(await approvalOf(product, pending.approval_id))).toEqual(sources);
  const listed = await request<{ approvals: WirePending[] }>(product, "GET", "/approvals?state=pending");
  expect(listed.body.approvals.map(sourcesOf)).toEqual([sources]);
  const card = await fetch(`${product.url}/playground/turns/${turnId}`);
  expect(await card.text()).toContain("from the result of jira.get_jira_issue");

  const before = (await follow(product, turnId)).length;
  await request(product, "POST", `/approvals/${pending.approval_id}/decision`, { decision: "approve" });
  const done = (await follow(product, turnId, before)).at(-1)?.data.tool_result as WireToolResult;
  expect(done.ok).toBe(true);
  expect(sourcesOf(done)).toEqual(sources);
});

it("[approve.card] marks what a model made up, and what a person changed in its request", async () => {
  const args = {
    project: "DEMO",
    summary: "Der Drucker brennt",
    description: "Der Drucker brennt seit Montag.",
  };
  const plan = `BEGIN\nTASK(${JSON.stringify({ tool: "jira.create_issue", args })})\nEND`;
  const ollama = await startFakeOllama(() => ({
    do: "answer",
    text: plan,
    json: { commands: [{ command: "TASK", tool: "jira.create_issue", args }] },
  }));
  cleanUp(() => ollama.stop());
  const config = jiraOnly({ provider: "ollama" });
  const product = await startHosted({ config, env: { OLLAMA_HOST: ollama.url } });
  const { pending, turnId } = await askFor(
    product,
    "bitte lege ein Ticket in demo an: der Drucker brennt und riecht nicht gut",
    {},
  );
  expect(sourcesOf(pending)).toEqual({
    project: { from: "message" },
    summary: { from: "message" },
    description: { from: "model" },
  });
  const card = await fetch(`${product.url}/playground/turns/${turnId}`);
  expect(await card.text()).toContain("assumed by the model");

  const edited = await request<WirePending>(product, "POST", `/approvals/${pending.approval_id}/edit`, {
    args: { ...args, summary: "Der Drucker raucht" },
  });
  expect(sourcesOf(edited.body)).toEqual({
    project: { from: "message" },
    summary: { from: "form", ref: "edit" },
    description: { from: "model" },
  });
});

it("[plan.commands] tells what a command was given from what the configuration sets in it", async () => {
  const subcommands = { bugs: { tool: "search_issues", args: { project: "DEMO" } } };
  const config = { ...jiraOnly(), commands: { jira: { server: "jira", subcommands } } };
  const product = await startHosted({ config });
  const { body } = await say(product, "/jira bugs login", {});
  expect(sourcesOf(body.tool_results[0])).toEqual({ project: { from: "fixed" }, query: { from: "form" } });
});
