import { personKey } from "../base/ids.ts";
import { problemAt, type ProblemContext } from "./issues.ts";
import type { PersonSettings } from "./people-schema.ts";
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
  for (const [index, server] of settings.servers.entries()) {
    checkServer(server, (path, ...rest) => report(["servers", index, ...path], ...rest));
  }
  reportRepeated(
    settings.servers.map(({ name }) => name),
    (index) => report(["servers", index, "name"], "a name that no other server has"),
  );
  reportRepeated(
    settings.http.tokens.map(({ token }) => token),
    (index) => report(["http", "tokens", index, "token"], "a token that no other entry has"),
  );
  checkRules(settings.policy.rules, settings, ["policy", "rules"], report);
  checkCommands(settings, report);
  checkChannels(settings, report);
  checkPeople(settings.people.list, settings.servers, (path, ...rest) =>
    report([...peoplePath(context), ...path], ...rest),
  );
  checkSlack(settings.slack, (path, ...rest) => report(["slack", ...path], ...rest));
  const { provider, fallback, stages, openai, gemini } = settings.model;
  const used = new Set<string | undefined>([provider, ...fallback]);
  for (const stage of Object.values(stages)) used.add(stage?.provider);
  if (used.has("openai") && openai.model === "") {
    report(["model", "openai", "model"], "the name of a model, as openai is used");
  }
  if (used.has("gemini") && gemini.api_key === "") {
    report(["model", "gemini", "api_key"], "an API key, as gemini is used", "set GEMINI_API_KEY");
  }
  return problems;
}

function reportRepeated(keys: readonly string[], tell: (index: number) => void): void {
  const seen = new Set<string>();
  for (const [index, key] of keys.entries()) {
    if (seen.has(key)) tell(index);
    seen.add(key);
  }
}

function checkServer(server: FileSettings["servers"][number], report: Report): void {
  const { name, url, sse_url: sse, command, sandbox } = server;
  const isReachedByAddress = url !== undefined || sse !== undefined;
  if (!isReachedByAddress && command === undefined) {
    report([], "url, sse_url or command", `say how to reach ${name}`);
  }
  if (url !== undefined && sse !== undefined) {
    report(["sse_url"], "either url or sse_url", "keep url if the server speaks Streamable HTTP");
  }
  if (sandbox !== undefined && command === undefined) {
    report(["sandbox"], "nothing, as there is no command to shut in");
  }
  if (sandbox?.network === false && command !== undefined && isReachedByAddress) {
    report(["sandbox", "network"], "true, as the server is reached over an address");
  }
  if (!isReachedByAddress) {
    if (Object.keys(server.person_headers).length > 0)
      report(["person_headers"], "nothing, as a command gets no headers");
    if (server.oauth !== undefined) report(["oauth"], "nothing, as the server has no address");
    const header = Object.keys(server.credentials).find((key) => key.startsWith("header:"));
    if (header !== undefined)
      report(["credentials", header], "an argument or meta:NAME, as a command gets no headers");
  }
  if (server.site_check !== undefined && Object.keys(server.credentials).length === 0)
    report(["site_check"], "nothing, as credentials name no part of a site");
  const [program = "", ...args] = command ?? [];
  if (args.length === 0 && /\s/.test(program) && !program.includes("/")) {
    report(["command"], "program and arguments as a list", "write [program, argument, …]");
  }
}

function checkRules(rules: readonly PolicyRule[], settings: FileSettings, at: Path, report: Report): void {
  const { groups } = settings.policy;
  const { slack, discord } = settings;
  // User groups of Slack and roles of Discord are known to the platform alone.
  const hasPlatform = slack.bot_token !== "" || slack.client_id !== "" || discord.token !== "";
  const isUnknown = (approver: Approver): boolean =>
    approver.startsWith("group:") && !Object.hasOwn(groups, approver.slice(6));
  for (const [index, rule] of rules.entries()) {
    const path = [...at, index];
    for (const [position, approver] of rule.approvers.entries()) {
      if (!hasPlatform && isUnknown(approver))
        report([...path, "approvers", position], "a group that policy.groups lists");
    }
    if (rule.grants !== undefined && (rule.decision !== "ask" || rule.quorum > 1)) {
      report([...path, "grants"], "nothing, as grants need decision ask and a quorum of 1");
    }
    if (typeof rule.remind === "number" && rule.remind >= rule.ttl_ms) {
      report([...path, "remind"], "a time shorter than ttl, as it counts back from when the request expires");
    }
    if (rule.decision !== "ask" || (hasPlatform && rule.approvers.some(isUnknown))) continue;
    const most = mostApprovals(rule, groups);
    if (most < rule.quorum) {
      report(
        [...path, "quorum"],
        `at most ${most}, as no more people may approve by this rule`,
        "add approvers, such as channel, or lower the quorum",
      );
    }
  }
}

/** How many different people could approve by a rule at the most. */
function mostApprovals(rule: PolicyRule, groups: Readonly<Record<string, Approver[]>>): number {
  if (rule.approvers.includes("channel")) return Infinity;
  const people = rule.approvers.flatMap((approver) => {
    if (approver.startsWith("group:")) return groups[approver.slice(6)] ?? [];
    return approver === "requester" && rule.exclude_requester ? [] : [approver];
  });
  return new Set(people).size;
}

/** People may stand in the file as a list, or as the `list` of an object. */
function peoplePath({ substituted: { data } }: ProblemContext): Path {
  const isList = typeof data === "object" && data !== null && "people" in data && Array.isArray(data.people);
  return isList ? ["people"] : ["people", "list"];
}

/** An actor is of one person, and accounts are of servers that there are. */
export function checkPeople(
  people: readonly PersonSettings[],
  servers: FileSettings["servers"],
  report: Report,
): void {
  const seen = new Set<string>();
  for (const [index, person] of people.entries()) {
    for (const [position, actor] of person.actors.entries()) {
      if (seen.has(personKey(actor)))
        report([index, "actors", position], "somebody who stands in the list once");
      seen.add(personKey(actor));
    }
    for (const server of Object.keys(person.accounts))
      requireServer(servers, server, [index, "accounts", server], report);
  }
}

function checkCommands({ commands, servers }: FileSettings, report: Report): void {
  for (const [name, command] of Object.entries(commands)) {
    const path = ["commands", name];
    requireServer(servers, command.server, [...path, "server"], report);
    if (command.default === undefined && Object.keys(command.subcommands).length === 0) {
      report(path, "default or subcommands");
    }
  }
}

function checkChannels(settings: FileSettings, report: Report): void {
  for (const [name, channel] of Object.entries(settings.channels)) {
    const path = ["channels", name];
    for (const [index, server] of (channel.servers ?? []).entries()) {
      requireServer(settings.servers, server, [...path, "servers", index], report);
    }
    checkRules(channel.policy?.rules ?? [], settings, [...path, "policy", "rules"], report);
  }
}

function requireServer(servers: FileSettings["servers"], name: string, path: Path, report: Report): void {
  if (servers.some((server) => server.name === name)) return;
  const known = servers.map((server) => server.name).join(", ") || "none";
  report(path, "the name of a server", `known: ${known}`);
}

function checkSlack(slack: FileSettings["slack"], report: Report): void {
  const hasBot = slack.bot_token !== "";
  const hasWayIn = slack.app_token !== "" || slack.signing_secret !== "";
  if (slack.client_id !== "" || slack.client_secret !== "") {
    if (slack.client_id === "") report(["client_id"], "the client id that goes with client_secret");
    if (slack.client_secret === "") report(["client_secret"], "the client secret that goes with client_id");
    if (hasBot) {
      report(
        ["bot_token"],
        "either bot_token, for one workspace, or client_id, for installations",
        "unset SLACK_BOT_TOKEN: the workspace it is of installs the app like the others",
      );
    }
    if (!hasWayIn) {
      report(
        ["signing_secret"],
        "app_token (Socket Mode) or signing_secret (HTTP) beside client_id",
        "set SLACK_APP_TOKEN or SLACK_SIGNING_SECRET",
      );
    }
    if (slack.workspaces.length === 0) {
      report(
        ["workspaces"],
        "the ids of the workspaces that may install the app, as whoever is in one can use the tools",
        "list them, such as [T0123ABCD], or write ['*'] to let every workspace in",
      );
    }
  }
  if (hasBot && !hasWayIn) {
    report(
      ["app_token"],
      "app_token (Socket Mode) or signing_secret (HTTP) beside bot_token",
      "set SLACK_APP_TOKEN or SLACK_SIGNING_SECRET, or unset SLACK_BOT_TOKEN",
    );
  }
}
