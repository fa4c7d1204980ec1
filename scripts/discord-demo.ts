/**
 * Starts a Discord of its own and the product against it, so that everything can be used in a browser without an
 * account: `npm run discord:demo`. DISCORD_DEMO_PORT sets the port of the server (8789), PORT that of the product.
 */
import { startFakeDiscord } from "#test/fakes/discord/discord.ts";

import { runProduct } from "./demo-product.ts";

const discord = await startFakeDiscord({
  port: Number(process.env.DISCORD_DEMO_PORT ?? 8789),
  rateLimits: "real",
});
process.exitCode = await runProduct("discord-demo", discord.environment, (address) => {
  console.log(`\nDiscord, as its people see it:  ${discord.url}`);
  console.log(`The product itself:             ${address}`);
  console.log(`Write "@Countersign show me DEMO-1" in # general. Ctrl+C ends both.\n`);
});
await discord.stop();
