import { serve } from "../kit/serve.ts";
import { messageOf } from "../kit/tool.ts";
import { createConfluenceServer, openWiki } from "./server.ts";

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
