import { afterAll, beforeAll, expect, it } from "vitest";

import {
  askFor,
  cleanUpAll,
  decide,
  follow,
  readTurn,
  request,
  type HostedProduct,
  say,
  sayLive,
  startHosted,
} from "./support.ts";

let product: HostedProduct;

beforeAll(async () => {
  product = await startHosted({
    config: {
      model: { provider: "builtin" },
      servers: [
        {
          name: "fault",
          command: ["node", "test/fakes/mcp-fault.ts"],
          use_persistent_session: true,
          // One process for all channels, so that calls of several can meet.
          session_scope: "shared",
          timeout_ms: 3_000,
        },
      ],
      policy: {
        rules: [
          { tools: ["fault.meet", "fault.reword", "fault.notes"], decision: "allow", idempotent: true },
        ],
      },
      commands: {
        fault: {
          server: "fault",
          subcommands: { meet: "meet", reword: "reword", note: "note", notes: "notes" },
        },
      },
    },
  });
});
afterAll(cleanUpAll);

it("[turn.concurrency] conversations go on side by side, and the turns of one in their order", async () => {
  // Each call is answered when all four are there: one after the other they would wait for ever.
  const met = await Promise.all(
    ["a", "b", "c", "d"].map((session_id) => say(product, "/fault meet n=4", { session_id })),
  );
  for (const { body } of met) expect(body.tool_result).toMatchObject({ ok: true, data: "we met" });

  // Two of one conversation never meet: the second is begun when the first has ended.
  const first = await sayLive(product, "/fault meet n=2", { session_id: "e" });
  await first.until(({ event, data }) => event === "status" && data.phase === "executing_tools");
  const second = await say(product, "/fault notes", { session_id: "e" });
  expect(second.body.tool_result).toMatchObject({ ok: true, data: [] });
  const { result } = await readTurn(
    product,
    (await first.until(({ event }) => event === "result")).data.turn_id as string,
  );
  expect(result?.tool_results[0]).toMatchObject({ ok: false, error: { code: "timeout" } });
});

it("[approve.binding] an approval is void where the server's tool says something else of itself by now", async () => {
  const ask = (text: string) => askFor(product, `/fault note text=${text}`, { session_id: text });
  const before = await ask("before");
  await say(product, "/fault reword", { session_id: "rewording" });
  for (;;) {
    const { body } = await request<{ tools: { id: string; description: string }[] }>(
      product,
      "GET",
      "/tools",
    );
    if (body.tools.find(({ id }) => id === "fault.note")?.description.includes("tells everybody") === true)
      break;
  }
  await decide(product, before.pending.approval_id, "approve");
  await follow(product, before.turnId);
  const { body: approval } = await request<{ state: string; note: string }>(
    product,
    "GET",
    `/approvals/${before.pending.approval_id}`,
  );
  expect(approval).toMatchObject({ state: "void", note: expect.stringContaining("tool") });
  expect((await say(product, "/fault notes")).body.tool_result).toMatchObject({ data: [] });

  // What is asked for now is the tool as it is now.
  const after = await ask("after");
  await decide(product, after.pending.approval_id, "approve");
  await follow(product, after.turnId);
  expect((await say(product, "/fault notes")).body.tool_result).toMatchObject({ data: [{ text: "after" }] });
});
