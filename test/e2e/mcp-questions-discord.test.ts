import { afterAll, beforeAll, expect, it } from "vitest";

import type { FakeDiscord } from "#test/fakes/discord/discord.ts";
import type { Message } from "#test/fakes/discord/types.ts";

import { discordHands } from "./chat-hands.ts";
import {
  answers,
  answerTo,
  channelApproves,
  says,
  startBot,
  startOwnBot,
  startDiscord,
  told,
} from "./discord-support.ts";
import { serversInChat, type ServersInChat, startServers } from "./servers-in-chat.ts";
import { cleanUpAll, type HostedProduct, temporaryFolder } from "./support.ts";

let discord: FakeDiscord;
let here: ServersInChat<Message>;

beforeAll(async () => {
  const { config: servers, notes } = await startServers();
  discord = await startDiscord();
  const options = {
    config: { ...channelApproves(), ...servers },
    dataDir: await temporaryFolder(),
    endsWith: "file" as const,
  };
  const first = await startOwnBot(discord, options);
  let product: HostedProduct = first;
  here = {
    hands: discordHands(discord),
    notes,
    get product() {
      return product;
    },
    async restart() {
      await first.kill();
      product = await startBot(discord, options);
    },
  };
});

afterAll(cleanUpAll);

serversInChat(() => here);

it("[mcp.elicit] on Discord a page is shown without a press to whoever used a command, once", async () => {
  await discord.until(() => discord.commands().some(({ name }) => name === "shop"));
  const before = discord.ephemerals("ben").length;
  await discord.user("ben").slash("shop visit", { url: "https://once.example.com/" }, "general");
  const own = await told(discord, "ben", "https://once.example.com/");
  await discord.user("ben").click(own, "I have opened it");
  await discord.until(() => answers(discord, own.channel).find((one) => says(one, "accept")));
  // It reads as answered now, and no other was sent.
  await told(discord, "ben", "you have opened the page");
  expect(discord.ephemerals("ben").length).toBe(before + 1);
});

it("files that Discord would refuse are left out, and the answer is there all the same", async () => {
  const question = discord.user("ana").mention("general", "/files big");
  const message = await answerTo(discord, question, "cs:menu");
  expect(message.attachments.map(({ filename }) => filename)).toEqual(["small.txt"]);
  expect(says(message, "big-1.png (11.5 MB)")).toBe(true);
});
