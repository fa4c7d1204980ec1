import { messageOf } from "../kit/failure.ts";
import { serve } from "../kit/serve.ts";
import { createConfluenceServer } from "./server.ts";
import { openWiki } from "./settings.ts";

try {
  const wiki = openWiki(process.env);
  await serve(() => createConfluenceServer(wiki), {
    name: "confluence",
    defaultPort: 8004,
    argv: process.argv.slice(2),
  });
} catch (error) {
  process.stderr.write(`confluence: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
