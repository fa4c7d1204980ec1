import { expect, it } from "vitest";

import {
  answers,
  answerTo,
  askChange,
  discordSettings,
  ended,
  says,
  startBot,
  startDiscord,
  startOwnBot,
} from "./discord-support.ts";
import { deskConfig, effects } from "./slack-desk.ts";
import { temporaryFolder } from "./support.ts";

it.each([
  ["in a thread", "mention"],
  ["of a slash command", "slash"],
])(
  "[discord.approve] [discord.progress] takes a click on a killed process's card, finds a message %s",
  async (_, way) => {
    const discord = await startDiscord();
    const folder = await temporaryFolder();
    const dataDir = await temporaryFolder();
    const config = deskConfig(folder, discordSettings({ slash_answers: "channel" }));
    const first = await startOwnBot(discord, {
      config,
      dataDir,
      env: { COUNTERSIGN_FAIL_POINT: "present.posted:2" },
    });
    await discord.until(() => discord.commands().length > 0);
    const card = await askChange(discord, "/desk set name=one value=survived");
    const question =
      way === "mention" ? discord.user("ana").mention("general", "/desk found name=x") : undefined;
    if (question === undefined) await discord.user("ana").slash("desk found", { name: "x" });
    await first.ended;

    await startBot(discord, { config, dataDir });
    expect(await discord.user("ben").click(card, "cs:approve")).toMatchObject({ ok: true });
    await ended(discord, card, "Approved by");
    expect(answers(discord, card.channel)).toHaveLength(1);
    expect(effects(folder)).toEqual(["one=survived"]);
    const place = question === undefined ? discord.channel("general").id : question.id;
    await discord.until(() => answers(discord, place).find((one) => says(one, "cs:menu")));
    expect(answers(discord, place)).toHaveLength(1);
    if (question !== undefined) await answerTo(discord, question, "cs:menu");
  },
  90_000,
);
