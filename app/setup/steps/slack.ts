import { readFile } from "node:fs/promises";

import { parse } from "yaml";

import { createSlackTrial, type SlackMember, type SlackTrial } from "#adapters/slack/install/trial.ts";
import { messageOf } from "#src/base/errors.ts";
import { isObject } from "#src/base/json.ts";
import type { Settings } from "#src/settings/load.ts";

import { sentence } from "../../checks/finding.ts";
import { checkSlack } from "../../checks/slack.ts";
import { again, type Setup, shallConnect, type Step } from "../step.ts";
import type { SetupOption as Option } from "#contract/setup.ts";

const MANIFEST = new URL("../../../manifest.yml", import.meta.url);

export const slack: Step = {
  id: "slack",
  title: "Slack",
  async run(setup) {
    const { surface, draft } = setup;
    const { slack: today } = draft.settings;
    if (today.client_id !== "") {
      surface.tell(
        "info",
        "Workspaces install the app themselves here (docs/slack.md#several-workspaces): it stays as it is.",
      );
      return;
    }
    const isOn = today.bot_token !== "";
    const wanted = { id: "slack", title: "Slack", ours: "workspace", change: "the tokens", isOn };
    if (!(await shallConnect(setup, { ...wanted, initial: isOn ? "keep" : "connect" }))) return;
    if (!isOn) await leadToApp(setup);
    for (;;) {
      const trial = await tryTokens(setup);
      if (trial !== undefined) return greet(setup, trial);
      if (!(await again(setup, "slack.again", "Slack"))) return draft.drop();
    }
  },
};

async function leadToApp({ surface, draft }: Setup): Promise<void> {
  const url = `https://api.slack.com/apps?new_app=1&manifest_json=${encodeURIComponent(await manifestFor(draft.settings))}`;
  surface.tell(
    "info",
    "Slack has to know the app first. You need to be allowed to install apps in your workspace.",
  );
  await surface.link(
    "1. Open this page, choose your workspace, press Next and Create; everything is filled in:",
    url,
  );
  surface.tell(
    "guide",
    "   (On another computer: https://api.slack.com/apps, Create New App, From a manifest, and paste manifest.yml.)",
  );
  surface.tell(
    "guide",
    "2. In the menu at the left press Install App, Install to Workspace, Allow. Copy the Bot User OAuth Token.",
  );
  surface.tell(
    "guide",
    "3. Under Basic Information, App-Level Tokens press Generate Token and Scopes, add connections:write, Generate. Copy that token.",
  );
}

/** The app's manifest with the commands of this configuration, and prompts about the team's own issues. */
export async function manifestFor({ commands, examples }: Settings): Promise<string> {
  const manifest = parse(await readFile(MANIFEST, "utf8")) as {
    features: { slash_commands: { command: string }[]; agent_view: { suggested_prompts: unknown[] } };
  };
  const { features } = manifest;
  const names = Object.keys(commands).map((name) => `/${name}`);
  const own = ["/ask", "/connect", "/countersign"];
  const known = features.slash_commands.filter(
    ({ command }) => own.includes(command) || names.includes(command),
  );
  const missing = names.filter((name) => known.every(({ command }) => command !== name));
  features.slash_commands = [
    ...known,
    ...missing.map((command) => ({
      command,
      description: `Work with ${command.slice(1)}`,
      should_escape: true,
    })),
  ];
  const key = examples
    .map(({ args }) => (isObject(args) ? args.issue_key : undefined))
    .find((one) => typeof one === "string");
  const text = JSON.stringify(manifest);
  return typeof key === "string" ? text.replaceAll("DEMO-1", key.replaceAll(/[^\w-]/g, "")) : text;
}

/** Asks for both tokens and tries them; undefined where they do not work. */
async function tryTokens({ surface, draft, machine }: Setup): Promise<Trial | undefined> {
  const { slack: today } = draft.settings;
  const bot = await surface.secret({
    id: "slack.bot_token",
    title: "The Bot User OAuth Token",
    help: "It begins with xoxb-",
    isSet: today.bot_token !== "",
    check: (answer) => (answer.startsWith("xoxb-") ? undefined : "The token that begins with xoxb-"),
  });
  const app = await surface.secret({
    id: "slack.app_token",
    title: "The App-Level Token",
    help: "It begins with xapp-",
    isSet: today.app_token !== "",
    check: (answer) => (answer.startsWith("xapp-") ? undefined : "The token that begins with xapp-"),
  });
  const tokens = { bot_token: bot ?? today.bot_token, app_token: app ?? today.app_token };
  const options = { ...today, ...tokens };
  const { findings, workspace } = await surface.work("Trying the tokens", () =>
    checkSlack({ slack: options }, machine.now),
  );
  for (const { status, message, cure } of findings)
    surface.tell(status === "failed" ? "bad" : "good", cure === undefined ? message : `${message} ${cure}`);
  if (workspace === undefined || findings.some(({ status }) => status === "failed")) return undefined;
  draft.bind(["slack", "bot_token"], "SLACK_BOT_TOKEN");
  draft.bind(["slack", "app_token"], "SLACK_APP_TOKEN");
  draft.setVariables({ SLACK_BOT_TOKEN: tokens.bot_token, SLACK_APP_TOKEN: tokens.app_token });
  return createSlackTrial(options, machine.now);
}

type Trial = Pick<SlackTrial, "members" | "write">;

const NOBODY = "nobody";

/** Writes to the person who sets it up, so that they see the bot in their Slack. Nothing depends on it. */
async function greet({ surface, draft }: Setup, trial: Trial): Promise<void> {
  const members = await surface
    .work("Reading who is there", () => trial.members())
    .catch((error: unknown) => {
      surface.tell("bad", sentence(messageOf(error)));
      return [];
    });
  if (members.length === 0) return;
  const you = await surface.choice({
    id: "slack.you",
    title: "Who are you? Countersign writes you its first message.",
    options: [...members.map(optionOf), { value: NOBODY, label: "No message, please" }],
    initial: NOBODY,
  });
  if (you === NOBODY) return;
  const [example = "show me DEMO-1"] = draft.settings.examples.map(({ message }) => message);
  const text = `Hello! I am Countersign, and this workspace is connected. As soon as I am started, invite me to a channel with /invite @Countersign and ask me something, such as: ${example}. I change nothing until somebody approves it.`;
  try {
    await surface.work("Writing to you", () => trial.write(you, text));
    surface.tell("good", "Look into Slack: there is a message for you.");
  } catch (error) {
    surface.tell("bad", `No message could be sent: ${messageOf(error)}. Everything else works.`);
  }
}

/** A member as one answer. */
export function optionOf({ id, name, email }: SlackMember): Option {
  return { value: id, label: name, ...(email === undefined ? {} : { hint: email }) };
}
