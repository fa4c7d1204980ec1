import { createDiscordTrial, type DiscordTrial } from "#adapters/discord/install/trial.ts";
import type { Settings } from "#src/settings/load.ts";

import { failed, type Finding, note, ok, sentence, skipped } from "./finding.ts";
import type { ToldTime } from "./machine.ts";

/** What Discord said, for the checks that come after. */
export interface DiscordChecked {
  findings: Finding[];
  /** Where the token works. */
  app?: { guilds: string[]; trial: DiscordTrial };
  time?: ToldTime;
}

/** See channels, send messages, threads and messages in them, embed links, attach files, read the history. */
const PERMISSIONS = "309237763072";

/** Where somebody adds the bot to a server. */
export function inviteUrl(app: string): string {
  return `https://discord.com/oauth2/authorize?client_id=${app}&scope=bot+applications.commands&permissions=${PERMISSIONS}`;
}

/** Where the intents of an app are switched. */
export function botPage(app: string): string {
  return `https://discord.com/developers/applications/${app}/bot`;
}

/** Whether the token works, the app may read what it has to, and is where it shall work. Never writes anything. */
export async function checkDiscord(
  { discord }: Pick<Settings, "discord">,
  now: () => number,
): Promise<DiscordChecked> {
  if (discord.token === "") return { findings: [skipped("discord", "Discord is off, as no token is set.")] };
  const trial = createDiscordTrial(discord, now);
  const app = await trial.app();
  if ("code" in app) {
    const cure =
      app.code === "invalid_token"
        ? "On the Bot page of https://discord.com/developers/applications press Reset Token, and put the new one into DISCORD_TOKEN. npm run setup -- --only discord leads through it."
        : "Allow this machine to connect to discord.com and gateway.discord.gg.";
    return { findings: [failed("discord.token", sentence(app.message), cure)] };
  }
  const findings = [ok("discord.token", `The bot token is of the app ${app.name}.`)];
  findings.push(
    app.readsMessages || !discord.message_content
      ? ok("discord.intents", "The app may read what it has to.")
      : failed(
          "discord.intents",
          "The app may not read messages, and Discord refuses the connection.",
          `Open ${botPage(app.id)} and switch on Message Content Intent; or set discord.message_content: false.`,
        ),
  );
  const ids = app.guilds.map(({ id }) => id);
  const absent = discord.guilds.filter((id) => !ids.includes(id));
  if (absent.length > 0 || ids.length === 0) {
    const where = absent.length === 0 ? "no server" : `the server ${absent.join(", ")} of discord.guilds`;
    const message = `The bot is not in ${where}.`.replace("not in no", "in no");
    findings.push(failed("discord.servers", message, `Open ${inviteUrl(app.id)} and choose the server.`));
  } else {
    findings.push(ok("discord.servers", `The bot is in ${app.guilds.map(({ name }) => name).join(", ")}.`));
    if (discord.guilds.length === 0)
      findings.push(
        note(
          "discord.guilds",
          "discord.guilds names no server, so whoever can add the bot to theirs can use your tools.",
          `Set discord.guilds: [${ids.map((id) => JSON.stringify(id)).join(", ")}], or switch Public Bot off at ${botPage(app.id)}.`,
        ),
      );
  }
  return {
    findings,
    app: { guilds: ids, trial },
    ...(app.time === undefined ? {} : { time: { whose: "Discord", ...app.time } }),
  };
}
