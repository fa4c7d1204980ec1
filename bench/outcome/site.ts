import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { parse } from "yaml";

import { startProcess } from "#test/chaos/process.ts";

import type { Catalogue } from "./cases.ts";
import type { Args, Call } from "./match.ts";

/** What a person sees of one call that was made. */
export interface ShownResult extends Call {
  toolId: string;
  ok: boolean;
  data: unknown;
  card: unknown;
}

/** What came of one message. */
export interface TurnOutcome {
  reply: string;
  results: ShownResult[];
  /** Changes that wait, or waited, for a person. */
  proposals: Call[];
  question?: { tool: string; fields: string[] };
  /** What the buttons say that offer a change which the message may have asked for, by the place that presses them. */
  offers: { title: string; at: number }[];
}

export interface ToolInfo {
  schema: object;
  /** Runs without asking. */
  reads: boolean;
}

/** A running product and its servers, in a folder of its own. */
export interface Site {
  /** By the tool's id. */
  tools: Map<string, ToolInfo>;
  /** Says something and waits for what comes of it. */
  say(session: string, message: string, actor: string): Promise<TurnOutcome>;
  /** Presses a button of the session's last turn, and gives the changes that wait then. */
  press(session: string, at: number, actor: string): Promise<Call[]>;
  /**
   * Approves what `wanted` names, again and again while the turn proposes more of it, and gives everything that the
   * session's last turn proposed.
   */
  approveAll(session: string, actor: string, wanted: (call: Call) => boolean): Promise<Call[]>;
  close(): Promise<void>;
}

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The demo as it is delivered, planned without a model. A delete asks the requester alone, so that one can approve. */
export async function openDemo(): Promise<Site> {
  const config = parse(await readFile(join(root, "config/countersign.yaml"), "utf8")) as object;
  return openSite(() => ({ ...config, model: { provider: "builtin" }, policy: { default: "ask" } }));
}

/** Servers made up of tool lists; in the channel of a session of `only` there is no other server than it names. */
export async function openCatalogues(
  catalogues: readonly Catalogue[],
  answers: Record<string, unknown>,
  only: ReadonlyMap<string, string>,
): Promise<Site> {
  return openSite(async (folder) => {
    const servers = catalogues.map(async (catalogue) => {
      const file = join(folder, `${catalogue.server}.tools.json`);
      await writeFile(file, JSON.stringify({ ...catalogue, answers }));
      const command = ["node", join(import.meta.dirname, "catalogue-server.ts"), file];
      return {
        name: catalogue.server,
        command,
        use_persistent_session: true,
        session_scope: "shared",
        trust_annotations: true,
      };
    });
    const reads = catalogues.flatMap(({ server, reads: tools }) => tools.map((tool) => `${server}.${tool}`));
    const channels = [...only].map(
      ([session, server]) => [`http:${session}`, { servers: [server] }] as const,
    );
    return {
      model: { provider: "builtin" },
      servers: await Promise.all(servers),
      policy: { default: "ask", rules: reads.length === 0 ? [] : [{ tools: reads, decision: "allow" }] },
      channels: Object.fromEntries(channels),
    };
  });
}

async function openSite(configure: (folder: string) => object | Promise<object>): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-outcome-"));
  const config = join(folder, "countersign.json");
  await writeFile(config, JSON.stringify(await configure(folder)));
  const product = startProcess({ config, dataDir: join(folder, "data") });
  const close = async (): Promise<void> => {
    await product.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const url = await product.listening;
    if (url === undefined || !(await product.ready)) throw new Error(product.tail().join("\n"));
    return { ...(await speakTo(url)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface WireTool {
  id: string;
  input_schema: object;
  decision: string;
}

interface WireCall {
  tool_id: string;
  args: Args;
}

interface WireResult {
  turn_id?: string;
  reply?: string;
  tool_results?: (WireCall & { ok: boolean; data: unknown; card: unknown })[];
  question?: { tool: string; fields: string[] };
  next?: { kind: string; title: string }[];
  error?: { code: string; message: string } | string;
}

interface WireApproval extends WireCall {
  approval_id: string;
  turn_id: string;
  state: string;
}

async function speakTo(url: string): Promise<Omit<Site, "close">> {
  async function request<Body>(path: string, body?: object): Promise<Body> {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { accept: "application/json", "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Body;
  }
  const listing = await request<{ tools: WireTool[] }>("/tools");
  const tools = new Map(
    listing.tools.map((tool) => [tool.id, { schema: tool.input_schema, reads: tool.decision === "allow" }]),
  );
  /** The last turn of each session. */
  const turns = new Map<string, string>();

  async function proposalsOf(session: string): Promise<WireApproval[]> {
    const path = `/approvals?session_id=${encodeURIComponent(session)}`;
    const { approvals } = await request<{ approvals: WireApproval[] }>(path);
    // What a rule allows is recorded too, as soon as the server does not call it a read.
    const asked = approvals.filter((approval) => tools.get(approval.tool_id)?.reads !== true);
    return asked.filter((approval) => approval.turn_id === turns.get(session));
  }

  return {
    tools,

    async say(session, message, actor) {
      const result = await request<WireResult>("/agent/turn", { session_id: session, message, actor });
      const { turn_id: turn, error, question, next = [] } = result;
      turns.set(session, turn ?? "");
      const why = typeof error === "string" ? error : error?.message;
      return {
        reply: result.reply ?? `error: ${why ?? "no reply"}`,
        results: (result.tool_results ?? []).map((one) => ({
          ...toCall(one),
          toolId: one.tool_id,
          ok: one.ok,
          data: one.data,
          card: one.card,
        })),
        proposals: (await proposalsOf(session)).map(toCall),
        ...(question && { question: { ...question, tool: bareName(question.tool) } }),
        offers: next.flatMap(({ kind, title }, at) => (kind === "meant" ? [{ title, at }] : [])),
      };
    },

    async press(session, at, actor) {
      const path = `/playground/turns/${turns.get(session) ?? ""}/next/${at}`;
      const { turn_id: turn } = await request<{ turn_id?: string }>(path, { event_id: randomUUID(), actor });
      turns.set(session, turn ?? "");
      // Its events end with the turn.
      const events = { accept: "text/event-stream" };
      await (await fetch(`${url}/agent/turns/${turn ?? ""}?after=0`, { headers: events })).text();
      return (await proposalsOf(session)).map(toCall);
    },

    async approveAll(session, actor, wanted) {
      for (;;) {
        const proposed = await proposalsOf(session);
        const next = proposed.find((one) => one.state === "pending" && wanted(toCall(one)));
        if (next === undefined) return proposed.map(toCall);
        await request(`/approvals/${next.approval_id}/decision`, { decision: "approve", actor });
        await rest(next);
      }
    },
  };

  /** Resolves when the approved call was made, and its turn waits for a person again or has ended. */
  async function rest({ approval_id: id, turn_id: turn }: WireApproval): Promise<void> {
    for (;;) {
      const approval = await request<{ state: string }>(`/approvals/${id}`);
      const { state } = await request<{ state: string }>(`/agent/turns/${turn}`);
      if (![approval.state, state].some((one) => BUSY.has(one))) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

const BUSY: ReadonlySet<string> = new Set(["approved", "executing", "queued", "running"]);

function toCall({ tool_id: id, args }: WireCall): Call {
  return { server: id.slice(0, Math.max(0, id.indexOf("."))), tool: bareName(id), args };
}

function bareName(id: string): string {
  return id.slice(id.indexOf(".") + 1);
}
