import type { CallOutcome } from "#contract/tool.ts";

import { CountersignError } from "../base/errors.ts";
import { createRedactor } from "../base/redact.ts";
import { plainLine } from "../base/terminal-text.ts";
import { namedTool } from "../base/tool-names.ts";
import { createArgumentChecker } from "../plan/arguments.ts";
import { createChannelPolicy } from "../policy/channels.ts";
import type { OAuth } from "../mcp/oauth.ts";
import type { ManagedToolBox } from "../mcp/pool.ts";
import { onlyOf, requireAccount } from "./acting-as.ts";
import type { CommandCall } from "./command-line.ts";
import { readActor } from "./read-actor.ts";
import { readSettings } from "./read-settings.ts";
import { secretsOf } from "./secrets.ts";
import { complain, print, printJson, toJson } from "./output.ts";
import { readArguments, unlisted, withToolBox } from "./tool-box.ts";

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
    else print(describe(shown));
    return outcome.ok ? 0 : 1;
  };
  return withToolBox(settings, callOne, as.actor === undefined ? undefined : onlyOf(as, settings.servers));
}

function describe({ ok, data, error, files = [] }: CallOutcome): string {
  const result = typeof data === "string" ? data : toJson(data, 2);
  const lines = ok ? [result] : [`${error?.code ?? "failed"}: ${error?.message ?? ""}`];
  return [
    ...lines,
    ...files.map((file) => `(${plainLine(file.name)}, ${plainLine(file.mediaType)}, ${file.bytes} bytes)`),
  ].join("\n");
}
