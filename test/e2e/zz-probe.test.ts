import { it } from "vitest";
import { askChange, discordSettings, ended, startBot, startDiscord } from "./discord-support.ts";
import { deskConfig } from "./slack-desk.ts";
import { temporaryFolder } from "./support.ts";
it("probe", async () => {
  const discord = await startDiscord();
  const folder = await temporaryFolder();
  const p = await startBot(discord, { config: deskConfig(folder, discordSettings()) });
  const card = await askChange(discord, "/desk set name=one value=approved");
  await discord.user("ben").click(card, "Approve");
  try { await ended(discord, card, "Approved by"); } catch { }
  console.log(p.log.slice(-25).map((l) => JSON.stringify(l).slice(0, 600)).join("\n"));
}, 60000);
