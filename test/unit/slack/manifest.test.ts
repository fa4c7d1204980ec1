import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

import { OWN_COMMANDS } from "#adapters/slack/interact/commands.ts";
import { ownCommands } from "#adapters/chat/own-commands.ts";
import { type MessageEvent, parseEvent } from "#adapters/slack/receive/event.ts";
import { parseMessage } from "#adapters/slack/receive/parse-message.ts";
import { ASK_SHORTCUT } from "#adapters/slack/interact/drafts.ts";
import { commandsOf } from "#app/settings.ts";
import { en } from "#src/base/words/en.ts";
import { loadSettings } from "#src/settings/load.ts";
import { manifestSchema } from "#test/fakes/slack/schema.ts";

const root = new URL("../../../", import.meta.url).pathname;

interface Manifest {
  display_information: { name: string; description: string; long_description: string };
  features: {
    app_home: { home_tab_enabled: boolean; messages_tab_enabled: boolean };
    agent_view: { agent_description: string; suggested_prompts: { title: string; message: string }[] };
    slash_commands: { command: string; usage_hint: string; should_escape: boolean }[];
    shortcuts: { name: string; type: string; callback_id: string; description: string }[];
  };
  oauth_config: { scopes: { bot: string[] } };
  settings: {
    event_subscriptions: { bot_events: string[] };
    interactivity: { is_enabled: boolean };
    socket_mode_enabled: boolean;
  };
}

const manifest = parse(readFileSync(join(root, "manifest.yml"), "utf8")) as Manifest;

const kinds = (verb: string): string[] =>
  ["channels", "groups", "im", "mpim"].map((kind) => `${kind}:${verb}`);

/** https://docs.slack.dev/reference/methods: the scopes of each method that the adapter calls. */
const SCOPES: Readonly<Record<string, string[]>> = {
  "agents.sessions.setStatus": ["chat:write"],
  "assistant.threads.setSuggestedPrompts": ["assistant:write"],
  "api.test": [],
  "auth.revoke": [],
  "auth.test": [],
  "chat.getPermalink": [],
  "chat.postEphemeral": ["chat:write"],
  "chat.postMessage": ["chat:write"],
  "chat.update": ["chat:write"],
  "conversations.history": kinds("history"),
  "conversations.members": kinds("read"),
  "conversations.open": ["im:write"],
  "conversations.replies": kinds("history"),
  filesUploadV2: ["files:write"],
  "usergroups.list": ["usergroups:read"],
  "users.conversations": ["channels:read", "groups:read"],
  "users.info": ["users:read", "users:read.email"],
  "users.list": ["users:read"],
  "views.open": [],
  "views.publish": [],
  "views.update": [],
};

/** What the adapter handles beside what is said to the bot: each is named in its sources. */
const OTHER_EVENTS = ["agent_session_stopped", "app_home_opened", "app_uninstalled", "tokens_revoked"];

/** Every file of the adapter, as text. */
const sources: string[] = readdirSync(join(root, "adapters/slack"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(join(root, "adapters/slack", name), "utf8"));

/** What each subscription to messages sends, and the scope it wants. */
const EVENTS: Readonly<Record<string, { scope: string; event: Record<string, string> }>> = {
  app_mention: { scope: "app_mentions:read", event: { type: "app_mention" } },
  "message.channels": { scope: "channels:history", event: { type: "message", channel_type: "channel" } },
  "message.groups": { scope: "groups:history", event: { type: "message", channel_type: "group" } },
  "message.im": { scope: "im:history", event: { type: "message", channel_type: "im" } },
  "message.mpim": { scope: "mpim:history", event: { type: "message", channel_type: "mpim" } },
};

describe("[slack.manifest] manifest.yml", () => {
  it("[slack.manifest] is a manifest as Slack's own types have it, in each part", () => {
    const validate = new Ajv({ strict: false, allErrors: true, allowUnionTypes: true }).compile(
      manifestSchema(),
    );
    // The types of the installed release do not know these yet: https://docs.slack.dev/reference/events
    const newer = ["assistant:write", "agent_session_stopped"];
    const known = JSON.parse(
      JSON.stringify(manifest, (_, value: unknown) =>
        Array.isArray(value) ? value.filter((one) => !newer.includes(String(one))) : value,
      ),
    ) as Manifest;
    expect([validate(known), validate.errors]).toEqual([true, null]);
    // The types know what they are asked.
    const { features, oauth_config, settings } = known;
    for (const wrong of [
      { features: { ...features, slash_commands: [{ command: "/ask" }] } },
      { oauth_config: { ...oauth_config, scopes: { bot: ["chat:shout"] } } },
      { settings: { ...settings, socket_mode: true } },
    ])
      expect(validate({ ...known, ...wrong })).toBe(false);
  });

  it("[slack.manifest] has the commands of the configuration and the adapter's own", async () => {
    const settings = await loadSettings({ env: {}, cwd: root });
    const names = [...OWN_COMMANDS, ...commandsOf(settings).map(({ name }) => name)];
    const { slash_commands: commands } = manifest.features;
    expect(commands.map(({ command }) => command).toSorted()).toEqual(
      names.map((name) => `/${name}`).toSorted(),
    );
    // The adapter reads them as Slack writes mentions and links when it escapes.
    expect(commands.every((command) => command.should_escape)).toBe(true);
  });

  it("[slack.manifest] subscribes to the events that the adapter understands", async () => {
    expect(manifest.settings.event_subscriptions.bot_events.toSorted()).toEqual(
      [...Object.keys(EVENTS), ...OTHER_EVENTS].toSorted(),
    );
    const handled = sources.flatMap((text) =>
      [...text.matchAll(/(?:app\.event|z\.literal)\("([a-z_]+)"/g)].map(([, name]) => name),
    );
    expect(handled.filter((name) => name !== "event_callback")).toEqual(expect.arrayContaining(OTHER_EVENTS));
    for (const { event } of Object.values(EVENTS)) {
      const body = {
        type: "event_callback",
        event_id: "Ev1",
        team_id: "T1",
        event: { channel: "C1", user: "U1", text: "show me DEMO-1", ts: "2.0", thread_ts: "1.0", ...event },
      };
      const heard = await parseMessage(parseEvent(body) as MessageEvent, {
        botUser: "UBOT",
        conversation: () => Promise.resolve("slack:T1:C1:1.0"),
        isKnown: () => Promise.resolve(true),
      });
      expect(heard?.request).toMatchObject({
        message: "show me DEMO-1",
        actor: "slack:T1:U1",
        eventId: "Ev1",
      });
    }
  });

  it("[slack.manifest] asks for the scopes that the adapter's calls and events want, and no other", () => {
    const calls = sources.flatMap((text) =>
      [...text.matchAll(/client\.((?:[A-Za-z]+\.)+[A-Za-z]+|filesUploadV2)\(/g)].map(
        ([, method = ""]) => method,
      ),
    );
    expect([...new Set(calls)].toSorted()).toEqual(Object.keys(SCOPES).toSorted());
    const wanted = [
      ...Object.values(SCOPES).flat(),
      ...Object.values(EVENTS).map(({ scope }) => scope),
      "commands",
      // For agent_view.
      "assistant:write",
    ];
    expect(manifest.oauth_config.scopes.bot.toSorted()).toEqual([...new Set(wanted)].toSorted());
  });

  it("[slack.manifest] has an agent view and interactivity, within Slack's limits", () => {
    const { name, description, long_description: long } = manifest.display_information;
    expect([name.length <= 35, description.length <= 140]).toEqual([true, true]);
    expect(long.length).toBeGreaterThanOrEqual(174);
    expect(long.length).toBeLessThanOrEqual(4000);
    expect(manifest.features.agent_view.agent_description).not.toBe("");
    expect(manifest.features.agent_view.suggested_prompts.length).toBeLessThanOrEqual(4);
    expect(manifest.features.app_home).toMatchObject({ home_tab_enabled: true, messages_tab_enabled: true });
    expect(manifest.settings.interactivity.is_enabled).toBe(true);
    expect(manifest.settings.socket_mode_enabled).toBe(true);
  });

  it("[slack.manifest] has the shortcuts that the adapter handles", () => {
    expect(manifest.features.shortcuts.map(({ type, callback_id: id }) => [type, id])).toEqual([
      ["message", ASK_SHORTCUT],
    ]);
    for (const { description } of manifest.features.shortcuts)
      expect(description.length).toBeLessThanOrEqual(150);
  });

  it("[slack.manifest] tells how each command is used", () => {
    const own = ownCommands("slack", en)
      .map(({ usage }) => usage.split(" "))
      .filter(([command]) => command === "/countersign");
    const hint = manifest.features.slash_commands.find(
      ({ command }) => command === "/countersign",
    )?.usage_hint;
    for (const [, word = ""] of own) expect(hint).toContain(word);
    expect(own.length).toBeGreaterThan(3);
  });
});
