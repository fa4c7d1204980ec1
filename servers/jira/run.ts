import { serve } from "#servers/kit/serve.ts";
import { messageOf } from "#servers/kit/tool.ts";

import { chooseBackend, createJiraServer } from "./server.ts";

try {
  const jira = await chooseBackend(process.env);
  await serve(() => createJiraServer(jira), { name: "jira", defaultPort: 8003, argv: process.argv.slice(2) });
} catch (error) {
  process.stderr.write(`jira: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
