import { problemAt } from "./issues.ts";
import type { ProblemContext } from "./issues.ts";
import type { Approver, PolicyRule } from "./policy-schema.ts";
import type { ConfigProblem, Path } from "./problem.ts";
import type { FileSettings } from "./schema.ts";

type Report = (path: Path, expected: string, fix?: string) => void;

/** What a schema cannot say: names that must be unique or exist, and rules nobody could ever satisfy. */
export function checkMeaning(settings: FileSettings, context: ProblemContext): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const report: Report = (path, expected, fix) => {
    problems.push(problemAt(context, path, fix === undefined ? { expected } : { expected, fix }));
  };
  checkServers(settings, report);
  checkRules(settings.policy.rules, settings, ["policy", "rules"], report);
  checkCommands(settings, report);
  checkChannels(settings, report);
  checkHttpTokens(settings, report);
  checkSurfaces(settings, report);
  const used = usedProviders(settings.model);
  if (used.has("openai") && settings.model.openai.model === "") {
    report(["model", "openai", "model"], "the name of a model, as openai is used");
  }
  if (used.has("gemini") && settings.model.gemini.api_key === "") {
    report(["model", "gemini", "api_key"], "an API key, as gemini is used", "set GEMINI_API_KEY");
  }
  return problems;
}

function usedProviders({ provider, fallback, stages }: FileSettings["model"]): Set<string> {
  const named = Object.values(stages).flatMap((stage) => stage?.provider ?? []);
  return new Set<string>([provider, ...fallback, ...named]);
}

function checkServers({ servers }: FileSettings, report: Report): void {
  const seen = new Set<string>();
  for (const [index, server] of servers.entries()) {
    const path = ["servers", index];
    if (seen.has(server.name)) report([...path, "name"], "a name that no other server has");
    seen.add(server.name);
    if (server.url === undefined && server.sse_url === undefined && server.command === undefined) {
      report(path, "url, sse_url or command", `say how to reach ${server.name}`);
    }
    if (server.url !== undefined && server.sse_url !== undefined) {
      report([...path, "sse_url"], "either url or sse_url", "keep url if the server speaks Streamable HTTP");
    }
    if (server.sandbox !== undefined && server.command === undefined) {
      report([...path, "sandbox"], "nothing, as there is no command to shut in");
    }
    const isReachedByAddress = server.url !== undefined || server.sse_url !== undefined;
    if (server.sandbox?.network === false && server.command !== undefined && isReachedByAddress) {
      report([...path, "sandbox", "network"], "true, as the server is reached over an address");
    }
    if (!isReachedByAddress) {
      if (Object.keys(server.person_headers).length > 0)
        report([...path, "person_headers"], "nothing, as a command gets no headers");
      if (server.oauth !== undefined) report([...path, "oauth"], "nothing, as the server has no address");
      const header = Object.keys(server.credentials).find((key) => key.startsWith("header:"));
      if (header !== undefined)
        report([...path, "credentials", header], "an argument or meta:NAME, as a command gets no headers");
    }
    const program = server.command?.[0] ?? "";
    if (server.command?.length === 1 && /\s/.test(program) && !program.includes("/")) {
      report([...path, "command"], "program and arguments as a list", "write [program, argument, …]");
    }
  }
}

function checkRules(rules: readonly PolicyRule[], settings: FileSettings, at: Path, report: Report): void {
  const { groups } = settings.policy;
  const hasPlatform =
    settings.slack.bot_token !== "" || settings.slack.client_id !== "" || settings.discord.token !== "";
  for (const [index, rule] of rules.entries()) {
    const path = [...at, index];
    for (const [position, approver] of rule.approvers.entries()) {
      // User groups of Slack and roles of Discord are known to the platform alone.
      if (hasPlatform || !approver.startsWith("group:") || Object.hasOwn(groups, approver.slice(6))) continue;
      report([...path, "approvers", position], "a group that policy.groups lists");
    }
    if (rule.grants !== undefined && (rule.decision !== "ask" || rule.quorum > 1)) {
      report([...path, "grants"], "nothing, as grants need decision ask and a quorum of 1");
    }
    if (rule.remind_ms !== undefined && rule.remind_ms >= rule.ttl_ms) {
      report([...path, "remind"], "a time shorter than ttl, as it counts back from when the request expires");
    }
    if (rule.decision !== "ask") continue;
    const isOpen = hasPlatform && rule.approvers.some((one) => isGroupElsewhere(one, groups));
    const most = isOpen ? Infinity : mostApprovals(rule, groups);
    if (most < rule.quorum) {
      report(
        [...path, "quorum"],
        `at most ${most}, as no more people may approve by this rule`,
        "add approvers, such as channel, or lower the quorum",
      );
    }
  }
}

function isGroupElsewhere(approver: Approver, groups: Readonly<Record<string, unknown>>): boolean {
  return approver.startsWith("group:") && !Object.hasOwn(groups, approver.slice(6));
}

/** How many different people could approve by a rule at the most. */
function mostApprovals(rule: PolicyRule, groups: Readonly<Record<string, Approver[]>>): number {
  if (rule.approvers.includes("channel")) return Infinity;
  const people = new Set<Approver>();
  for (const approver of rule.approvers) {
    if (approver.startsWith("group:")) {
      for (const member of groups[approver.slice(6)] ?? []) people.add(member);
    } else if (approver !== "requester" || !rule.exclude_requester) {
      people.add(approver);
    }
  }
  return people.size;
}

function checkCommands({ commands, servers }: FileSettings, report: Report): void {
  for (const [name, command] of Object.entries(commands)) {
    const path = ["commands", name];
    if (!servers.some((server) => server.name === command.server)) {
      report([...path, "server"], "the name of a server", `known: ${namesOf(servers)}`);
    }
    if (command.default === undefined && Object.keys(command.subcommands).length === 0) {
      report(path, "default or subcommands");
    }
  }
}

function checkChannels(settings: FileSettings, report: Report): void {
  for (const [name, channel] of Object.entries(settings.channels)) {
    for (const [index, server] of (channel.servers ?? []).entries()) {
      if (settings.servers.some((known) => known.name === server)) continue;
      report(
        ["channels", name, "servers", index],
        "the name of a server",
        `known: ${namesOf(settings.servers)}`,
      );
    }
    checkRules(channel.policy?.rules ?? [], settings, ["channels", name, "policy", "rules"], report);
  }
}

function checkHttpTokens({ http }: FileSettings, report: Report): void {
  const seen = new Set<string>();
  for (const [index, { token }] of http.tokens.entries()) {
    if (seen.has(token)) report(["http", "tokens", index, "token"], "a token that no other entry has");
    seen.add(token);
  }
}

function checkSurfaces({ slack }: FileSettings, report: Report): void {
  const isOverOAuth = slack.client_id !== "" || slack.client_secret !== "";
  if (isOverOAuth) checkInstallations(slack, report);
  if (slack.bot_token !== "" && slack.app_token === "" && slack.signing_secret === "") {
    report(
      ["slack", "app_token"],
      "app_token (Socket Mode) or signing_secret (HTTP) beside bot_token",
      "set SLACK_APP_TOKEN or SLACK_SIGNING_SECRET, or unset SLACK_BOT_TOKEN",
    );
  }
}

function checkInstallations(slack: FileSettings["slack"], report: Report): void {
  if (slack.client_id === "") report(["slack", "client_id"], "the client id that goes with client_secret");
  if (slack.client_secret === "") {
    report(["slack", "client_secret"], "the client secret that goes with client_id");
  }
  if (slack.bot_token !== "") {
    report(
      ["slack", "bot_token"],
      "either bot_token, for one workspace, or client_id, for installations",
      "unset SLACK_BOT_TOKEN: the workspace it is of installs the app like the others",
    );
  }
  if (slack.app_token === "" && slack.signing_secret === "") {
    report(
      ["slack", "signing_secret"],
      "app_token (Socket Mode) or signing_secret (HTTP) beside client_id",
      "set SLACK_APP_TOKEN or SLACK_SIGNING_SECRET",
    );
  }
  if (slack.workspaces.length === 0) {
    report(
      ["slack", "workspaces"],
      "the ids of the workspaces that may install the app, as whoever is in one can use the tools",
      "list them, such as [T0123ABCD], or write ['*'] to let every workspace in",
    );
  }
}

function namesOf(servers: FileSettings["servers"]): string {
  return servers.map((server) => server.name).join(", ") || "none";
}
