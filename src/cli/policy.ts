import type { JsonObject } from "#contract/json.ts";
import type { PolicyDecision } from "#contract/policy.ts";

import { CountersignError, messageOf } from "../base/errors.ts";
import { plainLine } from "../base/terminal-text.ts";
import { namedTool } from "../base/tool-names.ts";
import { whyNotEligible } from "../ledger/eligibility.ts";
import { createChannelPolicy } from "../policy/channels.ts";
import type { CommandCall } from "./command-line.ts";
import { createMembership } from "./membership.ts";
import { print, printJson } from "./output.ts";
import { readSettings } from "./read-settings.ts";
import { readActor } from "./read-actor.ts";
import { unlisted, withToolBox } from "./tool-box.ts";

/** Asks the servers for the tool, since policy depends on what it says of itself, and explains the decision. */
export async function explain({ args: [name = ""], options }: CommandCall): Promise<number> {
  const settings = await readSettings(options);
  const args = parseArgs(options.args);
  const actor = readActor(options.as) ?? "http:local";
  return withToolBox(settings, async (tools) => {
    const tool = namedTool(tools, name);
    if (tool === undefined) {
      throw new CountersignError("unknown_tool", `There is no tool ${name}.${unlisted(tools)}`);
    }
    const channel =
      typeof options.channel === "string" ? options.channel : `${actor.slice(0, actor.indexOf(":"))}:any`;
    const policy = createChannelPolicy(settings.policy, settings.channels);
    const { decision, considered } = policy.explain(tool, args, channel);
    const question = { actor, requestedBy: actor, channel, ...decision };
    const refusal = await whyNotEligible(question, createMembership(settings.policy.groups));
    const result = {
      tool: tool.id,
      args,
      actor,
      decision,
      considered,
      may_approve_own: refusal === undefined,
      why_not: refusal,
    };
    if (options.json === true) printJson(result);
    else print(describe(result));
    return 0;
  });
}

function describe(result: {
  tool: string;
  actor: string;
  decision: Pick<PolicyDecision, "decision" | "rule" | "approvers" | "quorum" | "ttlMs" | "remindMs">;
  considered: { rule: string; matched: boolean; why: string }[];
  why_not: string | undefined;
}): string {
  const { decision } = result;
  const lines = [`${plainLine(result.tool)}: ${decision.decision}, by ${decision.rule}`, ""];
  for (const one of result.considered)
    lines.push(`  ${one.matched ? "→" : " "} ${plainLine(`${one.rule}: ${one.why}`)}`);
  if (decision.decision === "ask") {
    lines.push(
      "",
      `Approvers: ${decision.approvers.join(", ")}; ${decision.quorum} needed, within ${minutes(decision.ttlMs)}.`,
      ...(decision.remindMs === undefined
        ? []
        : [`They are reminded ${minutes(decision.remindMs)} before it expires.`]),
      result.why_not === undefined
        ? `${result.actor} may approve their own request.`
        : `${result.actor}: ${result.why_not}`,
    );
  }
  return lines.join("\n");
}

function minutes(ms: number): string {
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}

function parseArgs(text: string | boolean | undefined): JsonObject {
  if (typeof text !== "string") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CountersignError(
      "wrong_use",
      `--args: expected a JSON object, got ${text}: ${messageOf(error)}`,
    );
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new CountersignError("wrong_use", `--args: expected a JSON object, got ${text}`);
  }
  return value as JsonObject;
}
