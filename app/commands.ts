import { type Command, flag, value } from "./command-line.ts";

const json = { json: flag("machine-readable output") };
const account = {
  as: value("whose account servers are asked with, such as http:ana"),
  channel: value("the channel whose rules and account count (default: the general rules)"),
};
const acting = {
  as: value("who decides, without a token: a name (default local)"),
  token: value("a bearer token of http.tokens (default: COUNTERSIGN_TOKEN)"),
  url: value("where the product answers (default: HOST and PORT of the configuration)"),
};

/** Every command; each is loaded when it is called, so that help does not wait for the whole product. */
export const commands: readonly Command[] = [
  {
    name: "start",
    summary: "serve the HTTP API and the playground, and the chat platforms whose tokens are set",
    load: async () => (await import("./commands/start.ts")).start,
  },
  {
    name: "chat",
    summary: "talk to the product in this terminal",
    load: async () => (await import("./commands/chat.ts")).chat,
  },
  {
    name: "tools",
    summary: "every tool of the configured servers, and what policy says of it",
    options: { ...json, ...account },
    load: async () => (await import("./commands/tools.ts")).tools,
  },
  {
    name: "setup",
    summary:
      "connect model, Jira, Confluence, Slack and Discord, try each, and write the configuration (docs/setup.md)",
    options: {
      only: value("these steps: model, jira, confluence, demo, slack, discord, approvers"),
      answers: value("YAML or JSON with the answers, for scripts: jira.url: acme"),
    },
    load: async () => (await import("./commands/setup.ts")).setup,
  },
  {
    name: "doctor",
    summary: "look at tokens, scopes, the model, servers, store and clock, and say how to mend what is wrong",
    options: json,
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  {
    name: "servers",
    summary: "connect to every configured server once, and report the result and what to set",
    options: json,
    load: async () => (await import("./commands/tools.ts")).servers,
  },
  {
    name: "servers add",
    args: ["NAME"],
    summary: "write one of the servers that people ask for most into the configuration (docs/servers.md)",
    options: json,
    load: async () => (await import("./commands/add-server.ts")).addServer,
  },
  {
    name: "call",
    args: ["TOOL"],
    summary: "call one tool, as far as policy allows it",
    options: {
      ...json,
      ...account,
      args: value("the arguments as JSON (default {})"),
      yes: flag("approve the call yourself where policy asks; not in the audit chain"),
    },
    load: async () => (await import("./commands/tools.ts")).call,
  },
  {
    name: "approvals list",
    alias: "approvals",
    summary: "the approvals of a running product",
    options: { ...json, ...acting, state: value("only those in this state (default pending)") },
    load: async () => (await import("./commands/approvals.ts")).list,
  },
  {
    name: "approvals show",
    args: ["ID"],
    summary: "one approval with its decisions",
    options: { ...json, ...acting },
    load: async () => (await import("./commands/approvals.ts")).show,
  },
  {
    name: "approvals approve",
    args: ["ID"],
    summary: "approve a change",
    options: { ...json, ...acting, reason: value("why") },
    load: async () => (await import("./commands/approvals.ts")).approve,
  },
  {
    name: "approvals deny",
    args: ["ID"],
    summary: "deny a change",
    options: { ...json, ...acting, reason: value("why") },
    load: async () => (await import("./commands/approvals.ts")).deny,
  },
  {
    name: "grants list",
    alias: "grants",
    summary: "what a running product lets run without asking",
    options: { ...json, ...acting },
    load: async () => (await import("./commands/approvals.ts")).listGrants,
  },
  {
    name: "grants revoke",
    args: ["ID"],
    summary: "take a standing approval back",
    options: { ...json, ...acting },
    load: async () => (await import("./commands/approvals.ts")).revokeGrant,
  },
  {
    name: "slack manifest",
    summary:
      "the manifest of the Slack app with the commands of the configuration, to be pasted into its settings",
    options: json,
    load: async () => (await import("./commands/tools.ts")).slackManifest,
  },
  {
    name: "discord register",
    summary: "register the commands of the configuration with Discord",
    load: async () => (await import("./commands/tools.ts")).register,
  },
  {
    name: "policy explain",
    args: ["TOOL"],
    summary: "which rule decides a call, and why",
    options: {
      ...json,
      args: value("the arguments as JSON (default {})"),
      channel: value("the channel whose rules count (default: the general ones)"),
      as: value("the actor who asks, such as http:ana (default http:local)"),
    },
    load: async () => (await import("./commands/tools.ts")).explain,
  },
  {
    name: "audit verify",
    summary: "check the hash chain and name the first broken entry",
    options: { ...json, head: value("a head recorded earlier, SEQ:HASH, that must be in the chain") },
    load: async () => (await import("./commands/records.ts")).verify,
  },
  {
    name: "audit export",
    summary: "every entry as a line of JSON",
    load: async () => (await import("./commands/records.ts")).exportLines,
  },
  {
    name: "audit head",
    summary: "the newest entry as SEQ:HASH, to be kept elsewhere",
    options: json,
    load: async () => (await import("./commands/records.ts")).head,
  },
  {
    name: "backup",
    summary: "copy the store into one file while the product runs, and check the copy",
    options: {
      ...json,
      to: value("the file (default: one with the time in its name, in backups of the data folder)"),
      "with-key": flag("put the secret key in too: the file alone then opens every token"),
    },
    load: async () => (await import("./commands/backup.ts")).backUp,
  },
  {
    name: "restore",
    args: ["FILE"],
    summary: "check a backup and put it in the place of the store, which is kept; the product must not run",
    options: {
      ...json,
      "broken-audit": flag("also one whose audit chain is broken"),
    },
    load: async () => (await import("./commands/backup.ts")).restore,
  },
  {
    name: "keys rotate",
    summary: "encrypt stored tokens with a new key while the product runs, and give up the old one",
    options: {
      ...json,
      handover: value("how long replicas that start with the old key are handed the new one (default 24h)"),
    },
    load: async () => (await import("./commands/keys.ts")).rotate,
  },
  {
    name: "people list",
    alias: "people",
    summary: "whom the store and the configuration know",
    options: json,
    load: async () => (await import("./commands/people.ts")).list,
  },
  {
    name: "people export",
    args: ["NAME"],
    summary: "what is kept of one person, by name, e-mail address or id, as lines of JSON without secrets",
    options: { to: value("a new file for it (default: standard output)") },
    load: async () => (await import("./commands/people.ts")).exportPerson,
  },
  {
    name: "people forget",
    args: ["NAME"],
    summary: "delete what is kept of one person; the audit record keeps digests and stays whole",
    options: { ...json, yes: flag("do not ask for the name again") },
    load: async () => (await import("./commands/people.ts")).forgetOne,
  },
  {
    name: "feedback export",
    summary: "answers that people rated, as cases of the evaluation: a line of JSON each",
    load: async () => (await import("./commands/records.ts")).exportFeedback,
  },
  {
    name: "model pull",
    args: ["[NAME]"],
    summary: "fetch a model onto the Ollama server (default: the configured one)",
    load: async () => (await import("./commands/model.ts")).pull,
  },
  {
    name: "model check",
    summary: "whether the configured model is there",
    load: async () => (await import("./commands/model.ts")).check,
  },
  {
    name: "knowledge ingest",
    args: ["[SOURCE…]"],
    summary:
      "index sources: a folder, a URL, files:FOLDER, jira, jira:JQL, confluence:SPACES; else those configured",
    options: {
      ...json,
      org: value("the organisation that finds it (default: default)"),
      channel: value("the channel that alone finds it, such as slack:T1:C1"),
      full: flag("read everything anew"),
      delete: flag("take it out of the index"),
    },
    load: async () => (await import("./commands/knowledge.ts")).ingest,
  },
  {
    name: "knowledge serve",
    summary: "serve the index over HTTP (docs/knowledge.md)",
    options: { port: value("the port (default 8002)"), host: value("a loopback address") },
    load: async () => (await import("./commands/knowledge.ts")).serve,
  },
  {
    name: "knowledge status",
    alias: "knowledge",
    summary: "what is indexed, and the latest jobs",
    options: json,
    load: async () => (await import("./commands/knowledge.ts")).status,
  },
  {
    name: "memory forget",
    summary: "drop what was remembered of tool outputs",
    options: {
      ...json,
      conversation: value("only of this conversation, such as http:s1"),
      "older-than": value("only what is older, such as 24h or 30d"),
      all: flag("everything"),
    },
    load: async () => (await import("./commands/records.ts")).forget,
  },
  {
    name: "ensembles serve",
    alias: "e serve",
    summary: "serve the ensembles of this folder over MCP (docs/ensembles.md)",
    options: {
      transport: value("stdio, http or sse (default stdio)"),
      port: value("for http and sse, 0 for any free one (default 8080)"),
      host: value("a loopback address to listen on (default 127.0.0.1)"),
    },
    load: async () => (await import("./commands/ensembles.ts")).serve,
  },
  {
    name: "ensembles run",
    args: ["NAME", "[TEXT]"],
    summary: "run an ensemble on a text, or on what comes on stdin, and print its report",
    options: json,
    load: async () => (await import("./commands/ensembles.ts")).run,
  },
  {
    name: "ensembles validate",
    args: ["[NAME]"],
    summary: "check an ensemble's file, or all of this folder",
    options: json,
    load: async () => (await import("./commands/ensembles.ts")).validate,
  },
  {
    name: "ensembles list",
    alias: "ensembles",
    summary: "the ensembles of this folder, of this machine and of the library",
    options: json,
    load: async () => (await import("./commands/ensembles.ts")).list,
  },
];
