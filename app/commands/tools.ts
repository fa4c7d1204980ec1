import type { PolicyDecision } from "#contract/approval.ts";
import type { JsonObject } from "#contract/json.ts";
import type { CallOutcome } from "#contract/tool.ts";
import { CountersignError, messageOf } from "#src/base/errors.ts";
import { createRedactor } from "#src/base/redact.ts";
import { plainLine, plainText } from "#src/base/text.ts";
import { namedTool } from "#src/base/tool-names.ts";
import { whyNotEligible } from "#src/ledger/eligibility.ts";
import type { OAuth } from "#src/mcp/auth/oauth.ts";
import type { ManagedToolBox } from "#src/mcp/tool-box.ts";
import { createArgumentChecker } from "#src/plan/arguments.ts";
import { createChannelPolicy } from "#src/policy/channels.ts";
import type { ServerSettings } from "#src/settings/server-schema.ts";

import type { CommandCall } from "../command-line.ts";
import { createMembership } from "../membership.ts";
import { complain, print, printJson, toJson } from "../output.ts";
import { commandsOf, readSettings, secretsOf } from "../settings.ts";
import {
  accountsOf,
  readActor,
  readArguments,
  requireAccount,
  unlisted,
  whyNoAccount,
  withToolBox,
} from "../tool-box.ts";

/**
 * Every tool of the servers that answer now, with what policy says of a call without arguments. With --as
 * servers that want an account are asked with that person's alone.
 */
export async function tools({ options }: CommandCall): Promise<number> {
  const settings = await readSettings(options);
  const policy = createChannelPolicy(settings.policy, settings.channels);
  const channel = typeof options.channel === "string" ? options.channel : "";
  const as = { actor: readActor(options.as), channel };
  const accounts = as.actor === undefined ? undefined : accountsOf(as, settings.servers);
  const list = async (box: ManagedToolBox, oauth: OAuth | undefined): Promise<number> => {
    const listed = box.tools().map((tool) => ({
      id: tool.id,
      server: tool.server,
      name: tool.name,
      description: tool.description,
      input_schema: tool.inputSchema,
      ...(tool.outputSchema === undefined ? {} : { output_schema: tool.outputSchema }),
      annotations: { ...tool.annotations },
      trusted: tool.trusted,
      decision: policy.decide(tool, {}, channel).decision,
    }));
    const down = box.servers().filter((server) => server.status !== "up");
    if (options.json === true) printJson(listed);
    else {
      const rows = listed.map(({ id, decision, description }) => {
        const [words = ""] = plainText(description).split("\n");
        return { id: plainLine(id), decision, words: words.slice(0, 100) };
      });
      const width = Math.max(...rows.map(({ id }) => id.length));
      for (const { id, decision, words } of rows)
        print(`${id.padEnd(width)}  ${decision.padEnd(5)}  ${words}`);
    }
    let failures = 0;
    for (const server of down) {
      const settingsOf = settings.servers.find(({ name }) => name === server.name);
      const why =
        as.actor === undefined || settingsOf === undefined
          ? undefined
          : await whyNoAccount(settingsOf, as, oauth);
      // Nobody asked for the account that it waits for.
      if (server.status !== "waiting" || why !== undefined) failures += 1;
      const what = server.note ?? `down: ${server.error ?? "unknown"}`;
      complain(why ?? `${server.name} is ${what}`);
    }
    return failures === 0 ? 0 : 1;
  };
  return withToolBox(settings, list, accounts);
}

/** Connects to every configured server once, and says how that went. */
export async function servers({ options }: CommandCall): Promise<number> {
  const settings = await readSettings(options);
  return withToolBox(settings, (box) => {
    const listed = box.servers().map((status) => {
      const server = settings.servers.find((one) => one.name === status.name);
      return { ...status, ...(server === undefined ? {} : { reached: waysTo(server) }) };
    });
    if (options.json === true) printJson(listed);
    else if (listed.length === 0) print("No server is configured.");
    else {
      const width = Math.max(...listed.map((server) => server.name.length));
      for (const { name, status, tools, error, note, reached } of listed) {
        const what = status === "up" ? `${tools} tools` : plainLine(error ?? note ?? "");
        print(`${name.padEnd(width)}  ${status.padEnd(8)}  ${reached ?? ""}  ${what}`);
      }
    }
    const isGood = listed.every(({ status }) => status === "up" || status === "waiting");
    return Promise.resolve(isGood ? 0 : 1);
  });
}

/** How a server is reached; never its environment or headers, which hold secrets. */
function waysTo({ command, url, sse_url: sse, sandbox }: ServerSettings): string {
  const launched =
    command === undefined
      ? ""
      : `launches ${command[0] ?? ""}${sandbox === undefined ? "" : " in a sandbox"}`;
  const address = url === undefined ? (sse === undefined ? "" : `sse ${hostOf(sse)}`) : `http ${hostOf(url)}`;
  return [launched, address].filter((part) => part !== "").join(", ");
}

/** A query may hold a key. */
function hostOf(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}

/**
 * Calls one tool, for operators who look for a fault. Policy holds here as well: what it denies is not
 * called, and what it asks one person for is called only with --yes, by which the operator countersigns.
 * With --as it is made as that person, with the account that they have connected.
 */
export async function call({ args: [name = ""], options }: CommandCall): Promise<number> {
  const settings = await readSettings(options);
  const given = readArguments(options.args);
  const channel = typeof options.channel === "string" ? options.channel : "";
  const policy = createChannelPolicy(settings.policy, settings.channels);
  const as = { actor: readActor(options.as), channel };
  const serverOf = (server: string): (typeof settings.servers)[number] | undefined =>
    settings.servers.find((one) => one.name === server);
  const callOne = async (box: ManagedToolBox, oauth: OAuth | undefined): Promise<number> => {
    const tool = namedTool(box, name);
    if (tool === undefined) {
      // It may be one that only an account shows.
      await requireAccount(serverOf(name.split(".")[0] ?? ""), as, oauth);
      throw new CountersignError("unknown_tool", `There is no tool ${name}.${unlisted(box)}`);
    }
    await requireAccount(serverOf(tool.server), as, oauth);
    const checked = createArgumentChecker().check(tool, given);
    if (!checked.ok) throw new CountersignError("wrong_use", `--args: ${checked.message}`);
    const { decision, rule, quorum, excludeRequester } = policy.decide(tool, checked.args, channel);
    if (decision === "deny") throw new CountersignError("denied_by_policy", `${rule} denies ${tool.id}.`);
    if (decision === "ask" && (quorum > 1 || excludeRequester)) {
      const message = `${rule} asks for other people's countersignature of ${tool.id}: ask for it in a conversation.`;
      throw new CountersignError("needs_approval", message);
    }
    if (decision === "ask" && options.yes !== true) {
      const message = `${rule} asks for a countersignature of ${tool.id}. Call it with --yes to countersign it yourself; nothing of that is in the audit chain.`;
      throw new CountersignError("needs_approval", message);
    }
    const stop = new AbortController();
    const interrupt = (): void => stop.abort();
    process.once("SIGINT", interrupt);
    const outcome = await box.call({
      tool,
      args: checked.args,
      channel: channel === "" ? "cli" : channel,
      ...(as.actor === undefined ? {} : { actor: as.actor }),
      signal: stop.signal,
      onProgress: ({ message, progress, total }) =>
        complain(`${plainLine(message ?? "…")} ${progress}${total === undefined ? "" : `/${total}`}`),
    });
    process.off("SIGINT", interrupt);
    const redactor = createRedactor(secretsOf(settings, process.env));
    const shown = { ...outcome, data: redactor.known(outcome.data) };
    if (options.json === true) printJson(shown);
    else print(describeOutcome(shown));
    return outcome.ok ? 0 : 1;
  };
  return withToolBox(
    settings,
    callOne,
    as.actor === undefined ? undefined : accountsOf(as, settings.servers),
  );
}

function describeOutcome({ ok, data, error, files = [] }: CallOutcome): string {
  const result = typeof data === "string" ? data : toJson(data, 2);
  const lines = ok ? [result] : [`${error?.code ?? "failed"}: ${error?.message ?? ""}`];
  return [
    ...lines,
    ...files.map((file) => `(${plainLine(file.name)}, ${plainLine(file.mediaType)}, ${file.bytes} bytes)`),
  ].join("\n");
}

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
    else print(describeDecision(result));
    return 0;
  });
}

function describeDecision(result: {
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

/** Registers the commands of the configuration with Discord, also while the product runs. */
export async function register({ options }: CommandCall): Promise<number> {
  const settings = await readSettings(options);
  const { discord } = settings;
  if (discord.token === "") {
    throw new CountersignError(
      "discord_off",
      "discord.token is empty: set DISCORD_TOKEN to the bot's token.",
    );
  }
  return withToolBox(settings, async (tools) => {
    for (const { name, error } of tools.servers().filter(({ status }) => status !== "up")) {
      complain(`${name} is not reachable, its commands get no options: ${error ?? "no answer"}`);
    }
    const { registerOnce } = await import("#adapters/discord/install/register.ts");
    const listings = tools.tools().map((tool) => ({ tool, decision: "allow" as const }));
    const names = await registerOnce(discord, commandsOf(settings), listings).catch((error: unknown) => {
      throw new CountersignError(
        "discord_failed",
        `expected Discord at ${discord.api_url} to take the commands, got: ${messageOf(error)}. Check DISCORD_TOKEN and discord.guilds.`,
        { cause: error },
      );
    });
    const where = discord.guilds.length === 0 ? "everywhere" : `in ${discord.guilds.join(", ")}`;
    print(`registered ${where}: ${names.join(", ")}`);
    return 0;
  });
}
