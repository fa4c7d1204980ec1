import { describe } from "vitest";

import { discordSurface } from "./discord.ts";
import { holdTo } from "./suite.ts";

describe("[discord.mention] [discord.progress] [discord.approve] the contract of surfaces, on Discord", () => {
  holdTo(discordSurface);
});
