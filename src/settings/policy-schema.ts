import { z } from "zod";

import type { ActorId } from "#contract/actor.ts";

import { messageOf } from "../base/errors.ts";
import { compilePattern, ownPattern } from "../base/pattern.ts";
import { globFault } from "../base/tool-names.ts";
import { remindSchema } from "./approval-schema.ts";
import { duration, toolArgs } from "./values.ts";

export type Approver = "requester" | "channel" | `group:${string}` | ActorId;
export type PolicyRule = z.infer<typeof rule>;

const actor = z
  .string()
  .regex(/^(slack|discord|console|http):\S+$/, {
    error: "an actor id such as slack:T1:U1, discord:G1:U1, http:ana or console:ana",
  })
  .transform((text) => text as ActorId);

const approver = z
  .string()
  .regex(/^(requester|channel|group:\S+|(slack|discord|console|http):\S+)$/, {
    error: "requester, channel, group:NAME or an actor id such as slack:T1:U1",
  })
  .transform((text) => text as Approver);

const primitive = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: "text, a number, true, false or null",
});

const linearPattern = z.string().superRefine((source, context) => {
  try {
    compilePattern(source, ownPattern);
  } catch (error) {
    context.addIssue({ code: "custom", message: messageOf(error) });
  }
});

const operators = {
  equals: primitive.exactOptional(),
  in: z.array(primitive).min(1).exactOptional(),
  matches: linearPattern.exactOptional(),
  gt: z.number().exactOptional(),
  gte: z.number().exactOptional(),
  lt: z.number().exactOptional(),
  lte: z.number().exactOptional(),
};

const condition = z
  .strictObject({
    arg: z.string().min(1).describe("Name of the argument, with dots into objects: fields.priority."),
    ...operators,
  })
  .refine((value) => Object.keys(operators).some((operator) => Object.hasOwn(value, operator)), {
    error: `at least one of ${Object.keys(operators).join(", ")} beside arg`,
  });

const lookup = z
  .union(
    [
      z.literal("dry_run"),
      z.strictObject({
        tool: z.string().regex(/^[^\s.]+\.\S+$/, { error: "a tool id such as jira.get_jira_issue" }),
        args: toolArgs.default({}),
      }),
    ],
    { error: "dry_run, or a tool with its args" },
  )
  .describe("The read that tells whether a change of unknown outcome happened; dry_run: the call's own.");

const grants = z
  .strictObject({
    max_ttl: duration.prefault("30m").describe("The longest time a grant lasts."),
    max_uses: z.int().min(1).max(1000).default(10).describe("The most calls a grant covers."),
    vary: z
      .array(z.string().min(1))
      .default([])
      .describe("Arguments that may differ; all others must be equal."),
  })
  .transform(({ max_ttl, ...rest }) => ({ ...rest, max_ttl_ms: max_ttl }))
  .describe("Approvers may allow the same tool in the conversation for a while. Off unless written.");

/** A glob over the names of tools. */
export const toolGlob = z
  .string()
  .min(1, { error: "a glob over tool ids such as jira.delete_*" })
  .refine((text) => globFault(text) === undefined, {
    error: ({ input }) => `a glob over tool ids such as jira.delete_*; ${globFault(String(input)) ?? ""}`,
  });

const rule = z
  .strictObject({
    tools: z
      .array(toolGlob)
      .min(1, { error: "at least one glob over tool ids such as jira.delete_*" })
      .describe("Globs over tool ids, such as jira.delete_*."),
    when: z.array(condition).default([]).describe("Conditions on arguments; all must hold."),
    decision: z.enum(["allow", "ask", "deny"]),
    approvers: z
      .array(approver)
      .min(1, { error: "at least one approver" })
      .prefault(["requester"])
      .describe("Who may approve: requester, channel (anyone in it), group:NAME or actor ids."),
    exclude_requester: z.boolean().default(false).describe("Who asked may not approve."),
    quorum: z.int().min(1).max(100).default(1).describe("How many different people must approve."),
    ttl: duration.prefault("24h").describe("How long a request stands: 30s, 30m, 24h or 7d."),
    remind: remindSchema
      .exactOptional()
      .describe("Remind people of a request that waits this long before it expires: 10m, 1h, auto or off."),
    reason_required: z.boolean().default(false).describe("A decision needs a reason."),
    idempotent: z.boolean().default(false).describe("A call may be sent again after a crash."),
    lookup: lookup.exactOptional(),
    grants: grants.exactOptional(),
  })
  .transform(({ ttl, remind, ...rest }) => ({
    ...rest,
    ttl_ms: ttl,
    ...(remind === undefined ? {} : { remind }),
  }));

export const rulesSchema = z.array(rule).describe("The first rule that matches decides.");

export const policyDefaultSchema = z
  .enum(["ask", "deny"])
  .describe("For tools that no rule names and that are not reads of a trusted server.");

export const policySchema = z.strictObject({
  default: policyDefaultSchema.default("ask"),
  rules: rulesSchema.default([]),
  groups: z.record(z.string(), z.array(actor)).default({}).describe("Members of group:NAME."),
});
