import { serveBackend } from "../kit/serve.ts";
import { chooseBackend, createJiraServer } from "./server.ts";

await serveBackend(() => chooseBackend(process.env), createJiraServer, { name: "jira", defaultPort: 8003 });
