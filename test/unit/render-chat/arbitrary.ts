import * as fc from "fast-check";

import { createCards } from "#views/cards/cards.ts";
import { createViews } from "#views/manager.ts";
import type { Approval } from "#contract/approval.ts";
import type { Card } from "#contract/card.ts";
import type { Cards } from "#contract/core.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { TurnView } from "#contract/present.ts";
import type { ToolCallResult } from "#contract/turn.ts";
import { statementById } from "#src/base/plain-statement.ts";
import { arbitraryCard, hostile } from "#test/unit/render-html/arbitrary-card.ts";

/** Whatever may have to be drawn. */
export interface Arbitraries {
  /** Strings that try to become mentions, links, emoji or formats on the platform. */
  spiced: fc.Arbitrary<string>;
  card: fc.Arbitrary<Card>;
  /** A call as the real views show it, whatever it brought. */
  callResult: fc.Arbitrary<ToolCallResult>;
  turnView: fc.Arbitrary<TurnView>;
}

/** `marks`: what means something to the platform. */
export function arbitrariesOf(marks: readonly string[]): Arbitraries {
  const spiced: fc.Arbitrary<string> = fc.oneof(
    hostile,
    fc.array(fc.constantFrom(...marks, ...COMMON), { maxLength: 8 }).map((parts) => parts.join("")),
  );

  /** Cards of any size: those of the other renderer's tests with longer texts and lists, spiced. */
  const card: fc.Arbitrary<Card> = fc
    .tuple(arbitraryCard, spiced, fc.constantFrom(1, 1, 2, 8), fc.constantFrom(1, 1, 4, 12))
    .map(([one, spice, times, more]) => inflate(one, spice, times, more) as Card);

  const json: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      spiced,
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 6 }),
      fc.dictionary(
        fc.oneof(spiced, fc.constantFrom("key", "summary", "url", "name", "issues")),
        tie("value"),
        {
          maxKeys: 6,
        },
      ),
      fc
        .tuple(
          fc.dictionary(fc.constantFrom("key", "summary", "url", "status", "n"), spiced),
          fc.integer({ min: 2, max: 260 }),
        )
        .map(([row, many]) => Array.from({ length: many }, (_, index) => ({ index, ...row }))),
    ),
  })).value;

  /** A call as the real views show it, whatever it brought. */
  const callResult: fc.Arbitrary<ToolCallResult> = fc
    .tuple(json, fc.constantFrom("a", "b", "c", "d", "e"), fc.boolean(), spiced)
    .map(([data, name, ok, text]) => {
      const input = { toolId: `server.${name}`, server: "server", name, args: { text }, ok, data };
      const error = { code: "tool_error", message: text };
      return {
        ...input,
        durationMs: 12,
        ...views.result(ok ? input : { ...input, error }),
        ...(ok ? {} : { error }),
      };
    });

  const approval: fc.Arbitrary<Approval> = fc
    .record({
      state: fc.constantFrom(...states),
      args: fc.dictionary(spiced, json, { maxKeys: 4 }),
      sides: fc.tuple(json, json),
      note: spiced,
      from: fc.constantFrom("history", "result", "model", "message"),
      id: fc.integer({ min: 1, max: 999 }),
    })
    .map(({ state, args, sides: [before, after], note, from, id }) => ({
      id: `appr_${id}`,
      turnId: "turn_1",
      conversationId: "C1",
      channel: "C1",
      key: "ab".repeat(32),
      toolId: "server.change",
      toolDescription: note,
      args: args as JsonObject,
      statement: statementById("server.change", args as JsonObject),
      sources: Object.fromEntries(Object.keys(args).map((name) => [name, { from, ref: note }])),
      effect: { before, after },
      state,
      rule: "rule 1",
      requestedBy: "slack:T1:U1",
      approvers: ["channel"],
      excludeRequester: false,
      reasonRequired: false,
      quorum: 1,
      votes: [],
      createdAt: 1_790_000_000_000,
      expiresAt: 1_790_000_900_000,
      lookup: { tool: "server.look", args: {} },
      note,
    }));

  const turnView: fc.Arbitrary<TurnView> = fc
    .record({
      isSettled: fc.boolean(),
      results: fc.array(callResult, { maxLength: 4 }),
      approvals: fc.array(approval, { maxLength: 3 }),
      reply: fc
        .tuple(spiced, fc.constantFrom(1, 30, 400))
        .map(([text, times]) => `${text}\n\n`.repeat(times)),
      error: fc.option(spiced.map((message) => ({ code: "model_error", message }))),
      progress: fc.option(
        fc.record({ message: spiced, tool: spiced, progress: fc.double(), total: fc.double() }),
      ),
      log: fc.array(fc.record({ atMs: fc.nat(), stage: fc.constantFrom("plan", "call"), message: spiced }), {
        maxLength: 5,
      }),
      phase: fc.constantFrom(
        "queued",
        "planning",
        "executing_tools",
        "awaiting_approval",
        "summarizing",
        "done",
      ),
    })
    .map(({ error, progress, ...rest }) => ({
      turnId: "turn_1",
      conversationId: "C1",
      channel: "C1",
      actor: "slack:T1:U1",
      message: "do it",
      elapsedMs: 1234,
      planner: "ollama",
      canStop: !rest.isSettled,
      ...rest,
      ...(error === null ? {} : { error }),
      ...(progress === null ? {} : { progress }),
    }));

  return { spiced, card, callResult, turnView };
}

const COMMON = ["word ", "\n", "\u202Ertl", "\u2067", "👩‍👩‍👧", "\uD83D"];

/** Members whose text is not shown, or not as it is. */
const NOT_TEXT = new Set(["type", "kind", "format", "tone", "id", "style", "align", "language", "href"]);
/** Members that may have more items. */
const LISTS = new Set(["items", "rows"]);

function inflate(value: unknown, spice: string, times: number, more: number): unknown {
  if (Array.isArray(value)) return value.map((item) => inflate(item, spice, times, more));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => {
      if (typeof item === "string") return [key, NOT_TEXT.has(key) ? item : `${spice}${item}`.repeat(times)];
      const grown = inflate(item, spice, times, more);
      const grows = LISTS.has(key) && Array.isArray(grown) && grown.length > 0;
      return [
        key,
        grows && Array.isArray(grown) ? Array.from({ length: more }, () => grown as unknown[]).flat() : grown,
      ];
    }),
  );
}

const views = createViews(
  { a: "GenericView", b: "JiraIssueView", c: "JiraSearchView", d: "ConfluencePageView", e: "ChangeView" },
  () => undefined,
);

export const cards: Cards = createCards();

const states = [
  "pending",
  "approved",
  "executing",
  "done",
  "failed",
  "unknown",
  "denied",
  "expired",
] as const;
