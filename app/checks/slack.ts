import { createSlackTrial, type SlackTrial } from "#adapters/slack/install/trial.ts";
import { CURES } from "#adapters/slack/send/refusal.ts";
import type { Settings } from "#src/settings/load.ts";

import { readScopes } from "../platforms.ts";
import { failed, type Finding, ok, sentence, skipped } from "./finding.ts";
import type { ToldTime } from "./machine.ts";

/** What Slack said, for the checks that come after. */
export interface SlackChecked {
  findings: Finding[];
  /** Where the token works. */
  workspace?: { id: string; trial: SlackTrial };
  time?: ToldTime;
}

const REDO = "npm run setup -- --only slack leads through it.";

/** Whether the tokens work, belong together and may do what the app does. Never writes anything. */
export async function checkSlack(
  { slack }: Pick<Settings, "slack">,
  now: () => number,
): Promise<SlackChecked> {
  if (slack.client_id !== "")
    return { findings: [skipped("slack", "Workspaces install the app themselves; see /health for each.")] };
  if (slack.bot_token === "")
    return { findings: [skipped("slack", "Slack is off, as no bot token is set.")] };
  const trial = createSlackTrial(slack, now);
  const bot = await trial.bot();
  if ("code" in bot) {
    const findings = [
      failed(
        "slack.bot_token",
        sentence(bot.message.split(":")[0] ?? ""),
        cureOf(bot.code, "SLACK_BOT_TOKEN"),
      ),
    ];
    return { findings };
  }
  const findings = [ok("slack.bot_token", `The bot token is of the workspace ${bot.team.name}.`)];
  const missing = (await readScopes()).filter((scope) => bot.scopes?.includes(scope) === false);
  findings.push(
    missing.length === 0
      ? ok("slack.scopes", "The app has the scopes of manifest.yml.")
      : failed(
          "slack.scopes",
          `The app lacks the scopes ${missing.join(", ")}, and what needs them fails.`,
          `Open https://api.slack.com/apps/${bot.app}, paste manifest.yml under App Manifest, then press Install App → Reinstall.`,
        ),
  );
  if (slack.app_token !== "") {
    const fault = await trial.socket();
    findings.push(
      fault === undefined
        ? ok("slack.app_token", "The app-level token opens a connection (Socket Mode).")
        : failed(
            "slack.app_token",
            sentence(fault.message.split(":")[0] ?? ""),
            cureOf(fault.code, "SLACK_APP_TOKEN"),
          ),
    );
  }
  return {
    findings,
    workspace: { id: bot.team.id, trial },
    ...(bot.time === undefined ? {} : { time: { whose: "Slack", ...bot.time } }),
  };
}

function cureOf(code: string, variable: string): string {
  if (code === "unreachable")
    return "Allow this machine to connect to slack.com, and to wss-primary.slack.com for Socket Mode.";
  return `${sentence(CURES[code] ?? `put another token into ${variable}`)} ${REDO}`;
}
