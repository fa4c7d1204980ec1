import type { Approval } from "#contract/approval.ts";
import type { Tool } from "#contract/tool.ts";
import type { ToolCallResult, TurnResult } from "#contract/turn.ts";
import { statementById } from "#src/base/plain-statement.ts";

/** A tool as a trusted server lists it; `id` is `server.name`. */
export function buildTool(id: string, more: Partial<Tool> = {}): Tool {
  const [server = "", name = ""] = id.split(".");
  return {
    id,
    server,
    name,
    description: "",
    inputSchema: { type: "object" },
    annotations: {},
    digest: id,
    trusted: true,
    ...more,
  };
}

/** A request that waits for one vote. Times are milliseconds since the epoch. */
export function buildApproval(more: Partial<Approval> = {}): Approval {
  return {
    id: "appr_1",
    turnId: "turn_1",
    conversationId: "c",
    channel: "c",
    key: "ab".repeat(32),
    toolId: "jira.create_issue",
    toolDescription: "Creates an issue.",
    statement: statementById(more.toolId ?? "jira.create_issue", more.args ?? { summary: "Printer on fire" }),
    args: { summary: "Printer on fire" },
    state: "pending",
    rule: "default",
    requestedBy: "slack:T1:U1",
    approvers: ["channel"],
    excludeRequester: false,
    reasonRequired: false,
    quorum: 1,
    votes: [],
    createdAt: 1_790_000_000_000,
    expiresAt: 1_790_086_400_000,
    ...more,
  };
}

/** What a call that found three issues brought. */
export function buildToolResult(more: Partial<ToolCallResult> = {}): ToolCallResult {
  return {
    toolId: "jira.search_issues",
    server: "jira",
    args: {},
    ok: true,
    data: {},
    view: "GenericView",
    card: { kind: "result", title: "3 issues", elements: [] },
    rows: 3,
    durationMs: 1_240,
    ...more,
  };
}

/** How a turn ended that called nothing. */
export function buildTurnResult(reply: string, more: Partial<TurnResult> = {}): TurnResult {
  return {
    reply,
    planner: "builtin",
    toolResults: [],
    log: [{ atMs: 0, stage: "inbox", message: "accepted" }],
    timings: { queuedMs: 0, planningMs: 1, toolsMs: 2, summarizingMs: 0, totalMs: 3 },
    ...more,
  };
}
