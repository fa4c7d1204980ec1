import { fileURLToPath } from "node:url";

const server = fileURLToPath(import.meta.resolve("../fakes/mcp-many.ts"));

/** The server of 500 issues, planned by commands; `trusted`: its word for what only reads counts. */
export function manyConfig(
  folder: string,
  { trusted = true, ...more }: { trusted?: boolean } & object = {},
): object {
  return {
    model: { provider: "builtin" },
    servers: [
      {
        name: "many",
        command: ["node", server],
        env: { MANY_FOLDER: folder },
        use_persistent_session: true,
        trust_annotations: trusted,
      },
    ],
    policy: {
      rules: [
        { tools: ["many.{search_issues,get_issue,fragile}"], decision: "allow" },
        { tools: ["many.*"], decision: "ask", approvers: ["channel"] },
      ],
    },
    views: { search_issues: "JiraSearchView", get_issue: "JiraIssueView" },
    commands: {
      many: {
        server: "many",
        default: "get_issue",
        subcommands: {
          find: "search_issues",
          fragile: "fragile",
          assign: "assign_issue",
          delete: "delete_issue",
        },
      },
    },
    ...more,
  };
}
