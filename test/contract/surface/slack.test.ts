import { describe } from "vitest";

import { slackSurface } from "./slack.ts";
import { holdTo } from "./suite.ts";

describe("[slack.mention] [slack.progress] [slack.approve] the contract of surfaces, on Slack", () => {
  holdTo(slackSurface);
});
