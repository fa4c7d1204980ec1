import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { answerTo, discordSettings, says, answers, startBot, startDiscord } from "./discord-support.ts";
import { deskConfig } from "./slack-desk.ts";
import { projectRoot, request, startHosted, temporaryFolder } from "./support.ts";

interface Health {
  surfaces: { discord: { status: string; code?: string; error?: string } };
}

describe("the connection", () => {
  it.each([
    ["invalid_token", { DISCORD_TOKEN: "wrong" }, {}],
    ["disallowed_intents", {}, { messageContent: false }],
  ])(
    "says in its health what is wrong: %s",
    async (code, env, privileged) => {
      const discord = await startDiscord({ privileged });
      const product = await startHosted({
        config: { servers: [], ...discordSettings() },
        env: { ...discord.environment, ...env },
      });
      await product.line((line) => line.code === code);
      const { body } = await request<Health>(product, "GET", "/health");
      expect(body.surfaces.discord).toMatchObject({ status: "down", code });
    },
    60_000,
  );

  it("[discord.mention] works without the privileged intent, where follow-ups need a mention", async () => {
    const discord = await startDiscord({ privileged: { messageContent: false } });
    const folder = await temporaryFolder();
    await startBot(discord, { config: deskConfig(folder, discordSettings({ message_content: false })) });
    const first = await answerTo(
      discord,
      discord.user("ana").mention("general", "/desk found name=a"),
      "cs:menu",
    );
    discord.user("ana").say(first.channel, "/desk found name=b");
    discord.user("ana").mention(first.channel, "/desk found name=c");
    await discord.until(() =>
      answers(discord, first.channel).find((one) => says(one, "cs:menu") && one !== first),
    );
    expect(answers(discord, first.channel)).toHaveLength(2);
  });

  it("[discord.mention] asks about a message that a mention replies to, and goes on with replies", async () => {
    const discord = await startDiscord();
    const folder = await temporaryFolder();
    await startBot(discord, { config: deskConfig(folder, discordSettings()) });
    discord.permit("bot", "general", { deny: ["CreatePublicThreads"] });
    discord.user("ana").mention("general", "/desk found name=a");
    const general = discord.channel("general").id;
    const first = await discord.until(() => answers(discord, general).find((one) => says(one, "cs:menu")));
    const more = discord.user("ben").say("general", "/desk found name=b", { reply: first.id });
    const second = await discord.until(() =>
      answers(discord, general).find(({ reference }) => reference === more.id),
    );
    await discord.until(() => says(second, "cs:menu"));
    expect(answers(discord, general)).toHaveLength(2);
  });
});

it("[discord.commands] are registered by a command, in the servers that are named", async () => {
  const discord = await startDiscord();
  const folder = await temporaryFolder();
  const file = join(folder, "countersign.json");
  const guilds = [discord.guild().id];
  await writeFile(file, JSON.stringify(deskConfig(folder, discordSettings({ guilds }))));
  const child = spawn(process.execPath, ["app/main.ts", "discord", "register", "--config", file], {
    cwd: projectRoot,
    env: { ...process.env, ...discord.environment, COUNTERSIGN_DATA: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  const [code] = (await once(child, "close")) as [number | null];
  expect(code).toBe(0);
  expect(said).toContain("desk, ask, connect, countersign");
  expect(discord.commands("Acme").map(({ name }) => name)).toContain("desk");
  expect(discord.commands()).toEqual([]);
});
