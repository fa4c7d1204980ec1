import { stringify } from "yaml";

import type { PolicyDecision } from "#contract/approval.ts";
import type { CallOutcome } from "#contract/tool.ts";
import { CountersignError, messageOf } from "#src/base/errors.ts";
import { withFixed } from "#src/base/fixed-arguments.ts";
import { createRedactor } from "#src/base/redact.ts";
import { plainLine, plainText, plural } from "#src/base/text.ts";
import { whyNotEligible } from "#src/ledger/eligibility.ts";
import { createArgumentChecker } from "#src/plan/arguments.ts";
import { createChannelPolicy } from "#src/policy/channels.ts";
import { isUnknownRead } from "#src/policy/reads.ts";
import type { ServerSettings } from "#src/settings/server-schema.ts";

import type { CommandCall } from "../command-line.ts";
import { createMembership } from "../membership.ts";
import { answer, complain, print, toJson } from "../output.ts";
import { commandsOf, readSettings, secretsOf } from "../settings.ts";
import { manifestFor } from "../setup/steps/slack.ts";
import { readActingAs, readArguments, requireTool, withToolBox } from "../tool-box.ts";

const ANYBODY = { actor: undefined, channel: "" };

/**
 * Every tool of the servers that answer now, with what policy says of a call without arguments. With --as
 * servers that want an account are asked with that person's alone.
 */
export async function tools({ options, flags }: CommandCall): Promise<number> {
  const settings = await readSettings(options);
  const policy = createChannelPolicy(settings.policy, settings.channels);
  const as = readActingAs(options);
  return withToolBox(settings, as, async (box, whyNoAccount) => {
    const listed = box.tools().map((tool) => ({
      id: tool.id,
      server: tool.server,
      name: tool.name,
      description: tool.description,
      input_schema: tool.inputSchema,
      ...(tool.outputSchema === undefined ? {} : { output_schema: tool.outputSchema }),
      annotations: { ...tool.annotations },
      trusted: tool.trusted,
      decision: policy.decide(tool, {}, as.channel).decision,
    }));
    if (listed.length > 0 || flags.json === true) {
      answer(flags, listed, () => {
        const ids = listed.map(({ id }) => plainLine(id));
        const width = Math.max(...ids.map((id) => id.length));
        return listed
          .map(({ decision, description }, index) => {
            const [words = ""] = plainText(description).split("\n");
            return `${(ids[index] ?? "").padEnd(width)}  ${decision.padEnd(5)}  ${words.slice(0, 100)}`;
          })
          .join("\n");
      });
    }
    let failures = 0;
    for (const server of box.servers().filter(({ status }) => status !== "up")) {
      const why = as.actor === undefined ? undefined : await whyNoAccount(server.name);
      // Nobody asked for the account that it waits for.
      if (server.status !== "waiting" || why !== undefined) failures += 1;
      const what = server.note ?? `down: ${server.error ?? "unknown"}`;
      complain(why ?? `${server.name} is ${what}`);
    }
    return failures === 0 ? 0 : 1;
  });
}

/** Connects to every configured server once, and says how that went. */
export async function servers({ options, flags }: CommandCall): Promise<number> {
  const settings = await readSettings(options);
  return withToolBox(settings, ANYBODY, async (box) => {
    const listed = box.servers().map((status) => {
      const server = settings.servers.find((one) => one.name === status.name);
      const asked = box.tools().filter((tool) => tool.server === status.name && isUnknownRead(tool)).length;
      return {
        ...status,
        ...(server === undefined ? {} : { reached: waysTo(server) }),
        ...(asked === 0 ? {} : { hint: trustHint(status.name, asked) }),
      };
    });
    answer(flags, listed, () => {
      if (listed.length === 0) return "No server is configured.";
      const width = Math.max(...listed.map((server) => server.name.length));
      return listed
        .map(({ name, status, tools, error, note, hint, reached = "" }) => {
          const what = status === "up" ? `${tools} tools` : plainLine(error ?? note ?? "");
          const line = `${name.padEnd(width)}  ${status.padEnd(8)}  ${reached}  ${what}`;
          return hint === undefined ? line : `${line}\n${" ".repeat(width)}  ${hint}`;
        })
        .join("\n");
    });
    return listed.every(({ status }) => status === "up" || status === "waiting") ? 0 : 1;
  });
}

/** The line that spares people the question. */
function trustHint(server: string, reads: number): string {
  return `${plural(reads, "tool")} say of themselves that they only read, and ask before each call. Where you vouch for ${server}, set trust_annotations: true at name: ${server} under servers.`;
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
export async function call({ args: [name = ""], options, flags }: CommandCall): Promise<number> {
  const settings = await readSettings(options);
  const given = readArguments(options);
  const as = readActingAs(options);
  return withToolBox(settings, as, async (box, whyNoAccount) => {
    const requireAccount = async (server: string): Promise<void> => {
      const why = await whyNoAccount(server);
      if (why !== undefined) throw new CountersignError("not_connected", why);
    };
    // Before the tool is looked for: it may be one that only an account shows.
    if (box.find(name) === undefined) await requireAccount(name.split(".")[0] ?? "");
    const tool = requireTool(box, name);
    await requireAccount(tool.server);
    const checked = createArgumentChecker().check(tool, given);
    if (!checked.ok) throw new CountersignError("wrong_use", `--args: ${checked.message}`);
    const policy = createChannelPolicy(settings.policy, settings.channels);
    const channel = as.channel === "" ? "cli" : as.channel;
    const args = withFixed(tool, checked.args, { channel, actor: as.actor });
    const { decision, rule, quorum, excludeRequester } = policy.decide(tool, args, as.channel);
    if (decision === "deny") throw new CountersignError("denied_by_policy", `${rule} denies ${tool.id}.`);
    if (decision === "ask" && (quorum > 1 || excludeRequester)) {
      const message = `${tool.id} needs other people's approval (${rule}): ask for it in a conversation.`;
      throw new CountersignError("needs_approval", message);
    }
    if (decision === "ask" && flags.yes !== true) {
      const message = `${tool.id} needs approval (${rule}). Call it with --yes to approve it yourself; nothing of that is in the audit chain.`;
      throw new CountersignError("needs_approval", message);
    }
    const stop = new AbortController();
    const interrupt = (): void => stop.abort();
    process.once("SIGINT", interrupt);
    const outcome = await box.call({
      tool,
      args,
      channel,
      ...(as.actor === undefined ? {} : { actor: as.actor }),
      signal: stop.signal,
      onProgress({ message, detail, progress, total }) {
        const amount = [progress, total].filter((part) => part !== undefined).join("/");
        const said = [message ?? "…", detail ?? "", amount].filter((part) => part !== "");
        complain(said.map((part) => plainLine(part)).join(" "));
      },
    });
    process.off("SIGINT", interrupt);
    const redactor = createRedactor(secretsOf(settings, process.env));
    const shown = { ...outcome, data: redactor.known(outcome.data) };
    answer(flags, shown, () => describeOutcome(shown));
    return outcome.ok ? 0 : 1;
  });
}

function describeOutcome({ ok, data, error, files = [] }: CallOutcome): string {
  const result = typeof data === "string" ? data : toJson(data, 2);
  return [
    ok ? result : `${error?.code ?? "failed"}: ${error?.message ?? ""}`,
    ...files.map((file) => `(${plainLine(file.name)}, ${plainLine(file.mediaType)}, ${file.bytes} bytes)`),
  ].join("\n");
}

/** Asks the servers for the tool, since policy depends on what it says of itself, and explains the decision. */
export async function explain({ args: [name = ""], options, flags }: CommandCall): Promise<number> {
  const settings = await readSettings(options);
  const args = readArguments(options);
  const { actor = "http:local" } = readActingAs(options);
  return withToolBox(settings, ANYBODY, async (box) => {
    const tool = requireTool(box, name);
    const channel = options.channel ?? `${actor.slice(0, actor.indexOf(":"))}:any`;
    const policy = createChannelPolicy(
      { ...settings.policy, remind: settings.approvals.remind },
      settings.channels,
    );
    const { decision, considered } = policy.explain(tool, args, channel);
    const question = { actor, requestedBy: actor, channel, ...decision };
    const refusal = await whyNotEligible(
      question,
      createMembership(() => settings.policy.groups),
    );
    const result = {
      tool: tool.id,
      args,
      actor,
      decision,
      considered,
      may_approve_own: refusal === undefined,
      why_not: refusal,
    };
    answer(flags, result, () => describeDecision(result));
    return 0;
  });
}

function describeDecision(result: {
  tool: string;
  actor: string;
  decision: PolicyDecision;
  considered: { rule: string; matched: boolean; why: string }[];
  why_not: string | undefined;
}): string {
  const { decision, approvers, quorum, rule, ttlMs, remindMs } = result.decision;
  const lines = [
    `${plainLine(result.tool)}: ${decision}, by ${rule}`,
    "",
    ...result.considered.map((one) => `  ${one.matched ? "→" : " "} ${plainLine(`${one.rule}: ${one.why}`)}`),
  ];
  if (decision !== "ask") return lines.join("\n");
  return [
    ...lines,
    "",
    `Approvers: ${approvers.join(", ")}; ${quorum} needed, within ${minutes(ttlMs)}.`,
    ...(remindMs === undefined ? [] : [`They are reminded ${minutes(remindMs)} before it expires.`]),
    result.why_not === undefined
      ? `${result.actor} may approve their own request.`
      : `${result.actor}: ${result.why_not}`,
  ].join("\n");
}

function minutes(ms: number): string {
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Prints the manifest of the Slack app, as YAML or with --json as JSON. */
export async function slackManifest({ options, flags }: CommandCall): Promise<number> {
  const manifest = JSON.parse(await manifestFor(await readSettings(options))) as object;
  answer(flags, manifest, () => stringify(manifest, { lineWidth: 0 }).trimEnd());
  return 0;
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
  return withToolBox(settings, ANYBODY, async (box) => {
    for (const { name, error } of box.servers().filter(({ status }) => status !== "up")) {
      complain(`${name} is not reachable, its commands get no options: ${error ?? "no answer"}`);
    }
    const { registerOnce } = await import("#adapters/discord/install/register.ts");
    const listings = box.tools().map((tool) => ({ tool, decision: "allow" as const }));
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
