import type { PolicyDecision } from "#contract/approval.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";

import {
  createPolicyExplainer,
  type PolicyExplanation,
  type PolicyRule,
  type PolicySettings,
  type Remind,
} from "./policy.ts";

/** What differs in one channel. */
export interface ChannelPolicySettings {
  /** Only these servers' tools are offered; absent: all. */
  servers?: string[];
  /** Looked at before the general rules. */
  policy?: { default?: PolicySettings["default"]; rules: PolicyRule[] };
  approvals?: { remind?: Remind };
}

/** Decides a call in a channel. Pure: the same call in the same channel gets the same decision. */
export interface ChannelPolicy {
  decide: (tool: Tool, args: JsonObject, channel: string) => PolicyDecision;
  explain: (tool: Tool, args: JsonObject, channel: string) => PolicyExplanation;
  /** The tools that a channel offers; the built-in ones are offered everywhere. */
  offered: (tools: Tool[], channel: string) => Tool[];
}

const BUILTIN_SERVER = "builtin";

/**
 * The general policy with what each channel changes: its own rules come first, its default replaces the
 * general one, and a tool of a server that it does not offer is denied.
 */
export function createChannelPolicy(
  general: PolicySettings,
  channels: Readonly<Record<string, ChannelPolicySettings>>,
): ChannelPolicy {
  const explainGeneral = createPolicyExplainer(general);
  const byChannel = new Map(
    Object.entries(channels).map(([name, channel]) => [
      name,
      {
        servers: channel.servers === undefined ? undefined : new Set(channel.servers),
        explain: createPolicyExplainer({
          default: channel.policy?.default ?? general.default,
          rules: [...(channel.policy?.rules ?? []), ...general.rules],
          firstRules: channel.policy?.rules.length ?? 0,
          ...remindOf(channel.approvals?.remind ?? general.remind),
        }),
      },
    ]),
  );

  function isOffered(tool: Tool, channel: string): boolean {
    const servers = byChannel.get(channel)?.servers;
    return servers === undefined || servers.has(tool.server) || tool.server === BUILTIN_SERVER;
  }

  function explain(tool: Tool, args: JsonObject, channel: string): PolicyExplanation {
    const explained = (byChannel.get(channel)?.explain ?? explainGeneral)(tool, args);
    if (isOffered(tool, channel)) return explained;
    const rule = `channel ${channel} does not offer ${tool.server}`;
    return {
      decision: { ...explained.decision, decision: "deny", rule },
      considered: [{ rule, matched: true, why: "servers of the channel name others" }],
    };
  }

  return {
    explain,
    decide: (tool, args, channel) => explain(tool, args, channel).decision,
    offered: (tools, channel) => tools.filter((tool) => isOffered(tool, channel)),
  };
}

function remindOf(remind: Remind | undefined): { remind?: Remind } {
  return remind === undefined ? {} : { remind };
}
