/**
 * Starts a Slack of its own and the product against it, so that everything can be used in a browser without an
 * account: `npm run slack:demo`. SLACK_DEMO_PORT sets the port of the workspace (8788), PORT that of the product.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { parse } from "yaml";

import { startFakeSlack } from "#test/fakes/slack/slack.ts";
import type { Manifest } from "#test/fakes/slack/types.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const manifest = join(root, "manifest.yml");

const slack = await startFakeSlack({
  port: Number(process.env.SLACK_DEMO_PORT ?? 8788),
  rateLimits: "real",
  ...(existsSync(manifest) ? { manifest: parse(readFileSync(manifest, "utf8")) as Manifest } : {}),
});

const product = spawn(process.execPath, ["--max-semi-space-size=4", "src/main.ts", "start"], {
  cwd: root,
  env: {
    COUNTERSIGN_DATA: join(root, "data", "slack-demo"),
    ...process.env,
    ...slack.environment,
    // One way in is enough: with an app token the product connects over Socket Mode.
    SLACK_SIGNING_SECRET: "",
  },
  stdio: ["ignore", "pipe", "inherit"],
});
process.once("exit", () => product.kill());
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => product.kill("SIGTERM"));

let address = "";
for await (const text of createInterface({ input: product.stdout })) {
  const line = entry(text);
  address = line.url ?? address;
  console.log(`  ${line.msg ?? text}`);
  if (line.msg?.startsWith("ready") !== true) continue;
  console.log(`\nSlack, as its people see it:  ${slack.url}`);
  console.log(`The product itself:           ${address}`);
  console.log(`Write "@Countersign show me DEMO-1" in # general. Ctrl+C ends both.\n`);
}
await slack.stop();
process.exitCode = product.exitCode ?? 0;

/** A line of the product's log; what is no JSON is shown as it is. */
function entry(text: string): { url?: string; msg?: string } {
  try {
    return JSON.parse(text) as { url?: string; msg?: string };
  } catch {
    return {};
  }
}
