/**
 * Starts a Slack of its own and the product against it, so that everything can be used in a browser without an
 * account: `npm run slack:demo`. SLACK_DEMO_PORT sets the port of the workspace (8788), PORT that of the product.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { parse } from "yaml";

import { startFakeSlack } from "#test/fakes/slack/slack.ts";
import type { Manifest } from "#test/fakes/slack/types.ts";

import { runProduct } from "./demo-product.ts";

const manifest = fileURLToPath(new URL("../manifest.yml", import.meta.url));

const slack = await startFakeSlack({
  port: Number(process.env.SLACK_DEMO_PORT ?? 8788),
  rateLimits: "real",
  ...(existsSync(manifest) ? { manifest: parse(readFileSync(manifest, "utf8")) as Manifest } : {}),
});
// One way in is enough: with an app token the product connects over Socket Mode.
const environment = { ...slack.environment, SLACK_SIGNING_SECRET: "" };
process.exitCode = await runProduct("slack-demo", environment, (address) => {
  console.log(`\nSlack, as its people see it:  ${slack.url}`);
  console.log(`The product itself:           ${address}`);
  console.log(`Write "@Countersign show me DEMO-1" in # general. Ctrl+C ends both.\n`);
});
await slack.stop();
