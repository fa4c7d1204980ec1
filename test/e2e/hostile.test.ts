import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Attacked, attack } from "./hostile-support.ts";
import {
  askFor,
  cleanUpAll,
  decide,
  follow,
  request,
  say,
  type WireError,
  type WirePending,
  type WireTurn,
} from "./support.ts";

let attacked: Attacked;

beforeAll(async () => {
  attacked = await attack();
}, 240_000);

afterAll(cleanUpAll);

/** How often the hostile server was asked for something. */
async function asked(): Promise<Record<string, number>> {
  return (await (await fetch(`${attacked.hostile}/state`)).json()) as Record<string, number>;
}

async function deeds(kind: string): Promise<string[]> {
  return Object.keys(await asked()).filter((one) => one.startsWith(kind));
}

const outcomes = (server: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(attacked.came)
      .filter(([name]) => name.startsWith(`${server}.`))
      .map(([name, { outcome }]) => [name, outcome]),
  );

it("answers each attack's turn, and every other turn meanwhile", () => {
  const refused = Object.entries(attacked.came).filter(([, { status }]) => status !== 200);
  expect(refused).toEqual([]);
  expect(attacked.probes.wrong).toEqual([]);
  expect(attacked.probes.answered).toBeGreaterThan(0);
});

it("[policy.glob] no name of a tool hides it from a rule over its server", async () => {
  expect(new Set(Object.values(outcomes("names")))).toEqual(new Set(["refused", "no call"]));
  expect(await deeds("names.")).toEqual([]);
});

it("[mcp.patterns] patterns and schemas of a server cost nobody anything", () => {
  expect(outcomes("schemas")).toEqual({
    "schemas.pattern_out": "invalid_result",
    // It asks for a text that fits.
    "schemas.pattern_in": "no call",
    "schemas.circle": "ok",
    "schemas.unique": "ok",
  });
});

it("a tool without a bottom is none", () => {
  expect(outcomes("deep")).toEqual({ "deep.deep_schema": "no call" });
});

it("[safe.text] what a server answers is shown, and never as it is where that would harm", () => {
  const { "answers.deep": deep, ...rest } = outcomes("answers");
  expect(Object.values(rest)).toEqual(Object.values(rest).map(() => "ok"));
  expect(["ok", "protocol", "too_large", "invalid_result"]).toContain(deep);
});

it("floods end in an outcome, and cost next to no looks at the list", async () => {
  expect(outcomes("floods")).toEqual({
    "floods.progress": "ok",
    "floods.messages": "ok",
    "floods.list_changed": "ok",
    // More than 20 questions end it.
    "floods.questions": "protocol",
  });
  // One when it is over, and where it takes long one each ten seconds.
  expect((await asked())["floods tools/list"]).toBeLessThan(20);
});

it("a list without an end is given up, and said in health", async () => {
  const { body } = await request<{ servers: Record<string, { status: string; error?: string }> }>(
    attacked.product,
    "GET",
    "/health",
  );
  // On a busy machine the time is over before the number is reached.
  const error = expect.stringMatching(/tools|could not be reached within/);
  expect(body.servers.endless).toMatchObject({ status: "retrying", error });
  expect(body.servers.floods).toMatchObject({ status: "up" });
});

describe("while a server is away, no tool of another one takes its place", () => {
  it.each(["/gone secret words", "/gone id note=secret"])("for the command %s", async (message) => {
    const { body } = await say(attacked.product, message, { session_id: message });
    expect(body.tool_results).toEqual([]);
    expect(body.reply).toContain("gone isn't answering, or no longer does this");
    expect(await deeds("lied")).toEqual([]);
  });

  it("for the look-up of an outcome", async () => {
    const { pending, turnId } = await askFor(attacked.product, "/kept answer=written_but_400", {
      session_id: "look",
    });
    await decide(attacked.product, pending.approval_id, "approve");
    await follow(attacked.product, turnId);
    const looked = await request<WireError>(
      attacked.product,
      "POST",
      `/approvals/${pending.approval_id}/lookup`,
      {},
    );
    expect([looked.status, looked.body.error.code]).toEqual([409, "no_lookup"]);
    expect(await deeds("lied")).toEqual([]);
  });
});

it("[mcp.oauth] what a server's metadata name inside is not asked, and its answer is shown to nobody", async () => {
  const { status, body } = await request<WireError>(attacked.product, "POST", "/connections/sso", {
    actor: "ana",
  });
  expect([status, body.error.code]).toEqual([409, "authorization_failed"]);
  expect(body.error.message).toContain("expected an https address, got http://127.0.0.1:");
  expect(JSON.stringify(body)).not.toContain("inner secret");
  expect(await deeds("inner")).toEqual([]);
});

it("[mcp.elicit] a call whose server asks without an end is ended, and what it did is unknown", async () => {
  const { pending, turnId } = await askFor(attacked.product, "/asks now", { session_id: "asks" });
  await decide(attacked.product, pending.approval_id, "approve");
  await follow(attacked.product, turnId);
  const approval = await request<WirePending>(attacked.product, "GET", `/approvals/${pending.approval_id}`);
  expect(approval.body).toMatchObject({ state: "unknown" });
  const { body } = await request<WireTurn>(attacked.product, "GET", `/agent/turns/${turnId}`);
  expect(JSON.stringify(body)).toContain("asked more than 20 questions during “Insist”");
  const { questions } = await asked();
  expect(questions).toBeGreaterThan(20);
  expect(questions).toBeLessThan(25);
});

describe("a change that the server made", { timeout: 120_000 }, () => {
  const ends = {
    written_but_400: "unknown",
    written_but_404: "unknown",
    written_but_401: "unknown",
    written_but_429: "unknown",
    written_but_503: "unknown",
    written_but_garbage: "unknown",
    written_but_page: "unknown",
    written_but_moved: "unknown",
    written_but_cut: "unknown",
    written_but_huge_error: "unknown",
    protocol_error: "failed",
    tool_error: "failed",
    huge_tool_error: "failed",
    result: "done",
  };

  it.each(["kept", "pingless", "fresh"])(
    "[mcp.once-sent] is sent once over a %s connection, and unknown where no answer says more",
    async (server) => {
      const before = await asked();
      const states: Record<string, string> = {};
      const executions: Record<string, number> = {};
      for (const answer of Object.keys(ends)) {
        const session = `${server} ${answer}`;
        const { pending, turnId } = await askFor(attacked.product, `/${server} answer=${answer}`, {
          session_id: session,
        });
        expect((await decide(attacked.product, pending.approval_id, "approve")).body.outcome).toBe(
          "approved",
        );
        await follow(attacked.product, turnId);
        const approval = await request<WirePending>(
          attacked.product,
          "GET",
          `/approvals/${pending.approval_id}`,
        );
        states[answer] = approval.body.state;
        const key = `write ${answer}`;
        executions[answer] = ((await asked())[key] ?? 0) - (before[key] ?? 0);
      }
      expect(states).toEqual(ends);
      expect(new Set(Object.values(executions))).toEqual(new Set([1]));
    },
  );
});
