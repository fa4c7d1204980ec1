import { jiraOnly } from "./support.ts";

/** The demo's Jira with a policy that offers grants on comments and names the look-up of new issues. */
export function ledgerConfig(): object {
  return jiraOnly({
    policy: {
      rules: [
        {
          tools: ["jira.add_comment"],
          decision: "ask",
          approvers: ["channel"],
          grants: { max_ttl: "30m", max_uses: 2, vary: ["body"] },
        },
        {
          tools: ["jira.create_issue"],
          when: [{ arg: "project", equals: "OPS" }],
          decision: "deny",
        },
        {
          tools: ["jira.create_issue"],
          decision: "ask",
          approvers: ["requester", "http:ben"],
          lookup: { tool: "jira.search_issues", args: { query: "{summary}" } },
        },
      ],
    },
  });
}
