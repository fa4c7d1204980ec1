import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  askFor,
  cleanUp,
  cleanUpAll,
  decide,
  follow,
  projectRoot,
  request,
  type RunningProduct,
  say,
  startProduct,
  type WireError,
  type WirePending,
  type WireTurn,
} from "./support.ts";

let product: RunningProduct;
let hostile: string;

beforeAll(async () => {
  const child = spawn(process.execPath, ["test/fakes/mcp-hostile.ts"], {
    cwd: projectRoot,
    stdio: ["ignore", "pipe", "inherit"],
  });
  cleanUp(async () => void child.kill("SIGKILL"), "file");
  [hostile] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  product = await startProduct({
    endsWith: "file",
    config: {
      model: { provider: "builtin" },
      servers: [
        { name: "kept", url: `${hostile}/writes`, use_persistent_session: true },
        { name: "evil", url: `${hostile}/names`, trust_annotations: true },
        { name: "gone", url: `${hostile}/nowhere` },
        { name: "liar", url: `${hostile}/lies`, trust_annotations: true },
        // Reached over loopback, and yet not said to be there.
        { name: "sso", url: `${hostile.replace("127.0.0.1", "0.0.0.0")}/sso`, oauth: {} },
        { name: "asks", url: `${hostile}/asks` },
        { name: "pingless", url: `${hostile}/pingless`, use_persistent_session: true },
        { name: "fresh", url: `${hostile}/writes` },
      ],
      policy: {
        rules: [
          { tools: ["evil.*", "gone.*"], decision: "deny" },
          { tools: ["liar.*"], decision: "allow" },
          { tools: ["kept.*"], decision: "ask", lookup: { tool: "gone.lie", args: { note: "secret" } } },
        ],
      },
      commands: {
        gone: { server: "gone", default: "lie", subcommands: { id: "gone.lie" } },
        evil: {
          server: "evil",
          subcommands: { slash: "ops/wipe", dot: ".wipe", line: "ops\nwipe", dots: "a.b.wipe" },
        },
        kept: { server: "kept", default: "write" },
        asks: { server: "asks", default: "insist" },
        pingless: { server: "pingless", default: "write" },
        fresh: { server: "fresh", default: "write" },
      },
    },
  });
});
afterAll(cleanUpAll);

/** How often the hostile server was asked for something. */
async function asked(): Promise<Record<string, number>> {
  return (await (await fetch(`${hostile}/state`)).json()) as Record<string, number>;
}

async function deeds(kind: string): Promise<string[]> {
  return Object.keys(await asked()).filter((one) => one.startsWith(kind));
}

it.each(["slash", "dot", "line", "dots"])(
  "[policy.glob] no name of a tool (%s) hides it from a rule over its server",
  async (name) => {
    const { body } = await say(product, `/evil ${name} note=now`, { session_id: `evil ${name}` });
    expect(body.tool_results).toMatchObject([{ is_error: true, error: { code: "refused" } }]);
    expect(await deeds("wiped")).toEqual([]);
  },
);

describe("while a server is away, no tool of another one takes its place", () => {
  it.each(["/gone secret words", "/gone id note=secret"])("for the command %s", async (message) => {
    const { body } = await say(product, message, { session_id: message });
    expect(body.tool_results).toEqual([]);
    expect(body.reply).toContain("of gone is not there now; its server may be down");
    expect(await deeds("lied")).toEqual([]);
  });

  it("for the look-up of an outcome", async () => {
    const { pending, turnId } = await askFor(product, "/kept answer=written_but_400", { session_id: "look" });
    await decide(product, pending.approval_id, "approve");
    await follow(product, turnId);
    const looked = await request<WireError>(product, "POST", `/approvals/${pending.approval_id}/lookup`, {});
    expect([looked.status, looked.body.error.code]).toEqual([409, "no_lookup"]);
    expect(await deeds("lied")).toEqual([]);
  });
});

it("[mcp.oauth] what a server's metadata name inside is not asked, and its answer is shown to nobody", async () => {
  const { status, body } = await request<WireError>(product, "POST", "/connections/sso", { actor: "ana" });
  expect([status, body.error.code]).toEqual([409, "authorization_failed"]);
  expect(body.error.message).toContain("expected an https address, got http://127.0.0.1:");
  expect(JSON.stringify(body)).not.toContain("inner secret");
  expect(await deeds("inner")).toEqual([]);
});

it("[mcp.elicit] a call whose server asks without an end is ended, and what it did is unknown", async () => {
  const { pending, turnId } = await askFor(product, "/asks now", { session_id: "asks" });
  await decide(product, pending.approval_id, "approve");
  await follow(product, turnId);
  const approval = await request<WirePending>(product, "GET", `/approvals/${pending.approval_id}`);
  expect(approval.body).toMatchObject({ state: "unknown" });
  const { body } = await request<WireTurn>(product, "GET", `/agent/turns/${turnId}`);
  expect(JSON.stringify(body)).toContain("asked more than 20 questions during insist");
  const { questions } = await asked();
  expect(questions).toBeGreaterThan(20);
  expect(questions).toBeLessThan(25);
});

describe("a change that the server made", () => {
  const ends = {
    written_but_400: "unknown",
    written_but_404: "unknown",
    written_but_401: "unknown",
    written_but_429: "unknown",
    written_but_503: "unknown",
    written_but_garbage: "unknown",
    written_but_page: "unknown",
    written_but_cut: "unknown",
    written_but_huge_error: "unknown",
    protocol_error: "failed",
    tool_error: "failed",
    huge_tool_error: "failed",
    result: "done",
  };

  it.each(["kept", "pingless", "fresh"])(
    "[mcp.once-sent] is sent once over a %s connection, and is unknown unless the protocol says how it ended",
    async (server) => {
      const before = await asked();
      const states: Record<string, string> = {};
      const executions: Record<string, number> = {};
      for (const answer of Object.keys(ends)) {
        const session = `${server} ${answer}`;
        const { pending, turnId } = await askFor(product, `/${server} answer=${answer}`, {
          session_id: session,
        });
        expect((await decide(product, pending.approval_id, "approve")).body.outcome).toBe("approved");
        await follow(product, turnId);
        const approval = await request<WirePending>(product, "GET", `/approvals/${pending.approval_id}`);
        states[answer] = approval.body.state;
        const key = `write ${answer}`;
        executions[answer] = ((await asked())[key] ?? 0) - (before[key] ?? 0);
      }
      expect(states).toEqual(ends);
      expect(new Set(Object.values(executions))).toEqual(new Set([1]));
    },
  );
});
