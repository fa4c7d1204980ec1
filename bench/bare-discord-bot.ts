// What a mention costs at least with this library: received and answered with one reply.
import { Client, Events, GatewayIntentBits } from "discord.js";

const client = new Client({
  intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages],
  rest: { api: process.env.DISCORD_API_URL ?? "" },
});
client.on(Events.MessageCreate, (message) => {
  if (message.author.bot) return;
  void message.reply({ content: "This bot keeps nothing.", allowedMentions: { parse: [] } });
});
await client.login(process.env.DISCORD_TOKEN);
