import { describe, expect, it } from "vitest";

import type { Tool } from "#contract/tool.ts";
import { createChannelPolicy } from "#src/policy/channels.ts";
import { buildTool } from "#test/builders.ts";

const tool = (id: string, readOnlyHint = false): Tool => buildTool(id, { annotations: { readOnlyHint } });

const read = tool("jira.get_issue", true);
const change = tool("jira.create_issue");
const wiki = tool("confluence.get_page", true);

describe("the policy of a channel", () => {
  const policy = createChannelPolicy(
    { default: "ask", rules: [{ tools: ["jira.create_*"], decision: "allow" }] },
    {
      "http:ops": { policy: { default: "deny", rules: [{ tools: ["jira.*"], decision: "ask", quorum: 2 }] } },
      "http:wiki": { servers: ["confluence"] },
    },
  );

  it("[approve.policy] looks at the channel's rules before the general ones, elsewhere only at those", () => {
    expect(policy.decide(change, {}, "http:ops")).toMatchObject({
      decision: "ask",
      quorum: 2,
      rule: "channel rule 1 (jira.*)",
    });
    expect(policy.decide(change, {}, "http:any")).toMatchObject({
      decision: "allow",
      rule: "rule 1 (jira.create_*)",
    });
  });

  it("[approve.policy] the channel's default replaces the general one", () => {
    expect(policy.decide(tool("mail.send"), {}, "http:ops").decision).toBe("deny");
    expect(policy.decide(tool("mail.send"), {}, "http:any").decision).toBe("ask");
  });

  it("[approve.policy] a tool of a server that the channel does not offer is denied and not planned with", () => {
    expect(policy.decide(read, {}, "http:wiki")).toMatchObject({
      decision: "deny",
      rule: "channel http:wiki does not offer jira",
    });
    expect(policy.decide(wiki, {}, "http:wiki").decision).toBe("allow");
    const ping = tool("builtin.ping", true);
    expect(policy.offered([read, wiki, ping], "http:wiki")).toEqual([wiki, ping]);
    expect(policy.offered([read, wiki, ping], "http:any")).toEqual([read, wiki, ping]);
  });
});
