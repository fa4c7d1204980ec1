import { plainLine } from "#src/base/text.ts";

import { checkApprovers } from "../checks/approvers.ts";
import { checkDiscord } from "../checks/discord.ts";
import { type Finding, look, skipped } from "../checks/finding.ts";
import { checkClock, checkNode, type Machine, thisMachine } from "../checks/machine.ts";
import { checkModel } from "../checks/model.ts";
import { checkServers } from "../checks/servers.ts";
import { checkConfig, checkEnvFile, checkPort, checkPrompts, type Source } from "../checks/settings.ts";
import { checkSlack } from "../checks/slack.ts";
import { checkStore } from "../checks/store.ts";
import type { CommandCall } from "../command-line.ts";
import { answer, createProgressLine } from "../output.ts";

/** Looks at everything that a set-up needs. Exit code 1 where something is wrong. */
export async function doctor({ options, flags }: CommandCall): Promise<number> {
  const source = {
    ...(options.config === undefined ? {} : { file: options.config }),
    env: process.env,
    cwd: process.cwd(),
  };
  const progress = process.stderr.isTTY && flags.json !== true ? createProgressLine() : undefined;
  const findings = await examine(source, thisMachine(), (what) => progress?.show(`Looking at ${what} …`));
  progress?.show("");
  const isFine = findings.every(({ status }) => status !== "failed");
  answer(flags, { ok: isFine, checks: findings }, () => describe(findings));
  return isFine ? 0 : 1;
}

/** All findings, in the order of the set-up; never rejects. `tell`: what is looked at now. */
export async function examine(
  source: Source,
  machine: Machine,
  tell: (what: string) => void = () => undefined,
): Promise<Finding[]> {
  const findings = [
    ...checkNode(machine),
    ...(await look("env_file", "Write a line NAME=value for each variable.", () => checkEnvFile(source))),
  ];
  const { findings: ofConfig, settings } = await checkConfig(source);
  findings.push(...ofConfig);
  if (settings === undefined) {
    return [...findings, skipped("rest", "Everything else is looked at once the configuration is fine.")];
  }
  tell("the store");
  const store = await checkStore(settings, machine);
  findings.push(...store.findings);
  findings.push(...(await look("port", "Set PORT and HOST.", () => checkPort(settings, store.isRunning))));
  findings.push(
    ...(await look("prompts", "Bring back the product's own: git checkout prompts", () =>
      checkPrompts(settings),
    )),
  );
  tell("Slack and Discord");
  const [slack, discord] = await Promise.all([
    checkSlack(settings, machine.now),
    checkDiscord(settings, machine.now),
  ]);
  findings.push(...slack.findings, ...discord.findings);
  findings.push(...checkClock([slack.time, discord.time].filter((time) => time !== undefined)));
  const known = { slack: slack.workspace, discord: discord.app };
  findings.push(
    ...(await look("approvers", "Try again in a minute.", () => checkApprovers(settings, known))),
  );
  tell("the servers, which may take a while the first time");
  findings.push(
    ...(await look("servers", "Mend it under servers of the configuration.", () => checkServers(settings))),
  );
  tell("the model, which may have to be loaded");
  findings.push(
    ...(await look("model", "Type: npm run setup -- --only model", () => checkModel(settings, machine))),
  );
  return findings;
}

const SIGNS = { ok: "✓", note: "·", failed: "✗", skipped: "-" } as const;

function describe(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ status, message, cure }) => [
    `${SIGNS[status]} ${plainLine(message)}`,
    ...(cure === undefined ? [] : [`    → ${plainLine(cure)}`]),
  ]);
  const wrong = findings.filter(({ status }) => status === "failed").length;
  const end =
    wrong === 0
      ? "Everything that was looked at works."
      : `${wrong} of ${findings.length} checks failed: do what stands behind each →, then look again.`;
  return [...lines, "", end].join("\n");
}
