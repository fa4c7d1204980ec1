import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { root } from "#test/fakes/mcp-box.ts";

import {
  cleanUp,
  cleanUpAll,
  follow,
  type HostedProduct,
  type LiveTurn,
  readStore,
  readTurn,
  request,
  sayLive,
  startHosted,
  startProduct,
  temporaryFolder,
  type WireError,
  type WireResult,
} from "./support.ts";

interface WireQuestion {
  question_id: string;
  turn_id: string;
  kind: string;
  message: string;
  schema?: { properties: Record<string, unknown> };
  url?: string;
  domain?: string;
  tool_id: string;
  actor: string;
  state: string;
  note?: string;
}

const everything = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";

function config(url: string): object {
  return {
    model: { provider: "builtin" },
    servers: [
      { name: "everything", command: ["node", everything], use_persistent_session: true },
      { name: "modern", url, use_persistent_session: true },
      // Shorter than anybody could answer: waiting for a person is no silence of the server.
      { name: "hasty", url, timeout_ms: 1_500, total_timeout_ms: 1_500 },
      { name: "impatient", url, question_timeout_ms: 2_000 },
      {
        name: "curious",
        command: ["node", "test/fakes/mcp-fault.ts"],
        use_persistent_session: true,
        cwd: root,
      },
    ],
    policy: { rules: [{ tools: ["*"], decision: "allow", idempotent: true }] },
    commands: {
      everything: {
        server: "everything",
        subcommands: { ask: "trigger-elicitation-request", visit: "trigger-url-elicitation" },
      },
      modern: { server: "modern", subcommands: { confirm: "confirm", visit: "visit" } },
      hasty: { server: "hasty", subcommands: { confirm: "confirm" } },
      impatient: { server: "impatient", subcommands: { confirm: "confirm" } },
      curious: { server: "curious", subcommands: { secret: "ask_secret", ask: "ask" } },
    },
  };
}

/** What a test starts twice. */
function modernOnly(url: string): object {
  return {
    model: { provider: "builtin" },
    servers: [{ name: "modern", url, use_persistent_session: true }],
    policy: { rules: [{ tools: ["*"], decision: "allow", idempotent: true }] },
    commands: { modern: { server: "modern", subcommands: { confirm: "confirm" } } },
  };
}

let product: HostedProduct;
let url: string;

beforeAll(async () => {
  const child = spawn(process.execPath, ["test/fakes/mcp-http.ts"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  cleanUp(async () => void child.kill("SIGKILL"));
  [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  product = await startHosted({ config: config(url) });
});

afterAll(cleanUpAll);

let sessions = 0;

/** Says something in a conversation of its own, and gives the question that comes of it. */
async function asked(message: string): Promise<{ turn: LiveTurn; question: WireQuestion }> {
  sessions += 1;
  const turn = await sayLive(product, message, { session_id: `s${sessions}`, actor: "ana" });
  const { data } = await turn.until(({ event }) => event === "question");
  return { turn, question: data as unknown as WireQuestion };
}

function answer<Body = WireQuestion>(
  { question_id: id }: WireQuestion,
  body: object,
  at: { url: string } = product,
): Promise<{ status: number; body: Body }> {
  return request<Body>(at, "POST", `/questions/${id}/answer`, { actor: "ana", ...body });
}

async function dataOf(turn: LiveTurn): Promise<unknown> {
  const last = await turn.end();
  return (last?.data as WireResult | undefined)?.tool_result?.data;
}

describe("a form of the 2025-11-25 revision, from the public server", () => {
  it("[mcp.elicit] is shown, checked, filled with its defaults and answered", async () => {
    const { turn, question } = await asked("/everything ask");
    expect(question).toMatchObject({
      kind: "form",
      message: "Please provide inputs for the following fields:",
      tool_id: "everything.trigger-elicitation-request",
      actor: "http:ana",
      state: "open",
    });
    expect(Object.keys(question.schema?.properties ?? {})).toContain("untitledMultipleSelectEnum");
    const { body: listed } = await request<{ questions: WireQuestion[] }>(
      product,
      "GET",
      "/questions?state=open",
    );
    expect(listed.questions.map((one) => one.question_id)).toContain(question.question_id);

    const bad = await answer<WireError>(question, {
      action: "accept",
      content: { name: "Ana", email: "no address", integer: 1_000 },
    });
    expect(bad).toMatchObject({ status: 400, body: { error: { code: "bad_args" } } });
    expect(bad.body.error.details).toEqual({ fields: ["email", "integer"] });
    const missing = await answer<WireError>(question, { action: "accept", content: {} });
    expect(missing.body.error.details).toEqual({ fields: ["name"] });

    const good = await answer(question, { action: "accept", content: { name: "Ana Berg", check: true } });
    expect(good).toMatchObject({ status: 200, body: { state: "accepted" } });
    const text = JSON.stringify(await dataOf(turn));
    expect(text).toContain("Ana Berg");
    expect(text).toContain("It was a dark and stormy night.");
    expect(turn.events.filter(({ event }) => event === "question").map(({ data }) => data.state)).toEqual([
      "open",
      "accepted",
    ]);
    // What a person said was for the server.
    const rows = readStore<{ content: string | null }>(product.dataDir, "select content from questions");
    expect(rows.map((row) => row.content).filter((content) => content !== null)).toEqual([]);
  });

  it.each([
    ["decline", "declined"],
    ["cancel", "cancelled"],
  ])("[mcp.elicit] is answered with %s", async (action, state) => {
    const { turn, question } = await asked("/everything ask");
    expect((await answer(question, { action })).body.state).toBe(state);
    expect(JSON.stringify(await dataOf(turn))).toMatch(new RegExp(action, "i"));
  });
});

describe("a link of the 2025-11-25 revision, from the public server", () => {
  it("[mcp.elicit] is shown with its domain", async () => {
    const { turn, question } = await asked("/everything visit url=https://sign-in.example.com/start?x=1");
    expect(question).toMatchObject({
      kind: "link",
      url: "https://sign-in.example.com/start?x=1",
      domain: "sign-in.example.com",
    });
    expect(question.schema).toBeUndefined();
    await answer(question, { action: "accept" });
    expect(JSON.stringify(await dataOf(turn))).toMatch(/accept/i);
  });

  it("[mcp.elicit] is told to the person whose turn it is, and to nobody else", async () => {
    const { turn, question } = await asked("/everything visit url=https://sign-in.example.com/start?x=2");
    const read = async (path: string): Promise<string> =>
      JSON.stringify((await request(product, "GET", path)).body);
    const id = question.question_id;
    for (const path of [`/questions/${id}`, `/questions`, `/agent/turns/${turn.turnId}`]) {
      expect(await read(`${path}?actor=ana`)).toContain("sign-in.example.com/start?x=2");
      const others = await read(`${path}?actor=bo`);
      expect(others).toContain(id);
      // The words of the person who asked are everybody's; what the server asks for is not.
      expect(others).not.toContain(`"domain":`);
    }
    const page = async (actor: string): Promise<string> =>
      (await fetch(`${product.url}/playground/questions/${id}?actor=${actor}`)).text();
    expect(await page("ana")).toContain("https://sign-in.example.com/start?x=2");
    expect(await page("bo")).toContain("Waiting for ana");
    expect(await page("bo")).not.toContain("sign-in.example.com");
    await answer(question, { action: "decline" });
    await turn.end();
  });

  it("[mcp.elicit] is asked for when the server refuses a call until a page was opened", async () => {
    const { turn, question } = await asked(
      "/everything visit url=https://docs.example.com/ errorPath=true elicitationId=once",
    );
    expect(question).toMatchObject({ kind: "link", state: "open" });
    await answer(question, { action: "accept" });
    const second = (
      await turn.until(
        ({ event, data }) =>
          event === "question" && data.question_id !== question.question_id && data.state === "open",
      )
    ).data as unknown as WireQuestion;
    await answer(second, { action: "accept" });
    expect(JSON.stringify(await dataOf(turn))).toMatch(/accept/i);
  });
});

describe("a server of the 2026-07-28 revision", () => {
  it("[mcp.elicit] gets the answers to what its result asks for", async () => {
    const { turn, question } = await asked("/modern confirm what=jump");
    expect(question).toMatchObject({ kind: "form", message: "Really jump?" });
    await answer(question, { action: "accept", content: { sure: true } });
    expect(await dataOf(turn)).toEqual({ what: "jump", action: "accept", sure: true, why: "because" });
  });

  it("[mcp.elicit] hears of a decline, and of a page that was opened", async () => {
    const refused = await asked("/modern confirm what=jump");
    await answer(refused.question, { action: "decline" });
    expect(await dataOf(refused.turn)).toEqual({ what: "jump", action: "decline" });

    const page = await asked("/modern visit url=https://xn--bcher-kva.example/");
    expect(page.question.domain).toBe("xn--bcher-kva.example");
    await answer(page.question, { action: "accept" });
    expect(await dataOf(page.turn)).toEqual({ action: "accept" });
  });

  it("[mcp.elicit] is not out of time while a person is asked", async () => {
    const { turn, question } = await asked("/hasty confirm what=wait");
    // Longer than the call may be silent, or may last.
    await turn.until(({ event }) => event === "question");
    const other = await asked("/impatient confirm what=wait");
    expect(await dataOf(other.turn)).toEqual({ what: "wait", action: "cancel" });
    await answer(question, { action: "accept", content: { sure: false } });
    expect(await dataOf(turn)).toMatchObject({ action: "accept", sure: false });
  });

  it("[mcp.elicit] is told cancel when nobody answers in time", async () => {
    const { turn, question } = await asked("/impatient confirm what=wait");
    expect(await dataOf(turn)).toEqual({ what: "wait", action: "cancel" });
    const late = await answer<WireError>(question, { action: "decline" });
    expect(late).toMatchObject({ status: 409, body: { error: { code: "already_answered" } } });
    expect(late.body.error.message).toContain("expired");
  });
});

describe("who may answer", () => {
  it("[mcp.elicit] is only the person who started the turn, once", async () => {
    const { turn, question } = await asked("/modern confirm what=jump");
    const ben = await answer<WireError>(question, { action: "decline", actor: "ben" });
    expect(ben).toMatchObject({ status: 403, body: { error: { code: "not_eligible" } } });
    const nothing = await answer<WireError>({ ...question, question_id: "ques_none" }, { action: "decline" });
    expect(nothing.status).toBe(404);

    const both = await Promise.all([
      answer<WireError & WireQuestion>(question, { action: "decline" }),
      answer<WireError & WireQuestion>(question, { action: "accept", content: { sure: true } }),
    ]);
    expect(both.map((one) => one.status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    await turn.end();
    expect((await answer<WireError>(question, { action: "decline" })).body.error.code).toBe(
      "already_answered",
    );
  });
});

describe("what is never asked", () => {
  it("[mcp.elicit] declines a form that wants a secret, and says so", async () => {
    const { turn, question } = await asked("/curious secret");
    expect(question.state).toBe("declined");
    expect(question.note).toContain("It asks for a secret (db_password)");
    expect(await dataOf(turn)).toEqual({ action: "decline" });
  });

  it.each(["javascript:alert(1)", "https://bank.example@evil.example/"])(
    "[mcp.elicit] declines the link %s",
    async (link) => {
      const { turn, question } = await asked(`/modern visit url=${link}`);
      expect(question.state).toBe("declined");
      expect(await dataOf(turn)).toEqual({ action: "decline" });
    },
  );
});

describe("a turn that waits for an answer", () => {
  it("[mcp.elicit] can be stopped, which closes the question", async () => {
    const { turn, question } = await asked("/modern confirm what=jump");
    await request(product, "POST", `/agent/turns/${turn.turnId}/stop`, { actor: "ana" });
    expect((await turn.end())?.data).toMatchObject({ code: "stopped" });
    const { body } = await request<WireQuestion>(product, "GET", `/questions/${question.question_id}`);
    expect(body).toMatchObject({ state: "cancelled", note: expect.stringContaining("The call ended") });
  });

  it("[mcp.elicit] asks again after a crash, and closes the question that nobody hears", async () => {
    const dataDir = await temporaryFolder();
    const options = { config: modernOnly(url), dataDir };
    const first = await startProduct(options);
    const turn = await sayLive(first, "/modern confirm what=jump", { session_id: "crash", actor: "ana" });
    const { data } = await turn.until(({ event }) => event === "question");
    await first.kill();

    const second = await startHosted(options);
    const lost = data as unknown as WireQuestion;
    const late = await answer<WireError>(lost, { action: "accept", content: { sure: true } }, second);
    expect(late.body.error).toMatchObject({
      code: "already_answered",
      message: expect.stringContaining("The process that asked ended"),
    });
    const questions = async (): Promise<WireQuestion[]> =>
      ((await readTurn(second, turn.turnId)) as unknown as { questions: WireQuestion[] }).questions;
    await expect
      .poll(async () => (await questions()).map(({ state }) => state))
      .toEqual(["cancelled", "open"]);
    const [, open = lost] = await questions();
    await answer(open, { action: "accept", content: { sure: true } }, second);
    const ending = (await follow(second, turn.turnId)).at(-1)?.data as WireResult | undefined;
    expect(ending?.tool_result?.data).toMatchObject({ action: "accept", sure: true });
  });
});
